/* shape_measure.c - rows of measures and plots, as several answers have them. */
#include "analysis/answer/measure.h"
#include "analysis/answer/plot.h"
#include "base/order.h"
#include "proto/shape/shape_rows.h"
#include "proto/shape/shape_wire.h"

/* Returns "s", "bytes_per_step" and so on, as keys have them; NULL for plain numbers. */
static const char *unit_word(int unit)
{
	const char *suffix = ts_unit_suffix((enum ts_unit)unit);

	return unit == TS_UNIT_TEXT ? "text" : *suffix ? suffix + 1 : NULL;
}
const struct ts_shape_words ts_words_unit = {TS_UNIT_NONE, TS_UNIT_TEXT, TS_UNIT_NONE, .word = unit_word};

/* --- a measure: a number, a text, or neither --- */

static bool fill_measure(const void *in, void *message, struct ts_arena *arena)
{
	const struct ts_measure *measure = in;
	Tscope__V1__Measure *m = message;

	(void)arena;
	m->group = ts_wire_span(measure->group);
	m->subject = ts_wire_span(measure->subject);
	m->name = ts_wire_span(measure->name);
	m->unit = (Tscope__V1__Unit)measure->unit;
	if (measure->known && measure->unit == TS_UNIT_TEXT) {
		m->value_choice_case = TSCOPE__V1__MEASURE__VALUE_CHOICE_TEXT;
		m->text = ts_wire_span(measure->text);
	} else if (measure->known) {
		m->value_choice_case = TSCOPE__V1__MEASURE__VALUE_CHOICE_VALUE;
		m->value = measure->value;
	}
	m->reason = ts_wire_span(measure->reason);
	return true;
}

static void read_measure(struct ts_wire_reader *r, const void *message, void *ret)
{
	const Tscope__V1__Measure *m = message;
	struct ts_measure *measure = ret;
	bool text = m->value_choice_case == TSCOPE__V1__MEASURE__VALUE_CHOICE_TEXT;

	measure->group = ts_wire_bytes(r, m->group, TS_PATH_MAX, "group");
	measure->subject = ts_wire_bytes(r, m->subject, TS_WIRE_TEXT_MAX, "subject");
	measure->name = ts_wire_bytes(r, m->name, TS_PATH_MAX, "name");
	measure->unit = (enum ts_unit)ts_wire_enum(r, m->unit, TS_UNIT_NONE, TS_UNIT_TEXT, "unit");
	measure->known = m->value_choice_case != TSCOPE__V1__MEASURE__VALUE_CHOICE__NOT_SET;
	if (measure->known && (measure->unit == TS_UNIT_TEXT) != text)
		ts_wire_fail(r, "value", "is not of its unit");
	else if (text)
		measure->text = ts_wire_bytes(r, m->text, TS_WIRE_TEXT_MAX, "text");
	else if (measure->known)
		measure->value = m->value;
	measure->reason = ts_wire_bytes(r, m->reason, TS_WIRE_TEXT_MAX, "reason");
}

static const struct ts_shape_own measure_own = {.fill = fill_measure, .read = read_measure};

/* Writes a whole number as an integer where that is exact. */
void ts_json_measure_value(struct ts_json *j, const struct ts_measure *m)
{
	bool whole = m->value == floor(m->value) && fabs(m->value) < 9e15;

	if (!m->known)
		ts_json_null(j);
	else if (m->unit == TS_UNIT_TEXT)
		ts_json_span(j, m->text);
	else if (m->unit == TS_UNIT_COUNT && whole && m->value >= 0)
		ts_json_u64(j, (uint64_t)m->value);
	else if (m->unit == TS_UNIT_STEP && whole)
		ts_json_i64(j, (int64_t)m->value);
	else
		ts_json_double(j, m->value);
}

static void json_value(struct ts_shape_writer *w, const void *in)
{
	ts_json_measure_value(w->json, in);
}

/* The values of `measures` below have the same schema. */
#define VALUE_SCHEMA                                                                                                   \
	"{\"description\": \"a number, a word, or null where it is not known\","                                       \
	" \"anyOf\": [{\"$ref\": \"#/$defs/real\"}, {\"$ref\": \"#/$defs/integer\"}, {\"type\": \"string\"}, {\"type\": \"null\"}]}"

static const struct ts_shape_own value_own = {.json = json_value, .schema = VALUE_SCHEMA};

#define TYPE struct ts_measure
static const struct ts_shape value_shape = {OWN_JSON("value", value_own)};

static bool is_unknown(const void *in)
{
	return !((const TYPE *)in)->known;
}

static const struct ts_shape_field measure_rows[] = {
	{NULL, "group", BYTES(group, 0)},
	{NULL, "subject", BYTES(subject, 0)},
	{NULL, "name", BYTES(name, 0)},
	{NULL, "unit", ENUM(unit, ts_words_unit), ABOUT("the suffix of keys; null for plain numbers, text for words")},
	{NULL, "value", HERE(value_shape)},
	{NULL, "reason", BYTES(reason, 0), OR_NULL, WHEN(is_unknown)},
};
const struct ts_shape ts_shape_measure = {
	JSON_SHAPE("measure", measure_rows),
	.message = WIRE_DESCRIPTOR(measure),
	.own = &measure_own,
};
#undef TYPE

/* --- measures in JSON: an object of groups of subjects --- */

/* A row, and the places where its group and its subject first occur. */
struct place {
	const struct ts_measure *row;
	size_t at, group, subject;
};

TS_ORDER(by_name, struct place, TS_TEXT(row->group); TS_TEXT(row->subject); TS_UP(at))

TS_ORDER(by_place, struct place, TS_UP(group); TS_UP(subject); TS_UP(at))

/* Puts the rows of one group and subject together, in the order in which these first occur; rows of a subject need not
 * be adjacent. */
static struct place *places_of(const struct ts_measures *m, struct ts_arena *arena)
{
	struct place *places = ts_arena_array(arena, m->n, sizeof *places);

	if (!places)
		return NULL;
	for (size_t i = 0; i < m->n; i++)
		places[i] = (struct place){.row = &m->items[i], .at = i};
	TS_SORT(places, m->n, by_name);
	for (size_t i = 0, group = 0, subject = 0; i < m->n; i++) {
		bool new_group = i == 0 || !ts_span_eq(places[i].row->group, places[i - 1].row->group);

		if (new_group)
			group = i;
		if (new_group || !ts_span_eq(places[i].row->subject, places[i - 1].row->subject))
			subject = i;
		places[i].subject = places[subject].at;
		places[group].group =
			places[i].at < places[group].group || i == group ? places[i].at : places[group].group;
	}
	/* The least place of a group is known only after the last of its rows. */
	for (size_t i = 0, group = 0; i < m->n; i++) {
		if (i == 0 || !ts_span_eq(places[i].row->group, places[i - 1].row->group))
			group = i;
		places[i].group = places[group].group;
	}
	TS_SORT(places, m->n, by_place);
	return places;
}

static void measure_key(struct ts_shape_writer *w, const struct ts_measure *m)
{
	struct ts_buf key = TS_BUF_INIT(8192);

	ts_buf_span(&key, m->name);
	ts_buf_str(&key, ts_measure_suffix(m));
	if (!w->status)
		w->status = ts_buf_check(&key, w->err);
	ts_json_key_span(w->json, ts_buf_view(&key));
	ts_buf_finish(&key);
}

static void json_measures(struct ts_shape_writer *w, const void *in)
{
	const struct ts_measures *m = in;
	struct place *p = places_of(m, w->arena);
	struct ts_json *j = w->json;

	if (!p)
		w->status = ts_arena_error(w->arena, w->err);
	ts_json_object(j);
	for (size_t i = 0; p && i < m->n; i++) {
		bool new_group = i == 0 || p[i].group != p[i - 1].group;

		if (i && (new_group || p[i].subject != p[i - 1].subject))
			ts_json_end(j);
		if (i && new_group)
			ts_json_end(j);
		if (new_group) {
			ts_json_key_span(j, p[i].row->group);
			ts_json_object(j);
		}
		if (new_group || p[i].subject != p[i - 1].subject) {
			ts_json_key_span(j, p[i].row->subject);
			ts_json_object(j);
		}
		measure_key(w, p[i].row);
		ts_json_measure_value(j, p[i].row);
	}
	if (p && m->n) {
		ts_json_end(j);
		ts_json_end(j);
	}
	ts_json_end(j);
}

static const struct ts_shape_own measures_own = {
	.json = json_measures,
	.schema = "{\"type\": \"object\", \"description\": \"group, subject, name with its unit; null where it is not known, and then"
		  " `unknown` says why; a string is a word, a sentence or a number that is not finite\","
		  " \"additionalProperties\": {\"type\": \"object\", \"additionalProperties\": {\"type\": \"object\","
		  " \"additionalProperties\": " VALUE_SCHEMA "}}}",
};

static void json_unknown(struct ts_shape_writer *w, const void *in)
{
	const struct ts_measures *m = in;
	struct ts_json *j = w->json;

	ts_json_array(j);
	for (size_t i = 0; i < m->n; i++) {
		if (m->items[i].known)
			continue;
		ts_json_object(j);
		ts_json_key(j, "group");
		ts_json_span(j, m->items[i].group);
		ts_json_key(j, "subject");
		ts_json_span(j, m->items[i].subject);
		ts_json_key(j, "name");
		ts_json_span(j, m->items[i].name);
		ts_json_key(j, "reason");
		ts_json_span(j, m->items[i].reason);
		ts_json_end(j);
	}
	ts_json_end(j);
}

static const struct ts_shape_own unknown_own = {
	.json = json_unknown,
	.schema = "{\"type\": \"array\", \"items\": {\"type\": \"object\", \"properties\": {\"group\": {\"type\": \"string\"},"
		  " \"subject\": {\"type\": \"string\"}, \"name\": {\"type\": \"string\"}, \"reason\": {\"type\": \"string\"}},"
		  " \"required\": [\"group\", \"subject\", \"name\", \"reason\"], \"additionalProperties\": false}}",
};

#define TYPE struct ts_measures
const struct ts_shape ts_shape_measures = {OWN_JSON("measures", measures_own)};
const struct ts_shape ts_shape_unknown = {OWN_JSON("unknown", unknown_own)};
#undef TYPE

/* --- plots --- */

#define TYPE struct ts_plot
static void check_plot(struct ts_wire_reader *r, void *in)
{
	if (((TYPE *)in)->width == 0)
		ts_wire_fail(r, "width", "is 0");
}

static const struct ts_shape_field plot_rows[] = {
	{"group", "group", BYTES(group, TS_PATH_MAX)},
	{"subject", "subject", BYTES(subject, TS_WIRE_TEXT_MAX)},
	{"name", "name", BYTES(name, TS_PATH_MAX)},
	{"unit", "unit", ENUM(unit, ts_words_unit), ABOUT("the suffix of keys; null for plain numbers, text for words")},
	{"first_step", "first_step", I64(first_step)},
	{"width", "cell_step_count", U64(width)},
	{"min", "min", LIST(F64, min, n, TS_PLOT_CELLS)},
	{"max", "max", LIST(F64, max, n, TS_PLOT_CELLS), AS_MANY},
	{"mean", "mean", LIST(F64, mean, n, TS_PLOT_CELLS), AS_MANY},
	{"count", "count", LIST(U64, count, n, TS_PLOT_CELLS), AS_MANY},
	{"nonfinite", "nonfinite_count", U64(nonfinite)},
};
const struct ts_shape ts_shape_plot = {SHAPE("plot", plot, plot_rows), .check = check_plot};
#undef TYPE
