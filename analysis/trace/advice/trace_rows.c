/* trace_rows.c - what a trace says as rows of measures, which rules, bound and playbook read: group "trace". */
#include "analysis/trace/advice/trace_answer.h"
#include "base/door.h"
#include "base/order.h"
#include <stdlib.h>

static void add(uint64_t *to, uint64_t ns)
{
	*to = *to + ns < ns ? UINT64_MAX : *to + ns;
}

static void add_timelines(const struct ts_trace_answer *a, uint64_t *ns)
{
	for (size_t i = 0; i < a->lines.n_devices; i++) {
		const struct ts_timeline *t = &a->lines.devices[i].timeline;

		add(&ns[TS_TIME_SPAN], t->span_ns);
		add(&ns[TS_TIME_BUSY], t->busy_ns);
		add(&ns[TS_TIME_COMPUTATION], t->computation_ns);
		add(&ns[TS_TIME_COMMUNICATION], t->communication_ns);
		add(&ns[TS_TIME_EXPOSED_COMMUNICATION], t->exposed_communication_ns);
		add(&ns[TS_TIME_COPIES], t->memory_ns);
		add(&ns[TS_TIME_EXPOSED_COPIES], t->exposed_memory_ns);
		add(&ns[TS_TIME_IDLE], t->idle_ns);
	}
}

/* The row of a device stands before those of its streams. */
static void add_idle(const struct ts_trace_answer *a, uint64_t *ns)
{
	for (size_t i = 0; i < a->n_idle; i++) {
		const struct ts_idle *row = &a->idle[i];

		if (i && row->device == row[-1].device)
			continue;
		add(&ns[TS_TIME_IDLE_HOST], row->host_ns - row->setup_ns);
		add(&ns[TS_TIME_IDLE_LAUNCH], row->launch_ns - row->first_launch_ns);
		add(&ns[TS_TIME_IDLE_FIRST_LAUNCH], row->first_launch_ns + row->first_queued_ns + row->setup_ns);
		add(&ns[TS_TIME_IDLE_HOST_LONGEST], ts_longest_sum(&row->host_longest, a->lines.n_steps));
		add(&ns[TS_TIME_IDLE_LAUNCH_LONGEST], ts_longest_sum(&row->launch_longest, a->lines.n_steps));
		add(&ns[TS_TIME_IDLE_LOADING_LONGEST], ts_longest_sum(&row->loading_longest, a->lines.n_steps));
		add(&ns[TS_TIME_IDLE_BEHIND], row->behind_ns);
		add(&ns[TS_TIME_IDLE_QUEUED], row->queued_ns - row->first_queued_ns);
		add(&ns[TS_TIME_IDLE_UNKNOWN], row->unknown_ns);
		add(&ns[TS_TIME_IDLE_LOADING], row->loading_ns);
	}
}

struct ts_device_times ts_device_times(const struct ts_trace_answer *a)
{
	struct ts_device_times out = {.work_ns = a->sums.sum_ns};

	add_timelines(a, out.ns);
	add_idle(a, out.ns);
	if (a->host.waits.has_work) {
		out.ns[TS_TIME_IDLE_AFTER_WAITS] = a->host.waits.all.idle_ns;
		out.ns[TS_TIME_IDLE_AFTER_WAITS_LONGEST] = ts_longest_sum(&a->host.waits.idle_longest, a->lines.n_steps);
	}
	for (size_t i = 0; i < a->sums.n_categories; i++) {
		const struct ts_kernel_sum *s = &a->sums.categories[i];

		if (s->category == TS_KERNEL_FILL || s->category == TS_SUM_FILL)
			add(&out.ns[TS_TIME_FILLS], s->sum_ns);
		if (s->category == TS_KERNEL_ELEMENTWISE || s->category == TS_KERNEL_COPY)
			add(&out.ns[TS_TIME_ELEMENTWISE], s->sum_ns);
		if (s->category == TS_KERNEL_CONVOLUTION)
			add(&out.ns[TS_TIME_CONVOLUTIONS], s->sum_ns);
		if (s->category == TS_KERNEL_FUSED)
			add(&out.ns[TS_TIME_GENERATED], s->sum_ns);
	}
	for (size_t i = 0; i < a->sums.n_names; i++)
		if (a->sums.names[i].category == TS_KERNEL_GEMM && ts_kernel_is_float32_product(a->sums.names[i].name))
			add(&out.ns[TS_TIME_FLOAT32_PRODUCTS], a->sums.names[i].sum_ns);
	for (size_t i = 0; i < a->work.marks.n_found; i++)
		if (a->work.marks.found[i].attention == TS_ATTENTION_MATH || a->work.marks.found[i].attention == TS_ATTENTION_SINGLE)
			add(&out.ns[TS_TIME_MATH_ATTENTION], a->work.marks.found[i].sum.ns);
	return out;
}

static double seconds(uint64_t ns)
{
	return (double)ns / 1e9;
}

struct making {
	struct ts_measures *rows;
	struct ts_arena *arena;
	bool ok;
};

static void value(struct making *m, enum ts_measure_name what, const char *of, double value)
{
	m->ok = m->ok && ts_measure_add(m->rows, m->arena, what, of ? ts_span_str(of) : TS_NO_SUBJECT, value);
}

static void unknown(struct making *m, enum ts_measure_name what, const char *of, const char *reason)
{
	m->ok = m->ok && ts_measure_unknown(m->rows, m->arena, what, of ? ts_span_str(of) : TS_NO_SUBJECT, reason);
}

static void ratio(struct making *m, enum ts_measure_name what, const char *of, uint64_t part, uint64_t whole, const char *why_not)
{
	if (whole)
		value(m, what, of, (double)part / (double)whole);
	else
		unknown(m, what, of, why_not);
}

/* What is known of the operators of less than half of the work says nothing of the rest. */
static bool knows_operators(const struct ts_trace_answer *a)
{
	return a->work.known.ns >= a->work.all.ns - a->work.all.ns / 2;
}

static void times(struct making *m, const struct ts_trace_answer *a)
{
	static const char no_operators[] = "the trace does not have the operators of most of its work";
	static const char no_shapes[] =
		"the trace has no shapes of inputs, which would tell whether products around a softmax are attention";
	const struct ts_device_times t = ts_device_times(a);

	for (int i = 0; i < TS_TIME_EXPOSED_WAITING; i++) {
		bool of_work =
			i == TS_TIME_FILLS || i == TS_TIME_ELEMENTWISE || (i >= TS_TIME_MATH_ATTENTION && i <= TS_TIME_GENERATED);

		if (i == TS_TIME_MATH_ATTENTION && a->lines.all.events && !knows_operators(a)) {
			unknown(m, TS_M_TRACE_TIME, ts_trace_times[i], no_operators);
			unknown(m, TS_M_TRACE_SHARE, ts_trace_times[i], no_operators);
			continue;
		}
		if (i == TS_TIME_MATH_ATTENTION && !t.ns[i] && a->work.marks.unsaid_attention) {
			unknown(m, TS_M_TRACE_TIME, ts_trace_times[i], no_shapes);
			unknown(m, TS_M_TRACE_SHARE, ts_trace_times[i], no_shapes);
			continue;
		}
		if (a->lines.all.events)
			value(m, TS_M_TRACE_TIME, ts_trace_times[i], seconds(t.ns[i]));
		else
			unknown(m, TS_M_TRACE_TIME, ts_trace_times[i], "the trace has no events of devices");
		ratio(m, TS_M_TRACE_SHARE, ts_trace_times[i], t.ns[i], of_work ? t.work_ns : t.ns[TS_TIME_SPAN],
		      a->lines.all.events ? "the events of the trace take no time" : "the trace has no events of devices");
	}
	ratio(m, TS_M_TRACE_OVERLAP, NULL, t.ns[TS_TIME_COMMUNICATION] - t.ns[TS_TIME_EXPOSED_COMMUNICATION],
	      t.ns[TS_TIME_COMMUNICATION], "the trace has no communication");
}

static void work(struct making *m, const struct ts_trace_answer *a)
{
	const struct ts_kernel_sum *top = a->sums.n_categories ? &a->sums.categories[0] : NULL;
	uint64_t kernels = 0, ns = 0;

	for (size_t i = 0; i < a->sums.n_categories; i++) {
		if (a->sums.categories[i].category >= TS_SUM_COPY)
			continue;
		kernels += a->sums.categories[i].count;
		add(&ns, a->sums.categories[i].sum_ns);
	}
	value(m, TS_M_TRACE_DEVICES, NULL, (double)a->lines.n_devices);
	value(m, TS_M_TRACE_EVENTS, NULL, (double)a->lines.all.events);
	ratio(m, TS_M_TRACE_UNLAUNCHED, NULL, a->lines.unlaunched, a->lines.all.events, "the trace has no events of devices");
	if (kernels)
		value(m, TS_M_TRACE_KERNEL_MEAN, NULL, seconds(ns) / (double)kernels);
	else
		unknown(m, TS_M_TRACE_KERNEL_MEAN, NULL, "the trace has no kernels");
	if (!top)
		return;
	m->ok = m->ok && ts_measure_text(m->rows, m->arena, TS_M_TRACE_TOP, TS_NO_SUBJECT,
					 ts_span_str(ts_sum_category_word(top->category)));
	ratio(m, TS_M_TRACE_TOP_SHARE, NULL, top->sum_ns, a->sums.sum_ns, "the events of the trace take no time");
}

TS_ORDER_OF_POINTERS(by_source, struct ts_host_wait, TS_TEXT(source))

/* No row where no source is known of a call that cost a device time. */
static void source(struct making *m, const struct ts_host_waits *w)
{
	const struct ts_host_wait **rows = ts_arena_array(m->arena, w->n, sizeof *rows);
	struct ts_span most = ts_span_str("");
	uint64_t calls = 0, most_calls = 0;
	size_t n = 0;

	m->ok = m->ok && rows;
	for (size_t i = 0; rows && i < w->n; i++)
		if (w->items[i].source.len && w->items[i].sum.idle_ns)
			rows[n++] = &w->items[i];
	if (!n)
		return;
	TS_SORT(rows, n, by_source);
	for (size_t i = 0; i < n; i++) {
		calls = i && ts_span_eq(rows[i]->source, rows[i - 1]->source) ? calls : 0;
		calls += rows[i]->sum.drained;
		if (calls <= most_calls)
			continue;
		most_calls = calls;
		most = rows[i]->source;
	}
	most = ts_arena_span(m->arena, most); /* a trace of a run is gone before its rows */
	m->ok = m->ok && most.data && ts_measure_text(m->rows, m->arena, TS_M_TRACE_WAIT_SOURCE, TS_NO_SUBJECT, most);
}

static void steps(struct making *m, const struct ts_timelines *l)
{
	static const char none[] = "the trace has no ProfilerStep";
	uint64_t host = 0, exposed = 0;

	for (size_t i = 0; i < l->n_steps; i++) {
		add(&host, l->steps[i].duration_ns);
		add(&exposed, l->steps[i].timeline.exposed_communication_ns);
	}
	value(m, TS_M_TRACE_STEPS, NULL, (double)l->n_steps);
	if (!l->n_steps) {
		unknown(m, TS_M_TRACE_STEP_MEAN, NULL, none);
		unknown(m, TS_M_TRACE_STEP_EXPOSED, NULL, none);
		unknown(m, TS_M_TRACE_STEP_EXPOSED_SHARE, NULL, none);
		return;
	}
	value(m, TS_M_TRACE_STEP_MEAN, NULL, seconds(host) / (double)l->n_steps);
	value(m, TS_M_TRACE_STEP_EXPOSED, NULL, seconds(exposed) / (double)l->n_steps);
	ratio(m, TS_M_TRACE_STEP_EXPOSED_SHARE, NULL, exposed, host, "the steps of the trace take no time");
}

/* Compiling is measured on the main thread of the host. */
static void compiled(struct making *m, const struct ts_trace_answer *a)
{
	static const char none[] = "the trace has no main thread of the host";
	uint64_t whole = a->host.steps.all.wall_ns, ns = a->work.marks.compile_ns;

	value(m, TS_M_TRACE_RECOMPILED, NULL, (double)a->work.marks.recompiled);
	if (whole)
		value(m, TS_M_TRACE_COMPILE_TIME, NULL, seconds(ns));
	else
		unknown(m, TS_M_TRACE_COMPILE_TIME, NULL, none);
	ratio(m, TS_M_TRACE_COMPILE_SHARE, NULL, ns < whole ? ns : whole, whole, none);
}

/* A recording in which streams are captured shows how a program begins. It is a sample of its work where more runs from the graphs than
 * was launched. */
static void captured(struct making *m, const struct ts_trace_answer *a)
{
	const struct ts_work_marks *marks = &a->work.marks;
	uint64_t ran = marks->kernels > marks->graphed ? marks->kernels - marks->graphed : 0;

	if (marks->captures && marks->graphed < marks->kernel_launches && ran < marks->kernel_launches)
		value(m, TS_M_TRACE_CAPTURED, NULL, 1 - (double)ran / (double)marks->kernel_launches);
}

static void world_size(struct making *m, bool said, int64_t ranks)
{
	if (said)
		value(m, TS_M_TRACE_WORLD_SIZE, NULL, (double)ranks);
	else
		unknown(m, TS_M_TRACE_WORLD_SIZE, NULL, "the trace does not say it");
}

enum ts_status ts_trace_rows(const struct ts_trace_answer *answer, struct ts_arena *arena, struct ts_measures *io_rows,
			     struct ts_error *err)
{
	struct making m = {io_rows, arena, true};

	TS_DOOR(ts_measures_hold(io_rows));
	times(&m, answer);
	work(&m, answer);
	source(&m, &answer->host.waits);
	compiled(&m, answer);
	captured(&m, answer);
	steps(&m, &answer->lines);
	world_size(&m, answer->has_world_size, answer->world_size);
	return m.ok ? TS_OK : ts_arena_error(arena, err);
}

enum ts_status ts_trace_rows_of(const struct ts_trace *trace, struct ts_arena *scratch, struct ts_arena *arena,
				struct ts_measures *io_rows, struct ts_error *err)
{
	struct ts_trace_answer a = {.has_world_size = trace->about.world_size != TS_TRACE_NONE, .world_size = trace->about.world_size};
	struct ts_device_work work;
	struct ts_nest nest;

	TS_DOOR(ts_measures_hold(io_rows));
	if (ts_timelines(trace, scratch, &a.lines, err) || ts_kernel_sums(trace, scratch, &a.sums, err) ||
	    ts_idle_rows(trace, scratch, &a.idle, &a.n_idle, err) || ts_nest(trace, scratch, &nest, err) ||
	    ts_trace_host(trace, &nest, &a.lines, scratch, &a.host, err) || ts_device_work(trace, &nest, scratch, &work, err) ||
	    ts_work_marks(trace, &nest, &work, scratch, &a.work.marks, err))
		return err->status;
	a.work.all = work.all;
	a.work.known = work.known;
	return ts_trace_rows(&a, arena, io_rows, err);
}

enum ts_status ts_trace_rows_unread(const struct ts_trace_about *about, const char *reason, struct ts_arena *arena,
				    struct ts_measures *io_rows, struct ts_error *err)
{
	struct making m = {io_rows, arena, true};

	TS_DOOR(ts_measures_hold(io_rows));
	for (int i = 0; i < TS_TIME_EXPOSED_WAITING; i++) {
		unknown(&m, TS_M_TRACE_TIME, ts_trace_times[i], reason);
		unknown(&m, TS_M_TRACE_SHARE, ts_trace_times[i], reason);
	}
	world_size(&m, about->world_size != TS_TRACE_NONE, about->world_size);
	return m.ok ? TS_OK : ts_arena_error(arena, err);
}
