/* Tables against the descriptors of the generated code, and random structs there and back: packed, unpacked, and as JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/analysis.h"
#include "analysis/answer/chart.h"
#include "analysis/diverge/diff.h"
#include "analysis/gate/trend.h"
#include "analysis/rules/bound.h"
#include "base/words.h"
#include "proto/shape/shape_rows.h"
#include "proto/shape/shape_wire.h"

#include <stdio.h>
#include <stdlib.h>

/* The messages that have tables, except those that occur here within another one. */
static const struct ts_shape *const roots[] = {
	&ts_shape_chart_request, &ts_shape_chart,
	&ts_shape_diff_request, &ts_shape_diff,	  &ts_shape_matrix_request, &ts_shape_matrix_reply,
	&ts_shape_resume_request, &ts_shape_resume, &ts_shape_bound, &ts_shape_gate_run,
	&ts_shape_gate_request, &ts_shape_gate_input, &ts_shape_verdict,
	&ts_shape_trend_request, &ts_shape_trend, &ts_shape_reduce_request, &ts_shape_reduce_reply,
	&ts_shape_analyze_request, &ts_shape_analysis,
	&ts_shape_commit_request, &ts_shape_commit_reply, &ts_shape_ref_request, &ts_shape_ref_reply, &ts_shape_log_request,
	&ts_shape_log_reply, &ts_shape_note_request, &ts_shape_list_request, &ts_shape_list_reply, &ts_shape_get_request,
	&ts_shape_get_reply, &ts_shape_info_reply, &ts_shape_has_request, &ts_shape_has_reply, &ts_shape_objects_request,
	&ts_shape_put_reply, &ts_shape_verify_request, &ts_shape_verify_event, &ts_shape_gc_request, &ts_shape_gc_reply,
	&ts_shape_find_request, &ts_shape_find_reply, &ts_shape_follow_request, &ts_shape_follow_part,
	&ts_shape_removed_request, &ts_shape_removed_reply, &ts_shape_restore_request, &ts_shape_restore_reply,
	&ts_shape_make_token_request, &ts_shape_revoke_token_request, &ts_shape_tokens_reply,
	&ts_shape_usage_reply,
	&ts_shape_retain_request, &ts_shape_retain_reply,
};
enum { ROOTS = sizeof roots / sizeof roots[0], ROUNDS = 400 };

/* --- tables and descriptors --- */

static const struct ts_shape *seen[192];
static size_t n_seen;

static bool is_new(const struct ts_shape *s)
{
	for (size_t i = 0; i < n_seen; i++)
		if (seen[i] == s)
			return false;
	seen[n_seen++] = s;
	return true;
}

/* Returns whether protobuf-c may use that type for a field of that kind. */
static bool fits_type(const struct ts_shape_field *f, ProtobufCType type)
{
	switch (f->kind) {
	case TS_SHAPE_F64:
		return type == PROTOBUF_C_TYPE_DOUBLE;
	case TS_SHAPE_U64:
	case TS_SHAPE_HEX:
		return type == PROTOBUF_C_TYPE_UINT64 || type == PROTOBUF_C_TYPE_FIXED64;
	case TS_SHAPE_I64:
	case TS_SHAPE_TIME:
		return type == PROTOBUF_C_TYPE_SINT64 || type == PROTOBUF_C_TYPE_SFIXED64;
	case TS_SHAPE_U32:
	case TS_SHAPE_SIZE:
		return type == PROTOBUF_C_TYPE_UINT32;
	case TS_SHAPE_I32:
		return type == PROTOBUF_C_TYPE_INT32 || type == PROTOBUF_C_TYPE_SINT32;
	case TS_SHAPE_BOOL:
		return type == PROTOBUF_C_TYPE_BOOL;
	case TS_SHAPE_ENUM:
		return type == PROTOBUF_C_TYPE_ENUM;
	case TS_SHAPE_BYTES:
	case TS_SHAPE_WORD:
	case TS_SHAPE_TEXT: /* the generated code is made from a copy in which every string is declared as bytes */
	case TS_SHAPE_ID:
		return type == PROTOBUF_C_TYPE_BYTES;
	case TS_SHAPE_ONE:
	case TS_SHAPE_PTR:
		return type == PROTOBUF_C_TYPE_MESSAGE;
	case TS_SHAPE_STRING:
	case TS_SHAPE_PART:
		break;
	}
	return false;
}

static size_t size_in_struct(const struct ts_shape_field *f)
{
	switch (f->kind) {
	case TS_SHAPE_U32:
	case TS_SHAPE_I32:
	case TS_SHAPE_ENUM:
	case TS_SHAPE_WORD:
		return 4;
	case TS_SHAPE_BOOL:
		return sizeof(bool);
	case TS_SHAPE_BYTES:
	case TS_SHAPE_TEXT:
		return sizeof(struct ts_span);
	case TS_SHAPE_ID:
		return sizeof(struct ts_id);
	case TS_SHAPE_ONE:
	case TS_SHAPE_PTR:
	case TS_SHAPE_PART:
		return f->of->size;
	case TS_SHAPE_F64:
	case TS_SHAPE_U64:
	case TS_SHAPE_I64:
	case TS_SHAPE_SIZE:
	case TS_SHAPE_HEX:
	case TS_SHAPE_TIME:
	case TS_SHAPE_STRING:
		break;
	}
	return 8;
}

#define NAMED(condition, what)                                                                                         \
	if (!(condition))                                                                                              \
	fail_msg("%s.%s %s", s->name, f->wire ? f->wire : f->key, what)

/* Every value that may be sent has a value in the C enum, and every value of the C enum can be sent. */
static void check_words(const struct ts_shape *s, const struct ts_shape_field *f, const ProtobufCEnumDescriptor *e)
{
	for (unsigned i = 0; i < e->n_values; i++) {
		int value = e->values[i].value;

		NAMED(value == 0 || (value >= f->words->least && value <= f->words->most), e->values[i].name);
	}
	for (int i = f->words->least; i <= f->words->most; i++)
		NAMED(protobuf_c_enum_descriptor_get_value(e, i), "has a value that the .proto lacks");
}

static void check_wire(const struct ts_shape *s, const struct ts_shape_field *f)
{
	const ProtobufCFieldDescriptor *d = protobuf_c_message_descriptor_get_field_by_name(s->message, f->wire);
	bool repeated = f->list && f->kind != TS_SHAPE_ID;
	bool choice = f->maybe && f->kind < TS_SHAPE_ID;

	NAMED(d, "is not in the .proto");
	if (f->kind == TS_SHAPE_PART) {
		NAMED(f->of->own && f->of->own->fill && f->of->own->read, "is a field that nothing fills");
		return;
	}
	NAMED(fits_type(f, d->type), "is of another type in the .proto");
	NAMED((d->label == PROTOBUF_C_LABEL_REPEATED) == repeated, "is a list on one side alone");
	NAMED(!!(d->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) == choice,
	      "stands in a oneof and its row does not say so, or the other way round");
	if (f->kind == TS_SHAPE_ENUM)
		check_words(s, f, d->descriptor);
	if (f->of)
		NAMED(f->of->message == d->descriptor, "is another message");
	if (f->kind == TS_SHAPE_BYTES || f->kind == TS_SHAPE_TEXT)
		NAMED(f->max > 0, "has no limit of bytes");
	if (f->list)
		NAMED(f->entries > 0, "has no limit of entries");
}

static void check_row(const struct ts_shape *s, const struct ts_shape_field *f)
{
	if (f->wire)
		check_wire(s, f);
	if (!f->column)
		NAMED(size_in_struct(f) == f->step, "is another struct");
	if (f->kind == TS_SHAPE_PART)
		NAMED(f->of->message == s->message && f->of->size == s->size, "is no part");
	if ((f->key && f->kind == TS_SHAPE_ENUM) || f->kind == TS_SHAPE_WORD)
		NAMED(f->words->word, "has no words");
	if (f->words && f->words->newer && f->words->word)
		NAMED(strcmp(f->words->word(TS_NEWER), TS_NEWER_WORD) == 0, "has no word for a value of a newer tscope");
	if (f->key && !*f->key)
		NAMED(f->of && !f->list, "has no members to stand in the object around it");
}

/* Returns how many rows a field of the message has, including those of parts. */
static int rows_of(const struct ts_shape *s, const char *name)
{
	int n = 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct ts_shape_field *f = &s->fields[i];

		n += f->kind == TS_SHAPE_PART && !f->wire ? rows_of(f->of, name) : f->wire && strcmp(f->wire, name) == 0;
	}
	return n;
}

static void check_shape(const struct ts_shape *s, bool whole)
{
	if (!is_new(s) || (s->own && s->own->fill))
		return;
	for (unsigned i = 0; whole && s->message && i < s->message->n_fields; i++)
		if (rows_of(s, s->message->fields[i].name) != 1)
			fail_msg("%s of the .proto has %d rows in %s", s->message->fields[i].name,
				 rows_of(s, s->message->fields[i].name), s->name);
	for (size_t i = 0; i < s->n; i++) {
		check_row(s, &s->fields[i]);
		if (s->fields[i].of)
			check_shape(s->fields[i].of, s->fields[i].kind != TS_SHAPE_PART);
	}
}

static void tables_agree_with_descriptors(void **state)
{
	(void)state;
	n_seen = 0;
	for (size_t i = 0; i < ROOTS; i++)
		check_shape(roots[i], true);
	assert_true(n_seen > ROOTS);
}

/* Two definitions with one name would give one key twice. */
static void names_are_said_once(void **state)
{
	(void)state;
	for (size_t i = 0; i < n_seen; i++)
		for (size_t k = 0; k < i; k++)
			if (strcmp(seen[i]->name, seen[k]->name) == 0)
				fail_msg("%s is the name of two tables", seen[i]->name);
}

/* The keys of the values of a run are the names of the metrics with their units. */
static void every_metric_has_its_key(void **state)
{
	(void)state;
	assert_int_equal(ts_shape_metrics.n, TS_METRICS);
	for (size_t i = 0; i < TS_METRICS; i++) {
		const struct ts_shape_field *f = &ts_shape_metrics.fields[i];
		char key[64];

		(void)snprintf(key, sizeof key, "%s%s", ts_metrics[i].name, ts_unit_suffix(ts_metrics[i].unit));
		assert_string_equal(f->key, key);
		assert_int_equal(f->at, offsetof(struct ts_reduction, metrics[i].value));
		assert_int_equal(f->has, offsetof(struct ts_reduction, metrics[i].known));
	}
}

/* The widest possible gap is within the bounds that its schema states: values of equal magnitude and opposite signs. */
static void bounds_of_a_gap_hold_the_widest(void **state)
{
	const struct ts_resolution doubles = {.precision = TS_PRECISION_F64};
	struct ts_arena room;
	struct ts_error failed;
	struct ts_gap_meter meter;
	struct ts_gap gap;
	size_t widest = 0;

	(void)state;
	ts_arena_init(&room, TS_CALL_ARENA);
	assert_int_equal(ts_gap_begin(&meter, doubles, doubles, &room, &failed), TS_OK);
	for (int64_t step = 0; step < 200; step++)
		ts_gap_add(&meter, step, 1, -1);
	assert_int_equal(ts_gap_end(&meter, &gap, &failed), TS_OK);
	for (size_t i = 0; i < ts_shape_gap.n; i++) {
		const struct ts_shape_field *f = &ts_shape_gap.fields[i];
		double value;

		if (!f->bounded)
			continue;
		memcpy(&value, (const uint8_t *)&gap + f->at, sizeof value);
		if (!(value >= f->least && value <= f->most))
			fail_msg("%s is %g, above %g", f->key, value, f->most);
		widest += value == 2;
	}
	assert_int_equal(widest, 7);
	assert_true(gap.bias == 1);
	ts_arena_finish(&room);
}

/* --- random structs --- */

static uint64_t seed;
static struct ts_arena arena;
static struct ts_error err;

static uint64_t draw(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static size_t below(size_t n)
{
	return (draw() >> 16) % n;
}

static struct ts_span draw_text(size_t max)
{
	static const char *const texts[] = {"", "a", "loss", "layers.3.attn", "\xc3\xbc and more than that", "0123456789abcdef"};
	struct ts_span text = ts_span_str(texts[below(sizeof texts / sizeof texts[0])]);

	return text.len <= max ? text : ts_span_of(NULL, 0);
}

static void draw_struct(const struct ts_shape *s, void *ret);

static void draw_value(const struct ts_shape_field *f, void *to)
{
	static const double reals[] = {0, 1, -1.5, 1e300, INFINITY, 5e-324};
	uint64_t word = below(4) ? below(200) : draw();

	switch (f->kind) {
	case TS_SHAPE_F64:
		*(double *)to = below(3) ? (double)(int64_t)draw() / 4e9 : reals[below(sizeof reals / sizeof reals[0])];
		return;
	case TS_SHAPE_U64:
	case TS_SHAPE_HEX:
		*(uint64_t *)to = f->max ? word % (f->max + 1) : word;
		return;
	case TS_SHAPE_I64:
	case TS_SHAPE_TIME:
		*(int64_t *)to = (int64_t)(word * (below(2) ? 1 : UINT64_MAX));
		return;
	case TS_SHAPE_U32:
		*(uint32_t *)to = (uint32_t)(f->max ? word % (f->max + 1) : word);
		return;
	case TS_SHAPE_SIZE:
		*(size_t *)to = f->max ? word % (f->max + 1) : (uint32_t)word;
		return;
	case TS_SHAPE_I32:
		*(int32_t *)to = (int32_t)below(10) - 1;
		return;
	case TS_SHAPE_BOOL:
		*(bool *)to = below(2);
		return;
	case TS_SHAPE_WORD:
	case TS_SHAPE_ENUM:
		*(int *)to = ts_shape_nth(f->words, (int)below((size_t)(f->words->most - f->words->least + 1)));
		return;
	case TS_SHAPE_BYTES:
	case TS_SHAPE_TEXT:
		*(struct ts_span *)to = draw_text(f->max);
		return;
	case TS_SHAPE_ID:
		for (size_t i = 0; i < TS_ID_BYTES; i++)
			((struct ts_id *)to)->bytes[i] = (uint8_t)draw();
		return;
	case TS_SHAPE_PTR:
		*(void **)to = ts_arena_array(&arena, 1, f->of->size);
		assert_non_null(*(void **)to);
		draw_struct(f->of, *(void **)to);
		return;
	case TS_SHAPE_STRING:
		return;
	case TS_SHAPE_ONE:
	case TS_SHAPE_PART:
		break;
	}
	draw_struct(f->of, to);
}

static void draw_list(const struct ts_shape_field *f, void *out)
{
	size_t *n = (size_t *)(void *)((uint8_t *)out + f->n);
	void **rows = (void **)(void *)((uint8_t *)out + f->at);

	if (f->fixed) {
		for (size_t i = 0; i < f->entries; i++)
			draw_value(f, (uint8_t *)out + f->at + i * f->step);
		return;
	}
	*n = f->as_many ? *n : below(4);
	if (!f->column || !f->as_many)
		*rows = ts_arena_array(&arena, *n, f->step);
	assert_non_null(*rows);
	for (size_t i = 0; i < *n; i++)
		draw_value(f, (uint8_t *)*rows + i * f->step + f->in_row);
	if (f->cap)
		memcpy((uint8_t *)out + f->cap, n, sizeof *n);
}

static void draw_fact(struct ts_fact *fact)
{
	fact->path = draw_text(99);
	fact->type = (enum ts_fact_type)below(TS_FACT_ABSENT + 1);
	fact->source = (enum ts_fact_source)below(TS_SOURCE_PUSHER + 1);
	fact->boolean = fact->type == TS_FACT_BOOL;
	fact->integer = fact->type == TS_FACT_INT ? -(int64_t)below(9) : 0;
	fact->real = fact->type == TS_FACT_FLOAT ? -0.0 : 0;
	if (fact->type == TS_FACT_TEXT || fact->type == TS_FACT_NUMBER)
		fact->text = draw_text(99);
	if (fact->type == TS_FACT_LONG)
		fact->text_len = 2000;
}

static void draw_list_cell(struct ts_list_cell *cell)
{
	cell->known = below(2);
	if (cell->known)
		draw_fact(&cell->value);
}

static void draw_measure(struct ts_measure *m)
{
	m->group = draw_text(99);
	m->subject = draw_text(99);
	m->name = draw_text(99);
	m->unit = (enum ts_unit)below(TS_UNIT_TEXT + 1);
	m->known = below(2);
	if (m->known && m->unit == TS_UNIT_TEXT)
		m->text = draw_text(99);
	else if (m->known)
		m->value = (double)below(1000) / 8;
	m->reason = m->known ? ts_span_of(NULL, 0) : draw_text(99);
}

static void draw_cell(struct ts_value *value)
{
	value->type = (enum ts_column_type)(TS_COLUMN_F64 + below(4));
	value->real = value->type == TS_COLUMN_F64 ? 0.125 : 0;
	value->word = value->type == TS_COLUMN_U64 ? draw() : 0;
	if (value->type >= TS_COLUMN_TEXT)
		value->text = draw_text(99);
}

static void mend_matrix(struct ts_diff_matrix *m)
{
	m->n = 2 + below(2);
	m->n_pairs = m->n * (m->n - 1) / 2;
	m->runs = ts_arena_array(&arena, m->n, sizeof *m->runs);
	m->pairs = ts_arena_array(&arena, m->n_pairs, sizeof *m->pairs);
	assert_true(m->runs && m->pairs);
	for (size_t i = 0; i < m->n; i++)
		draw_struct(&ts_shape_run, &m->runs[i]);
	for (size_t i = 0; i < m->n_pairs; i++)
		m->pairs[i] = (struct ts_pair){(enum ts_pair_state)(TS_PAIR_SAME + below(5)), (int64_t)below(9) - 4};
	m->n_endings = below(2) ? m->n : 0;
	m->endings = ts_arena_array(&arena, m->n, sizeof *m->endings);
	assert_non_null(m->endings);
	for (size_t i = 0; i < m->n_endings; i++)
		draw_struct(&ts_shape_ending, &m->endings[i]);
}

/* A line has means in all columns of the picture or in none, and points only between the ends of the axis. */
static void mend_chart(struct ts_chart *chart)
{
	chart->log_x = false;
	chart->low = -3;
	chart->high = 5;
	chart->columns = 1 + below(9);
	for (size_t i = 0; i < chart->n; i++) {
		struct ts_chart_line *line = &chart->lines[i];

		line->n_mean = below(2) ? chart->columns : 0;
		line->mean = ts_arena_array(&arena, chart->columns, sizeof *line->mean);
		assert_non_null(line->mean);
	}
}

static void mend_chart_request(struct ts_chart_request *request)
{
	if (request->n == 0) {
		request->runs = ts_arena_array(&arena, 1, sizeof *request->runs);
		assert_non_null(request->runs);
		request->n = 1;
	}
	request->from = isnan(request->from) ? 0 : request->from;
	request->to = isnan(request->to) ? 0 : request->to;
	request->column = ts_span_str("loss");
	request->smooth = 0.5 * (double)below(9);
}

static void mend_repeats(struct ts_repeats *r)
{
	r->n_groups = 0;
	for (size_t i = 0; i < r->matrix.n; i++) {
		r->groups[i] = below(r->n_groups + 1);
		r->n_groups += r->groups[i] == r->n_groups;
	}
	r->odd = r->has_odd ? below(r->matrix.n) : 0;
	for (size_t i = 0; i < r->n_rows; i++) {
		struct ts_envelope_row *row = &r->rows[i];

		row->grown = row->grown && row->stays_outside;
		row->real = row->stays_outside && !row->grown;
	}
}

static void mend_sketches(struct ts_sketch_diff *s)
{
	s->has_first = s->has_first && s->n > 0;
	s->first = s->has_first ? below(s->n) : 0;
}

static void mend_diff(struct ts_diff *d)
{
	for (size_t i = 0; i < d->n_facts; i++) {
		d->facts[i].a = d->facts[i].change == TS_FACT_ONLY_B ? NULL : d->facts[i].a;
		d->facts[i].b = d->facts[i].change == TS_FACT_ONLY_A ? NULL : d->facts[i].b;
	}
	for (size_t i = 0; i < d->n_series; i++)
		d->series[i].other_types &= ~1u;
	for (size_t i = 0; i < d->n_outcomes; i++) {
		struct ts_outcome *o = &d->outcomes[i];

		o->compared = o->compared && o->a.known && o->b.known;
		o->has_noise = o->has_noise && o->compared;
	}
}

static struct ts_reduced draw_reduced(void)
{
	struct ts_reduced out = {.known = below(2)};

	if (!out.known) {
		out.reason = ts_span_str("the run has no such column");
		return out;
	}
	out.value = (double)(1 + below(1000)) / 8;
	out.has_error = below(2);
	out.error = out.has_error ? (double)below(100) / 8 : 0;
	return out;
}

static void mend_gate_run(struct ts_gate_run *run)
{
	struct ts_reduction *r = &run->reduction;

	run->workload.session = ts_span_str(below(2) ? "09afcafe" : "");
	for (size_t i = 0; i < TS_METRICS; i++)
		r->metrics[i] = draw_reduced();
	for (size_t i = 0; i < r->n_series; i++) {
		r->series[i].value = draw_reduced();
		if (r->series[i].name.len == 0)
			r->series[i].name = ts_span_str("reward");
	}
	r->wall_time = draw_reduced();
	r->best_loss = draw_reduced();
	for (size_t i = 0; i < r->n_parts; i++)
		r->parts[i].seconds = isfinite(r->parts[i].seconds) ? r->parts[i].seconds : -0.5;
	for (size_t i = 0; i < r->n_ranks; i++)
		r->ranks[i].rank = (int32_t)(7 * i + below(7)) - 1;
	r->accumulation = (double)(1 + below(64)) / 4;
}

static void draw_policy(struct ts_gate_policy *policy)
{
	ts_gate_policy_default(policy);
	policy->gates[below(TS_METRICS)] = true;
	if (below(2)) {
		policy->logged[policy->n_logged++] = "val_bpb";
		policy->logged[policy->n_logged++] = "eval/kl coef";
		policy->gates[TS_METRICS] = policy->gates[TS_METRICS + 1] = true;
		policy->min_size[TS_METRICS + 1] = 0.03;
		policy->better[TS_METRICS + 1] = TS_BETTER_HIGHER;
	}
	policy->min_size[below(TS_METRICS)] = (double)below(64) / 64;
	policy->must_catch = below(2) ? 0.0625 : (double)NAN;
	policy->across[below(TS_WORKLOAD_PARTS)] = below(2);
	policy->workload = ts_span_str(below(2) ? "gpt2" : "");
}

static void mend_verdict(struct ts_verdict *v)
{
	static struct ts_gate_row rows[TS_METRICS_ALL];
	static const struct ts_gate_row none;

	for (size_t i = 0; i < TS_METRICS_ALL; i++)
		rows[i] = i < v->n_rows ? v->rows[i] : none;
	v->rows = rows;
	v->n_rows = ts_gate_policy_metrics(&v->input.policy);
	for (size_t i = 0; i < v->n_rows; i++) {
		v->rows[i].metric = (enum ts_metric)i;
		v->rows[i].name = ts_span_str(ts_gate_metric_name(&v->input.policy, (enum ts_metric)i));
		v->rows[i].better = ts_gate_metric_better(&v->input.policy, (enum ts_metric)i);
		v->rows[i].state = v->rows[i].state ? v->rows[i].state : TS_GATE_PASS;
	}
	v->ask = (struct ts_gate_ask){.pairs = below(3)};
	if (v->ask.pairs) {
		v->ask.base_commit = draw_text(99);
		v->ask.candidate_commit = draw_text(99);
		memset(&v->ask.base, (int)below(256), sizeof v->ask.base);
		memset(&v->ask.candidate, (int)below(256), sizeof v->ask.candidate);
	}
}

static void mend_trend(struct ts_trend *t)
{
	static const char *const names[] = {"step_time", "mfu", "val_bpb"};
	size_t which = below(3);

	t->name = ts_span_str(names[which]);
	t->metric = which == 0 ? TS_METRIC_STEP_TIME : which == 1 ? TS_METRIC_MFU : TS_METRICS;
	t->better = which == 2 ? (enum ts_better)below(3) : which == 1 ? TS_BETTER_HIGHER : TS_BETTER_LOWER;
	if (t->n_runs < 2)
		t->n_changes = 0;
	if (t->n_changes >= t->n_runs)
		t->n_changes = t->n_runs - (t->n_runs > 0);
	for (size_t i = 0; i < t->n_changes; i++) {
		t->changes[i].at = i + 1;
		t->changes[i].last_before = below(i + 1);
	}
	t->n_moved = t->n_moved < t->n_runs ? t->n_moved : t->n_runs - (t->n_runs > 0);
	for (size_t i = 0; i < t->n_moved; i++) {
		t->moved[i].at = i + 1;
		t->moved[i].last_before = below(i + 1);
	}
	t->left_out = below(t->n_runs + 1);
	if (t->n_runs < 2)
		t->drift = NULL;
	if (t->drift) {
		struct ts_trend_drift *drift = ts_arena_array(&arena, 1, sizeof *drift);

		*drift = *t->drift;
		drift->to = 1 + below(t->n_runs - 1);
		drift->from = below(drift->to);
		t->drift = drift;
	}
	ts_trend_place(t);
}

static void mend_request(struct ts_analyze_request *request)
{
	request->flops_per_step = 1 + (double)below(100);
	request->peak_flops_per_s = 0.5;
	request->microbatches |= 1;
	request->device_bytes = 1 + (double)below(100);
}

static void mend_events(struct ts_events *events)
{
	for (size_t i = 0; i < events->n; i++)
		events->items[i].last_step = events->items[i].first_step + (events->items[i].first_step < 0);
}

static void mend_analysis(struct ts_analysis *a)
{
	mend_events(&a->events);
	for (size_t i = 0; i < a->n_ranks; i++)
		mend_events(&a->ranks[i].events);
}

static void mend_commit(struct ts_commit_reply *reply)
{
	reply->run.id = reply->id;
	reply->missing_ranks = ts_arena_array(&arena, TS_WIRE_REPORTED_MAX, sizeof *reply->missing_ranks);
	assert_non_null(reply->missing_ranks);
	for (int i = 0; i < TS_WIRE_REPORTED_MAX; i++)
		reply->missing_ranks[i] = 2 * i;
}

/* Makes every row have the same number of cells. */
static void mend_list(struct ts_list_reply *reply)
{
	size_t least = SIZE_MAX;

	for (size_t i = 0; i < reply->n; i++)
		least = reply->rows[i].n_cells < least ? reply->rows[i].n_cells : least;
	for (size_t i = 0; i < reply->n; i++)
		reply->rows[i].n_cells = least;
}

/* Repairs what the tables do not state: what their `check` refuses, and what functions of their own build. */
static void mend(const struct ts_shape *s, void *ret)
{
	struct ts_matrix_request *request = ret;
	struct ts_lineage *lineage = ret;

	if (s == &ts_shape_matrix || s == &ts_shape_matrix_reply)
		mend_matrix(ret);
	if (s == &ts_shape_chart)
		mend_chart(ret);
	if (s == &ts_shape_chart_request)
		mend_chart_request(ret);
	if (s == &ts_shape_sketches)
		mend_sketches(ret);
	if (s == &ts_shape_repeats)
		mend_repeats(ret);
	if (s == &ts_shape_diff)
		mend_diff(ret);
	if (s == &ts_shape_commit_request && ((struct ts_commit_request *)ret)->expect == TS_EXPECT_ID)
		((struct ts_commit_request *)ret)->expected.bytes[below(TS_ID_BYTES)] = 7;
	if (s == &ts_shape_ref_request && ((struct ts_ref_request *)ret)->expect == TS_EXPECT_ID)
		((struct ts_ref_request *)ret)->expected.bytes[below(TS_ID_BYTES)] = 7;
	if (s == &ts_shape_commit_reply)
		mend_commit(ret);
	if (s == &ts_shape_list_reply)
		mend_list(ret);
	if (s == &ts_shape_get_reply)
		((struct ts_get_reply *)ret)->lineage.named &= ((struct ts_get_reply *)ret)->lineage.parent.len > 0;
	if (s == &ts_shape_plot)
		((struct ts_plot *)ret)->width |= 1;
	if (s == &ts_shape_analyze_request)
		mend_request(ret);
	if (s == &ts_shape_analysis)
		mend_analysis(ret);
	if (s == &ts_shape_trend)
		mend_trend(ret);
	if (s == &ts_shape_matrix_request && request->n < 2) {
		request->runs = ts_arena_array(&arena, 2, sizeof *request->runs);
		request->n = 2;
	}
	if (s == &ts_shape_lineage) {
		lineage->named = lineage->parent.len > 0;
		lineage->shared_blocks = lineage->blocks / 2;
	}
	if (s == &ts_shape_resume_request)
		((struct ts_resume_request *)ret)->tolerance = 0.25;
	if (s == &ts_shape_gate_run)
		mend_gate_run(ret);
	if (s == &ts_shape_reduce_reply)
		for (size_t i = 0; i < ((struct ts_reduce_reply *)ret)->n; i++)
			mend_gate_run(&((struct ts_reduce_reply *)ret)->runs[i]);
	if (s == &ts_shape_gate_input)
		draw_policy(&((struct ts_gate_input *)ret)->policy);
	if (s == &ts_shape_gate_request && ((struct ts_gate_request *)ret)->replay)
		((struct ts_gate_request *)ret)->has_given = true;
	if (s == &ts_shape_verdict)
		mend_verdict(ret);
}

static void draw_struct(const struct ts_shape *s, void *ret)
{
	if (s == &ts_shape_fact)
		draw_fact(ret);
	if (s == &ts_shape_list_cell)
		draw_list_cell(ret);
	if (s == &ts_shape_measure)
		draw_measure(ret);
	if (s == &ts_shape_cell)
		draw_cell(ret);
	for (size_t i = 0; i < s->n; i++) {
		const struct ts_shape_field *f = &s->fields[i];
		bool *flag = f->flagged ? (bool *)ret + f->has : NULL;

		if (!f->wire && f->kind != TS_SHAPE_PART)
			continue;
		if (f->list)
			draw_list(f, ret);
		else
			draw_value(f, (uint8_t *)ret + f->at);
		if (flag)
			*flag = below(2);
	}
	mend(s, ret);
}

static struct ts_buf packed(const struct ts_shape *s, const void *in)
{
	struct ts_buf out = TS_BUF_INIT(1 << 20);

	if (ts_shape_pack(s, in, &out, &err))
		fail_msg("%s: %s", s->name, err.text);
	return out;
}

static struct ts_buf as_json(const struct ts_shape *s, const void *in)
{
	struct ts_buf out = TS_BUF_INIT(1 << 20);
	struct ts_json json = ts_json_of(&out);

	assert_int_equal(ts_shape_json(s, in, &json, &arena, &err), TS_OK);
	assert_false(out.failed);
	return out;
}

static bool is_same(struct ts_buf *a, struct ts_buf *b)
{
	bool same = ts_span_eq(ts_buf_view(a), ts_buf_view(b));

	ts_buf_finish(a);
	ts_buf_finish(b);
	return same;
}

/* Calls a test below with a random struct of each root, round by round. */
static void each(void (*f)(const struct ts_shape *s, const void *in))
{
	ts_arena_init(&arena, TS_CALL_ARENA);
	seed = UINT64_C(88172645463325252);
	for (size_t i = 0; i < ROOTS; i++)
		for (int round = 0; round < ROUNDS; round++) {
			void *in;

			ts_arena_reset(&arena);
			in = ts_arena_array(&arena, 1, roots[i]->size);
			assert_non_null(in);
			draw_struct(roots[i], in);
			f(roots[i], in);
		}
	ts_arena_finish(&arena);
}

/* Returns some text around a place. */
static struct ts_span near(const struct ts_buf *buf, size_t at)
{
	size_t from = at > 60 ? at - 60 : 0;

	return ts_span_of(buf->data + from, buf->len - from < 90 ? buf->len - from : 90);
}

static void goes_round(const struct ts_shape *s, const void *in)
{
	struct ts_buf first = packed(s, in), second, before = as_json(s, in), after;
	void *back = ts_arena_array(&arena, 1, s->size);
	size_t at = 0;

	assert_non_null(back);
	if (ts_shape_unpack(s, ts_buf_view(&first), &arena, back, &err))
		fail_msg("%s: %s", s->name, err.text);
	second = packed(s, back);
	after = as_json(s, back);
	while (at < before.len && at < after.len && before.data[at] == after.data[at])
		at++;
	if (at < before.len || at < after.len)
		fail_msg("%s: %.*s became %.*s", s->name, (int)near(&before, at).len, near(&before, at).data,
			 (int)near(&after, at).len, near(&after, at).data);
	ts_buf_finish(&before);
	ts_buf_finish(&after);
	assert_true(is_same(&first, &second));
}

static void random_structs_go_round(void **state)
{
	(void)state;
	each(goes_round);
}

/* Tries bytes that are almost a message: they are refused, or read as a struct whose packed bytes are read again. */
static void is_hostile(const struct ts_shape *s, const void *in)
{
	struct ts_buf bytes = packed(s, in), first, second;
	void *back = ts_arena_array(&arena, 1, s->size), *again = ts_arena_array(&arena, 1, s->size);

	for (size_t k = 0; bytes.len && k <= below(3); k++)
		bytes.data[below(bytes.len)] = (uint8_t)draw();
	if (below(4) == 0)
		bytes.len = below(bytes.len + 1);
	assert_true(back && again);
	if (ts_shape_unpack(s, ts_buf_view(&bytes), &arena, back, &err)) {
		assert_true(err.status == TS_INVALID || err.status == TS_UNSUPPORTED || err.status == TS_NO_MEMORY);
		ts_buf_finish(&bytes);
		return;
	}
	first = packed(s, back);
	if (ts_shape_unpack(s, ts_buf_view(&first), &arena, again, &err))
		fail_msg("%s: what was packed does not unpack: %s", s->name, err.text);
	second = packed(s, again);
	assert_true(is_same(&first, &second));
	first = as_json(s, back);
	ts_buf_finish(&first);
	ts_buf_finish(&bytes);
}

static void hostile_bytes_are_refused_or_taken(void **state)
{
	(void)state;
	each(is_hostile);
}

static const struct ts_shape *hopeless;

/* Makes every allocation fail once: each failure is reported as no memory, and nothing leaks. */
static void is_short_of_memory(const struct ts_shape *s, const void *in)
{
	struct ts_buf bytes;
	void *back;

	if (s == hopeless) /* one struct of each shape */
		return;
	hopeless = s;
	bytes = packed(s, in);
	back = ts_arena_array(&arena, 1, s->size);
	assert_non_null(back);
	for (size_t ceiling = 1;; ceiling += 16) {
		struct ts_arena small;
		enum ts_status status;

		ts_arena_init(&small, ceiling);
		status = ts_shape_unpack(s, ts_buf_view(&bytes), &small, back, &err);
		ts_arena_finish(&small);
		if (!status)
			break;
		assert_int_equal(status, TS_NO_MEMORY);
	}
	ts_buf_finish(&bytes);
}

static void ceilings_are_kept(void **state)
{
	(void)state;
	each(is_short_of_memory);
}

/* --- error texts --- */

static void failures_name_the_whole_path(void **state)
{
	struct ts_experiment experiment = {.what = {NULL, TS_WIRE_TEXT_MAX + 1}};
	struct ts_resume resume = {.why = {.experiments = &experiment, .n_experiments = 1}};
	uint8_t *long_text = calloc(1, TS_WIRE_TEXT_MAX + 1);
	struct ts_buf bytes;

	(void)state;
	assert_non_null(long_text);
	experiment.what.data = long_text;
	ts_arena_init(&arena, TS_CALL_ARENA);
	bytes = packed(&ts_shape_resume, &resume);
	assert_int_equal(ts_shape_unpack(&ts_shape_resume, ts_buf_view(&bytes), &arena, &resume, &err), TS_INVALID);
	assert_string_equal(err.text, "field why.experiments.what has 4097 bytes, the limit is 4096");
	ts_buf_finish(&bytes);
	ts_arena_finish(&arena);
	free(long_text);
}

/* The columns of one list of structs share one array: a column longer than the others would be written past its end. */
static void columns_are_equally_long(void **state)
{
	double cells[] = {1, 2, 3};
	uint64_t counts[] = {1, 2, 3};
	Tscope__V1__Plot plot = TSCOPE__V1__PLOT__INIT;
	Tscope__V1__DiffMatrixReply matrix = TSCOPE__V1__DIFF_MATRIX_REPLY__INIT;
	Tscope__V1__PairState states[] = {TSCOPE__V1__PAIR_STATE__PAIR_STATE_SAME};
	int64_t steps[100] = {0};
	struct ts_wire_reader r = {.arena = &arena, .err = &err};
	struct ts_plot read_plot = {.n = 0};
	struct ts_diff_matrix read_matrix = {.n = 0};

	(void)state;
	ts_arena_init(&arena, TS_CALL_ARENA);
	plot.width = 1;
	plot.min = plot.max = plot.mean = cells;
	plot.count = counts;
	plot.n_min = plot.n_max = plot.n_mean = plot.n_count = 3;
	ts_shape_read(&ts_shape_plot, &r, &plot, &read_plot);
	assert_int_equal(r.status, TS_OK);
	assert_int_equal(read_plot.n, 3);
	plot.n_mean = 2;
	ts_shape_read(&ts_shape_plot, &r, &plot, &read_plot);
	assert_int_equal(r.status, TS_INVALID);
	assert_string_equal(err.text, "field mean has not as many entries as the list that it belongs to");
	r.status = TS_OK;
	matrix.states = states;
	matrix.n_states = 1;
	matrix.steps = steps;
	matrix.n_steps = 100;
	ts_shape_read(&ts_shape_matrix, &r, &matrix, &read_matrix);
	assert_int_equal(r.status, TS_INVALID);
	assert_string_equal(err.text, "field steps has not as many entries as the list that it belongs to");
	ts_arena_finish(&arena);
}

/* An array of the struct itself has room for a fixed number of values. */
static void arrays_are_whole(void **state)
{
	Tscope__V1__BoundShare share = TSCOPE__V1__BOUND_SHARE__INIT, *shares[] = {&share, &share, &share, &share, &share, &share};
	Tscope__V1__BoundVerdict bound = TSCOPE__V1__BOUND_VERDICT__INIT;

	(void)state;
	bound.shares = shares;
	for (bound.n_shares = 4; bound.n_shares <= 6; bound.n_shares++) {
		struct ts_wire_reader r = {.arena = &arena, .err = &err};
		struct ts_bound ret = {.n_fixes = 0};

		ts_shape_read(&ts_shape_bound, &r, &bound, &ret);
		assert_int_equal(r.status, bound.n_shares == 5 ? TS_OK : TS_INVALID);
	}
}

/* --- kinds of rows, in small tables of the test --- */

struct four_ids {
	struct ts_id key[4];
	int64_t half_started_ns;
};

#define TYPE struct four_ids
static bool fill_started(const void *in, void *message, struct ts_arena *unused)
{
	(void)unused;
	((Tscope__V1__Workload *)message)->started_ns = 2 * ((const TYPE *)in)->half_started_ns;
	return true;
}

static void read_started(struct ts_wire_reader *r, const void *message, void *ret)
{
	(void)r;
	((TYPE *)ret)->half_started_ns = ((const Tscope__V1__Workload *)message)->started_ns / 2;
}

static const struct ts_shape_own started_own = {.fill = fill_started, .read = read_started};
static const struct ts_shape started_shape = {OWN_SHAPE("started", workload, started_own)};
static const struct ts_shape_field four_ids_rows[] = {
	{"keys", "keys", FIXED(ID, key)},
	{"started_ns", NULL, PART(started_shape)},
};
static const struct ts_shape four_ids_shape = {SHAPE("four_ids", workload, four_ids_rows)};
#undef TYPE

/* A metric that an earlier version did not reduce is unknown and has a reason; a metric that only a later version has
 * is skipped. */
static void metrics_of_other_versions_are_read(void **state)
{
	static const size_t counts[] = {2, 64, 65};
	Tscope__V1__Reduced known = TSCOPE__V1__REDUCED__INIT, *metrics[65];
	Tscope__V1__Reduction m = TSCOPE__V1__REDUCTION__INIT;
	struct ts_reduction back[3] = {{.n_ranks = 0}};

	(void)state;
	ts_arena_init(&arena, TS_CALL_ARENA);
	known.value_choice_case = TSCOPE__V1__REDUCED__VALUE_CHOICE_VALUE;
	known.value = 0.5;
	known.reason = ts_wire_span(ts_span_str("no reason where there is a value"));
	for (size_t i = 0; i < 65; i++)
		metrics[i] = &known;
	m.metrics = metrics;
	for (size_t k = 0; k < 3; k++) {
		struct ts_wire_reader r = {.arena = &arena, .err = &err};

		m.n_metrics = counts[k];
		ts_shape_read(&ts_shape_metrics, &r, &m, &back[k]);
		assert_int_equal(r.status, k < 2 ? TS_OK : TS_INVALID);
	}
	assert_string_equal(err.text, "field metrics has 65 entries, the limit is 64");
	assert_true(back[0].metrics[1].known && back[0].metrics[1].value == 0.5);
	assert_int_equal(back[0].metrics[1].reason.len, 0);
	assert_false(back[0].metrics[2].known);
	assert_true(ts_span_is(back[0].metrics[2].reason, "it was reduced by a version without this metric"));
	assert_true(back[1].metrics[TS_METRICS - 1].known);
	ts_arena_finish(&arena);
}

/* An array of ids is one field with all their bytes, and takes exactly as many ids as it has room for. */
static void arrays_of_ids_are_packed(void **state)
{
	struct four_ids in, back;
	struct ts_buf bytes;

	(void)state;
	ts_arena_init(&arena, TS_CALL_ARENA);
	for (size_t i = 0; i < 4; i++)
		memset(&in.key[i], (int)i + 1, sizeof in.key[i]);
	in.half_started_ns = -7;
	bytes = packed(&four_ids_shape, &in);
	assert_int_equal(bytes.len, 2 + 1 + 128 + 1 + 8); /* a length of two bytes */
	assert_int_equal(ts_shape_unpack(&four_ids_shape, ts_buf_view(&bytes), &arena, &back, &err), TS_OK);
	assert_memory_equal(&in, &back, sizeof in);
	ts_buf_finish(&bytes);
	for (size_t n = 3; n <= 5; n++) {
		Tscope__V1__Workload workload = TSCOPE__V1__WORKLOAD__INIT;
		struct ts_wire_reader r = {.arena = &arena, .err = &err};
		uint8_t keys[5 * TS_ID_BYTES] = {0};

		workload.keys = ts_wire_span(ts_span_of(keys, n * TS_ID_BYTES));
		ts_shape_read(&four_ids_shape, &r, &workload, &back);
		assert_int_equal(r.status, n == 4 ? TS_OK : TS_INVALID);
	}
	assert_string_equal(err.text, "field keys has not as many ids of 32 bytes as it must have");
	ts_arena_finish(&arena);
}

/* The row names the field that the functions of a PART fill. */
static void parts_may_fill_one_field(void **state)
{
	struct four_ids in = {.half_started_ns = 21}, back;
	struct ts_buf bytes = packed(&four_ids_shape, &in);

	(void)state;
	ts_arena_init(&arena, TS_CALL_ARENA);
	assert_int_equal(ts_shape_unpack(&four_ids_shape, ts_buf_view(&bytes), &arena, &back, &err), TS_OK);
	assert_int_equal(back.half_started_ns, 21);
	assert_int_equal(rows_of(&four_ids_shape, "started_ns"), 1);
	n_seen = 0;
	check_shape(&four_ids_shape, false);
	assert_int_equal(n_seen, 2);
	ts_buf_finish(&bytes);
	ts_arena_finish(&arena);
}

/* The ids of runs are not sent where nobody is asked to compare them. */
static void what_is_not_asked_for_is_not_sent(void **state)
{
	struct ts_verdict verdict = {.state = TS_GATE_PASS};
	struct ts_buf none, some, asked;

	(void)state;
	ts_gate_policy_default(&verdict.input.policy);
	none = packed(&ts_shape_verdict, &verdict);
	memset(&verdict.ask.base, 7, sizeof verdict.ask.base);
	verdict.ask.base_commit = ts_span_str("b0b0");
	some = packed(&ts_shape_verdict, &verdict);
	verdict.ask.pairs = 1;
	asked = packed(&ts_shape_verdict, &verdict);
	assert_true(asked.len > none.len + 2 * TS_ID_BYTES);
	assert_true(is_same(&none, &some));
	ts_buf_finish(&asked);
}

/* The wire and JSON have words for fruit, whatever the numbers of this enum. */
enum fruit { APPLE = 7, PEAR = 3 };
static const int fruits[] = {APPLE, PEAR};

static const char *fruit_word(int value)
{
	return value == APPLE ? "apple" : "pear";
}

static void enums_travel_as_words(void **state)
{
	static const struct ts_shape_words words = {0, 1, .values = fruits, .word = fruit_word};
	static const struct ts_shape_field rows[] = {{"metric", "metric", TS_SHAPE_WORD, .step = sizeof(enum fruit), .words = &words}};
	static struct ts_shape_slot slots[1];
	static struct ts_shape_index index = {.slots = slots};
	const struct ts_shape shape = {.name = "fruit", .message = WIRE_DESCRIPTOR(trend_request), .size = sizeof(enum fruit),
				       .fields = rows, .n = 1, .index = &index};
	enum fruit fruit = PEAR, back;
	struct ts_buf bytes = packed(&shape, &fruit), json = as_json(&shape, &fruit);

	(void)state;
	ts_arena_init(&arena, TS_CALL_ARENA);
	assert_true(ts_span_is(ts_buf_view(&bytes), "\x12\x04pear"));
	assert_true(ts_span_is(ts_buf_view(&json), "{\"metric\":\"pear\"}"));
	assert_int_equal(ts_shape_unpack(&shape, ts_buf_view(&bytes), &arena, &back, &err), TS_OK);
	assert_int_equal(back, PEAR);
	assert_int_equal(ts_shape_unpack(&shape, ts_span_str("\x12\x03pea"), &arena, &back, &err), TS_UNSUPPORTED);
	assert_string_equal(err.text, "field metric has the word 'pea', which this version does not know");
	assert_int_equal(ts_shape_unpack(&shape, ts_span_str("\x12\x03\xff\xff\xff"), &arena, &back, &err), TS_INVALID);
	assert_string_equal(err.text, "field metric is not UTF-8");
	assert_int_equal(ts_shape_unpack(&shape, ts_span_str(""), &arena, &back, &err), TS_INVALID);
	ts_buf_finish(&bytes);
	ts_buf_finish(&json);
	ts_arena_finish(&arena);
}

/* A value that this version does not know is told as that, and never as another one. Asked with it, a server refuses. */
static void a_value_of_a_newer_tscope_is_told_as_that(void **state)
{
	struct ts_ref ref = {.kind = (enum ts_ref_kind)TS_NEWER, .name = ts_span_str("p/a"), .seq = 1}, back;
	struct ts_list_request list = {.kind = (enum ts_ref_kind)TS_NEWER}, asked;
	struct ts_commit_reply commit = {.outcome = (enum ts_commit_outcome)TS_NEWER}, told;
	struct ts_buf bytes = packed(&ts_shape_ref, &ref), request = packed(&ts_shape_list_request, &list),
		      reply = packed(&ts_shape_commit_reply, &commit), json = as_json(&ts_shape_ref, &ref);

	(void)state;
	ts_arena_init(&arena, TS_CALL_ARENA);
	assert_int_equal(ts_shape_unpack(&ts_shape_ref, ts_buf_view(&bytes), &arena, &back, &err), TS_OK);
	assert_int_equal(back.kind, TS_NEWER);
	assert_true(ts_span_has(ts_buf_view(&json), ts_span_str("\"kind\":\"of a newer tscope\"")));
	assert_int_equal(ts_shape_unpack(&ts_shape_list_request, ts_buf_view(&request), &arena, &asked, &err), TS_UNSUPPORTED);
	assert_string_equal(err.text, "field kind has the value 1048576, which this version does not know");
	/* Without the outcome, a push cannot say what it did. */
	assert_int_equal(ts_shape_unpack(&ts_shape_commit_reply, ts_buf_view(&reply), &arena, &told, &err), TS_UNSUPPORTED);
	ts_buf_finish(&bytes);
	ts_buf_finish(&request);
	ts_buf_finish(&reply);
	ts_buf_finish(&json);
	ts_arena_finish(&arena);
}

static const char *seconds(const void *in)
{
	return *(const double *)in > 0 ? "_s" : "";
}

/* The unit of a struct holds for its members, and only for them. */
static void keys_end_in_the_unit(void **state)
{
	static const struct ts_shape_field inner_rows[] = {{NULL, "value", TS_SHAPE_F64, .step = 8, .units = "(_s|_m)?"}};
	static const struct ts_shape inner = {.name = "inner", .size = 8, .fields = inner_rows, .n = 1};
	static const struct ts_shape_field middle_rows[] = {{NULL, "in", TS_SHAPE_ONE, .step = 8, .of = &inner}};
	static const struct ts_shape middle = {.name = "middle", .size = 8, .fields = middle_rows, .n = 1, .unit = seconds};
	static const struct ts_shape_field rows[] = {
		{NULL, "a", TS_SHAPE_ONE, .step = 8, .of = &middle},
		{NULL, "b", TS_SHAPE_ONE, .step = 8, .of = &inner},
	};
	const struct ts_shape shape = {.name = "outer", .size = 8, .fields = rows, .n = 2}, *of_inner = &inner;
	struct ts_buf schema = TS_BUF_INIT(1 << 16), json;
	struct ts_json out = ts_json_of(&schema);
	double value = 1.5;

	(void)state;
	json = as_json(&shape, &value);
	assert_true(ts_span_is(ts_buf_view(&json), "{\"a\":{\"in\":{\"value_s\":1.5}},\"b\":{\"value\":1.5}}"));
	ts_json_object(&out);
	ts_shape_schema(&of_inner, 1, &out);
	ts_json_end(&out);
	assert_true(ts_span_contains(ts_buf_view(&schema),
				     "{\"inner\":{\"type\":\"object\",\"properties\":{},\"required\":[],"
				     "\"patternProperties\":{\"^value(_s|_m)?$\":{\"$ref\":\"#/$defs/real\"}},\"minProperties\":1,"
				     "\"additionalProperties\":false}"));
	ts_buf_finish(&schema);
	ts_buf_finish(&json);
}

/* A fact that only b has is shown without a, even if the message has a value for a. */
static void sides_that_say_nothing_are_left_out(void **state)
{
	struct ts_fact fact = {.path = ts_span_str("config.lr"), .type = TS_FACT_INT, .source = TS_SOURCE_HOST, .integer = 3};
	struct ts_fact_row row = {.change = TS_FACT_ONLY_B, .path = fact.path, .a = &fact, .b = &fact};
	struct ts_diff diff = {.facts = &row, .n_facts = 1}, back;
	struct ts_buf bytes = packed(&ts_shape_diff, &diff);

	(void)state;
	ts_arena_init(&arena, TS_CALL_ARENA);
	assert_int_equal(ts_shape_unpack(&ts_shape_diff, ts_buf_view(&bytes), &arena, &back, &err), TS_OK);
	assert_null(back.facts[0].a);
	assert_int_equal(back.facts[0].b->integer, 3);
	ts_buf_finish(&bytes);
	ts_arena_finish(&arena);
}

/* The packed bytes must be refused, and the error text must give the reason. */
static void refuses(const struct ts_shape *s, const void *in, const char *why)
{
	struct ts_buf bytes = packed(s, in);
	void *back = ts_arena_array(&arena, 1, s->size);

	assert_non_null(back);
	assert_int_equal(ts_shape_unpack(s, ts_buf_view(&bytes), &arena, back, &err), TS_INVALID);
	assert_string_equal(err.text, why);
	ts_buf_finish(&bytes);
}

/* Readers index cells by column, and rely on the run in a commit's reply being the one that its id names. */
static void fields_fit_each_other(void **state)
{
	int32_t ranks[TS_WIRE_REPORTED_MAX + 1] = {0};
	struct ts_list_cell cells[2] = {{.known = false}};
	struct ts_list_row rows[] = {{.cells = cells, .n_cells = 2}, {.cells = cells, .n_cells = 1}};
	struct ts_list_reply list = {.rows = rows, .n = 2};
	struct ts_commit_reply commit = {.outcome = TS_COMMIT_STAGED, .n_missing = TS_WORLD_MAX + 1, .missing_ranks = ranks};
	struct ts_event event = {.kind = TS_EVENT_SPIKE, .first_step = 3, .last_step = 2};
	struct ts_analysis analysis = {.events = {&event, 1, 1}};
	struct ts_analyze_request request = {.has_microbatches = true};
	struct ts_wire_reader r = {.arena = &arena, .err = &err};
	Tscope__V1__CommitRunReply m = TSCOPE__V1__COMMIT_RUN_REPLY__INIT;

	(void)state;
	ts_arena_init(&arena, TS_CALL_ARENA);
	refuses(&ts_shape_list_reply, &list, "field rows.cells differs in length from row to row");
	refuses(&ts_shape_commit_reply, &commit, "field missing_count is 65537, the limit is 65536");
	commit.n_missing = 1;
	commit.run.id.bytes[0] = 1;
	refuses(&ts_shape_commit_reply, &commit, "field run is another than id");
	refuses(&ts_shape_analysis, &analysis, "field events.last_step is before the first");
	refuses(&ts_shape_analyze_request, &request, "field microbatches is 0");
	m.outcome = TSCOPE__V1__COMMIT_OUTCOME__COMMIT_OUTCOME_STAGED;
	m.id = ts_wire_id_bytes(&commit.id);
	m.missing_ranks = ranks;
	m.missing_count = m.n_missing_ranks = TS_WIRE_REPORTED_MAX + 1;
	ts_shape_read(&ts_shape_commit_reply, &r, &m, &commit);
	assert_string_equal(err.text, "field missing_ranks has 65 entries, the limit is 64");
	r.status = TS_OK;
	m.n_missing_ranks = 63;
	ts_shape_read(&ts_shape_commit_reply, &r, &m, &commit);
	assert_string_equal(err.text, "field missing_ranks does not fit missing_count");
	ts_arena_finish(&arena);
}

/* A message without a kind means a run. A message about a run still states its kind. */
static void a_ref_of_no_kind_is_a_run(void **state)
{
	struct ts_list_request request = {.kind = TS_REF_RUN};
	struct ts_buf bytes = packed(&ts_shape_list_request, &request);

	(void)state;
	ts_arena_init(&arena, TS_CALL_ARENA);
	assert_true(ts_span_is(ts_buf_view(&bytes), "\x10\x01"));
	request.kind = TS_REF_TAG;
	assert_int_equal(ts_shape_unpack(&ts_shape_list_request, ts_span_str(""), &arena, &request, &err), TS_OK);
	assert_int_equal(request.kind, TS_REF_RUN);
	ts_buf_finish(&bytes);
	ts_arena_finish(&arena);
}

/* An empty lineage counts as none, though its message is present. */
static void a_lineage_without_a_parent_is_none(void **state)
{
	struct ts_get_reply reply = {.lineage = {.named = true}};
	struct ts_buf bytes = packed(&ts_shape_get_reply, &reply);

	(void)state;
	ts_arena_init(&arena, TS_CALL_ARENA);
	assert_int_equal(ts_shape_unpack(&ts_shape_get_reply, ts_buf_view(&bytes), &arena, &reply, &err), TS_OK);
	assert_false(reply.lineage.named);
	ts_buf_finish(&bytes);
	ts_arena_finish(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_agree_with_descriptors),
		cmocka_unit_test(names_are_said_once),
		cmocka_unit_test(every_metric_has_its_key),
		cmocka_unit_test(bounds_of_a_gap_hold_the_widest),
		cmocka_unit_test(random_structs_go_round),
		cmocka_unit_test(hostile_bytes_are_refused_or_taken),
		cmocka_unit_test(ceilings_are_kept),
		cmocka_unit_test(failures_name_the_whole_path),
		cmocka_unit_test(columns_are_equally_long),
		cmocka_unit_test(arrays_are_whole),
		cmocka_unit_test(metrics_of_other_versions_are_read),
		cmocka_unit_test(arrays_of_ids_are_packed),
		cmocka_unit_test(parts_may_fill_one_field),
		cmocka_unit_test(what_is_not_asked_for_is_not_sent),
		cmocka_unit_test(enums_travel_as_words),
		cmocka_unit_test(a_value_of_a_newer_tscope_is_told_as_that),
		cmocka_unit_test(keys_end_in_the_unit),
		cmocka_unit_test(fields_fit_each_other),
		cmocka_unit_test(a_ref_of_no_kind_is_a_run),
		cmocka_unit_test(a_lineage_without_a_parent_is_none),
		cmocka_unit_test(sides_that_say_nothing_are_left_out),
	};

	return cmocka_run_group_tests_name("shape", tests, NULL, NULL);
}
