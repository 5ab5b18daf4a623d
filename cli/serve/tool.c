/* tool.c - see tool.h. */
#include "cli/serve/tool.h"

#include "base/door.h"
#include "base/json_reader.h"
#include "base/suggest.h"
#include "base/text.h"

static const char *const forms[] = {
	[TS_TOOL_DOCUMENT] = "document",
	[TS_TOOL_BRIEF] = "brief",
	[TS_TOOL_TEXT] = "text",
	[TS_TOOL_PAGE] = "page",
};
enum { FORMS = sizeof forms / sizeof forms[0], SCRATCH_MAX = 8 << 20 };

bool ts_tool_draws(const struct ts_verb *verb)
{
	for (const struct ts_option *o = verb->options; o && o->name; o++)
		if (strcmp(o->name, "html") == 0)
			return true;
	return false;
}

/* -- words of the usage -- */

static size_t add_slot(struct ts_tool_slot *slots, size_t n, const char *name, bool repeat, bool needed)
{
	struct ts_tool_slot *same = n && strcmp(slots[n - 1].name, name) == 0 ? &slots[n - 1] : NULL;

	TS_DOOR(same || n < TS_TOOL_SLOTS);
	if (same)
		same->repeat = true;
	else
		slots[n++] = (struct ts_tool_slot){name, repeat, needed};
	return n;
}

size_t ts_tool_slots(const struct ts_tool *tool, const struct ts_verb *verb, struct ts_tool_slot slots[TS_TOOL_SLOTS],
		     struct ts_arena *arena)
{
	size_t n = 0, needed = 0;

	/* What stands behind | is another use of the verb. */
	for (const char *at = verb->usage; *at && *at != '|' && n < tool->max_words;) {
		size_t skip = strspn(at, " []."), len = strcspn(at + skip, " [].|");
		char *name = ts_arena_printf(arena, "%.*s", (int)len, at + skip);
		bool optional = skip && memchr(at, '[', skip), repeat = strncmp(at + skip + len, "...", 3) == 0;

		at += skip + len;
		if (!len || !name)
			break;
		for (char *c = name; *c; c++)
			*c = *c >= 'A' && *c <= 'Z' ? (char)(*c - 'A' + 'a') : *c;
		n = add_slot(slots, n, name, repeat, !optional);
	}
	for (size_t i = 0; i < n; i++)
		needed += slots[i].needed;
	for (size_t i = 0; i < n; i++) {
		/* A tool may need words that the verb can do without. */
		slots[i].needed = slots[i].needed || (!needed && i < tool->min_words);
		if (slots[i].repeat)
			slots[i].name = ts_arena_phrase(arena, "%ss", slots[i].name);
	}
	return n;
}

/* -- the description -- */

static bool is_word_of(const char *words, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = words; *at; at += strspn(at, " ")) {
		size_t n = strcspn(at, " ");

		if (n == len && strncmp(at, word, n) == 0)
			return true;
		at += n;
	}
	return false;
}

bool ts_tool_has(const struct ts_tool *tool, const char *option)
{
	return is_word_of(tool->options, option);
}

static void put_type(struct ts_json *j, const char *type)
{
	ts_json_key(j, "type");
	ts_json_string(j, type);
}

static void put_about(struct ts_json *j, const char *text)
{
	ts_json_key(j, "description");
	ts_json_string(j, text);
}

static void put_choices(struct ts_json *j, const char *choices)
{
	ts_json_key(j, "enum");
	ts_json_array(j);
	for (const char *at = choices; *at; at += strspn(at, " ")) {
		size_t n = strcspn(at, " ");

		ts_json_span(j, ts_span_of(at, n));
		at += n;
	}
	ts_json_end(j);
}

static void put_texts(struct ts_json *j, size_t least)
{
	put_type(j, "array");
	ts_json_key(j, "items");
	ts_json_object(j);
	put_type(j, "string");
	ts_json_end(j);
	if (least) {
		ts_json_key(j, "minItems");
		ts_json_u64(j, least);
	}
}

static void put_option(struct ts_json *j, const struct ts_option *o)
{
	ts_json_key(j, o->name);
	ts_json_object(j);
	if (!o->argument)
		put_type(j, "boolean");
	else if (o->repeat)
		put_texts(j, 0);
	else if (strcmp(o->argument, "N") == 0)
		put_type(j, "integer");
	else
		put_type(j, "string");
	if (o->complete == TS_COMPLETE_CHOICE && !o->repeat)
		put_choices(j, o->choices);
	put_about(j, o->help);
	ts_json_end(j);
}

static void put_properties(const struct ts_tool *tool, const struct ts_verb *verb, const struct ts_tool_slot *slots, size_t n,
			   struct ts_json *j)
{
	ts_json_key(j, "properties");
	ts_json_object(j);
	for (size_t i = 0; i < n; i++) {
		ts_json_key(j, slots[i].name);
		ts_json_object(j);
		if (slots[i].repeat)
			put_texts(j, tool->min_words > i ? tool->min_words - i : 0);
		else
			put_type(j, "string");
		ts_json_end(j);
	}
	for (const struct ts_option *o = verb->options; o && o->name; o++)
		if (ts_tool_has(tool, o->name))
			put_option(j, o);
	ts_json_key(j, "project");
	ts_json_object(j);
	put_type(j, "string");
	put_about(j, "the project of names without one");
	ts_json_end(j);
	ts_json_key(j, "answer");
	ts_json_object(j);
	put_choices(j, "document brief text page");
	put_about(j, "the JSON document (the default), a brief of at most 1,500 tokens, the text of the command, or a page of HTML");
	ts_json_end(j);
	ts_json_end(j);
}

void ts_tool_describe(const struct ts_tool *tool, const struct ts_verb *verb, struct ts_json *j, struct ts_arena *arena)
{
	struct ts_tool_slot slots[TS_TOOL_SLOTS];
	size_t n = ts_tool_slots(tool, verb, slots, arena);

	ts_json_object(j);
	ts_json_key(j, "name");
	ts_json_string(j, verb->name);
	put_about(j, ts_arena_phrase(arena, "%s. Usage: tscope %s%s%s. %s", verb->summary, verb->name, *verb->usage ? " " : "",
				     verb->usage, verb->about));
	ts_json_key(j, "inputSchema");
	ts_json_object(j);
	put_type(j, "object");
	put_properties(tool, verb, slots, n, j);
	ts_json_key(j, "required");
	ts_json_array(j);
	for (size_t i = 0; i < n; i++)
		if (slots[i].needed)
			ts_json_string(j, slots[i].name);
	ts_json_end(j);
	ts_json_key(j, "additionalProperties");
	ts_json_bool(j, false);
	ts_json_end(j);
	ts_json_key(j, "annotations");
	ts_json_object(j);
	ts_json_key(j, "readOnlyHint");
	ts_json_bool(j, true);
	ts_json_key(j, "openWorldHint");
	ts_json_bool(j, false);
	ts_json_end(j);
	ts_json_end(j);
}

/* -- arguments -- */

struct reading {
	const struct ts_tool *tool;
	const struct ts_verb *verb;
	struct ts_json_reader reader;
	struct ts_arena *arena;
	struct ts_tool_slot slots[TS_TOOL_SLOTS];
	size_t n_slots;
	const char **of_slot[TS_TOOL_SLOTS]; /* each with room for TS_TOOL_WORDS */
	size_t n_of_slot[TS_TOOL_SLOTS];
	struct ts_tool_call *call;
};

static enum ts_status add(struct reading *r, const char *word, struct ts_error *err)
{
	if (!word)
		return ts_arena_error(r->arena, err);
	if (r->call->n == TS_TOOL_WORDS)
		return ts_error_set(err, TS_INVALID, "%s: more than %d words are given", r->verb->name, TS_TOOL_WORDS);
	r->call->words[r->call->n++] = word;
	return TS_OK;
}

static enum ts_status wrong(const struct reading *r, const char *name, const char *want, struct ts_error *err)
{
	return ts_error_set(err, TS_INVALID, "%s: %s is not %s", r->verb->name, ts_show(ts_span_str(name)).text, want);
}

/* A text, a number or a truth value as the word that it is on a command line; NULL where it is another one. */
static const char *word_of(struct reading *r, const struct ts_json_token *token)
{
	if (token->type == TS_JSON_NUMBER)
		return ts_arena_printf(r->arena, "%.*s", TS_SPAN_ARG(token->raw));
	if (token->type != TS_JSON_STRING || (token->text.len && memchr(token->text.data, 0, token->text.len)))
		return NULL;
	return ts_arena_printf(r->arena, "%.*s", TS_SPAN_ARG(token->text));
}

typedef enum ts_status take_word(struct reading *r, size_t which, const char *name, const char *word, struct ts_error *err);

static enum ts_status take_slot(struct reading *r, size_t which, const char *name, const char *word, struct ts_error *err)
{
	(void)name;
	if (!*word)
		return wrong(r, r->slots[which].name, "a name; it is empty", err);
	if (r->n_of_slot[which] == TS_TOOL_WORDS)
		return ts_error_set(err, TS_INVALID, "%s: more than %d words are given", r->verb->name, TS_TOOL_WORDS);
	r->of_slot[which][r->n_of_slot[which]++] = word;
	return TS_OK;
}

static enum ts_status take_option(struct reading *r, size_t which, const char *name, const char *word, struct ts_error *err)
{
	(void)which;
	return add(r, ts_arena_printf(r->arena, "--%s=%s", name, word), err);
}

/* A word, or, of what may be given several times, a list of words. */
static enum ts_status take_words(struct reading *r, const char *name, bool repeat, size_t which, take_word *take, struct ts_error *err)
{
	struct ts_json_token token;
	const char *word;
	bool list;

	if (ts_json_next(&r->reader, &token, err))
		return err->status;
	if (token.type == TS_JSON_NULL)
		return TS_OK;
	list = repeat && token.type == TS_JSON_ARRAY;
	for (;;) {
		if (list && ts_json_next(&r->reader, &token, err))
			return err->status;
		if (list && token.type == TS_JSON_END)
			return TS_OK;
		word = word_of(r, &token);
		if (!word)
			return wrong(r, name, repeat ? "a text or a list of texts" : "a text or a number", err);
		if (take(r, which, name, word, err))
			return err->status;
		if (!list)
			return TS_OK;
	}
}

static enum ts_status take_switch(struct reading *r, const char *name, struct ts_error *err)
{
	struct ts_json_token token;

	if (ts_json_next(&r->reader, &token, err))
		return err->status;
	if (token.type == TS_JSON_TRUE)
		return add(r, ts_arena_printf(r->arena, "--%s", name), err);
	return token.type == TS_JSON_FALSE || token.type == TS_JSON_NULL ? TS_OK : wrong(r, name, "true or false", err);
}

static enum ts_status take_form(struct reading *r, struct ts_error *err)
{
	struct ts_json_token token;

	if (ts_json_next(&r->reader, &token, err))
		return err->status;
	for (int f = 0; f < FORMS && token.type == TS_JSON_STRING; f++)
		if (ts_span_is(token.text, forms[f])) {
			r->call->form = (enum ts_tool_form)f;
			return TS_OK;
		}
	return wrong(r, "answer", "document, brief, text or page", err);
}

static enum ts_status unknown(const struct reading *r, const char *name, struct ts_error *err)
{
	size_t bound = ts_suggest_bound(name);
	const char *best = NULL;

	for (size_t i = 0; i < r->n_slots; i++)
		best = ts_suggest(name, r->slots[i].name, best, &bound);
	for (const struct ts_option *o = r->verb->options; o && o->name; o++)
		if (ts_tool_has(r->tool, o->name))
			best = ts_suggest(name, o->name, best, &bound);
	if (!best)
		return ts_error_set(err, TS_INVALID, "%s has no argument %s", r->verb->name, ts_show(ts_span_str(name)).text);
	return ts_error_set(err, TS_INVALID, "%s has no argument %s; did you mean %s?", r->verb->name, ts_show(ts_span_str(name)).text,
			    best);
}

static enum ts_status take_argument(struct reading *r, const char *name, struct ts_error *err)
{
	for (size_t i = 0; i < r->n_slots; i++)
		if (strcmp(r->slots[i].name, name) == 0)
			return take_words(r, name, r->slots[i].repeat, i, take_slot, err);
	for (const struct ts_option *o = r->verb->options; o && o->name; o++)
		if (strcmp(o->name, name) == 0 && ts_tool_has(r->tool, name))
			return o->argument ? take_words(r, name, o->repeat, 0, take_option, err) : take_switch(r, name, err);
	if (strcmp(name, "project") == 0)
		return take_words(r, name, false, 0, take_option, err);
	return strcmp(name, "answer") == 0 ? take_form(r, err) : unknown(r, name, err);
}

static enum ts_status take_all(struct reading *r, struct ts_error *err)
{
	struct ts_json_token token;
	const char *name;

	if (ts_json_next(&r->reader, &token, err))
		return err->status;
	if (token.type != TS_JSON_OBJECT)
		return ts_error_set(err, TS_INVALID, "%s: arguments are an object", r->verb->name);
	for (;;) {
		if (ts_json_next(&r->reader, &token, err))
			return err->status;
		if (token.type == TS_JSON_END)
			return TS_OK;
		name = ts_arena_printf(r->arena, "%.*s", TS_SPAN_ARG(token.text));
		if (!name)
			return ts_arena_error(r->arena, err);
		if (take_argument(r, name, err))
			return err->status;
	}
}

/* Puts the words of the slots behind the options. */
static enum ts_status add_slots(struct reading *r, struct ts_error *err)
{
	if (add(r, "--", err))
		return err->status;
	for (size_t i = 0; i < r->n_slots; i++) {
		if (r->slots[i].needed && r->n_of_slot[i] == 0)
			return ts_error_set(err, TS_INVALID, "%s: %s is not given; usage: tscope %s %s", r->verb->name,
					    r->slots[i].name, r->verb->name, r->verb->usage);
		/* What stands behind a word that is missing would be taken for it. */
		if (i && r->n_of_slot[i] && !r->n_of_slot[i - 1] && !r->slots[i].needed)
			return ts_error_set(err, TS_INVALID, "%s: %s has no meaning without %s", r->verb->name, r->slots[i].name,
					    r->slots[i - 1].name);
		for (size_t k = 0; k < r->n_of_slot[i]; k++)
			if (add(r, r->of_slot[i][k], err))
				return err->status;
	}
	return TS_OK;
}

enum ts_status ts_tool_read(const struct ts_tool *tool, const struct ts_verb *verb, struct ts_span arguments, struct ts_arena *arena,
			    struct ts_tool_call *call, struct ts_error *err)
{
	struct reading r = {.tool = tool, .verb = verb, .arena = arena, .call = call};
	struct ts_buf scratch = TS_BUF_INIT(SCRATCH_MAX);
	enum ts_status status = TS_OK;

	*call = (struct ts_tool_call){.words = ts_arena_array(arena, TS_TOOL_WORDS, sizeof *call->words)};
	r.n_slots = ts_tool_slots(tool, verb, r.slots, arena);
	for (size_t i = 0; i < r.n_slots; i++)
		r.of_slot[i] = ts_arena_array(arena, TS_TOOL_WORDS, sizeof *r.of_slot[i]);
	if (ts_arena_check(arena, err) || add(&r, verb->name, err))
		return err->status;
	if (arguments.len) {
		ts_json_reader_init(&r.reader, arguments, &scratch);
		status = take_all(&r, err);
	}
	if (!status && (call->form == TS_TOOL_DOCUMENT || call->form == TS_TOOL_BRIEF))
		status = add(&r, "--json", err);
	if (!status && call->form == TS_TOOL_PAGE && ts_tool_draws(verb))
		status = add(&r, "--html=-", err);
	if (!status)
		status = add_slots(&r, err);
	ts_buf_finish(&scratch);
	return status;
}
