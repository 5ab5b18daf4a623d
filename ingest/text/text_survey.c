#include "ingest/text/text_survey.h"

#include "base/text.h"

void ts_text_what(struct ts_span what, char out[TS_TEXT_WHAT])
{
	size_t n = 0;

	while (n < what.len && n < TS_TEXT_WHAT - 1 && !ts_is_digit(what.data[n]))
		n++;
	while (n && memchr(" \t-+.:=", what.data[n - 1], 7))
		n--;
	what = ts_trim(ts_span_part(what, 0, n));
	if (what.len)
		memcpy(out, what.data, what.len);
	out[what.len] = '\0';
}

static void count(struct ts_text_kind kinds[TS_TEXT_KINDS], const char *what, int64_t total)
{
	for (size_t i = 0; i < TS_TEXT_KINDS; i++) {
		struct ts_text_kind *k = &kinds[i];

		if (k->count && (strcmp(k->what, what) != 0 || k->total != total))
			continue;
		if (!k->count)
			memcpy(k->what, what, strlen(what) + 1);
		k->total = total;
		k->count++;
		return;
	}
}

/* The first of those with the highest count. */
static const struct ts_text_kind *commonest(const struct ts_text_kind kinds[TS_TEXT_KINDS])
{
	const struct ts_text_kind *best = &kinds[0];

	for (size_t i = 1; i < TS_TEXT_KINDS; i++)
		if (kinds[i].count > best->count)
			best = &kinds[i];
	return best;
}

void ts_text_survey_add(struct ts_text_survey *s, enum ts_text_format format, const struct ts_text_record *r,
			const struct ts_text_bar *bar)
{
	char what[TS_TEXT_WHAT];

	if (bar && s->waits && !bar->what.len) {
		count(s->totals, "", bar->total);
		s->waits = false;
	}
	if (format == TS_TEXT_NONE)
		return;
	s->lines[format]++;
	if (bar) {
		ts_text_what(bar->what, what);
		count(s->kinds, what, 0);
		s->underway += bar->n < bar->total;
	}
	s->quoted |= format == TS_TEXT_HUGGINGFACE && r->quoted;
	s->waits |= format == TS_TEXT_HUGGINGFACE && ts_text_record_find(r, "loss");
}

enum ts_text_format ts_text_survey_format(const struct ts_text_survey *s)
{
	enum ts_text_format best = TS_TEXT_NONE;
	uint64_t most = 0;

	for (int i = 0; i <= TS_TEXT_TEMPLATE; i++)
		if (s->lines[i] > most) {
			most = s->lines[i];
			best = (enum ts_text_format)i;
		}
	return best;
}

const char *ts_text_survey_what(const struct ts_text_survey *s)
{
	return commonest(s->kinds)->what;
}

int64_t ts_text_survey_total(const struct ts_text_survey *s)
{
	return commonest(s->totals)->total;
}
