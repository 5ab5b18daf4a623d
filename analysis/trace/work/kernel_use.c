/* kernel_use.c - how well kernels filled the device: estimated occupancy, and grids too small for it. */
#include "analysis/trace/work/trace_work.h"
#include "base/order.h"

#include "analysis/trace/device/kernel.h"
#include "base/door.h"

#include <math.h>
#include <stdlib.h>

/* --- grids --- */

/* The blocks of "[32,1,1]"; 0: it says none. More than 64 bits hold are the most. */
static uint64_t blocks_of(struct ts_span grid)
{
	uint64_t blocks = 1, v = 0;
	bool digits = false;

	if (grid.len < 3 || grid.data[0] != '[' || grid.data[grid.len - 1] != ']')
		return 0;
	for (size_t i = 1; i < grid.len; i++) {
		uint8_t c = grid.data[i];

		if (c >= '0' && c <= '9') {
			digits = true;
			if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, (uint64_t)(c - '0'), &v))
				v = UINT64_MAX;
		} else if (digits && (c == ',' || i == grid.len - 1)) {
			blocks = __builtin_mul_overflow(blocks, v, &blocks) ? UINT64_MAX : blocks;
			digits = false;
			v = 0;
		} else {
			return 0;
		}
	}
	return blocks;
}

TS_ORDER(by_id, struct ts_trace_device, TS_UP(id))

#define NOT_YET (UINT64_MAX - 1)

struct grids {
	const struct ts_trace *trace;
	struct ts_trace_device *devices; /* by id */
	uint64_t *blocks;		 /* by name; NOT_YET: not looked at */
};

static enum ts_status grids_of(const struct ts_trace *trace, struct ts_arena *arena, struct grids *ret, struct ts_error *err)
{
	size_t n = trace->about.n_devices;

	*ret = (struct grids){.trace = trace,
			      .devices = ts_arena_array(arena, n, sizeof *ret->devices),
			      .blocks = ts_arena_array(arena, trace->n_names, sizeof *ret->blocks)};
	if (!ret->devices || !ret->blocks)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < trace->n_names; i++)
		ret->blocks[i] = NOT_YET;
	if (n) {
		memcpy(ret->devices, trace->about.devices, n * sizeof *ret->devices);
		TS_SORT(ret->devices, n, by_id);
	}
	return TS_OK;
}

/* Whether it is known that the grid is smaller than the device, or that it is not. */
static bool sized(struct grids *g, uint32_t grid, int32_t device, bool *ret_small)
{
	struct ts_trace_device wanted = {.id = device};
	const struct ts_trace_device *found;

	if (!grid || !g->trace->about.n_devices)
		return false;
	if (g->blocks[grid] == NOT_YET)
		g->blocks[grid] = blocks_of(g->trace->names[grid]);
	found = bsearch(&wanted, g->devices, g->trace->about.n_devices, sizeof wanted, by_id);
	if (!g->blocks[grid] || !found || found->multiprocessors <= 0)
		return false;
	*ret_small = g->blocks[grid] < (uint64_t)found->multiprocessors;
	return true;
}

/* --- sums --- */

TS_ORDER(longest_first, struct ts_kernel_use, TS_DOWN(sum.ns); TS_UP(category); TS_TEXT(name))

/* What one kernel adds to its rows. */
struct kernel {
	uint64_t ns;
	double occupancy; /* NaN: not said */
	bool sized, small, graphed;
};

static double occupancy_of(double said, double warps)
{
	return said >= 0 && said <= 100 && !(said <= 0 && warps >= 1) ? said : (double)NAN;
}

static void add(struct ts_kernel_use *use, const struct kernel *k)
{
	ts_work_add(&use->sum, 1, k->ns);
	if (k->sized)
		ts_work_add(&use->sized, 1, k->ns);
	if (k->small)
		ts_work_add(&use->small, 1, k->ns);
	if (k->graphed)
		ts_work_add(&use->graphed, 1, k->ns);
	if (isnan(k->occupancy))
		return;
	ts_work_add(&use->rated, 1, k->ns);
	use->occupancy += k->occupancy * (double)k->ns; /* until it is divided */
}

/* The sum of durations stays at the largest number of 64 bits, the weighted one does not. */
static void divide(struct ts_kernel_use *use)
{
	use->has_occupancy = use->rated.ns > 0;
	use->occupancy = use->has_occupancy ? fmin(use->occupancy / (double)use->rated.ns, 100) : 0;
}

static size_t settle(struct ts_kernel_use *items, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		if (!items[i].sum.count)
			continue;
		divide(&items[i]);
		items[kept++] = items[i];
	}
	TS_SORT(items, kept, longest_first);
	return kept;
}

static bool holds(const struct ts_kernel_use *u)
{
	return u->rated.count <= u->sum.count && u->sized.count <= u->sum.count && u->small.count <= u->sized.count &&
	       (!u->has_occupancy || (u->occupancy >= 0 && u->occupancy <= 100));
}

enum ts_status ts_kernel_uses(const struct ts_trace *trace, struct ts_arena *arena, struct ts_kernel_uses *ret, struct ts_error *err)
{
	const struct ts_trace_spans *s = &trace->rows.spans;
	const struct ts_trace_kernels *details = &trace->rows.kernels;
	struct ts_kernel_uses out = {.all.category = TS_KERNEL_CATEGORIES};
	uint8_t *categories;
	struct grids grids;
	size_t at = 0;

	TS_DOOR(ts_trace_holds(trace));
	out.categories = ts_arena_array(arena, TS_KERNEL_CATEGORIES, sizeof *out.categories);
	out.names = ts_arena_array(arena, trace->n_names, sizeof *out.names);
	if (!out.categories || !out.names)
		return ts_arena_error(arena, err);
	if (ts_kernel_names(trace, arena, &categories, err) || grids_of(trace, arena, &grids, err))
		return err->status;
	for (size_t i = 0; i < s->n; i++) {
		struct kernel k = {.ns = (uint64_t)s->duration_ns[i], .occupancy = NAN};
		uint8_t category = categories[s->name[i]];

		if (s->kind[i] != TS_TRACE_KERNEL)
			continue;
		while (at < details->n && details->span[at] < i)
			at++;
		if (at < details->n && details->span[at] == i) {
			k.occupancy = occupancy_of(details->occupancy[at], details->warps[at]);
			k.graphed = details->graph[at] != TS_TRACE_NONE && details->graph[at] != 0;
			k.sized = sized(&grids, details->grid[at], s->device[i], &k.small);
		}
		out.names[s->name[i]].name = trace->names[s->name[i]];
		out.names[s->name[i]].category = out.categories[category].category = category;
		add(&out.names[s->name[i]], &k);
		add(&out.categories[category], &k);
		add(&out.all, &k);
	}
	divide(&out.all);
	out.n_categories = settle(out.categories, TS_KERNEL_CATEGORIES);
	out.n_names = settle(out.names, trace->n_names);
	TS_DOOR(holds(&out.all));
	TS_DOOR_ALL(i, out.n_categories, holds(&out.categories[i]));
	TS_DOOR_ALL(i, out.n_names, holds(&out.names[i]));
	*ret = out;
	return TS_OK;
}
