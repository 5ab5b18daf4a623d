/* range.h - reads a steps.jsonl, or a part of it, record by record through a window.
 *
 *	ts_range_init(&range, &source, 0, source.size, 1, window)
 *	while (ts_range_next(&range, &record, notices, &more, err) == TS_OK && more) ... record holds it
 *	ts_range_finish(&range)
 *
 * A line TS_RANGE_RESTART says that training began again there; ts_range_restarted tells it of the record behind it.
 * Text that is not a record is skipped with a notice (notices may be NULL). The file is read with pread up to the size it had when
 * it was opened: a file that grows is fine, a file that shrinks is TS_IO. The window is allocated at the first call and grows for
 * long lines. Threads: one at a time; ranges may share a record parser.
 */
#ifndef TSCOPE_INGEST_RUNDIR_RANGE_H
#define TSCOPE_INGEST_RUNDIR_RANGE_H

#include "ingest/core/notice.h"
#include "ingest/core/source.h"
#include "ingest/rundir/record.h"

#define TS_RANGE_RESTART "{\"restart\":true}"

struct ts_range {
	const struct ts_source *source;
	uint64_t end;	    /* where the range ends in the file */
	uint8_t *window;
	size_t cap;
	uint64_t base;	    /* where window[0] stands in the file */
	size_t at, len;	    /* the unread part: window[at..len) */
	uint64_t line;	    /* number of the current line, or of the next one between lines */
	bool in_line;
	size_t line_end;    /* in the window */
	bool has_newline;
	uint32_t taken;	    /* records read from this line */
	size_t record_at, record_len; /* the last record, in the window */
	bool started;
	bool too_long;	    /* the rest of a line that is too long is being skipped */
	bool restart;	    /* a line that says a restart came before the next record */
};

void ts_range_init(struct ts_range *range, const struct ts_source *source, uint64_t from, uint64_t end,
		   uint64_t line, size_t window);
void ts_range_finish(struct ts_range *range);
enum ts_status ts_range_next(struct ts_range *range, struct ts_record *record, struct ts_notices *notices,
			     bool *ret_more, struct ts_error *err);
/* Takes the next record if no general parsing and no notice is needed for it, and reads on in the file where the window ends. Where
 * *ret_good is false, ts_range_next has to say what comes next. It uses the shapes and cells of record, but not its keys. */
enum ts_status ts_range_fast(struct ts_range *range, struct ts_record *record, bool *ret_good, struct ts_error *err);
/* Gives the record back that ts_range_fast has just taken: it is the next one again. */
void ts_range_untake(struct ts_range *range);
/* Goes on at a later place, where a line begins; so many lines lie between. Tells progress as reading does. */
enum ts_status ts_range_skip(struct ts_range *range, uint64_t offset, uint64_t lines, struct ts_error *err);
/* Parses the last record again, for when another range has used the parser since. */
enum ts_status ts_range_again(struct ts_range *range, struct ts_record *record, struct ts_error *err);

/* Whether such a line came before the last record; false if asked again. */
static inline bool ts_range_restarted(struct ts_range *range)
{
	bool restart = range->restart;

	range->restart = false;
	return restart;
}

/* The byte at which the last record begins in the file, and its line. */
static inline uint64_t ts_range_offset(const struct ts_range *range)
{
	return range->base + range->record_at;
}

/* The text of the last record and what follows it in the window; until the next one is read. */
static inline struct ts_span ts_range_text(const struct ts_range *range)
{
	return ts_span_of(range->window + range->record_at, range->len - range->record_at);
}

/* The place of the next line in the file, if the last record was a whole line; else false. */
static inline bool ts_range_between(const struct ts_range *range, uint64_t *ret_offset)
{
	*ret_offset = range->base + range->at;
	return range->started && !range->in_line && !range->too_long;
}

static inline uint64_t ts_range_line(const struct ts_range *range)
{
	return range->in_line ? range->line : range->line - 1;
}

#endif
