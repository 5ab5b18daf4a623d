#include "ingest/trace/trace_read.h"

#include "base/alloc.h"
#include "ingest/trace/trace_about.h"
#include "ingest/trace/trace_damage.h"
#include "ingest/trace/trace_fill.h"
#include "ingest/trace/trace_input.h"
#include "ingest/trace/trace_mend.h"

enum { ABOUT_BYTES = 64 << 20 };

struct reading {
	struct ts_trace_input in;
	const struct ts_trace_scanner *scan;
	size_t at; /* in the window */
	struct ts_trace_place scanned;
	struct ts_trace_fill fill;
	struct ts_trace_file *file;
	bool any_list, cut;
	bool left_envelope; /* what stands behind the events is not read */
	size_t budget; /* of trace_damage.h */
	uint64_t whole_entries;
	struct ts_error first_bad; /* the error of the first entry that was damaged */
};

static uint64_t place(const struct reading *r)
{
	return r->in.base + r->at;
}

static enum ts_status expected(const struct reading *r, uint64_t at, const char *what, struct ts_error *err)
{
	return ts_error_set(err, TS_INVALID, "%.*s: byte %" PRIu64 ": expected %s", TS_SPAN_ARG(r->in.source->path), at, what);
}

static enum ts_status more(struct reading *r, struct ts_error *err)
{
	if (ts_trace_input_more(&r->in, r->at, err))
		return err->status;
	r->at = 0;
	return TS_OK;
}

/* The next byte that is no white space, without taking it; -1 at the end. */
static enum ts_status peek(struct reading *r, int *ret, struct ts_error *err)
{
	for (;;) {
		if (r->in.window[r->at] <= ' ')
			r->at = (size_t)(r->scan->blanks(r->in.window + r->at) - r->in.window);
		if (r->at < r->in.len) {
			*ret = r->in.window[r->at];
			return TS_OK;
		}
		r->at = r->in.len;
		if (r->in.ended) {
			*ret = -1;
			return TS_OK;
		}
		if (more(r, err))
			return err->status;
	}
}

/* Goes over one value, which then lies whole in the window at r->at; *ret_n is its length, 0 if the input ends inside of it. With an
 * event the value is taken apart. */
static enum ts_status whole(struct reading *r, struct ts_trace_event *event, size_t *ret_n, struct ts_error *err)
{
	struct ts_trace_place *at = &r->scanned;

	for (;;) {
		const uint8_t *p = r->in.window + r->at, *end = r->in.window + r->in.len;
		const uint8_t *q;

		at->end = end;
		q = event ? r->scan->event(at, p, event) : r->scan->value(at, p);

		/* A number may go on behind the window. */
		if (q && (q < end || (q == end && (r->in.ended || p[0] == '{' || p[0] == '[' || p[0] == '"')))) {
			*ret_n = (size_t)(q - p);
			return TS_OK;
		}
		if (!q && at->p < end)
			return expected(r, r->in.base + (uint64_t)(at->p - r->in.window), at->expected, err);
		if (r->in.ended) {
			*ret_n = 0;
			r->cut = true;
			return TS_OK;
		}
		if (more(r, err))
			return err->status;
	}
}

/* --- the list of events --- */

/* Moves behind an entry that is no JSON: to the next event, or to the end of the list. *ret_moved is false where neither follows.
 * *ret_from is where the entry began in the window. */
static enum ts_status over_damage(struct reading *r, bool *ret_moved, size_t *ret_from, struct ts_error *err)
{
	for (;;) {
		const uint8_t *next;
		enum ts_trace_damage found;

		r->scanned.end = r->in.window + r->in.len;
		found = ts_trace_behind_damage(r->scan, &r->scanned, r->in.window + r->at + 1, r->in.ended, &r->budget, &next);
		*ret_moved = found == TS_TRACE_DAMAGE_EVENT || found == TS_TRACE_DAMAGE_END;
		*ret_from = r->at;
		if (*ret_moved)
			r->at = (size_t)(next - r->in.window);
		if (found != TS_TRACE_DAMAGE_MORE)
			return TS_OK;
		if (more(r, err))
			return err->status;
	}
}

/* Reads the event that lies between `from` and r->at with the quotes escaped that lack it; *ret_read is false where it is none then. */
static enum ts_status mended(struct reading *r, size_t from, uint64_t at, bool *ret_read, struct ts_error *err)
{
	const uint8_t *damaged = r->in.window + from, *behind;
	size_t n = r->at - from, quotes = 0, len;
	struct ts_trace_event event;
	enum ts_status status = TS_OK;
	uint8_t *text;

	*ret_read = false;
	if (n > TS_TRACE_MEND_MAX || !n || *damaged != '{')
		return TS_OK;
	text = ts_alloc(2 * n + TS_TRACE_PAD);
	if (!text)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for an event");
	len = ts_trace_mend(damaged, n, text, &quotes);
	memset(text + len, '"', TS_TRACE_PAD);
	r->scanned.end = text + len;
	behind = quotes ? r->scan->event(&r->scanned, text, &event) : NULL;
	*ret_read = behind == text + len && event.phase && event.time_ns != TS_TRACE_NONE;
	if (*ret_read)
		status = ts_trace_fill_event(&r->fill, &event, at, err);
	ts_free(text);
	return status;
}

/* An entry in which the byte `at` of the file is not what belongs there costs itself; why: the error, if nothing follows it. */
static enum ts_status bad_entry(struct reading *r, uint64_t at, const struct ts_error *why, struct ts_error *err)
{
	bool moved, read = false;
	size_t from;

	if (over_damage(r, &moved, &from, err) || (moved && mended(r, from, at, &read, err)))
		return err->status;
	if (read) {
		r->cut = false;
		r->file->events++;
		ts_trace_note(&r->fill, "trace_quote", TS_NOTICE_INFO, at,
			      "a quote within a text that is not escaped: it is read as a part of the text");
		return TS_OK;
	}
	if (!moved && (!why->status || !r->whole_entries)) {
		*err = *why;
		return err->status;
	}
	if (!r->first_bad.status)
		r->first_bad = *why;
	r->cut = !moved; /* what stands before is read */
	r->at = moved ? r->at : r->in.len;
	r->file->events++;
	ts_trace_note(&r->fill, "trace_bad_event", TS_NOTICE_SKIPPED, at,
		      "an event that is no JSON, such as one with a quote in its name");
	return TS_OK;
}

/* *ret_whole is false where the entry is damaged, and reading goes on at the next one, or is cut. */
static enum ts_status entry(struct reading *r, int c, bool *ret_whole, struct ts_error *err)
{
	struct ts_trace_event event;
	struct ts_error why = {.status = TS_OK};
	uint64_t at = place(r);
	size_t n;

	*ret_whole = false;
	if (whole(r, c == '{' ? &event : NULL, &n, &why)) {
		if (why.status == TS_INVALID)
			return bad_entry(r, r->in.base + (uint64_t)(r->scanned.p - r->in.window), &why, err);
		if (why.status == TS_TOO_LARGE) { /* what a missing quote or bracket makes of all that follows */
			r->budget -= r->budget < TS_TRACE_VALUE_MAX ? r->budget : TS_TRACE_VALUE_MAX;
			return bad_entry(r, at, &why, err);
		}
		*err = why;
		return err->status;
	}
	if (!n)
		return bad_entry(r, at, &why, err); /* a quote that is not closed may hide what follows */
	if (c != '{')
		ts_trace_note(&r->fill, "trace_not_event", TS_NOTICE_SKIPPED, at, "an entry of the list that is no event");
	else if (ts_trace_fill_event(&r->fill, &event, at, err))
		return ts_error_prefix(err, "%.*s: byte %" PRIu64, TS_SPAN_ARG(r->in.source->path), at);
	r->file->events++;
	r->whole_entries++;
	r->at += n;
	r->file->list_end = place(r);
	*ret_whole = true;
	return TS_OK;
}

/* What stands behind an entry: a comma, or the end of the list. *io_whole becomes false where it is something else, which costs the
 * entry that follows. */
static enum ts_status behind_entry(struct reading *r, bool *io_whole, struct ts_error *err)
{
	struct ts_error why;
	int c;

	if (!*io_whole)
		return TS_OK;
	if (peek(r, &c, err))
		return err->status;
	if (c == ',')
		r->at++;
	*io_whole = c < 0 || c == ']' || c == ',';
	if (*io_whole)
		return TS_OK;
	(void)expected(r, place(r), "',' or ']'", &why);
	return bad_entry(r, place(r), &why, err);
}

/* Stands behind '['. */
static enum ts_status list(struct reading *r, struct ts_error *err)
{
	bool first = !r->any_list, good;
	int c;

	r->any_list = true;
	r->file->list_end = place(r);
	if (first)
		r->file->list_begin = place(r);
	while (!peek(r, &c, err)) {
		if (c == ']') {
			r->at++;
			return TS_OK;
		}
		if (c < 0) {
			r->cut = true;
			return TS_OK;
		}
		if (entry(r, c, &good, err))
			return err->status;
		if (r->cut)
			return TS_OK;
		r->file->list_any |= first;
		if (behind_entry(r, &good, err))
			return err->status;
	}
	return err->status;
}

/* --- the envelope --- */

static enum ts_status about(struct reading *r, struct ts_span key, uint64_t at, struct ts_error *err)
{
	size_t n;

	if (whole(r, NULL, &n, err))
		return err->status;
	if (n && ts_trace_about_take(&r->file->about, key, ts_span_of(r->in.window + r->at, n), at, &r->file->arena, r->fill.notices,
				     r->fill.file, err))
		return err->status;
	r->at += n;
	return TS_OK;
}

/* Copies the key, without its escapes: the window may move. */
static enum ts_status key_of(struct reading *r, char *key, size_t cap, size_t *ret_n, struct ts_error *err)
{
	size_t n;

	if (whole(r, NULL, &n, err))
		return err->status;
	*ret_n = 0;
	if (!n)
		return TS_OK;
	if (n - 2 < cap) {
		const uint8_t *said = r->in.window + r->at + 1;
		size_t plain = memchr(said, '\\', n - 2) ? ts_trace_plain(said, n - 2, (uint8_t *)key, cap) : 0;

		if (!plain)
			memcpy(key, said, n - 2);
		*ret_n = plain ? plain : n - 2;
	}
	r->at += n;
	return TS_OK;
}

static enum ts_status member(struct reading *r, struct ts_error *err)
{
	enum { KEY_MAX = 256 };
	char key[KEY_MAX];
	uint64_t at = place(r);
	size_t n = 0;
	int c;

	if (key_of(r, key, sizeof key, &n, err) || r->cut || peek(r, &c, err))
		return r->cut ? TS_OK : err->status;
	if (c >= 0 && c != ':')
		return expected(r, place(r), "':'", err);
	r->at += c >= 0;
	if (peek(r, &c, err))
		return err->status;
	if (c < 0) {
		r->cut = true;
		return TS_OK;
	}
	if (c == '[' && ts_span_is(ts_span_of(key, n), "traceEvents")) {
		r->at++;
		if (r->any_list)
			ts_trace_note(&r->fill, "trace_lists", TS_NOTICE_INFO, at, "another list of events, which is read too");
		return list(r, err);
	}
	return about(r, ts_span_of(key, n), at, err);
}

/* Whether the list of events begins behind these bytes, `traceEvents"`; *ret_short: the window ends before that can be said. */
static const uint8_t *list_behind(const struct reading *r, const uint8_t *p, bool *ret_short)
{
	const uint8_t *end = r->in.window + r->in.len;

	p = r->scan->blanks(p);
	if (p < end && *p == ':')
		p = r->scan->blanks(p + 1);
	else if (p < end)
		return NULL;
	*ret_short = p >= end;
	return p < end && *p == '[' ? p + 1 : NULL;
}

/* Where a text begins next; NULL: nowhere. */
static const uint8_t *find_text(const uint8_t *from, const uint8_t *end, const char *text, size_t n)
{
	while ((size_t)(end - from) >= n && (from = memchr(from, text[0], (size_t)(end - from) - n + 1))) {
		if (memcmp(from, text, n) == 0)
			return from;
		from++;
	}
	return NULL;
}

/* Moves behind the '[' of the next list of events; *ret_found is false where none follows. */
static enum ts_status next_list(struct reading *r, bool *ret_found, struct ts_error *err)
{
	static const char name[] = "traceEvents\"";

	*ret_found = false;
	for (;;) {
		const uint8_t *end = r->in.window + r->in.len, *p = r->in.window + r->at;
		bool shorter = false;

		while ((p = find_text(p, end, name, sizeof name - 1))) {
			const uint8_t *behind = list_behind(r, p + sizeof name - 1, &shorter);

			if (behind || shorter) {
				r->at = (size_t)((behind ? behind : p) - r->in.window);
				*ret_found = behind;
				break;
			}
			p++;
		}
		if (*ret_found || r->in.ended)
			return TS_OK;
		if (!shorter && r->in.len - r->at >= sizeof name)
			r->at = r->in.len - sizeof name;
		if (more(r, err))
			return err->status;
	}
}

/* Beside the events something is no JSON, as `why` says, or hides all that follows (its status is TS_OK): what follows it beside them
 * is left out. */
static enum ts_status bad_envelope(struct reading *r, const struct ts_error *why, struct ts_error *err)
{
	bool mine = why->status == TS_OK || why->status == TS_INVALID || why->status == TS_TOO_LARGE, found = false;
	uint64_t at = place(r);

	if (mine && !r->any_list && next_list(r, &found, err))
		return err->status;
	if (!mine || (!r->any_list && !found)) {
		*err = *why;
		return why->status;
	}
	r->cut = false;
	ts_trace_note(&r->fill, "trace_metadata", TS_NOTICE_SKIPPED, at,
		      "what stands beside the events is no JSON from here on, and is left out");
	if (found && list(r, err))
		return err->status;
	r->left_envelope = true;
	return TS_OK;
}

/* Stands behind '{'. */
static enum ts_status envelope(struct reading *r, struct ts_error *err)
{
	int c;

	if (peek(r, &c, err))
		return err->status;
	if (c == '}') {
		r->at++;
		return TS_OK;
	}
	for (;;) {
		if (peek(r, &c, err))
			return err->status;
		if (c < 0)
			r->cut = true;
		else if (c != '"')
			return expected(r, place(r), "a key", err);
		else if (member(r, err))
			return err->status;
		if (r->cut)
			return TS_OK;
		if (peek(r, &c, err))
			return err->status;
		if (c >= 0 && c != ',' && c != '}')
			return expected(r, place(r), "',' or '}'", err);
		r->at += c >= 0;
		if (c == '}')
			return TS_OK;
		r->cut = c < 0;
	}
}

static enum ts_status no_trace(const struct reading *r, const char *what, struct ts_error *err)
{
	return ts_error_set(err, TS_INVALID, "%.*s: %s", TS_SPAN_ARG(r->in.source->path), what);
}

static void note_ends(struct reading *r, bool array)
{
	const struct ts_trace_words *words = r->fill.words;

	if (r->cut && array && !r->in.end.cut && r->at == r->in.len)
		ts_trace_note(&r->fill, "trace_unclosed", TS_NOTICE_INFO, place(r), "the list of events has no end, as it may");
	else if ((r->cut && !r->in.damage.status) || r->in.end.cut)
		ts_trace_note(&r->fill, "trace_cut", TS_NOTICE_SKIPPED, place(r),
			      "the file ends too early; what stands before is read");
	if (r->in.damage.status)
		ts_notice_add(r->fill.notices, "trace_packed", TS_NOTICE_SKIPPED, r->fill.file, 0,
			      "its gzip data is damaged: what stands before the damage is read, and parts of that may be wrong");
	for (uint64_t i = 0; i < r->in.n_cut; i++)
		ts_trace_note(&r->fill, "trace_long_text", TS_NOTICE_SKIPPED, r->in.cut_at,
			      "a text of more than 32 MiB is cut to its first 1,024 bytes");
	if (r->in.end.trailing)
		ts_notice_add(r->fill.notices, "trace_trailing", TS_NOTICE_SKIPPED, r->fill.file, 0, "bytes behind the end of gzip");
	for (uint64_t i = 0; i < words->repaired; i++)
		ts_notice_add(r->fill.notices, "trace_name", TS_NOTICE_INFO, r->fill.file, 0,
			      "a name that is no UTF-8, or has an escape that JSON does not have");
}

static enum ts_status document(struct reading *r, struct ts_error *err)
{
	struct ts_error why = {.status = TS_OK};
	bool array;
	int c;

	while (r->in.len < 3 && !r->in.ended)
		if (more(r, err))
			return err->status;
	if (r->in.len >= 3 && memcmp(r->in.window, "\xef\xbb\xbf", 3) == 0)
		r->at = 3;
	if (peek(r, &c, err))
		return err->status;
	if (c < 0 && r->in.damage.status)
		*err = r->in.damage;
	else if (c < 0)
		(void)no_trace(r, "the file is empty", err);
	if (c < 0)
		return err->status;
	array = c == '[';
	if (!array && c != '{')
		return expected(r, place(r), "'{' or '['", err);
	r->at++;
	r->file->bare = array;
	if (array ? list(r, err) : (envelope(r, &why) || (r->cut && !r->any_list)) && bad_envelope(r, &why, err))
		return err->status;
	if (r->in.damage.status && !r->whole_entries) {
		*err = r->in.damage;
		return err->status;
	}
	if (!r->any_list)
		return no_trace(r, r->cut ? "the file ends before its events" : "no traceEvents, so it is no trace", err);
	if (!r->cut && !r->left_envelope) {
		if (peek(r, &c, err))
			return err->status;
		if (c >= 0)
			ts_trace_note(&r->fill, "trace_trailing", TS_NOTICE_SKIPPED, place(r), "text behind the end of the trace");
	}
	if (r->first_bad.status && !r->whole_entries) {
		*err = r->first_bad;
		return err->status;
	}
	if (ts_trace_fill_end(&r->fill, err))
		return err->status;
	note_ends(r, array);
	return TS_OK;
}

void ts_trace_file_finish(struct ts_trace_file *file)
{
	ts_trace_words_finish(&file->words);
	ts_arena_finish(&file->arena);
}

static enum ts_status read_all(struct reading *r, const struct ts_source *source, size_t window, struct ts_error *err)
{
	enum ts_status status;

	if (ts_trace_fill_begin(&r->fill, err))
		return err->status;
	status = ts_trace_input_open(&r->in, source, window, err);
	if (!status) {
		status = document(r, err);
		r->file->bytes = place(r);
		r->file->cut = r->cut || r->in.end.cut;
		ts_trace_input_close(&r->in);
	}
	ts_trace_fill_finish(&r->fill);
	return status;
}

enum ts_status ts_trace_read(const struct ts_source *source, const struct ts_trace_reading *reading, struct ts_trace_file *ret_file,
			     struct ts_error *err)
{
	struct ts_trace_file file = {0};
	struct reading r = {
		.scan = reading->scanner ? reading->scanner : ts_trace_scanner_at(0),
		.file = &file,
		.budget = TS_TRACE_DAMAGE_BUDGET,
		.fill = {.words = &file.words,
			 .take = reading->take,
			 .ctx = reading->ctx,
			 .notices = reading->notices,
			 .file = source->name},
	};

	ts_arena_init(&file.arena, ABOUT_BYTES);
	ts_trace_about_init(&file.about);
	if (ts_trace_words_init(&file.words, err))
		return err->status;
	if (!read_all(&r, source, reading->window ? reading->window : TS_TRACE_WINDOW_BYTES, err)) {
		*ret_file = file;
		return TS_OK;
	}
	ts_trace_file_finish(&file);
	return err->status;
}

void ts_trace_file_columns(const struct ts_trace_file *file, struct ts_trace *ret_trace)
{
	*ret_trace = (struct ts_trace){.names = file->words.words,
				       .n_names = file->words.n,
				       .threads = file->words.threads,
				       .n_threads = file->words.n_threads,
				       .about = file->about,
				       .cut = file->cut};
}

enum ts_status ts_trace_file_record(const struct ts_trace_file *file, const struct ts_notices *notices, struct ts_arena *arena,
				    struct ts_trace_record *ret_record, struct ts_error *err)
{
	struct ts_trace_record record = {.events = file->events,
					 .bytes = file->bytes,
					 .cut = file->cut,
					 .notices = ts_arena_array(arena, notices->n, sizeof *record.notices)};

	if (!record.notices)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < notices->n; i++)
		record.notices[record.n_notices++] = (struct ts_trace_notice){.code = notices->items[i].code,
									      .skipped = notices->items[i].level == TS_NOTICE_SKIPPED,
									      .count = notices->items[i].count,
									      .detail = notices->items[i].detail};
	*ret_record = record;
	return TS_OK;
}

enum ts_status ts_trace_gather(void *gathering, const struct ts_trace_rows *rows, struct ts_error *err)
{
	struct ts_trace_gathering *g = gathering;

	if (ts_trace_append(&g->trace, rows, err))
		return err->status;
	if (g->most && ts_trace_rows_bytes(&g->trace.rows) > g->most)
		return ts_error_set(err, TS_TOO_LARGE, "its columns take more than the %" PRIu64 " MiB that this command may use",
				    g->most >> 20);
	return TS_OK;
}

enum ts_status ts_trace_load(const struct ts_source *source, const struct ts_trace_reading *reading, struct ts_trace *ret_trace,
			     struct ts_trace_file *ret_file, struct ts_error *err)
{
	struct ts_trace_gathering l = {.most = reading->columns_most};
	struct ts_trace_reading mine = *reading;

	mine.take = ts_trace_gather;
	mine.ctx = &l;
	if (ts_trace_read(source, &mine, ret_file, err)) {
		ts_trace_finish(&l.trace);
		return err->status;
	}
	ts_trace_file_columns(ret_file, ret_trace);
	ret_trace->rows = l.trace.rows;
	return TS_OK;
}
