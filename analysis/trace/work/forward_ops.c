/* forward_ops.c - the forward operator of a node of autograd (the rule: trace_work.h, of modules). */
#include "analysis/trace/work/work_parts.h"

#include "base/bisect.h"
#include "base/door.h"

bool ts_is_autograd_node(const struct ts_trace_operators *o, size_t row)
{
	return o->forward_thread[row] > 0 && o->sequence[row] >= 0;
}

/* --- sorted lists --- */

/* Places in w of the first event with this group, and of the first behind them. */
static void range_of(const struct ts_device_event *w, size_t n, uint64_t group, size_t *ret_low, size_t *ret_high)
{
	size_t low = 0, high;

	TS_BISECT(low, n, i, w[i].group < group);
	high = low;
	TS_BISECT(high, n - low, i, w[i].group == group);
	*ret_low = low;
	*ret_high = high;
}

/* The first of w[low, high), which are by begin, that begins at this time or later; high: none. */
static size_t begin_of(const struct ts_device_event *w, size_t low, size_t high, int64_t begin)
{
	TS_BISECT(low, high - low, i, w[i].begin < begin);
	return low;
}

/* --- forward operators --- */

static enum ts_status find_ops(struct ts_forward_ops *f, struct ts_arena *arena, struct ts_error *err)
{
	const struct ts_trace_spans *s = &f->trace->rows.spans;
	const struct ts_trace_operators *o = &f->trace->rows.operators;
	struct ts_device_event *spare = ts_arena_array(arena, o->n, sizeof *spare);

	f->ops = ts_arena_array(arena, o->n, sizeof *f->ops);
	if (!f->ops || !spare)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < o->n; i++)
		if (s->kind[o->span[i]] == TS_TRACE_OPERATOR && o->sequence[i] >= 0 && o->forward_thread[i] <= 0)
			f->ops[f->n_ops++] = (struct ts_device_event){.begin = s->start_ns[o->span[i]],
								      .end = o->sequence[i],
								      .group = s->thread[o->span[i]],
								      .row = o->span[i]};
	ts_device_events_by_begin(f->ops, f->n_ops, spare);
	ts_device_events_by_group(f->ops, f->n_ops, spare);
	for (size_t k = 0; k < f->n_ops; k++)
		f->ops[k].group = (uint64_t)f->ops[k].end;
	ts_device_events_by_group(f->ops, f->n_ops, spare);
	return TS_OK;
}

/* --- threads, by flows --- */

struct arrows {
	struct ts_device_event *tails; /* by id: row is the thread */
	struct ts_device_event *heads; /* by thread and time: end is the id */
	size_t n_tails, n_heads;
};

static enum ts_status find_arrows(const struct ts_trace *trace, struct ts_arena *arena, struct arrows *ret, struct ts_error *err)
{
	const struct ts_trace_flows *flows = &trace->rows.flows;
	struct ts_device_event *spare;
	struct arrows a = {0};
	size_t n = 0;

	for (size_t i = 0; i < flows->n; i++)
		n += ts_span_is(trace->names[flows->category[i]], "fwdbwd");
	a.tails = ts_arena_array(arena, n, sizeof *a.tails);
	a.heads = ts_arena_array(arena, n, sizeof *a.heads);
	spare = ts_arena_array(arena, n, sizeof *spare);
	if (!a.tails || !a.heads || !spare)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < flows->n; i++) {
		if (!ts_span_is(trace->names[flows->category[i]], "fwdbwd"))
			continue;
		if (flows->end[i])
			a.heads[a.n_heads++] = (struct ts_device_event){
				.begin = flows->time_ns[i], .end = flows->id[i], .group = flows->thread[i], .row = (uint32_t)i};
		else
			a.tails[a.n_tails++] = (struct ts_device_event){.group = (uint64_t)flows->id[i], .row = flows->thread[i]};
	}
	ts_device_events_by_group(a.tails, a.n_tails, spare);
	ts_device_events_by_begin(a.heads, a.n_heads, spare);
	ts_device_events_by_group(a.heads, a.n_heads, spare);
	*ret = a;
	return TS_OK;
}

/* The thread where the arrow to a node comes from. */
static bool tail_thread(const struct arrows *a, const struct ts_trace_spans *s, uint32_t node, uint32_t *ret)
{
	size_t low, high, at;

	range_of(a->heads, a->n_heads, s->thread[node], &low, &high);
	at = begin_of(a->heads, low, high, s->start_ns[node]);
	if (at == high || a->heads[at].begin != s->start_ns[node])
		return false;
	range_of(a->tails, a->n_tails, (uint64_t)a->heads[at].end, &low, &high);
	if (low == high)
		return false;
	*ret = a->tails[low].row;
	return true;
}

static enum ts_status find_threads(struct ts_forward_ops *f, struct ts_arena *arena, struct ts_error *err)
{
	const struct ts_trace_operators *o = &f->trace->rows.operators;
	struct ts_device_event *spare = ts_arena_array(arena, o->n, sizeof *spare);
	struct arrows a = {0};

	f->threads = ts_arena_array(arena, o->n, sizeof *f->threads);
	if (!f->threads || !spare)
		return ts_arena_error(arena, err);
	if (find_arrows(f->trace, arena, &a, err))
		return err->status;
	for (size_t i = 0; i < o->n && a.n_heads; i++) {
		uint32_t thread;

		if (ts_is_autograd_node(o, i) && tail_thread(&a, &f->trace->rows.spans, o->span[i], &thread))
			f->threads[f->n_threads++] = (struct ts_device_event){.group = (uint64_t)o->forward_thread[i], .row = thread};
	}
	ts_device_events_by_group(f->threads, f->n_threads, spare);
	return TS_OK;
}

enum ts_status ts_forward_ops_find(const struct ts_trace *trace, struct ts_arena *arena, struct ts_forward_ops *ret,
				   struct ts_error *err)
{
	struct ts_forward_ops f = {.trace = trace};

	TS_DOOR(ts_trace_holds(trace));
	if (find_ops(&f, arena, err) || find_threads(&f, arena, err))
		return err->status;
	TS_DOOR_SORTED(i, f.n_ops, f.ops[i - 1].group <= f.ops[i].group);
	*ret = f;
	return TS_OK;
}

uint32_t ts_forward_op_of(const struct ts_forward_ops *f, size_t node)
{
	const struct ts_trace_operators *o = &f->trace->rows.operators;
	const uint32_t *threads = f->trace->rows.spans.thread;
	size_t low, high, first, last;
	uint32_t thread;

	range_of(f->ops, f->n_ops, (uint64_t)o->sequence[node], &low, &high);
	if (low == high)
		return TS_NEST_NONE;
	range_of(f->threads, f->n_threads, (uint64_t)o->forward_thread[node], &first, &last);
	if (first == last)
		return threads[f->ops[low].row] == threads[f->ops[high - 1].row] ? f->ops[high - 1].row : TS_NEST_NONE;
	thread = f->threads[first].row;
	TS_BISECT(low, high - low, i, threads[f->ops[i].row] <= thread); /* the first behind those of the thread */
	return low && f->ops[low - 1].group == (uint64_t)o->sequence[node] && threads[f->ops[low - 1].row] == thread
		       ? f->ops[low - 1].row
		       : TS_NEST_NONE;
}
