#include "ingest/facts/facts_json.h"

#include "base/json_reader.h"
#include "base/number.h"
#include "ingest/facts/keys.h"
#include "ingest/facts/redact.h"
#include "ingest/facts/run_json.h"

#include <stdio.h>

/* The limit of distinct keys of a document: 16 MiB of text cannot hold more. */
enum { KEYS_MAX = 8 << 20 };

struct flatten {
	struct ts_json_reader reader;
	struct ts_buf scratch;
	struct ts_buf path;
	struct ts_keys keys;
	enum ts_fact_source source;
	struct ts_arena *arena;
	struct ts_facts *facts;
	bool secret;
	uint64_t repeated; /* the number of values whose key came again */
};

/* The source of a fact whose object has not ended yet. It is no valid source. */
static const enum ts_fact_source source_open = (enum ts_fact_source)0;

/* The path of a fact whose key came again later in its object. Such facts are removed at the end. */
static const struct ts_span dropped = {NULL, 0};

static enum ts_status no_memory(struct ts_error *err)
{
	return ts_error_set(err, TS_NO_MEMORY, "out of memory for facts");
}

static bool fact_of_token(const struct ts_json_token *t, struct ts_fact *fact)
{
	switch (t->type) {
	case TS_JSON_NULL:
		fact->type = TS_FACT_NULL;
		return true;
	case TS_JSON_TRUE:
	case TS_JSON_FALSE:
		fact->type = TS_FACT_BOOL;
		fact->boolean = t->type == TS_JSON_TRUE;
		return true;
	case TS_JSON_STRING:
		fact->type = TS_FACT_TEXT;
		fact->text = t->text;
		return true;
	case TS_JSON_NUMBER:
		if (!t->integer) {
			fact->type = TS_FACT_FLOAT;
			fact->real = t->number;
		} else if (ts_parse_i64(t->raw, &fact->integer)) {
			fact->type = TS_FACT_INT;
		} else {
			fact->type = TS_FACT_NUMBER;
			fact->text = t->raw;
		}
		return true;
	case TS_JSON_EOF:
	case TS_JSON_OBJECT:
	case TS_JSON_ARRAY:
	case TS_JSON_END:
	case TS_JSON_KEY:
		break;
	}
	return false;
}

static enum ts_status copy_text(struct ts_fact *fact, struct ts_arena *arena, struct ts_error *err)
{
	if (fact->type != TS_FACT_TEXT && fact->type != TS_FACT_NUMBER)
		return TS_OK;
	fact->text = ts_arena_span(arena, fact->text);
	return fact->text.data ? TS_OK : ts_arena_error(arena, err);
}

static enum ts_status add(struct flatten *f, struct ts_fact *fact, struct ts_error *err)
{
	if (ts_buf_check(&f->path, err))
		return err->status;
	fact->source = f->source;
	fact->path = ts_arena_span(f->arena, ts_buf_view(&f->path));
	if (!fact->path.data)
		return ts_arena_error(f->arena, err);
	if (copy_text(fact, f->arena, err) || ts_redact(fact, f->secret, f->arena, err))
		return err->status;
	return ts_facts_add(f->facts, fact, f->arena, err);
}

static enum ts_status take_value(struct flatten *f, const struct ts_json_token *t, uint32_t key, struct ts_error *err);

/* Returns the number of a key, and drops the facts that an earlier equal key of the same object made. Each object of
 * the document has its own parent key, so equal keys of two objects have different numbers. */
static enum ts_status enter_key(struct flatten *f, uint32_t parent, struct ts_span text, uint32_t *ret_key,
				struct ts_error *err)
{
	uint32_t key = ts_keys_get(&f->keys, parent, text);
	bool again = false;
	struct ts_key *k;

	if (key == TS_KEY_NONE)
		return no_memory(err);
	k = ts_key_at(&f->keys, key);
	for (size_t i = k->first; i < k->last; i++) {
		again |= f->facts->items[i].path.data != NULL;
		f->facts->items[i].path = dropped;
	}
	f->repeated += again;
	k->first = k->last = f->facts->n;
	*ret_key = key;
	return TS_OK;
}

static enum ts_status next(struct flatten *f, struct ts_json_token *t, struct ts_error *err)
{
	return ts_json_next(&f->reader, t, err);
}

/* Takes the next value, below a key that is already part of the path. */
static enum ts_status take_under(struct flatten *f, uint32_t parent, struct ts_span name, struct ts_error *err)
{
	bool secret = f->secret;
	struct ts_json_token t;
	uint32_t key;

	f->secret = secret || ts_secret_key(name);
	if (enter_key(f, parent, name, &key, err) || next(f, &t, err) || take_value(f, &t, key, err))
		return err->status;
	ts_key_at(&f->keys, key)->last = f->facts->n;
	f->secret = secret;
	return TS_OK;
}

static enum ts_status take_members(struct flatten *f, uint32_t parent, bool *ret_any, struct ts_error *err)
{
	size_t path_len = f->path.len;
	bool any = false;

	for (;;) {
		struct ts_json_token t;

		if (next(f, &t, err))
			return err->status;
		if (t.type == TS_JSON_END)
			break;
		any = true;
		ts_path_key(&f->path, t.text);
		if (take_under(f, parent, t.text, err))
			return err->status;
		f->path.len = path_len;
	}
	*ret_any = any;
	return TS_OK;
}

static enum ts_status take_items(struct flatten *f, uint32_t parent, bool *ret_any, struct ts_error *err)
{
	size_t path_len = f->path.len;

	for (size_t i = 0;; i++) {
		struct ts_json_token t;
		char name[32];
		uint32_t key;

		if (next(f, &t, err))
			return err->status;
		*ret_any = i > 0;
		if (t.type == TS_JSON_END)
			return TS_OK;
		ts_path_index(&f->path, i);
		(void)snprintf(name, sizeof name, "[%zu]", i);
		if (enter_key(f, parent, ts_span_str(name), &key, err))
			return err->status;
		if (take_value(f, &t, key, err))
			return err->status;
		ts_key_at(&f->keys, key)->last = f->facts->n;
		f->path.len = path_len;
	}
}

static enum ts_status take_value(struct flatten *f, const struct ts_json_token *t, uint32_t key, struct ts_error *err)
{
	struct ts_fact fact = {.type = TS_FACT_NULL};
	bool any = true;

	if (t->type == TS_JSON_OBJECT) {
		if (take_members(f, key, &any, err))
			return err->status;
		fact.type = TS_FACT_OBJECT;
	} else if (t->type == TS_JSON_ARRAY) {
		if (take_items(f, key, &any, err))
			return err->status;
		fact.type = TS_FACT_ARRAY;
	} else {
		(void)fact_of_token(t, &fact);
		any = false;
	}
	return any ? TS_OK : add(f, &fact, err);
}

/* --- run.json --- */

static enum ts_status take_environment(struct flatten *f, uint32_t parent, struct ts_error *err)
{
	for (;;) {
		struct ts_json_token t;

		if (next(f, &t, err))
			return err->status;
		if (t.type == TS_JSON_END)
			return TS_OK;
		f->path.len = 0;
		ts_run_json_path(&f->path, "environment", t.text);
		if (take_under(f, parent, t.text, err))
			return err->status;
	}
}

/* config and environment are taken as objects. If one of them is not an object, it is kept below "other". */
static enum ts_status take_section(struct flatten *f, struct ts_span name, struct ts_error *err)
{
	bool config = ts_span_is(name, "config");
	struct ts_json_token t;
	enum ts_status status;
	uint32_t key;
	bool any;

	f->path.len = 0;
	ts_buf_str(&f->path, config ? "config" : "other.environment");
	if (enter_key(f, TS_KEY_ROOT, ts_span_str(config ? "config" : "environment"), &key, err) || next(f, &t, err))
		return err->status;
	if (t.type != TS_JSON_OBJECT) {
		f->path.len = 0;
		ts_buf_str(&f->path, config ? "other.config" : "other.environment");
		status = take_value(f, &t, key, err);
	} else {
		status = config ? take_members(f, key, &any, err) : take_environment(f, key, err);
	}
	ts_key_at(&f->keys, key)->last = f->facts->n;
	return status;
}

static enum ts_status take_run_json(struct flatten *f, struct ts_error *err)
{
	for (;;) {
		struct ts_json_token t;

		if (next(f, &t, err))
			return err->status;
		if (t.type == TS_JSON_END)
			return TS_OK;
		if (ts_span_is(t.text, "config") || ts_span_is(t.text, "environment")) {
			if (take_section(f, t.text, err))
				return err->status;
			continue;
		}
		f->path.len = 0;
		ts_run_json_path(&f->path, "", t.text);
		if (take_under(f, TS_KEY_ROOT, t.text, err))
			return err->status;
	}
}

/* --- facts.json --- */

static enum ts_status take_form(struct flatten *f, uint32_t form, struct ts_error *err);

static enum ts_status bad_value(const struct ts_json_token *t, const char *key, const char *wanted,
				struct ts_error *err)
{
	return ts_error_set(err, TS_INVALID, "byte %zu: '%s' must be %s", t->at, key, wanted);
}

static enum ts_status take_format(struct flatten *f, struct ts_error *err)
{
	struct ts_json_token t;

	if (next(f, &t, err))
		return err->status;
	if (t.type != TS_JSON_NUMBER || !t.integer)
		return bad_value(&t, "format", "1", err);
	if (!ts_span_is(t.raw, "1"))
		return ts_error_set(err, TS_UNSUPPORTED, "byte %zu: format %.*s; this build knows 1", t.at,
				    TS_SPAN_ARG(t.raw));
	return TS_OK;
}

static enum ts_status take_source(struct flatten *f, enum ts_fact_source *ret_source, struct ts_error *err)
{
	static const char wanted[] = "\"facts.json\", \"host\", \"pusher\" or \"run.json\"";
	enum ts_fact_source source;
	struct ts_json_token t;

	if (next(f, &t, err))
		return err->status;
	if (t.type != TS_JSON_STRING || !ts_source_parse(t.text, &source))
		return bad_value(&t, "source", wanted, err);
	*ret_source = source;
	return TS_OK;
}

/* Reads "paths": {"config.lr": 0.1, ...}, that is, facts by their whole path, as export writes them. */
static enum ts_status take_paths(struct flatten *f, uint32_t form, struct ts_error *err)
{
	struct ts_json_token t;
	enum ts_group group;
	uint32_t paths, key;

	if (enter_key(f, form, ts_span_str("paths"), &paths, err) || next(f, &t, err))
		return err->status;
	if (t.type != TS_JSON_OBJECT)
		return bad_value(&t, "paths", "an object", err);
	for (;;) {
		if (next(f, &t, err))
			return err->status;
		if (t.type == TS_JSON_END)
			break;
		if (!ts_path_valid(t.text) || !ts_group_of(t.text, &group))
			return ts_error_set(err, TS_INVALID, "byte %zu: '%.*s' is not the path of a fact", t.at,
					    TS_SPAN_ARG(t.text));
		f->path.len = 0;
		ts_buf_span(&f->path, t.text);
		f->secret = ts_secret_path(t.text);
		if (enter_key(f, paths, t.text, &key, err) || next(f, &t, err) || take_value(f, &t, key, err))
			return err->status;
		ts_key_at(&f->keys, key)->last = f->facts->n;
		f->secret = false;
	}
	ts_key_at(&f->keys, paths)->last = f->facts->n;
	return TS_OK;
}

/* Reads "sources": [{"source": "host", groups}, ...]. */
static enum ts_status take_sources(struct flatten *f, uint32_t form, struct ts_error *err)
{
	struct ts_json_token t;
	uint32_t sources, key;

	if (enter_key(f, form, ts_span_str("sources"), &sources, err) || next(f, &t, err))
		return err->status;
	if (t.type != TS_JSON_ARRAY)
		return bad_value(&t, "sources", "a list of objects", err);
	for (size_t i = 0;; i++) {
		char name[32];

		if (next(f, &t, err))
			return err->status;
		if (t.type == TS_JSON_END)
			break;
		if (t.type != TS_JSON_OBJECT)
			return bad_value(&t, "sources", "a list of objects", err);
		(void)snprintf(name, sizeof name, "[%zu]", i);
		if (enter_key(f, sources, ts_span_str(name), &key, err) || take_form(f, key, err))
			return err->status;
		ts_key_at(&f->keys, key)->last = f->facts->n;
	}
	ts_key_at(&f->keys, sources)->last = f->facts->n;
	return TS_OK;
}

static enum ts_status take_group(struct flatten *f, uint32_t form, const struct ts_json_token *name, struct ts_error *err)
{
	struct ts_span group = name->text;
	struct ts_json_token t;
	enum ts_group known;
	size_t at = name->at;
	uint32_t key;
	bool any;

	if (!ts_group_of(group, &known) || !ts_span_is(group, ts_group_name(known)))
		return ts_error_set(
			err, TS_INVALID,
			"byte %zu: '%.*s' is not a group of facts (code, config, seeds, determinism, libraries, "
			"hardware, parallelism, data, lineage, work, session, columns, other)",
			at, TS_SPAN_ARG(group));
	f->path.len = 0;
	ts_path_key(&f->path, group);
	if (enter_key(f, form, group, &key, err) || next(f, &t, err))
		return err->status;
	if (t.type != TS_JSON_OBJECT)
		return bad_value(&t, ts_group_name(known), "an object", err);
	if (take_members(f, key, &any, err))
		return err->status;
	ts_key_at(&f->keys, key)->last = f->facts->n;
	return TS_OK;
}

static void set_source(struct flatten *f, size_t from, enum ts_fact_source source)
{
	for (size_t i = from; i < f->facts->n; i++)
		if (f->facts->items[i].source == source_open)
			f->facts->items[i].source = source;
}

/* Reads the members of an object with groups, whose '{' was already read. "source" may follow the facts that it applies
 * to, so their source is open until the object ends. Objects inside it (in "sources") have their source by then. */
static enum ts_status take_form(struct flatten *f, uint32_t form, struct ts_error *err)
{
	enum ts_fact_source outer = f->source;
	enum ts_fact_source source = f->source;
	size_t from = f->facts->n;
	enum ts_status status;

	do {
		struct ts_json_token t;

		f->source = source_open;
		status = next(f, &t, err);
		if (status || t.type == TS_JSON_END)
			break;
		if (ts_span_is(t.text, "format")) {
			status = take_format(f, err);
		} else if (ts_span_is(t.text, "source")) {
			status = take_source(f, &source, err);
		} else if (ts_span_is(t.text, "paths")) {
			status = take_paths(f, form, err);
		} else if (ts_span_is(t.text, "sources")) {
			f->source = outer;
			status = take_sources(f, form, err);
		} else {
			status = take_group(f, form, &t, err);
		}
	} while (!status);
	set_source(f, from, source);
	f->source = outer;
	return status;
}

/* --- documents --- */

static enum ts_status read_document(struct flatten *f, bool run_json, struct ts_error *err)
{
	struct ts_json_token t;

	if (next(f, &t, err))
		return err->status;
	if (t.type != TS_JSON_OBJECT)
		return ts_error_set(err, TS_INVALID, "byte %zu: expected an object", t.at);
	if (run_json ? take_run_json(f, err) : take_form(f, TS_KEY_ROOT, err))
		return err->status;
	if (next(f, &t, err))
		return err->status;
	if (t.type != TS_JSON_EOF)
		return ts_error_set(err, TS_INVALID, "byte %zu: something follows the object", t.at);
	return TS_OK;
}

static void leave_out_dropped(struct ts_facts *facts, size_t from)
{
	size_t kept = from;

	for (size_t i = from; i < facts->n; i++)
		if (facts->items[i].path.data)
			facts->items[kept++] = facts->items[i];
	facts->n = kept;
}

/* Returns whether the fact is a word of a command. *ret_n is N of the path "session.argv[N]". */
static bool is_word(const struct ts_fact *fact, enum ts_fact_source source, uint64_t *ret_n)
{
	static const char list[] = "session.argv[";
	size_t front = sizeof list - 1;
	struct ts_span path = fact->path;

	return fact->type == TS_FACT_TEXT && fact->source == source && ts_span_starts(path, ts_span_str(list)) &&
	       ts_parse_u64(ts_span_of(path.data + front, path.len - front - 1), ret_n);
}

/* Redacts the words of session.argv that follow --api-key and similar flags, in whatever order the list came. */
static enum ts_status redact_flagged(struct ts_facts *facts, size_t from, enum ts_fact_source source, struct ts_arena *arena,
				     struct ts_error *err)
{
	struct ts_fact **words;
	uint64_t n = 0, at;

	for (size_t i = from; i < facts->n; i++)
		n += is_word(&facts->items[i], source, &at);
	if (n < 2)
		return TS_OK;
	words = ts_arena_array(arena, n, sizeof *words);
	if (!words)
		return ts_arena_error(arena, err);
	memset(words, 0, n * sizeof *words);
	for (size_t i = from; i < facts->n; i++)
		if (is_word(&facts->items[i], source, &at) && at < n)
			words[at] = &facts->items[i];
	for (size_t i = 0; i + 1 < n; i++) {
		struct ts_fact *word = words[i + 1];

		if (words[i] && word && ts_secret_flag(words[i]->text) && word->text.len && word->text.data[0] != '-' &&
		    ts_redact(word, true, arena, err))
			return err->status;
	}
	return TS_OK;
}

static enum ts_status finish_document(struct flatten *f, size_t from, struct ts_error *err)
{
	leave_out_dropped(f->facts, from);
	for (int source = TS_SOURCE_RUN_JSON; source <= TS_SOURCE_PUSHER; source++)
		if (redact_flagged(f->facts, from, (enum ts_fact_source)source, f->arena, err))
			return err->status;
	return TS_OK;
}

static enum ts_status flatten(struct ts_span json, bool run_json, enum ts_fact_source source, struct ts_arena *arena,
			      struct ts_facts *facts, uint64_t *repeated, struct ts_error *err)
{
	struct flatten f = {.scratch = TS_BUF_INIT(2 * TS_JSON_FILE_MAX),
			    .path = TS_BUF_INIT(2 * TS_JSON_FILE_MAX),
			    .source = source,
			    .arena = arena,
			    .facts = facts};
	size_t before = facts->n;
	enum ts_status status;

	if (json.len > TS_JSON_FILE_MAX)
		return ts_error_set(err, TS_TOO_LARGE, "it has %zu bytes, and the limit is %d", json.len,
				    TS_JSON_FILE_MAX);
	if (json.len >= 3 && memcmp(json.data, "\xEF\xBB\xBF", 3) == 0)
		json = ts_span_of(json.data + 3, json.len - 3);
	ts_keys_init(&f.keys, KEYS_MAX);
	ts_json_reader_init(&f.reader, json, &f.scratch);
	status = read_document(&f, run_json, err);
	if (!status)
		status = finish_document(&f, before, err);
	if (status)
		facts->n = before;
	else if (repeated)
		*repeated += f.repeated;
	ts_keys_finish(&f.keys);
	ts_buf_finish(&f.scratch);
	ts_buf_finish(&f.path);
	return status;
}

enum ts_status ts_facts_from_run_json(struct ts_span json, struct ts_arena *arena, struct ts_facts *facts,
				      uint64_t *repeated, struct ts_error *err)
{
	return flatten(json, true, TS_SOURCE_RUN_JSON, arena, facts, repeated, err);
}

enum ts_status ts_facts_from_json(struct ts_span json, enum ts_fact_source source, struct ts_arena *arena,
				  struct ts_facts *facts, uint64_t *repeated, struct ts_error *err)
{
	return flatten(json, false, source, arena, facts, repeated, err);
}

/* --- by hand --- */

/* The path must be group.key or longer, and no list: a single element would say nothing about the others. */
static enum ts_status check_path(struct ts_span path, struct ts_span arg, struct ts_error *err)
{
	enum ts_group group;

	if (!ts_path_valid(path))
		return ts_error_set(err, TS_INVALID, "'%.*s': it must have the form group.key=value", TS_SPAN_ARG(arg));
	if (!ts_group_of(path, &group))
		return ts_error_set(
			err, TS_INVALID,
			"'%.*s': there is no such group; the groups are code, config, seeds, determinism, libraries, "
			"hardware, parallelism, data, lineage, work, session, columns, other",
			TS_SPAN_ARG(arg));
	if (path.len == strlen(ts_group_name(group)))
		return ts_error_set(err, TS_INVALID, "'%.*s': there is no key after the group", TS_SPAN_ARG(arg));
	for (size_t i = 0; i < path.len; i++) {
		if (path.data[i] == '\\')
			i++;
		else if (path.data[i] == '[')
			return ts_error_set(err, TS_INVALID, "'%.*s': an element of a list cannot be set alone",
					    TS_SPAN_ARG(arg));
	}
	return TS_OK;
}

/* Reads the text as a JSON scalar, or else keeps it as text. */
static enum ts_status read_scalar(struct ts_span text, struct ts_buf *scratch, struct ts_fact *fact, struct ts_error *err)
{
	struct ts_json_reader reader;
	struct ts_json_token t;
	enum ts_status status;

	ts_json_reader_init(&reader, text, scratch);
	status = ts_json_next(&reader, &t, err);
	if (status == TS_NO_MEMORY)
		return status;
	if (status || !fact_of_token(&t, fact) || reader.at != text.len)
		*fact = (struct ts_fact){.type = TS_FACT_TEXT, .text = text};
	return TS_OK;
}

enum ts_status ts_fact_from_arg(struct ts_span arg, enum ts_fact_source source, struct ts_arena *arena,
				struct ts_fact *ret_fact, struct ts_error *err)
{
	const uint8_t *equals = arg.len ? memchr(arg.data, '=', arg.len) : NULL;
	struct ts_buf scratch = TS_BUF_INIT(TS_JSON_FILE_MAX);
	struct ts_fact fact = {.type = TS_FACT_NULL};
	struct ts_span path, text;
	enum ts_status status;

	if (!equals)
		return ts_error_set(err, TS_INVALID, "'%.*s': it must have the form group.key=value", TS_SPAN_ARG(arg));
	path = ts_span_of(arg.data, (size_t)(equals - arg.data));
	text = ts_span_of(equals + 1, arg.len - path.len - 1);
	if (check_path(path, arg, err))
		return err->status;
	if (text.len > TS_FACT_TEXT_MAX)
		return ts_error_set(err, TS_TOO_LARGE, "%.*s: it has %zu bytes, and the limit is %d", TS_SPAN_ARG(path),
				    text.len, TS_FACT_TEXT_MAX);
	status = read_scalar(text, &scratch, &fact, err);
	fact.source = source;
	fact.path = ts_arena_span(arena, path);
	if (!status)
		status = fact.path.data ? copy_text(&fact, arena, err) : ts_arena_error(arena, err);
	ts_buf_finish(&scratch);
	if (!status)
		status = ts_redact(&fact, ts_secret_path(path), arena, err);
	if (!status)
		*ret_fact = fact;
	return status;
}
