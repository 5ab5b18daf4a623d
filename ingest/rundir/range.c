#include "ingest/rundir/range.h"

#include "base/alloc.h"
#include "base/text.h"

#include <stdio.h>
#include <sys/stat.h>

void ts_range_init(struct ts_range *range, const struct ts_source *source, uint64_t from, uint64_t end,
		   uint64_t line, size_t window)
{
	*range = (struct ts_range){.source = source, .end = end, .cap = window, .base = from, .line = line};
}

void ts_range_finish(struct ts_range *range)
{
	ts_free(range->window);
	range->window = NULL;
	range->at = range->len = 0;
	range->in_line = false;
}

/* Moves the unread bytes to the front, makes space if there is none, and reads on. */
static enum ts_status refill(struct ts_range *range, struct ts_error *err)
{
	uint64_t left;
	size_t room;

	if (!range->window || range->len - range->at == range->cap) {
		size_t cap = range->window ? range->cap * 2 : range->cap;
		uint8_t *window = ts_realloc(range->window, cap);

		if (!window)
			return ts_error_set(err, TS_NO_MEMORY, "out of memory for a window of %zu bytes", cap);
		range->window = window;
		range->cap = cap;
	}
	if (range->at) {
		memmove(range->window, range->window + range->at, range->len - range->at);
		range->base += range->at;
		range->len -= range->at;
		range->at = 0;
	}
	left = range->end - range->base - range->len;
	room = range->cap - range->len;
	if (room > left)
		room = (size_t)left;
	if (ts_source_read(range->source, range->window + range->len, room, range->base + range->len, err))
		return err->status;
	range->len += room;
	return ts_source_done(range->source, room, err);
}

static void tell(const struct ts_range *range, struct ts_notices *notices, const char *code,
		 enum ts_notice_level level, const char *detail)
{
	if (notices)
		ts_notice_add(notices, code, level, range->source->name, range->line, detail);
}

static void skip_bom(struct ts_range *range, struct ts_notices *notices)
{
	if (range->base == 0 && range->len >= 3 && memcmp(range->window, "\xEF\xBB\xBF", 3) == 0) {
		range->at = 3;
		tell(range, notices, "bom", TS_NOTICE_INFO, "the file begins with a byte order mark");
	}
}

/* Looks for the end of the line at `at`. *ret_found is false if more bytes had to be read first, or if nothing is left. */
static enum ts_status find_line(struct ts_range *range, struct ts_notices *notices, bool *ret_found,
				struct ts_error *err)
{
	size_t left = range->len - range->at;
	const uint8_t *newline = left ? memchr(range->window + range->at, '\n', left) : NULL;
	bool all_read = range->base + range->len == range->end;

	*ret_found = false;
	if (!newline && left > TS_LINE_MAX) {
		if (!range->too_long)
			tell(range, notices, "long_line", TS_NOTICE_SKIPPED, "a line of more than 4 MiB");
		range->too_long = true;
		range->at = range->len;
		return all_read ? TS_OK : refill(range, err);
	}
	if (!newline && !all_read)
		return refill(range, err);
	if (left == 0)
		return TS_OK;
	range->line_end = newline ? (size_t)(newline - range->window) : range->len;
	range->has_newline = newline != NULL;
	if (range->too_long || range->line_end - range->at > TS_LINE_MAX) {
		if (!range->too_long)
			tell(range, notices, "long_line", TS_NOTICE_SKIPPED, "a line of more than 4 MiB");
		range->too_long = false;
		range->at = range->line_end + range->has_newline;
		range->line++;
		return TS_OK;
	}
	*ret_found = true;
	return TS_OK;
}

static bool has_grown(const struct ts_source *source)
{
	struct stat st;

	return source->fd >= 0 && fstat(source->fd, &st) == 0 && (uint64_t)st.st_size > source->size;
}

/* Returns whether this is the last line of the file and its end is missing. */
static bool is_cut(const struct ts_range *range, const struct ts_outcome *out)
{
	bool to_end = range->at + out->used == range->line_end;
	bool last = range->base + range->line_end + range->has_newline == range->source->size;

	if (!out->malformed || !to_end || !last || strcmp(out->rejected, "bad_json") != 0)
		return false;
	return !range->has_newline || out->ends_early;
}

static void tell_rejected(const struct ts_range *range, struct ts_notices *notices, const struct ts_outcome *out)
{
	if (!notices)
		return;
	if (!is_cut(range, out))
		tell(range, notices, out->rejected, TS_NOTICE_SKIPPED, out->detail);
	else if (has_grown(range->source))
		tell(range, notices, "still_growing", TS_NOTICE_INFO, "the last line is still being written");
	else
		tell(range, notices, "cut_line", TS_NOTICE_SKIPPED, out->detail);
}

static const struct {
	const char *code;
	enum ts_notice_level level;
	const char *what;
} oddities[TS_ODDITIES] = {
	[TS_ODD_NULL] = {"null_value", TS_NOTICE_INFO, "no value under"},
	[TS_ODD_DUPLICATE] = {"duplicate_key", TS_NOTICE_INFO,
			      "this key is twice in one object, and its last value is taken:"},
	[TS_ODD_NEGATIVE] = {"negative_phase", TS_NOTICE_INFO, "negative seconds in"},
	[TS_ODD_BIG_INTEGER] = {"big_integer", TS_NOTICE_INFO,
				"this number is kept as text, because a double would lose digits:"},
	[TS_ODD_NULL_SECTION] = {"null_section", TS_NOTICE_INFO, "no value under"},
	[TS_ODD_SECTION] = {"bad_section", TS_NOTICE_SKIPPED, "not an object:"},
	[TS_ODD_EMPTY_KEY] = {"empty_key", TS_NOTICE_SKIPPED, "a value under an empty key"},
	[TS_ODD_LONG_KEY] = {"long_key", TS_NOTICE_SKIPPED, "a key whose path has more than 512 bytes, below"},
	[TS_ODD_MANY_KEYS] = {"too_many_columns", TS_NOTICE_SKIPPED, "more than 65,536 different keys, below"},
};

static void tell_oddities(const struct ts_range *range, struct ts_notices *notices, const struct ts_record *record,
			  const struct ts_outcome *out)
{
	for (size_t i = 0; i < TS_ODDITIES; i++) {
		struct ts_buf path = TS_BUF_INIT(4096);
		struct ts_buf detail = TS_BUF_INIT(4096);

		if (out->odd[i] == 0)
			continue;
		ts_keys_path(&record->keys, out->odd_key[i], &path);
		ts_buf_str(&detail, oddities[i].what);
		ts_buf_char(&detail, ' ');
		ts_escape(&detail, ts_buf_view(&path));
		ts_buf_char(&detail, '\0');
		for (uint32_t n = 0; n < out->odd[i]; n++)
			tell(range, notices, oddities[i].code, oddities[i].level,
			     detail.failed ? oddities[i].what : (const char *)detail.data);
		ts_buf_finish(&path);
		ts_buf_finish(&detail);
	}
}

/* As tscope writes it, and as Python does. */
static bool is_restart(struct ts_span value)
{
	return ts_span_is(value, TS_RANGE_RESTART) || ts_span_is(value, "{\"restart\": true}");
}

/* Takes the next value of the current line. *ret_good: the value is a record. */
static enum ts_status take_value(struct ts_range *range, struct ts_record *record, struct ts_notices *notices,
				 bool *ret_good, struct ts_error *err)
{
	struct ts_span text = ts_span_of(range->window + range->at, range->line_end - range->at);
	struct ts_outcome out;

	if (ts_record_parse(record, text, &out, err))
		return ts_error_prefix(err, "%.*s line %" PRIu64, TS_SPAN_ARG(range->source->path), range->line);
	if (out.rejected && is_restart(ts_span_of(text.data, out.used)))
		range->restart = true;
	else if (out.rejected)
		tell_rejected(range, notices, &out);
	else if (notices)
		tell_oddities(range, notices, record, &out);
	if (!out.rejected) {
		ts_record_learn(record, text, out.used);
		if (++range->taken == 2)
			tell(range, notices, "glued_records", TS_NOTICE_INFO, "more than one record on a line");
		range->record_at = range->at;
		range->record_len = out.used;
	}
	range->at += out.used;
	*ret_good = !out.rejected;
	return TS_OK;
}

/* Moves over white space, and at the end of the line to the next line. */
static void move_on(struct ts_range *range)
{
	while (range->at < range->line_end && ts_is_space(range->window[range->at]))
		range->at++;
	if (range->at < range->line_end)
		return;
	range->at = range->line_end + range->has_newline;
	range->in_line = false;
	range->taken = 0;
	range->line++;
}

static enum ts_status start(struct ts_range *range, struct ts_notices *notices, struct ts_error *err)
{
	range->started = true;
	do {
		if (range->base + range->len == range->end)
			break;
		if (refill(range, err))
			return err->status;
	} while (range->len < 3);
	skip_bom(range, notices);
	return TS_OK;
}

static bool take_fast(struct ts_range *range, struct ts_record *record)
{
	size_t n = ts_record_fast(record, ts_span_of(range->window + range->at, range->len - range->at));

	if (n == 0)
		return false;
	range->record_at = range->at;
	range->record_len = n;
	range->at += n;
	range->line++;
	return true;
}

enum ts_status ts_range_fast(struct ts_range *range, struct ts_record *record, bool *ret_good, struct ts_error *err)
{
	*ret_good = false;
	if (!range->started || range->in_line || range->too_long)
		return TS_OK;
	for (;;) {
		size_t left = range->len - range->at;

		if (left && take_fast(range, record)) {
			*ret_good = true;
			return TS_OK;
		}
		if (left > TS_LINE_MAX || range->base + range->len == range->end ||
		    (left && memchr(range->window + range->at, '\n', left)))
			return TS_OK;
		if (refill(range, err))
			return err->status;
	}
}

void ts_range_untake(struct ts_range *range)
{
	range->at = range->record_at;
	range->line--;
}

enum ts_status ts_range_skip(struct ts_range *range, uint64_t offset, uint64_t lines, struct ts_error *err)
{
	uint64_t read = range->base + range->len;

	range->line += lines;
	if (offset <= read) {
		range->at = (size_t)(offset - range->base);
		return TS_OK;
	}
	range->base = offset;
	range->at = range->len = 0;
	return ts_source_done(range->source, (size_t)(offset - read), err);
}

/* Moves to the next line that has to be parsed (range->in_line), to a record that was taken on the way (*ret_good), or
 * to the end. */
static enum ts_status next_line(struct ts_range *range, struct ts_record *record, struct ts_notices *notices,
				bool *ret_good, bool *ret_end, struct ts_error *err)
{
	while (!range->in_line) {
		if (range->at < range->len && !range->too_long && take_fast(range, record)) {
			*ret_good = true;
			return TS_OK;
		}
		if (find_line(range, notices, &range->in_line, err))
			return err->status;
		if (!range->in_line && range->at == range->len && range->base + range->len == range->end) {
			*ret_end = true;
			return TS_OK;
		}
	}
	return TS_OK;
}

enum ts_status ts_range_next(struct ts_range *range, struct ts_record *record, struct ts_notices *notices,
			     bool *ret_more, struct ts_error *err)
{
	bool good = false;
	bool end = false;

	if (!range->started && start(range, notices, err))
		return err->status;
	for (;;) {
		if (next_line(range, record, notices, &good, &end, err))
			return err->status;
		if (good || end)
			break;
		move_on(range);
		if (range->in_line && take_value(range, record, notices, &good, err))
			return err->status;
		if (good)
			break;
	}
	*ret_more = good;
	return TS_OK;
}

enum ts_status ts_range_again(struct ts_range *range, struct ts_record *record, struct ts_error *err)
{
	struct ts_span text = ts_span_of(range->window + range->record_at, range->record_len);
	struct ts_outcome out;

	if (ts_record_fast(record, text))
		return TS_OK;
	if (ts_record_parse(record, text, &out, err))
		return err->status;
	return out.rejected ? ts_error_set(err, TS_INTERNAL, "a record is not a record any more") : TS_OK;
}
