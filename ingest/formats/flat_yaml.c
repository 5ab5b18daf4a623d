#include "ingest/formats/flat_yaml.h"

#include <yaml.h>

enum { DEPTH = 64 };

struct reader {
	yaml_parser_t parser;
	yaml_event_t event; /* the current event */
	struct ts_arena *arena;
	struct ts_yaml_pair **last; /* where the next pair is linked into the list */
	enum ts_status status;
	struct ts_error *err;
};

static bool advance(struct reader *r)
{
	yaml_event_delete(&r->event);
	return yaml_parser_parse(&r->parser, &r->event);
}

/* Skips the node that begins with the current event, up to its last event. Returns false if it is not YAML or is nested
 * too deeply. */
static bool skip_node(struct reader *r)
{
	int depth = 0;

	for (;;) {
		yaml_event_type_t type = r->event.type;

		depth += type == YAML_SEQUENCE_START_EVENT || type == YAML_MAPPING_START_EVENT;
		depth -= type == YAML_SEQUENCE_END_EVENT || type == YAML_MAPPING_END_EVENT;
		if (depth == 0)
			return true;
		if (depth > DEPTH || !advance(r))
			return false;
	}
}

static bool copy_scalar(struct reader *r, struct ts_span *to)
{
	*to = ts_arena_span(r->arena, ts_span_of(r->event.data.scalar.value, r->event.data.scalar.length));
	if (!to->data)
		r->status = ts_arena_error(r->arena, r->err);
	return to->data != NULL;
}

static enum ts_yaml_kind kind_of(const yaml_event_t *event)
{
	static const char *const nulls[] = {"", "~", "null", "Null", "NULL"};
	yaml_scalar_style_t style = event->data.scalar.style;

	if (event->type != YAML_SCALAR_EVENT || event->data.scalar.tag || style == YAML_LITERAL_SCALAR_STYLE ||
	    style == YAML_FOLDED_SCALAR_STYLE)
		return TS_YAML_OTHER;
	for (size_t i = 0; style == YAML_PLAIN_SCALAR_STYLE && i < sizeof nulls / sizeof nulls[0]; i++)
		if (strcmp((const char *)event->data.scalar.value, nulls[i]) == 0)
			return TS_YAML_NULL;
	return TS_YAML_TEXT;
}

/* Reads the key of the current event and the value behind it. */
static bool read_pair(struct reader *r)
{
	struct ts_yaml_pair *pair = ts_arena_array(r->arena, 1, sizeof *pair);

	if (!pair) {
		r->status = ts_arena_error(r->arena, r->err);
		return false;
	}
	pair->line = r->event.start_mark.line + 1;
	if (r->event.type == YAML_SCALAR_EVENT ? !copy_scalar(r, &pair->key) : !skip_node(r))
		return false;
	if (!advance(r))
		return false;
	pair->kind = pair->key.len ? kind_of(&r->event) : TS_YAML_OTHER;
	pair->quoted = pair->kind == TS_YAML_TEXT && r->event.data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
	if (pair->kind == TS_YAML_TEXT ? !copy_scalar(r, &pair->value) : !skip_node(r))
		return false;
	if (*r->last)
		r->last = &(*r->last)->next;
	*r->last = pair;
	return true;
}

/* Reads one document that is a mapping, or an empty text. Returns false if it is neither. */
static bool read_text(struct reader *r)
{
	if (!advance(r) || !advance(r)) /* start of the stream, start of the document */
		return false;
	if (r->event.type == YAML_STREAM_END_EVENT)
		return true;
	if (!advance(r) || r->event.type != YAML_MAPPING_START_EVENT)
		return false;
	while (advance(r) && r->event.type != YAML_MAPPING_END_EVENT)
		if (!read_pair(r))
			return false;
	return r->event.type == YAML_MAPPING_END_EVENT && advance(r) && advance(r) &&
	       r->event.type == YAML_STREAM_END_EVENT;
}

/* If the scanner found no end of a token, the error is where that token began. In the other cases the parser gives the
 * line itself. */
static uint64_t line_of_error(const struct reader *r)
{
	if (r->parser.error == YAML_SCANNER_ERROR && r->parser.context)
		return r->parser.context_mark.line + 1;
	if (r->parser.error == YAML_READER_ERROR)
		return r->parser.mark.line + 1;
	return (r->parser.error ? r->parser.problem_mark.line : r->event.start_mark.line) + 1;
}

enum ts_status ts_flat_yaml_read(struct ts_span text, struct ts_arena *arena, struct ts_flat_yaml *ret_yaml,
				 struct ts_error *err)
{
	struct ts_flat_yaml yaml = {NULL, 0};
	struct reader r = {.arena = arena, .last = &yaml.first, .err = err};

	if (text.len > TS_YAML_MAX)
		return ts_error_set(err, TS_TOO_LARGE, "YAML of more than %d bytes", TS_YAML_MAX);
	if (text.len == 0) { /* libyaml does not accept NULL */
		*ret_yaml = yaml;
		return TS_OK;
	}
	if (!yaml_parser_initialize(&r.parser))
		return ts_error_set(err, TS_NO_MEMORY, "out of memory");
	yaml_parser_set_input_string(&r.parser, text.data, text.len);
	if (!read_text(&r) && !r.status) {
		yaml.bad_line = line_of_error(&r);
		if (*r.last && (*r.last)->line == yaml.bad_line)
			*r.last = NULL; /* the text behind this value is wrong, so the value may be wrong too */
	}
	if (r.parser.error == YAML_MEMORY_ERROR)
		r.status = ts_error_set(err, TS_NO_MEMORY, "out of memory");
	yaml_event_delete(&r.event);
	yaml_parser_delete(&r.parser);
	if (!r.status)
		*ret_yaml = yaml;
	return r.status;
}
