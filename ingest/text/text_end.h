/* text_end.h - how a training ended, by the lines that programs, torch, launchers and schedulers print when it does.
 *
 *	ts_text_end_line(&end, number, rank, text)	each line that says nothing of a step
 *	ts_text_end_step(&end)				a line of a later step: the training went on, and what was seen is forgotten
 *	ts_text_end_write(&end, j)			the facts session.end (run/ending.h)
 *
 * Of several causes the first counts from which others follow: memory that ran out before the timeout of those who wait. Of an
 * exception that the program answered by another one the last counts, and of one that a library answered so the first. A log that
 * merely stops says nothing. To add a line, add a row to the tables of text_end.c, with the program that prints it.
 */
#ifndef TSCOPE_INGEST_TEXT_TEXT_END_H
#define TSCOPE_INGEST_TEXT_TEXT_END_H

#include "base/json_writer.h"
#include "run/ending.h"

enum { TS_TEXT_END_MESSAGE = 512, TS_TEXT_END_TYPE = 96 };

/* Where a rank waited, by torch's watchdog. */
struct ts_text_wait {
	int32_t rank;
	int64_t sequence;
};

struct ts_text_end {
	bool said, finished;
	bool full; /* the recorder said that a disk was */
	enum ts_end_cause cause;
	uint64_t line;
	int32_t rank; /* whose line it was; -1: it names none */
	char type[TS_TEXT_END_TYPE];
	char message[TS_TEXT_END_MESSAGE];
	int64_t exit;
	int32_t trace_rank; /* inside of the traceback of this rank */
	bool in_trace;
	bool framed; /* a frame of it was seen: what ends it may have any name */
	bool own;    /* one of them is of the program itself */
	bool linked; /* the traceback is of an exception that the program answered another one by: it is the one that nobody caught */
	struct ts_text_wait waits[TS_END_RANKS_MAX];
	size_t n_waits;
	char operation[TS_TEXT_END_TYPE]; /* of the waits, "ALLREDUCE" */
};

/* What a line between two tracebacks begins with, of which the exception of the second answers that of the first; ends with NULL. */
extern const char *const ts_text_links[];

/* A line of a traceback of a group of exceptions without the "  | " that it stands behind; another line as it is. */
struct ts_span ts_text_without_bar(struct ts_span line);
/* Whether the file of a frame is one of Python's or of a package; what is behind the path may follow. */
bool ts_text_is_library(struct ts_span path);
/* rank: -1 where the line names none. */
void ts_text_end_line(struct ts_text_end *end, uint64_t number, int32_t rank, struct ts_span text);
void ts_text_end_step(struct ts_text_end *end);
/* Writes the member "end" of an object, or nothing if no line says how it ended. */
void ts_text_end_write(const struct ts_text_end *end, struct ts_json *j);

#endif
