/* text_survey.h - looks through a text log once: which format has most lines, which bar is the training's. */
#ifndef TSCOPE_INGEST_TEXT_TEXT_SURVEY_H
#define TSCOPE_INGEST_TEXT_TEXT_SURVEY_H

#include "ingest/text/text_formats.h"
#include "ingest/text/text_line.h"

enum { TS_TEXT_KINDS = 16, TS_TEXT_WHAT = 48 };

/* Bars that are the same but for their numbers. */
struct ts_text_kind {
	char what[TS_TEXT_WHAT]; /* the text before the first digit: "Epoch" */
	int64_t total;
	uint64_t count;
};

struct ts_text_survey {
	uint64_t lines[TS_TEXT_FORMATS + 1];
	uint64_t underway;			   /* states of bars with pairs that are not at their end */
	struct ts_text_kind kinds[TS_TEXT_KINDS];  /* of bars with pairs, by what */
	struct ts_text_kind totals[TS_TEXT_KINDS]; /* of bars that follow a Hugging Face record with a loss, by total */
	bool quoted; /* Hugging Face's records have their numbers in quotes, as versions from 5 on write them */
	bool waits; /* such a record, and no bar since */
};

void ts_text_survey_add(struct ts_text_survey *s, enum ts_text_format format, const struct ts_text_record *r,
			const struct ts_text_bar *bar);
/* The format with most lines; TS_TEXT_NONE if there is no line of a step. */
enum ts_text_format ts_text_survey_format(const struct ts_text_survey *s);
/* The commonest bar with pairs; the total of the training's bar among Hugging Face records, 0: there is no bar. */
const char *ts_text_survey_what(const struct ts_text_survey *s);
int64_t ts_text_survey_total(const struct ts_text_survey *s);
/* Writes the text before the first digit of bar->what, cut to fit. */
void ts_text_what(struct ts_span what, char out[TS_TEXT_WHAT]);

#endif
