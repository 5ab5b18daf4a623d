/* work_runs.c - long runs of small work on one stream: storms of elementwise kernels, and stretches that the rate of launches bounds.
 * */
#include "analysis/trace/work/trace_work.h"

#include "analysis/trace/device/device_events.h"
#include "analysis/trace/device/kernel.h"
#include "base/door.h"
#include "base/scratch.h"

/* A run that is going on. */
struct run {
	struct ts_run_sum *sum;
	struct ts_work_sum work;
	int64_t begin, end;
	int32_t device, stream;
};

static void end_run(struct run *r)
{
	struct ts_run_sum *sum = r->sum;
	uint64_t span = (uint64_t)r->end - (uint64_t)r->begin;

	if (r->work.count >= TS_RUN_LEAST) {
		sum->runs++;
		sum->span_ns = sum->span_ns + span < span ? UINT64_MAX : sum->span_ns + span;
		ts_work_add(&sum->work, r->work.count, r->work.ns);
		if (r->work.count > sum->most) {
			sum->most = r->work.count;
			sum->most_at_ns = r->begin;
			sum->most_device = r->device;
			sum->most_stream = r->stream;
		}
	}
	*r = (struct run){.sum = sum};
}

static void go_on(struct run *r, const struct ts_trace_spans *s, size_t i)
{
	int64_t end = s->start_ns[i] + s->duration_ns[i];

	if (!r->work.count) {
		r->begin = s->start_ns[i];
		r->end = end;
		r->device = s->device[i];
		r->stream = s->stream[i];
	}
	r->end = end > r->end ? end : r->end;
	ts_work_add(&r->work, 1, (uint64_t)s->duration_ns[i]);
}

/* The events of devices by device and stream, and within by begin. */
static enum ts_status by_stream(const struct ts_trace *trace, struct ts_arena *arena, struct ts_device_event **ret, size_t *ret_n,
				struct ts_error *err)
{
	const struct ts_trace_spans *s = &trace->rows.spans;
	struct ts_device_event *w, *spare;
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		n += ts_trace_on_device(s->kind[i]);
	w = ts_arena_array(arena, n, sizeof *w);
	spare = ts_arena_array(arena, n, sizeof *spare);
	if (!w || !spare)
		return ts_arena_error(arena, err);
	*ret = w;
	*ret_n = n;
	for (size_t i = 0; i < s->n; i++)
		if (ts_trace_on_device(s->kind[i]))
			*w++ = (struct ts_device_event){.begin = s->start_ns[i],
							.group = (uint64_t)(uint32_t)s->device[i] << 32 | (uint32_t)s->stream[i],
							.row = (uint32_t)i};
	ts_device_events_by_begin(*ret, n, spare);
	ts_device_events_by_group(*ret, n, spare);
	ts_scratch_give(arena, spare);
	return TS_OK;
}

enum ts_status ts_run_sums(const struct ts_trace *trace, const struct ts_nest *nest, struct ts_arena *arena, struct ts_run_sums *ret,
			   struct ts_error *err)
{
	const struct ts_trace_spans *s = &trace->rows.spans;
	struct ts_run_sums out = {0};
	struct run storm = {.sum = &out.storms}, bound = {.sum = &out.launch_bound};
	struct ts_device_event *w = NULL;
	uint8_t *categories = NULL;
	int64_t free_at = 0; /* when all earlier events of the stream had ended */
	size_t n = 0;

	TS_DOOR(ts_trace_holds(trace));
	if (by_stream(trace, arena, &w, &n, err) || ts_kernel_names(trace, arena, &categories, err))
		return err->status;
	for (size_t k = 0; k < n; k++) {
		size_t i = w[k].row;
		uint32_t call = nest->parent[i];
		bool first = k == 0 || w[k].group != w[k - 1].group;
		bool elementwise = s->kind[i] == TS_TRACE_KERNEL && categories[s->name[i]] == TS_KERNEL_ELEMENTWISE;
		bool brief = call != TS_NEST_NONE && s->duration_ns[i] < s->duration_ns[call];

		if (first || !elementwise)
			end_run(&storm);
		if (first || !brief || s->start_ns[call] < free_at)
			end_run(&bound);
		if (elementwise) {
			go_on(&storm, s, i);
			ts_work_add(&out.elementwise, 1, (uint64_t)s->duration_ns[i]);
		}
		if (brief)
			go_on(&bound, s, i);
		if (call != TS_NEST_NONE)
			ts_work_add(&out.called, 1, (uint64_t)s->duration_ns[i]);
		if (first || s->start_ns[i] + s->duration_ns[i] > free_at)
			free_at = s->start_ns[i] + s->duration_ns[i];
	}
	end_run(&storm);
	end_run(&bound);
	ts_scratch_give(arena, w);
	*ret = out;
	return TS_OK;
}
