#include "service/handlers/runs/stage_ranks.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/text.h"

#include <inttypes.h>

enum { RANKS_MAX = 3072 }; /* bytes; the rest of a message is the user's */

static void put_range(struct ts_buf *buf, int32_t first, int32_t last)
{
	if (buf->len)
		ts_buf_str(buf, ", ");
	if (first == TS_RANK_JOB)
		ts_buf_str(buf, "job");
	else if (first == last)
		ts_buf_printf(buf, "%" PRId32, first);
	else
		ts_buf_printf(buf, "%" PRId32 "-%" PRId32, first, last);
}

/* Writes "0-7, 16-23". The files of the job are no rank: they stand alone. */
static void put_ranks(struct ts_buf *buf, const struct ts_rank_ref *ranks, size_t n)
{
	for (size_t i = 0; i < n;) {
		size_t end = i + 1;

		while (ranks[i].rank != TS_RANK_JOB && end < n && ranks[end].rank == ranks[end - 1].rank + 1)
			end++;
		put_range(buf, ranks[i].rank, ranks[end - 1].rank);
		i = end;
	}
}

/* A text that is cut ends before a byte that continues a character. */
static struct ts_span fitting(struct ts_span text, size_t room)
{
	size_t len = text.len < room ? text.len : room;

	while (len < text.len && len > 0 && (text.data[len] & 0xc0) == 0x80)
		len--;
	return ts_span_of(text.data, len);
}

static enum ts_status finish(struct ts_buf *buf, struct ts_span text, struct ts_arena *arena, struct ts_span *ret_message,
			     struct ts_error *err)
{
	enum ts_status status;

	if (text.len && buf->len + 3 < TS_NOTE_MAX)
		ts_buf_printf(buf, ": %.*s", TS_SPAN_ARG(fitting(text, TS_NOTE_MAX - buf->len - 2)));
	status = ts_buf_check(buf, err);
	*ret_message = status ? ts_span_of(NULL, 0) : ts_arena_span(arena, ts_buf_view(buf));
	if (!status && !ret_message->data)
		status = ts_arena_error(arena, err);
	ts_buf_finish(buf);
	return status;
}

enum ts_status ts_stage_message(const struct ts_rank_ref *ranks, size_t n, struct ts_span text, struct ts_arena *arena,
				struct ts_span *ret_message, struct ts_error *err)
{
	struct ts_buf list = TS_BUF_INIT(TS_MESSAGE_MAX), buf = TS_BUF_INIT(TS_MESSAGE_MAX);
	enum ts_status status;

	put_ranks(&list, ranks, n);
	status = ts_buf_check(&list, err);
	if (!status && list.len > RANKS_MAX)
		status = ts_error_set(err, TS_TOO_LARGE,
				      "these ranks are too many that do not follow one another: push them in several parts");
	if (!status)
		ts_buf_printf(&buf, "rank%s %.*s", n == 1 ? "" : "s", TS_SPAN_ARG(ts_buf_view(&list)));
	ts_buf_finish(&list);
	return status ? status : finish(&buf, text, arena, ret_message, err);
}

/* The list of ranks at the beginning of a message; empty: it has none. */
static struct ts_span list_of(struct ts_span message)
{
	size_t at = 0;

	if (ts_span_starts(message, ts_span_str("ranks ")))
		at = 6;
	else if (ts_span_starts(message, ts_span_str("rank ")))
		at = 5;
	else
		return ts_span_of(NULL, 0);
	for (size_t i = at; i < message.len; i++)
		if (message.data[i] == ':')
			return ts_span_of(message.data + at, i - at);
	return ts_span_from(message, at);
}

static size_t number(struct ts_span text, size_t at, int64_t *ret)
{
	int64_t v = 0;

	while (at < text.len && ts_is_digit(text.data[at]) && v < INT32_MAX)
		v = 10 * v + (text.data[at++] - '0');
	*ret = v;
	return at;
}

static bool lists(struct ts_span list, int32_t rank)
{
	for (size_t at = 0; at < list.len; at += 2) {
		int64_t first = TS_RANK_JOB, last = TS_RANK_JOB;
		size_t from = at;

		if (ts_span_starts(ts_span_from(list, at), ts_span_str("job"))) {
			at += 3;
		} else {
			at = number(list, at, &first);
			last = first;
			if (at < list.len && list.data[at] == '-')
				at = number(list, at + 1, &last);
			if (at == from)
				return false;
		}
		if (first <= rank && rank <= last)
			return true;
	}
	return false;
}

struct ts_span ts_stage_owner(const struct ts_log_entry *entries, size_t n, int32_t rank)
{
	for (size_t i = n; i-- > 0;) {
		struct ts_span list = list_of(entries[i].message);

		if (list.len == 0 || lists(list, rank))
			return entries[i].who.len ? entries[i].who : ts_span_str("nobody who is known");
	}
	return ts_span_of(NULL, 0);
}

/* Adds what one identity brought: "ranks 0-3, 8-11 by ada". */
static void put_by(struct ts_buf *buf, const struct ts_log_entry *entries, size_t n, struct ts_span who, struct ts_span last_by,
		   struct ts_span last)
{
	struct ts_buf list = TS_BUF_INIT(TS_MESSAGE_MAX);

	for (size_t i = n; i-- > 0;) {
		struct ts_span ranks = list_of(entries[i].message);

		if (ts_span_eq(entries[i].who, who))
			ts_buf_printf(&list, "%s%.*s", list.len ? ", " : "", TS_SPAN_ARG(ranks.len ? ranks : ts_span_str("not known")));
	}
	if (ts_span_eq(last_by, who))
		ts_buf_printf(&list, "%s%.*s", list.len ? ", " : "", TS_SPAN_ARG(last));
	ts_buf_printf(buf, "%srank%s %.*s by %.*s", buf->len ? "; " : "joined from ",
		      list.len && (memchr(list.data, '-', list.len) || memchr(list.data, ',', list.len)) ? "s" : "",
		      TS_SPAN_ARG(ts_buf_view(&list)), TS_SPAN_ARG(who.len ? who : ts_span_str("nobody who is known")));
	ts_buf_lacks(buf, &list);
	ts_buf_finish(&list);
}

static bool came_before(const struct ts_log_entry *entries, size_t n, size_t at)
{
	for (size_t i = at + 1; i < n; i++)
		if (ts_span_eq(entries[i].who, entries[at].who))
			return true;
	return false;
}

enum ts_status ts_stage_joined(const struct ts_log_entry *entries, size_t n, struct ts_span last_by, struct ts_span last_message,
			       struct ts_span text, struct ts_arena *arena, struct ts_span *ret_message, struct ts_error *err)
{
	struct ts_buf buf = TS_BUF_INIT(TS_MESSAGE_MAX);
	struct ts_span last = list_of(last_message), whole;
	bool told = false;
	size_t more = 0;

	for (size_t i = n; i-- > 0;) {
		if (came_before(entries, n, i))
			continue;
		told |= ts_span_eq(entries[i].who, last_by);
		if (buf.len > RANKS_MAX)
			more++;
		else
			put_by(&buf, entries, n, entries[i].who, last_by, last);
	}
	if (!told)
		put_by(&buf, entries, n, last_by, last_by, last);
	if (more)
		ts_buf_printf(&buf, "; and by %zu more", more);
	whole = fitting(ts_buf_view(&buf), TS_NOTE_MAX - 64);
	if (whole.len < buf.len) {
		buf.len = whole.len;
		ts_buf_str(&buf, "... cut");
	}
	return finish(&buf, text, arena, ret_message, err);
}
