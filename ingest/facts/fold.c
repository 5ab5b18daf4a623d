#include "ingest/facts/fold.h"

#include "base/buf.h"
#include "base/digest.h"

#include <stdio.h>
#include <string.h>

enum {
	FACT_BYTES = 12,    /* of a fact beside its path and text, at most (docs/format.md) */
	FOLDED_BYTES = 160, /* of a text that stands for facts */
	LEVELS = 64,
	LINES_MAX = 256 << 20,
};

/* The facts [from, to), which lie below one object or list: all whose path begins with its path and a separator. */
struct container {
	size_t from, to;
	size_t prefix; /* length of that path with its separator */
	size_t bytes;
};

static size_t bytes_of(const struct ts_fact *fact)
{
	return FACT_BYTES + fact->path.len + (fact->type == TS_FACT_LONG ? TS_ID_BYTES : fact->text.len);
}

/* The length of a path up to the separator behind its n-th component, with it; 0 if it has no such component. */
static size_t prefix_of(struct ts_span path, size_t n)
{
	for (size_t i = 0; i < path.len; i++) {
		if (path.data[i] == '\\')
			i++;
		else if ((path.data[i] == '.' || path.data[i] == '[') && --n == 0)
			return i + 1;
	}
	return 0;
}

static bool is_of_columns(struct ts_span path)
{
	return ts_span_starts(path, ts_span_str("columns."));
}

/* Whether one is better to fold than other: of those that suffice the smaller, else the larger; of the same facts the deeper. */
static bool is_better(const struct container *one, const struct container *other, size_t excess)
{
	if ((one->bytes >= excess) != (other->bytes >= excess))
		return one->bytes >= excess;
	if (one->bytes == other->bytes)
		return one->prefix > other->prefix;
	return one->bytes >= excess ? one->bytes < other->bytes : one->bytes > other->bytes;
}

/* Finds the container to fold among those whose path has n components. */
static void find_at(const struct ts_facts *facts, size_t n, size_t excess, struct container *best)
{
	struct container c;

	for (c.from = 0; c.from < facts->n; c.from = c.to) {
		struct ts_span path = facts->items[c.from].path;

		c.to = c.from + 1;
		c.prefix = is_of_columns(path) ? 0 : prefix_of(path, n);
		if (!c.prefix)
			continue;
		c.bytes = bytes_of(&facts->items[c.from]);
		for (; c.to < facts->n && ts_span_starts(facts->items[c.to].path, ts_span_of(path.data, c.prefix)); c.to++)
			c.bytes += bytes_of(&facts->items[c.to]);
		if (c.bytes > FOLDED_BYTES + c.prefix && (best->bytes == 0 || is_better(&c, best, excess)))
			*best = c;
	}
}

/* The digest covers a line of each fact: its path, type and value. Of several sources of a path the last counts. */
static void write_lines(const struct ts_facts *facts, const struct container *c, struct ts_buf *lines, size_t *ret_n)
{
	*ret_n = 0;
	for (size_t i = c->from; i < c->to; i++) {
		const struct ts_fact *fact = &facts->items[i];

		if (!ts_fact_counts(facts, i))
			continue;
		ts_buf_span(lines, fact->path);
		ts_buf_printf(lines, "\t%s\t", ts_fact_type_word(fact->type));
		if (fact->type == TS_FACT_LONG)
			ts_buf_bytes(lines, fact->text_id.bytes, TS_ID_BYTES);
		else
			ts_fact_print(fact, lines);
		ts_buf_char(lines, '\n');
		++*ret_n;
	}
}

static enum ts_status describe(const struct ts_facts *facts, const struct container *c, struct ts_arena *arena,
			       struct ts_span *ret_text, size_t *ret_n, struct ts_error *err)
{
	struct ts_buf lines = TS_BUF_INIT(LINES_MAX);
	char hex[TS_ID_HEX + 1];
	const char *text = NULL;
	struct ts_id id;
	enum ts_status status;

	write_lines(facts, c, &lines, ret_n);
	status = ts_buf_check(&lines, err);
	if (!status) {
		ts_digest(ts_buf_view(&lines), &id);
		text = ts_arena_printf(arena, "%zu facts with the SHA-256 %s", *ret_n, ts_id_hex(&id, hex));
		status = text ? TS_OK : ts_arena_error(arena, err);
	}
	ts_buf_finish(&lines);
	if (!status)
		*ret_text = ts_span_str(text);
	return status;
}

static enum ts_status fold(struct ts_facts *facts, const struct container *c, struct ts_span file, struct ts_notices *notices,
			   struct ts_arena *arena, struct ts_error *err)
{
	struct ts_fact *first = &facts->items[c->from];
	struct ts_fact folded = {
		.type = TS_FACT_TEXT, .source = facts->items[c->to - 1].source, .path = ts_span_of(first->path.data, c->prefix - 1)};
	char detail[256];
	size_t n;

	if (describe(facts, c, arena, &folded.text, &n, err))
		return err->status;
	(void)snprintf(detail, sizeof detail, "%.*s: its %zu facts need %zu bytes, and a digest is kept of them",
		       (int)(folded.path.len < 100 ? folded.path.len : 100), (const char *)folded.path.data, n, c->bytes);
	if (notices)
		ts_notice_add(notices, "folded_facts", TS_NOTICE_SKIPPED, file, 0, detail);
	*first = folded;
	memmove(first + 1, facts->items + c->to, (facts->n - c->to) * sizeof *first);
	facts->n -= c->to - c->from - 1;
	return TS_OK;
}

enum ts_status ts_facts_fold(struct ts_facts *facts, size_t room, struct ts_span file, struct ts_notices *notices,
			     struct ts_arena *arena, struct ts_error *err)
{
	for (;;) {
		struct container best = {.bytes = 0};
		size_t bytes = 0;

		for (size_t i = 0; i < facts->n; i++)
			bytes += bytes_of(&facts->items[i]);
		for (size_t n = 2; bytes > room && n <= LEVELS; n++)
			find_at(facts, n, bytes - room, &best);
		if (best.bytes == 0)
			break;
		if (fold(facts, &best, file, notices, arena, err))
			return err->status;
	}
	(void)ts_facts_sort(facts);
	return TS_OK;
}
