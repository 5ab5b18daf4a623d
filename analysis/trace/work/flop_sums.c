/* flop_sums.c - floating-point operations by operator, shapes and type, and how fast the devices did them. */
#include "analysis/trace/work/trace_work.h"
#include "base/order.h"
#include "base/words.h"

#include "analysis/rank/peaks.h"
#include "analysis/trace/device/device_events.h"
#include "analysis/trace/device/saturate.h"
#include "analysis/trace/work/work_parts.h"
#include "base/door.h"
#include "base/json_reader.h"
#include "base/scratch.h"

#include <math.h>

TS_ORDER(slowest_first, struct ts_flop_sum, TS_DOWN(work.ns); TS_DOWN(flops); TS_TEXT(name); TS_TEXT(shapes))

/* --- types and peaks --- */

/* The type of one input in "Input type", a word of peaks.h; NULL: none. */
static const char *type_of(struct ts_span types, size_t input)
{
	static const struct {
		const char *name, *word;
	} words[] = {
		{"float", "fp32"},
		{"double", "fp64"},
		{"c10::Half", "fp16"},
		{"c10::BFloat16", "bf16"},
		{"c10::Float8_e4m3fn", "fp8"},
		{"c10::Float8_e5m2", "fp8"},
		{"c10::Float8_e4m3fnuz", "fp8"},
		{"c10::Float8_e5m2fnuz", "fp8"},
		{"signed char", "int8"},
	};
	struct ts_buf scratch = {0};
	struct ts_json_reader r;
	struct ts_json_token t;
	struct ts_error err;
	const char *found = NULL;
	size_t at = 0;

	ts_json_reader_init(&r, types, &scratch);
	if (ts_json_next(&r, &t, &err) == TS_OK && t.type == TS_JSON_ARRAY)
		while (at <= input && ts_json_next(&r, &t, &err) == TS_OK && t.type == TS_JSON_STRING)
			if (at++ == input)
				for (size_t i = 0; i < sizeof words / sizeof words[0] && !found; i++)
					found = ts_span_is(t.text, words[i].name) ? words[i].word : NULL;
	ts_buf_finish(&scratch);
	return found;
}

/* The name that all devices have. */
static bool device_name(const struct ts_trace_about *about, struct ts_span *ret, const char **ret_reason)
{
	*ret_reason = "the trace does not name its device";
	for (size_t i = 0; i < about->n_devices; i++) {
		*ret_reason = about->devices[i].name.len ? "the trace describes devices of several names" : *ret_reason;
		if (!about->devices[i].name.len || !ts_span_eq(about->devices[i].name, about->devices[0].name))
			return false;
	}
	*ret = about->n_devices ? about->devices[0].name : ts_span_str("");
	return about->n_devices > 0;
}

static void peak_of(const struct ts_trace *trace, struct ts_flop_sum *sum, const char **ret_reason)
{
	struct ts_span device;
	struct ts_peak peak;

	if (!device_name(&trace->about, &device, ret_reason))
		return;
	if (!sum->type) {
		*ret_reason = "the type of the inputs is not recorded, or has no peak";
	} else if (strcmp(sum->type, "fp32") == 0) {
		*ret_reason = "products of fp32 may run as tf32, which the trace does not say";
	} else if (ts_peak_find(device, ts_span_str(sum->type), &peak, ret_reason)) {
		sum->has_peak = true;
		sum->peak = peak.flops;
	}
}

/* --- sums --- */

/* What is known of operators with the same name, shapes, types and inputs. */
struct kind {
	uint64_t flops, bytes;
	bool known;
};

/* By which formulas operators are counted. */
struct formulas {
	bool (*known)(struct ts_span name, size_t *ret_input);
	bool (*of)(struct ts_span name, struct ts_span shapes, struct ts_span types, struct ts_span inputs, uint64_t *ret,
		   uint64_t *ret_bytes);
};
static const struct formulas products = {ts_flops_known, ts_flops_of}, moves = {ts_moves_known, ts_moves_of};

struct build {
	const struct ts_trace *trace;
	const struct formulas *formulas;
	const bool *left_out; /* of each span, that it is not counted; NULL: none */
	struct ts_device_event *w; /* the operators with a formula: group is name and shapes, begin their row of operators or -1 */
	size_t n;
	struct kind *kinds;   /* of w, by place */
	uint32_t *place;      /* of each span, that in w and 1; 0: it has no formula */
	size_t *typed;	      /* of each name the input whose type counts */
	uint8_t *has_formula; /* of each name */
};

static uint64_t arguments_of(const struct build *b, const struct ts_device_event *e)
{
	const struct ts_trace_operators *o = &b->trace->rows.operators;

	return e->begin < 0 ? 0 : (uint64_t)o->types[e->begin] << 32 | o->inputs[e->begin];
}

/* Marks the spans of the host that launched a copy which the memory of one device alone does not bound: from or to the host or another
 * device, or nobody knows where. */
static enum ts_status over_a_link(const struct ts_trace *trace, const struct ts_nest *nest, struct ts_arena *arena, const bool **ret,
				  struct ts_error *err)
{
	enum { UNSEEN, WITHIN, OVER };
	const struct ts_trace_spans *s = &trace->rows.spans;
	uint8_t *copies = ts_arena_array(arena, trace->n_names, 1); /* of each name */
	bool *out = ts_arena_array(arena, s->n, sizeof *out);

	if (!copies || !out)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < s->n; i++) {
		uint32_t name = s->name[i], span = s->kind[i] == TS_TRACE_COPY ? ts_device_work_of(nest, i) : TS_NEST_NONE;
		enum ts_host_memory ignored;
		enum ts_direction direction;

		if (span == TS_NEST_NONE)
			continue;
		if (copies[name] == UNSEEN) {
			ts_copy_direction(trace->names[name], &direction, &ignored);
			copies[name] = direction == TS_DIRECTION_DTOD ? WITHIN : OVER;
		}
		out[span] |= copies[name] == OVER;
	}
	for (size_t k = nest->n_order; k-- > 0;)
		if (nest->parent[nest->order[k]] != TS_NEST_NONE)
			out[nest->parent[nest->order[k]]] |= out[nest->order[k]];
	*ret = out;
	return TS_OK;
}

static bool is_asked(const struct build *b, size_t span)
{
	const struct ts_trace_spans *s = &b->trace->rows.spans;

	return s->kind[span] == TS_TRACE_OPERATOR && b->has_formula[s->name[span]] && !(b->left_out && b->left_out[span]);
}

static enum ts_status gather(struct build *b, struct ts_arena *arena, struct ts_error *err)
{
	const struct ts_trace_rows *rows = &b->trace->rows;
	const struct ts_trace_spans *s = &rows->spans;
	struct ts_device_event *spare;

	b->typed = ts_arena_array(arena, b->trace->n_names, sizeof *b->typed);
	b->has_formula = ts_arena_array(arena, b->trace->n_names, 1);
	b->place = ts_arena_array(arena, s->n, sizeof *b->place);
	if (!b->typed || !b->has_formula || !b->place)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < b->trace->n_names; i++)
		b->has_formula[i] = b->formulas->known(b->trace->names[i], &b->typed[i]);
	for (size_t i = 0; i < s->n; i++)
		b->n += is_asked(b, i);
	b->w = ts_arena_array(arena, b->n, sizeof *b->w);
	spare = ts_arena_array(arena, b->n, sizeof *spare);
	b->kinds = ts_arena_array(arena, b->n, sizeof *b->kinds);
	if (!b->w || !spare || !b->kinds)
		return ts_arena_error(arena, err);
	b->n = 0;
	for (size_t i = 0; i < s->n; i++) {
		size_t row;

		if (!is_asked(b, i))
			continue;
		row = ts_trace_detail(rows->operators.span, rows->operators.n, (uint32_t)i);
		b->w[b->n] = (struct ts_device_event){.row = (uint32_t)i, .begin = row == SIZE_MAX ? -1 : (int64_t)row};
		b->w[b->n].group = arguments_of(b, &b->w[b->n]);
		b->n++;
	}
	ts_device_events_by_group(b->w, b->n, spare);
	for (size_t k = 0; k < b->n; k++)
		b->w[k].group = (uint64_t)s->name[b->w[k].row] << 32 | s->shapes[b->w[k].row];
	ts_device_events_by_group(b->w, b->n, spare);
	ts_scratch_give(arena, spare);
	return TS_OK;
}

static void count_each(struct build *b)
{
	const struct ts_trace_rows *rows = &b->trace->rows;
	const struct ts_span *names = b->trace->names;

	for (size_t k = 0; k < b->n; k++) {
		const struct ts_device_event *e = &b->w[k];
		struct ts_span inputs = e->begin < 0 ? ts_span_str("") : names[rows->operators.inputs[e->begin]];
		struct ts_span types = e->begin < 0 ? ts_span_str("") : names[rows->operators.types[e->begin]];

		b->place[e->row] = (uint32_t)k + 1;
		if (k && e->group == e[-1].group && arguments_of(b, e) == arguments_of(b, e - 1))
			b->kinds[k] = b->kinds[k - 1];
		else
			b->kinds[k].known = b->formulas->of(names[rows->spans.name[e->row]], names[rows->spans.shapes[e->row]], types,
							    inputs, &b->kinds[k].flops, &b->kinds[k].bytes);
	}
}

/* Takes those that stand within one that counts out of w; of those whose count is not known, the ones with such around them. */
static enum ts_status outermost(struct build *b, const struct ts_nest *nest, struct ts_arena *arena, uint8_t **ret_counts,
				struct ts_error *err)
{
	enum { NOTHING, UNKNOWN_WITHIN, COUNTED_WITHIN };
	uint8_t *within = ts_arena_array(arena, b->trace->rows.spans.n, 1); /* what encloses a span, or is it */
	uint8_t *counts = ts_arena_array(arena, b->n, 1);

	if (!within || !counts)
		return ts_arena_error(arena, err);
	for (size_t k = 0; k < nest->n_order; k++) {
		uint32_t i = nest->order[k];
		uint8_t around = nest->parent[i] == TS_NEST_NONE ? NOTHING : within[nest->parent[i]];
		size_t place = b->place[i];

		within[i] = around;
		if (!place || around == COUNTED_WITHIN)
			continue;
		within[i] = b->kinds[place - 1].known ? COUNTED_WITHIN : UNKNOWN_WITHIN;
		counts[place - 1] = b->kinds[place - 1].known || around == NOTHING;
	}
	ts_scratch_give(arena, within);
	*ret_counts = counts;
	return TS_OK;
}

static void add(struct ts_flop_sum *sum, uint64_t flops, const struct ts_work_sum *work)
{
	sum->count++;
	sum->flops = ts_plus(sum->flops, flops);
	if (!work->count)
		return;
	sum->timed++;
	sum->timed_flops = ts_plus(sum->timed_flops, flops);
	ts_work_add(&sum->work, work->count, work->ns);
}

static bool same_row(const struct build *b, const struct ts_flop_sum *sum, const char *type, size_t k)
{
	const struct ts_trace_spans *s = &b->trace->rows.spans;

	return sum->type == type && sum->each == b->kinds[k].flops && sum->each_bytes == b->kinds[k].bytes &&
	       ts_span_eq(sum->name, b->trace->names[s->name[b->w[k].row]]) &&
	       ts_span_eq(sum->shapes, b->trace->names[s->shapes[b->w[k].row]]);
}

static void rows_of(const struct build *b, const uint8_t *counts, const struct ts_device_work *work, struct ts_flop_sums *out)
{
	const struct ts_trace_rows *rows = &b->trace->rows;
	const char *type = NULL;

	for (size_t k = 0; k < b->n; k++) {
		const struct ts_device_event *e = &b->w[k];
		const struct ts_work_sum *below = &work->below[e->row];
		uint32_t name = rows->spans.name[e->row];

		if (k == 0 || e->group != e[-1].group || arguments_of(b, e) != arguments_of(b, e - 1))
			type = e->begin < 0 ? NULL : type_of(b->trace->names[rows->operators.types[e->begin]], b->typed[name]);
		if (!counts[k])
			continue;
		if (!b->kinds[k].known) {
			out->unknown++;
			ts_work_add(&out->unknown_work, below->count, below->ns);
			continue;
		}
		if (!out->n || !same_row(b, &out->items[out->n - 1], type, k))
			out->items[out->n++] = (struct ts_flop_sum){.name = b->trace->names[name],
								    .shapes = b->trace->names[rows->spans.shapes[e->row]],
								    .type = type,
								    .each = b->kinds[k].flops,
								    .each_bytes = b->kinds[k].bytes};
		add(&out->items[out->n - 1], b->kinds[k].flops, below);
		add(&out->all, b->kinds[k].flops, below);
	}
}

static void achieve(struct ts_flop_sum *sum)
{
	sum->has_achieved = sum->work.ns > 0;
	sum->achieved = sum->has_achieved ? (double)sum->timed_flops / ((double)sum->work.ns / 1e9) : 0;
}

TS_WORDS(ts_roof_word, enum ts_roof, "unknown", [TS_ROOF_UNKNOWN] = "unknown", [TS_ROOF_COMPUTE] = "compute",
	 [TS_ROOF_MEMORY] = "memory")

static void find_roof(struct ts_flop_sum *sum, bool has_bandwidth, double bandwidth)
{
	if (!sum->each_bytes)
		return;
	sum->intensity = (double)sum->each / (double)sum->each_bytes;
	sum->has_bandwidth = sum->work.ns > 0;
	sum->bandwidth = sum->has_bandwidth ? (double)sum->each_bytes * (double)sum->timed / ((double)sum->work.ns / 1e9) : 0;
	sum->has_peak_bandwidth = has_bandwidth;
	sum->peak_bandwidth = has_bandwidth ? bandwidth : 0;
	if (has_bandwidth && sum->has_peak)
		sum->bound = sum->intensity * bandwidth >= sum->peak ? TS_ROOF_COMPUTE : TS_ROOF_MEMORY;
}

/* No device has so few operations for each byte of its memory's bandwidth that a handful for each element could bound it. */
static void roofs_of_moves(const struct ts_trace *trace, struct ts_flop_sums *out)
{
	const char *ignored;
	struct ts_span device;
	double bandwidth = 0;
	bool known = device_name(&trace->about, &device, &ignored) && ts_device_bandwidth(device, &bandwidth);

	achieve(&out->all);
	for (size_t i = 0; i < out->n; i++) {
		achieve(&out->items[i]);
		find_roof(&out->items[i], known, bandwidth);
		out->items[i].bound = known ? TS_ROOF_MEMORY : TS_ROOF_UNKNOWN;
	}
}

static void peaks(const struct ts_trace *trace, struct ts_flop_sums *out)
{
	const char *ignored;
	struct ts_span device;
	double bandwidth = 0;
	bool any = false, has_bandwidth = device_name(&trace->about, &device, &ignored) && ts_device_bandwidth(device, &bandwidth);

	achieve(&out->all);
	out->all.type = out->n ? out->items[0].type : NULL;
	for (size_t i = 0; i < out->n; i++) {
		const char *reason = NULL;

		achieve(&out->items[i]);
		peak_of(trace, &out->items[i], &reason);
		find_roof(&out->items[i], has_bandwidth, bandwidth);
		any |= out->items[i].has_peak;
		out->no_peak = out->no_peak ? out->no_peak : reason;
		out->all.type = out->items[i].type == out->all.type ? out->all.type : NULL;
	}
	out->no_peak = any ? NULL : out->no_peak;
	if (out->n && out->all.type) {
		out->all.has_peak = out->items[0].has_peak;
		out->all.peak = out->items[0].peak;
	}
}

static enum ts_status sums_by(const struct formulas *formulas, const struct ts_trace *trace, const struct ts_nest *nest,
			      const struct ts_device_work *work, struct ts_arena *arena, struct ts_flop_sums *ret, struct ts_error *err)
{
	struct build b = {.trace = trace, .formulas = formulas};
	struct ts_flop_sums out = {0};
	uint8_t *counts = NULL;

	TS_DOOR(ts_trace_holds(trace));
	TS_DOOR(ts_nest_holds(nest, trace));
	if (formulas == &moves && over_a_link(trace, nest, arena, &b.left_out, err))
		return err->status;
	if (gather(&b, arena, err))
		return err->status;
	count_each(&b);
	out.items = ts_scratch_array(arena, b.n, sizeof *out.items); /* few are written: one for each group */
	if (!out.items)
		return ts_arena_error(arena, err);
	if (outermost(&b, nest, arena, &counts, err))
		return err->status;
	rows_of(&b, counts, work, &out);
	ts_scratch_give(arena, b.w);
	ts_scratch_give(arena, b.kinds);
	ts_scratch_give(arena, b.place);
	ts_scratch_give(arena, b.left_out);
	ts_scratch_give(arena, counts);
	TS_SORT(out.items, out.n, slowest_first);
	if (formulas == &moves)
		roofs_of_moves(trace, &out);
	else
		peaks(trace, &out);
	TS_DOOR_ALL(i, out.n, out.items[i].timed <= out.items[i].count && out.items[i].timed_flops <= out.items[i].flops);
	TS_DOOR_ALL(i, out.n, !out.items[i].has_achieved || isfinite(out.items[i].achieved));
	*ret = out;
	return TS_OK;
}

enum ts_status ts_flop_sums(const struct ts_trace *trace, const struct ts_nest *nest, const struct ts_device_work *work,
			    struct ts_arena *arena, struct ts_flop_sums *ret, struct ts_error *err)
{
	return sums_by(&products, trace, nest, work, arena, ret, err);
}

enum ts_status ts_move_sums(const struct ts_trace *trace, const struct ts_nest *nest, const struct ts_device_work *work,
			    struct ts_arena *arena, struct ts_flop_sums *ret, struct ts_error *err)
{
	return sums_by(&moves, trace, nest, work, arena, ret, err);
}

void ts_flops_of_busy(struct ts_flop_sums *sums, uint64_t busy_ns)
{
	sums->busy_ns = busy_ns;
	sums->has_of_busy = busy_ns > 0 && sums->all.timed_flops > 0;
	sums->of_busy = sums->has_of_busy ? (double)sums->all.timed_flops / ((double)busy_ns / 1e9) : 0;
}
