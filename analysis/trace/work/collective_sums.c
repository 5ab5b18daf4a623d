/* collective_sums.c - how fast collectives moved their bytes, by kind, size and group. */
#include "analysis/trace/work/trace_work.h"

#include "analysis/trace/device/device_events.h"
#include "analysis/trace/device/kernel.h"
#include "base/door.h"
#include "base/order.h"

#include <math.h>

TS_ORDER(slowest_collective, struct ts_collective_sum, TS_DOWN(work.ns); TS_UP(kind); TS_UP(bytes); TS_UP(ranks))

/* Of an element of the "dtype"; 0: of a type that is not known. */
static uint64_t element(struct ts_span type)
{
	static const struct {
		const char *name;
		uint64_t size;
	} types[] = {
		{"Float", 4}, {"Double", 8}, {"Half", 2}, {"BFloat16", 2}, {"Long", 8}, {"Int", 4}, {"Short", 2}, {"Byte", 1},
		{"Char", 1}, {"Bool", 1}, {"Float8_e4m3fn", 1}, {"Float8_e5m2", 1}, {"Float8_e4m3fnuz", 1}, {"Float8_e5m2fnuz", 1},
	};

	for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
		if (ts_span_is(type, types[i].name))
			return types[i].size;
	return 0;
}

/* The elements by which bandwidth is counted; TS_TRACE_NONE: they are not known. */
static int64_t elements(enum ts_collective kind, int64_t in, int64_t out)
{
	switch (kind) {
	case TS_COLLECTIVE_ALL_GATHER:
		return out;
	case TS_COLLECTIVE_SEND_RECV:
		return in > out ? in : out;
	case TS_COLLECTIVE_ALL_REDUCE:
	case TS_COLLECTIVE_REDUCE_SCATTER:
	case TS_COLLECTIVE_ALL_TO_ALL:
	case TS_COLLECTIVE_BROADCAST:
	case TS_COLLECTIVE_REDUCE:
		return in;
	case TS_COLLECTIVE_OTHER:
	case TS_COLLECTIVES:
		break;
	}
	return TS_TRACE_NONE;
}

/* What of the bytes each rank has to move over its link, at least. False: it is not known, or a group of one rank has none. */
static bool factor_of(enum ts_collective kind, int64_t ranks, double *ret)
{
	bool whole = kind == TS_COLLECTIVE_SEND_RECV || kind == TS_COLLECTIVE_BROADCAST || kind == TS_COLLECTIVE_REDUCE;
	double others;

	if (ranks == 1 || (ranks < 1 && !whole))
		return false;
	others = whole ? 1 : (double)(ranks - 1) / (double)ranks;
	*ret = kind == TS_COLLECTIVE_ALL_REDUCE ? 2 * others : others;
	return true;
}

static bool sized(const struct ts_trace *trace, size_t at, struct ts_collective_sum *ret)
{
	const struct ts_trace_collectives *c = &trace->rows.collectives;
	const struct ts_trace_spans *s = &trace->rows.spans;
	uint32_t row = c->span[at];
	uint64_t size = element(trace->names[c->type[at]]);
	int64_t n;

	ret->kind = ts_kernel_collective(trace->names[s->name[row]], trace->names[s->collective[row]]);
	ret->ranks = c->group_size[at];
	n = elements(ret->kind, c->elements_in[at], c->elements_out[at]);
	return size && n > 0 && !__builtin_mul_overflow(size, (uint64_t)n, &ret->bytes);
}

static bool alike(const struct ts_collective_sum *a, const struct ts_collective_sum *b)
{
	return a->kind == b->kind && a->bytes == b->bytes && a->ranks == b->ranks;
}

TS_ORDER(by_likeness, struct ts_collective_sum, TS_UP(kind); TS_UP(bytes); TS_UP(ranks); TS_UP(work.ns))

static void rate(struct ts_collective_sum *sum)
{
	double seconds = (double)sum->work.ns / 1e9, factor;

	sum->has_rate = sum->work.ns > 0;
	if (!sum->has_rate)
		return;
	sum->algorithm = (double)sum->bytes * (double)sum->work.count / seconds;
	sum->has_bus = factor_of(sum->kind, sum->ranks, &factor);
	sum->bus = sum->has_bus ? sum->algorithm * factor : 0;
	sum->bus_most = sum->has_bus && sum->least_ns ? (double)sum->bytes * factor / ((double)sum->least_ns / 1e9) : 0;
}

enum ts_status ts_collective_sums(const struct ts_trace *trace, struct ts_arena *arena, struct ts_collective_sums *ret,
				  struct ts_error *err)
{
	const struct ts_trace_collectives *c = &trace->rows.collectives;
	const struct ts_trace_spans *s = &trace->rows.spans;
	struct ts_collective_sums out = {.n = 0};
	struct ts_collective_sum *each = ts_arena_array(arena, c->n, sizeof *each);
	size_t n = 0;

	TS_DOOR(ts_trace_holds(trace));
	if (!each)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < c->n; i++) {
		struct ts_collective_sum one = {.ranks = 0};
		uint64_t ns = (uint64_t)s->duration_ns[c->span[i]];

		if (s->kind[c->span[i]] != TS_TRACE_KERNEL)
			continue;
		if (!sized(trace, i, &one)) {
			ts_work_add(&out.unsized, 1, ns);
			continue;
		}
		ts_work_add(&one.work, 1, ns);
		one.least_ns = ns;
		each[n++] = one;
	}
	TS_SORT(each, n, by_likeness);
	for (size_t i = 0; i < n; i++) {
		if (!out.n || !alike(&each[out.n - 1], &each[i])) {
			each[out.n++] = each[i];
			continue;
		}
		ts_work_add(&each[out.n - 1].work, 1, each[i].work.ns);
	}
	for (size_t i = 0; i < out.n; i++)
		rate(&each[i]);
	TS_SORT(each, out.n, slowest_collective);
	TS_DOOR_ALL(i, out.n, each[i].work.count > 0 && each[i].bytes > 0 && isfinite(each[i].bus));
	out.items = each;
	*ret = out;
	return TS_OK;
}
