#include "ingest/facts/run_facts.h"

#include "base/below.h"
#include "base/limits.h"
#include "base/path.h"
#include "ingest/facts/facts_json.h"
#include "ingest/facts/fold.h"
#include "ingest/facts/redact.h"
#include "run/head.h"

/* *ret_there is false if there is no such file. */
static enum ts_status read_file(const char *top, const char *directory, const char *name, struct ts_arena *arena, struct ts_buf *buf,
				bool *ret_there, struct ts_error *err)
{
	char *path = ts_path_join(arena, directory, name);

	*ret_there = false;
	if (!path)
		return ts_arena_error(arena, err);
	if (ts_below_kind(top, path) == TS_FILE_NONE)
		return TS_OK;
	*ret_there = true;
	return ts_below_read(top, path, buf, err);
}

static struct ts_span file_name(struct ts_arena *arena, struct ts_span prefix, const char *name)
{
	char *text = ts_arena_printf(arena, "%.*s%s", TS_SPAN_ARG(prefix), name);

	return text ? ts_span_str(text) : ts_span_str(name);
}

static void tell_repeated(struct ts_notices *notices, struct ts_span file, uint64_t repeated)
{
	for (uint64_t i = 0; notices && i < repeated; i++)
		ts_notice_add(notices, "duplicate_key", TS_NOTICE_INFO, file, 0,
			      "this key is twice in one object, and its last value is taken");
}

/* A directory whose files of facts are read. */
struct facts_dir {
	const char *top, *path;
	struct ts_span name;
	struct ts_notices *notices;
};

/* run.json is foreign input: what cannot be read in it is left out, with a notice. */
static enum ts_status read_run_json(const struct facts_dir *dir, const char *file, struct ts_arena *arena, struct ts_facts *facts,
				    struct ts_error *err)
{
	struct ts_buf buf = TS_BUF_INIT(TS_JSON_FILE_MAX);
	struct ts_error why = {.status = TS_OK};
	uint64_t repeated = 0;
	bool there;

	if (!read_file(dir->top, dir->path, file, arena, &buf, &there, &why) && there)
		(void)ts_facts_from_run_json(ts_buf_view(&buf), arena, facts, &repeated, &why);
	ts_buf_finish(&buf);
	tell_repeated(dir->notices, file_name(arena, dir->name, file), repeated);
	if (why.status == TS_INVALID || why.status == TS_TOO_LARGE) {
		if (dir->notices)
			ts_notice_add(dir->notices, "bad_run_json", TS_NOTICE_SKIPPED, file_name(arena, dir->name, file), 0, why.text);
		return TS_OK;
	}
	if (why.status)
		*err = why;
	return why.status;
}

static enum ts_status read_facts_json(const struct facts_dir *dir, const char *file, struct ts_arena *arena, struct ts_facts *facts,
				      struct ts_error *err)
{
	struct ts_buf buf = TS_BUF_INIT(TS_JSON_FILE_MAX);
	uint64_t repeated = 0;
	enum ts_status status;
	bool there;

	status = read_file(dir->top, dir->path, file, arena, &buf, &there, err);
	if (!status && there) {
		status = ts_facts_from_json(ts_buf_view(&buf), TS_SOURCE_FACTS_JSON, arena, facts, &repeated, err);
		if (status)
			ts_error_prefix(err, "%s/%s", dir->path, file);
	}
	ts_buf_finish(&buf);
	tell_repeated(dir->notices, file_name(arena, dir->name, file), repeated);
	return status;
}

enum ts_status ts_facts_read_files(const char *top, const char *path, struct ts_span name, const char *run_json, const char *facts_json,
				   struct ts_notices *notices, struct ts_arena *arena, struct ts_facts *ret_facts, struct ts_error *err)
{
	const struct facts_dir dir = {.top = top, .path = path, .name = name, .notices = notices};
	struct ts_facts facts = {.n = 0};

	if (read_run_json(&dir, run_json, arena, &facts, err) || read_facts_json(&dir, facts_json, arena, &facts, err))
		return err->status;
	(void)ts_facts_sort(&facts);
	*ret_facts = facts;
	return TS_OK;
}

enum ts_status ts_facts_read_dir(const char *top, const char *path, struct ts_span name, struct ts_notices *notices,
				 struct ts_arena *arena, struct ts_facts *ret_facts, struct ts_error *err)
{
	const struct facts_dir dir = {.top = top, .path = path, .name = name, .notices = notices};
	struct ts_facts recorded, launched = {.n = 0};

	if (ts_facts_read_files(top, path, name, "run.json", "facts.json", notices, arena, &recorded, err) ||
	    read_facts_json(&dir, "launch.json", arena, &launched, err))
		return err->status;
	(void)ts_facts_sort(&launched);
	return ts_facts_merge(&recorded, &launched, arena, ret_facts, err);
}

/* Compares an item's path with path followed by c. */
static int compare_below(struct ts_span item, struct ts_span path, char c)
{
	int order = ts_span_cmp(ts_span_of(item.data, item.len < path.len ? item.len : path.len), path);

	if (order || item.len == path.len)
		return order ? order : -1;
	return (int)item.data[path.len] - (int)(uint8_t)c;
}

/* Returns whether a fact of this source lies below path, behind the separator c. */
static bool any_below(const struct ts_facts *facts, struct ts_span path, char c, enum ts_fact_source source)
{
	size_t low = 0;
	size_t n = facts->n;

	while (n > 0) {
		size_t half = n / 2;

		if (compare_below(facts->items[low + half].path, path, c) < 0) {
			low += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	for (; low < facts->n && compare_below(facts->items[low].path, path, c) == 0; low++)
		if (facts->items[low].source == source)
			return true;
	return false;
}

/* Returns whether near has a fact of the same source at the path of fact, above it or below it. */
static bool is_shadowed(const struct ts_facts *near, const struct ts_fact *fact)
{
	struct ts_span unit = fact->path; /* the path without its part inside a list */

	for (size_t i = 0; i < unit.len; i++) {
		uint8_t c = unit.data[i];

		if (c == '\\')
			i++;
		else if (c == '[')
			unit.len = i;
		else if (c == '.' && ts_facts_of_source(near, ts_span_of(unit.data, i), fact->source))
			return true;
		else if (c == '.' && any_below(near, ts_span_of(unit.data, i), '[', fact->source))
			return true;
	}
	return ts_facts_of_source(near, unit, fact->source) || any_below(near, unit, '.', fact->source) ||
	       any_below(near, unit, '[', fact->source);
}

enum ts_status ts_facts_merge(const struct ts_facts *near, const struct ts_facts *far, struct ts_arena *arena,
			      struct ts_facts *ret_facts, struct ts_error *err)
{
	struct ts_facts facts = {.n = 0};

	for (size_t i = 0; i < near->n; i++)
		if (ts_facts_add(&facts, &near->items[i], arena, err))
			return err->status;
	for (size_t i = 0; i < far->n; i++)
		if (!is_shadowed(near, &far->items[i]) && ts_facts_add(&facts, &far->items[i], arena, err))
			return err->status;
	(void)ts_facts_sort(&facts);
	*ret_facts = facts;
	return TS_OK;
}

static enum ts_status make_long(struct ts_fact *fact, struct ts_error *err)
{
	struct ts_buf object = TS_BUF_INIT(TS_OBJECT_MAX);
	enum ts_status status;

	ts_chunk_encode(fact->text, &object);
	status = ts_buf_check(&object, err);
	if (!status) {
		ts_digest(ts_buf_view(&object), &fact->text_id);
		fact->text_len = (uint32_t)fact->text.len;
		fact->type = TS_FACT_LONG;
	}
	ts_buf_finish(&object);
	return status;
}

enum ts_status ts_facts_prepare(struct ts_facts *facts, struct ts_span file, struct ts_notices *notices,
				struct ts_arena *arena, struct ts_error *err)
{
	size_t kept = 0;

	for (size_t i = 0; i < facts->n; i++) {
		struct ts_fact fact = facts->items[i];
		const char *code = NULL;

		if (fact.path.len > TS_PATH_MAX)
			code = "long_key";
		else if (fact.text.len > (fact.type == TS_FACT_NUMBER ? TS_FACT_INLINE_MAX : TS_CHUNK_BYTES))
			code = "long_fact";
		if (code) {
			fact.path.len = fact.path.len > 100 ? 100 : fact.path.len;
			if (notices)
				ts_notice_add(notices, code, TS_NOTICE_SKIPPED, file, 0, "a fact is too long to keep");
			continue;
		}
		if (notices && ts_is_redacted(&fact))
			ts_notice_add(notices, "redacted", TS_NOTICE_INFO, file, 0,
				      "the value looks like a secret and is not kept");
		if (fact.type == TS_FACT_TEXT && fact.text.len > TS_FACT_INLINE_MAX && make_long(&fact, err))
			return err->status;
		facts->items[kept++] = fact;
	}
	facts->n = kept;
	return ts_facts_fold(facts, TS_FACTS_ROOM, file, notices, arena, err);
}

enum ts_status ts_facts_sink_long(const struct ts_facts *facts, ts_object_sink *sink, void *ctx, struct ts_error *err)
{
	struct ts_buf object = TS_BUF_INIT(TS_OBJECT_MAX);
	enum ts_status status = TS_OK;

	for (size_t i = 0; i < facts->n && !status; i++) {
		if (facts->items[i].type != TS_FACT_LONG)
			continue;
		ts_buf_reset(&object);
		ts_chunk_encode(facts->items[i].text, &object);
		status = ts_buf_check(&object, err);
		if (!status)
			status = sink(ctx, &facts->items[i].text_id, ts_buf_view(&object), err);
	}
	ts_buf_finish(&object);
	return status;
}
