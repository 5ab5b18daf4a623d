#include "ingest/traceml/reader_traceml.h"

#include "base/below.h"
#include "base/json_reader.h"
#include "base/json_writer.h"
#include "base/limits.h"
#include "base/number.h"
#include "base/path.h"
#include "ingest/facts/redact.h"
#include "ingest/rows/import.h"

#include <stdio.h>
#include <unistd.h>

const char ts_traceml_loses[] = "";

static const char file_name[] = "final_summary.json";
static const char *const sections[] = {"system", "process", "step_time", "step_memory"};

enum {
	SECTIONS = sizeof sections / sizeof sections[0],
	SURE = 70,
	SURE_BY_CONTENT = 40,
	SNIFF_BYTES = 4096,
	PARTS_MAX = 4096,
	FACTS_ROOM = 48 << 10, /* bytes of facts in a head; a head holds more, for the facts of the pusher */
	FACT_OVERHEAD = 8,
	INDEX_TEXT = 8,			/* "[12345]" */
	DEPTH_MOST = TS_JSON_DEPTH - 6, /* the depth is smaller, because facts nest it deeper */
	PATH_MOST = TS_PATH_MAX - 64,
};

/* A member of the summary or of one of its sections. */
struct part {
	int section; /* -1 for a member of the summary itself */
	struct ts_span key, raw;
	size_t size; /* the approximate size as facts */
	bool fits;   /* the part can become facts: not too deep, no path too long */
	bool secret; /* the part has a key that names a secret */
	bool inlined;
};

struct summary {
	const struct ts_ingest_options *options;
	struct ts_arena *arena;
	struct ts_notices notices;
	uint64_t bytes_read;
	struct ts_buf text, scratch;
	struct part *parts;
	size_t n_parts;
	struct ts_span section_raw[SECTIONS]; /* empty if the section is missing */
};

/* --- which file --- */

/* The file must begin with an object that has the first members of a summary. */
static bool looks_like_one(const char *path)
{
	uint8_t bytes[SNIFF_BYTES];
	struct ts_error ignored;
	struct ts_span head;
	uint64_t size;
	size_t n = 0;
	int fd;

	if (ts_below_open(path, path, &fd, &size, &ignored))
		return false;
	if (ts_read_full(fd, bytes, sizeof bytes, &n, &ignored))
		n = 0;
	(void)close(fd);
	head = ts_span_of(bytes, n);
	return n > 0 && bytes[0] == '{' && ts_span_contains(head, "\"schema_version\"") &&
	       (ts_span_contains(head, "\"primary_diagnosis\"") || ts_span_contains(head, "\"gpus_observed\"") ||
		(ts_span_contains(head, "\"system\"") && ts_span_contains(head, "\"process\"")));
}

static bool is_json(const char *name)
{
	size_t n = strlen(name);

	return n > 5 && strcmp(name + n - 5, ".json") == 0;
}

int ts_traceml_sniff(const char *path)
{
	enum ts_file_kind kind = ts_file_kind(path);
	struct ts_arena arena;
	const char *file;
	int sure = 0;

	if (kind == TS_FILE_REGULAR && strcmp(ts_path_last(path), file_name) == 0)
		return SURE;
	if (kind == TS_FILE_REGULAR)
		return is_json(path) && looks_like_one(path) ? SURE_BY_CONTENT : 0;
	if (kind != TS_FILE_DIRECTORY)
		return 0;
	ts_arena_init(&arena, 0);
	file = ts_path_join(&arena, path, file_name);
	if (!file)
		sure = TS_SNIFF_NO_MEMORY;
	else if (ts_below_kind(path, file) == TS_FILE_REGULAR)
		sure = SURE;
	ts_arena_finish(&arena);
	return sure;
}

/* --- the parts --- */

static int section_of(struct ts_span key)
{
	for (int i = 0; i < SECTIONS; i++)
		if (ts_span_is(key, sections[i]))
			return i;
	return -1;
}

/* Drops the earlier parts of this key. */
static void forget(struct summary *s, int section, struct ts_span key)
{
	int inner = section < 0 ? section_of(key) : -1;
	size_t n = 0;

	for (size_t i = 0; i < s->n_parts; i++) {
		const struct part *p = &s->parts[i];
		bool same = p->section == section && ts_span_eq(p->key, key);

		if (!same && (inner < 0 || p->section != inner))
			s->parts[n++] = *p;
	}
	s->n_parts = n;
}

static enum ts_status add_part(struct summary *s, int section, struct ts_span key, struct ts_span raw, struct ts_error *err)
{
	forget(s, section, key);
	if (s->n_parts == PARTS_MAX)
		return ts_error_set(err, TS_TOO_LARGE, "byte %zu: more than %d members, which no summary has",
				    (size_t)(raw.data - s->text.data), PARTS_MAX);
	s->parts[s->n_parts++] = (struct part){.section = section, .key = key, .raw = raw};
	return TS_OK;
}

/* raw lies in the file's text and was already read once, so nothing in it can be wrong. */
static enum ts_status next_member(struct summary *s, struct ts_json_reader *r, struct ts_span *ret_key, struct ts_span *ret_raw,
				  struct ts_error *err)
{
	struct ts_json_token t;

	if (ts_json_next(r, &t, err))
		return err->status;
	*ret_raw = (struct ts_span){NULL, 0};
	if (t.type != TS_JSON_KEY)
		return TS_OK;
	*ret_key = ts_arena_span(s->arena, t.text);
	if (!ret_key->data)
		return ts_arena_error(s->arena, err);
	return ts_json_skip(r, ret_raw, err);
}

static enum ts_status read_section(struct summary *s, int section, struct ts_span raw, struct ts_error *err)
{
	struct ts_json_reader r;
	struct ts_json_token t;
	struct ts_span key, value;

	s->section_raw[section] = raw;
	forget(s, -1, ts_span_str(sections[section]));
	if (raw.data[0] != '{')
		return TS_OK; /* this is reported at the end, unless the key comes again */
	ts_json_reader_init(&r, raw, &s->scratch);
	if (ts_json_next(&r, &t, err))
		return err->status;
	for (;;) {
		if (next_member(s, &r, &key, &value, err))
			return err->status;
		if (!value.data)
			return TS_OK;
		if (add_part(s, section, key, value, err))
			return err->status;
	}
}

static const struct part *part_of(const struct summary *s, const char *key)
{
	for (size_t i = 0; i < s->n_parts; i++)
		if (s->parts[i].section < 0 && ts_span_is(s->parts[i].key, key))
			return &s->parts[i];
	return NULL;
}

/* Checks what TraceML's compare requires of a file. */
static enum ts_status check(const struct summary *s, struct ts_error *err)
{
	const struct part *schema = part_of(s, "schema_version");

	if (!schema || ts_span_is(schema->raw, "null"))
		return ts_error_set(err, TS_INVALID, "this is not a summary of TraceML: it has no schema_version");
	for (int i = 0; i < SECTIONS; i++) {
		struct ts_span raw = s->section_raw[i];

		if (!raw.data)
			return ts_error_set(err, TS_INVALID, "this is not a summary of TraceML: it has no section %s",
					    sections[i]);
		if (raw.data[0] != '{')
			return ts_error_set(err, TS_INVALID,
					    "byte %zu: this is not a summary of TraceML: %s is not an object",
					    (size_t)(raw.data - s->text.data), sections[i]);
	}
	return TS_OK;
}

static enum ts_status read_members(struct summary *s, struct ts_json_reader *r, struct ts_error *err)
{
	struct ts_span key, raw;

	for (;;) {
		int section;

		if (next_member(s, r, &key, &raw, err))
			return err->status;
		if (!raw.data)
			return TS_OK;
		section = section_of(key);
		if (section < 0 ? add_part(s, -1, key, raw, err) : read_section(s, section, raw, err))
			return err->status;
	}
}

static enum ts_status read_text(struct summary *s, struct ts_error *err)
{
	struct ts_json_reader r;
	struct ts_json_token t;

	ts_json_reader_init(&r, ts_buf_view(&s->text), &s->scratch);
	if (ts_json_next(&r, &t, err))
		return err->status;
	if (t.type != TS_JSON_OBJECT)
		return ts_error_set(err, TS_INVALID,
				    "byte %zu: this is not a summary of TraceML: an object was expected", t.at);
	if (read_members(s, &r, err) || ts_json_next(&r, &t, err))
		return err->status;
	if (t.type != TS_JSON_EOF)
		return ts_error_set(err, TS_INVALID, "byte %zu: there is text after the summary", t.at);
	return check(s, err);
}

/* --- what fits into a head --- */

struct weighing {
	struct part *part;
	size_t path[TS_JSON_DEPTH + 1]; /* for each depth, the length of the container's path */
	size_t key;			/* the length of the next value's path in an object */
	bool array[TS_JSON_DEPTH + 1];
	bool empty[TS_JSON_DEPTH + 1];
	int depth;
};

/* The length of the key in a path, where '.', '[', ']' and '\\' are escaped. */
static size_t key_length(struct ts_span key)
{
	size_t n = key.len + 1;

	for (size_t i = 0; i < key.len; i++)
		n += key.data[i] == '.' || key.data[i] == '[' || key.data[i] == ']' || key.data[i] == '\\';
	return n;
}

static void weigh_fact(struct weighing *w, size_t path, size_t bytes)
{
	w->part->size += path + FACT_OVERHEAD + (bytes > TS_FACT_INLINE_MAX ? TS_ID_BYTES : bytes);
	w->part->fits = w->part->fits && path <= PATH_MOST;
}

/* The length of the path of the next value. */
static size_t path_of_value(struct weighing *w)
{
	size_t path = w->array[w->depth] ? w->path[w->depth] + INDEX_TEXT : w->key;

	w->empty[w->depth] = false;
	return path;
}

static void weigh_token(struct weighing *w, const struct ts_json_token *t)
{
	size_t path;

	switch (t->type) {
	case TS_JSON_KEY:
		w->key = w->path[w->depth] + key_length(t->text);
		w->part->secret = w->part->secret || ts_secret_key(t->text);
		return;
	case TS_JSON_OBJECT:
	case TS_JSON_ARRAY:
		path = path_of_value(w);
		w->path[++w->depth] = path;
		w->array[w->depth] = t->type == TS_JSON_ARRAY;
		w->empty[w->depth] = true;
		w->part->fits = w->part->fits && w->depth <= DEPTH_MOST;
		return;
	case TS_JSON_END:
		if (w->empty[w->depth])
			weigh_fact(w, w->path[w->depth], 0);
		w->depth--;
		return;
	case TS_JSON_STRING:
	case TS_JSON_NUMBER:
	case TS_JSON_TRUE:
	case TS_JSON_FALSE:
	case TS_JSON_NULL:
		weigh_fact(w, path_of_value(w), t->type == TS_JSON_STRING ? t->text.len : t->raw.len < 8 ? 8 : t->raw.len);
		return;
	case TS_JSON_EOF:
		break;
	}
}

static enum ts_status weigh(struct summary *s, struct part *part, struct ts_error *err)
{
	struct weighing w = {.part = part};
	struct ts_json_reader r;
	struct ts_json_token t;

	part->fits = true;
	part->size = 0;
	part->secret = ts_secret_key(part->key);
	w.key = (part->section < 0 ? sizeof "other.traceml" : sizeof "other.traceml.step_memory") + key_length(part->key);
	ts_json_reader_init(&r, part->raw, &s->scratch);
	do {
		if (ts_json_next(&r, &t, err))
			return err->status;
		weigh_token(&w, &t);
	} while (t.type != TS_JSON_EOF && w.depth > 0);
	return TS_OK;
}

/* Returns whether the part is one that TraceML's compare reads, or one that identifies the job. */
static bool is_needed(const struct part *p)
{
	if (p->section < 0)
		return ts_span_is(p->key, "schema_version") || ts_span_is(p->key, "meta") ||
		       ts_span_is(p->key, "primary_diagnosis");
	return ts_span_is(p->key, "global") || ts_span_is(p->key, "diagnosis");
}

/* Rows of ranks come last, because there may be many. */
static int turn_of(const struct part *p)
{
	if (is_needed(p))
		return 0;
	return p->section >= 0 && ts_span_is(p->key, "groups") ? 2 : 1;
}

static enum ts_status choose(struct summary *s, struct ts_error *err)
{
	size_t room = FACTS_ROOM, kept = 0;

	for (int turn = 0; turn <= 2; turn++)
		for (size_t i = 0; i < s->n_parts; i++) {
			struct part *p = &s->parts[i];

			if (turn_of(p) != turn)
				continue;
			if (weigh(s, p, err))
				return err->status;
			p->inlined = p->fits && p->size <= room;
			if (turn == 0 && !p->inlined)
				return ts_error_set(err, TS_TOO_LARGE, "byte %zu: %s%s%.*s is too %s for a summary",
						    (size_t)(p->raw.data - s->text.data),
						    p->section < 0 ? "" : sections[p->section], p->section < 0 ? "" : ".",
						    TS_SPAN_ARG(p->key), p->fits ? "long" : "deep");
			room -= p->inlined ? p->size : 0;
			kept += !p->inlined;
		}
	if (kept) {
		char detail[120];

		(void)snprintf(detail, sizeof detail,
			       "%zu part%s too long for facts and kept as JSON under other.traceml_json", kept,
			       kept == 1 ? " is" : "s are");
		ts_notice_add(&s->notices, "kept_as_text", TS_NOTICE_INFO, ts_span_str(""), 0, detail);
	}
	return TS_OK;
}

/* --- facts --- */

/* Writes the members of one object, unchanged or as texts. */
static void write_parts(const struct summary *s, struct ts_json *j, int section, bool inlined)
{
	for (size_t i = 0; i < s->n_parts; i++) {
		const struct part *p = &s->parts[i];

		if (p->section != section || p->inlined != inlined)
			continue;
		ts_json_key_span(j, p->key);
		if (inlined)
			ts_json_raw(j, p->raw);
		else if (p->secret)
			ts_json_string(j, TS_REDACTED);
		else
			ts_json_span(j, p->raw);
	}
}

static bool has_text(const struct summary *s, int section)
{
	for (size_t i = 0; i < s->n_parts; i++)
		if (s->parts[i].section == section && !s->parts[i].inlined)
			return true;
	return false;
}

static void write_all(const struct summary *s, struct ts_json *j, bool inlined)
{
	ts_json_object(j);
	write_parts(s, j, -1, inlined);
	for (int i = 0; i < SECTIONS; i++) {
		if (!inlined && !has_text(s, i))
			continue;
		ts_json_key(j, sections[i]);
		ts_json_object(j);
		write_parts(s, j, i, inlined);
		ts_json_end(j);
	}
	ts_json_end(j);
}

/* Finds a member of meta as it is written; empty if there is none. */
static enum ts_status meta_of(struct summary *s, const char *name, struct ts_span *ret_raw, struct ts_error *err)
{
	const struct part *meta = part_of(s, "meta");
	struct ts_span key, raw;
	struct ts_json_reader r;
	struct ts_json_token t;

	*ret_raw = (struct ts_span){NULL, 0};
	if (!meta || meta->raw.data[0] != '{')
		return TS_OK;
	ts_json_reader_init(&r, meta->raw, &s->scratch);
	if (ts_json_next(&r, &t, err))
		return err->status;
	do {
		if (next_member(s, &r, &key, &raw, err))
			return err->status;
		if (raw.data && ts_span_is(key, name))
			*ret_raw = raw;
	} while (raw.data);
	return TS_OK;
}

static bool is_count(struct ts_span raw)
{
	int64_t n;

	return ts_parse_i64(raw, &n) && n > 0;
}

static enum ts_status write_session(struct summary *s, struct ts_json *j, struct ts_error *err)
{
	const struct part *duration = part_of(s, "duration_s");
	struct ts_span name;
	double seconds;

	if (meta_of(s, "run_name", &name, err))
		return err->status;
	ts_json_key(j, "session");
	ts_json_object(j);
	if (name.len && name.data[0] == '"') {
		ts_json_key(j, "name");
		ts_json_raw(j, name);
	}
	if (duration && ts_parse_double(duration->raw, &seconds) && seconds >= 0) {
		ts_json_key(j, "wall_time");
		ts_json_raw(j, duration->raw);
	}
	ts_json_end(j);
	return TS_OK;
}

static enum ts_status write_parallelism(struct summary *s, struct ts_json *j, struct ts_error *err)
{
	static const char *const names[][2] = {{"world_size", "world_size"}, {"nodes_observed", "nodes"}};

	ts_json_key(j, "parallelism");
	ts_json_object(j);
	for (size_t i = 0; i < 2; i++) {
		struct ts_span raw;

		if (meta_of(s, names[i][0], &raw, err))
			return err->status;
		if (!is_count(raw))
			continue;
		ts_json_key(j, names[i][1]);
		ts_json_raw(j, raw);
	}
	ts_json_end(j);
	return TS_OK;
}

static enum ts_status write_facts(void *ctx, struct ts_buf *json, struct ts_error *err)
{
	struct summary *s = ctx;
	struct ts_json j = ts_json_of(json);

	ts_json_object(&j);
	if (write_session(s, &j, err) || write_parallelism(s, &j, err))
		return err->status;
	ts_json_key(&j, "other");
	ts_json_object(&j);
	ts_json_key(&j, "traceml");
	write_all(s, &j, true);
	for (int i = -1; i < SECTIONS; i++)
		if (has_text(s, i)) {
			ts_json_key(&j, "traceml_json");
			write_all(s, &j, false);
			break;
		}
	ts_json_end(&j);
	ts_json_end(&j);
	return TS_OK;
}

/* --- the run --- */

static void tell_schema(struct summary *s)
{
	const struct part *schema = part_of(s, "schema_version");
	double version;

	if (!schema || (ts_parse_double(schema->raw, &version) && version > 1.39 && version < 1.71))
		return;
	ts_notice_add(&s->notices, "other_schema", TS_NOTICE_INFO, ts_span_str(""), 0,
		      "a schema_version other than 1.4 to 1.7; the file is read like one of those");
}

/* Gives an empty rank 0, so that the run can be exported and read again. */
static enum ts_status no_rows(void *ctx, struct ts_rows *rows, struct ts_error *err)
{
	(void)ctx;
	(void)rows;
	(void)err;
	return TS_OK;
}

static bool finished(void *ctx)
{
	(void)ctx;
	return true; /* the summary is written at the end of the run */
}

static enum ts_status read_file(struct summary *s, const char *path, struct ts_error *err)
{
	enum ts_status status = ts_below_read(ts_top(s->options), path, &s->text, err);

	if (status)
		return status;
	s->bytes_read = s->text.len;
	status = read_text(s, err);
	if (!status)
		status = choose(s, err);
	return status ? ts_error_prefix(err, "%s", path) : TS_OK;
}

enum ts_status ts_traceml_read(const struct ts_ingest_options *options, ts_object_sink *sink, void *ctx, struct ts_arena *arena,
			       struct ts_ingest_result *ret_result, struct ts_error *err)
{
	struct summary s = {.options = options,
			    .arena = arena,
			    .notices = {.arena = arena},
			    .text = TS_BUF_INIT(TS_JSON_FILE_MAX),
			    .scratch = TS_BUF_INIT(TS_JSON_FILE_MAX)};
	struct ts_import import = {.format = "TraceML final summary",
				   .rows = {.feed = no_rows},
				   .facts = write_facts,
				   .ctx = &s,
				   .finished = finished};
	bool folder = ts_file_kind(options->path) == TS_FILE_DIRECTORY;
	const char *path = folder ? ts_path_join(arena, options->path, file_name) : options->path;
	enum ts_status status = TS_OK;

	s.parts = ts_arena_array(arena, PARTS_MAX, sizeof *s.parts);
	if (!path || !s.parts)
		status = ts_arena_error(arena, err);
	if (!status)
		status = read_file(&s, path, err);
	if (!status) {
		tell_schema(&s);
		status = ts_import_run(&import, options, sink, ctx, &s.notices, &s.bytes_read, arena, ret_result, err);
	}
	ts_buf_finish(&s.text);
	ts_buf_finish(&s.scratch);
	return status;
}
