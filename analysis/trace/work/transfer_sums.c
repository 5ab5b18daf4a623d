/* transfer_sums.c - copies by direction, and fills by the shape of what is filled. */
#include "analysis/trace/work/trace_work.h"
#include "base/order.h"
#include "base/words.h"

#include "analysis/trace/device/device_events.h"
#include "analysis/trace/device/kernel.h"
#include "analysis/trace/device/saturate.h"
#include "analysis/trace/device/stretches.h"
#include "base/door.h"
#include "base/scratch.h"

TS_WORDS(ts_direction_word, enum ts_direction, "unknown", [TS_DIRECTION_HTOD] = "host_to_device",
	 [TS_DIRECTION_DTOH] = "device_to_host", [TS_DIRECTION_DTOD] = "device_to_device", [TS_DIRECTION_PTOP] = "peer_to_peer",
	 [TS_DIRECTION_HTOH] = "host_to_host", [TS_DIRECTION_UNKNOWN] = "unknown")

TS_WORDS(ts_host_memory_word, enum ts_host_memory, "unknown", [TS_HOST_MEMORY_UNSAID] = "unsaid",
	 [TS_HOST_MEMORY_PAGEABLE] = "pageable", [TS_HOST_MEMORY_PINNED] = "pinned")

void ts_copy_direction(struct ts_span name, enum ts_direction *ret, enum ts_host_memory *ret_memory)
{
	static const struct {
		const char *part;
		enum ts_direction direction;
	} parts[] = {
		{"HtoD", TS_DIRECTION_HTOD},	   {"HostToDevice", TS_DIRECTION_HTOD},	  {"HOST_TO_DEVICE", TS_DIRECTION_HTOD},
		{"DtoH", TS_DIRECTION_DTOH},	   {"DeviceToHost", TS_DIRECTION_DTOH},	  {"DEVICE_TO_HOST", TS_DIRECTION_DTOH},
		{"DtoD", TS_DIRECTION_DTOD},	   {"DeviceToDevice", TS_DIRECTION_DTOD}, {"DEVICE_TO_DEVICE", TS_DIRECTION_DTOD},
		{"PtoP", TS_DIRECTION_PTOP},	   {"PeerToPeer", TS_DIRECTION_PTOP},	  {"HtoH", TS_DIRECTION_HTOH},
		{"HostToHost", TS_DIRECTION_HTOH},	   {"MemcpyH2D", TS_DIRECTION_HTOD},	  {"MemcpyD2H", TS_DIRECTION_DTOH},
		{"MemcpyD2D", TS_DIRECTION_DTOD},  {"MemcpyP2P", TS_DIRECTION_PTOP},	  {"MemcpyH2H", TS_DIRECTION_HTOH},
	};

	*ret = TS_DIRECTION_UNKNOWN;
	for (size_t i = 0; i < sizeof parts / sizeof parts[0] && *ret == TS_DIRECTION_UNKNOWN; i++)
		if (ts_span_contains(name, parts[i].part))
			*ret = parts[i].direction;
	*ret_memory = TS_HOST_MEMORY_UNSAID;
	if (ts_span_contains(name, "Pageable"))
		*ret_memory = TS_HOST_MEMORY_PAGEABLE;
	else if (ts_span_contains(name, "Pinned"))
		*ret_memory = TS_HOST_MEMORY_PINNED;
}

/* --- copies --- */

TS_ORDER(longest_copy, struct ts_copy_sum, TS_DOWN(sum.ns); TS_UP(direction); TS_UP(memory))

static void add_copy(struct ts_copy_sum *c, uint64_t ns, int64_t bytes)
{
	ts_work_add(&c->sum, 1, ns);
	if (bytes == TS_TRACE_NONE || bytes < 0)
		return;
	c->sized++;
	c->sized_ns = c->sized_ns + ns < ns ? UINT64_MAX : c->sized_ns + ns;
	c->bytes = c->bytes + (uint64_t)bytes < (uint64_t)bytes ? UINT64_MAX : c->bytes + (uint64_t)bytes;
}

/* Events of one device, by begin; spare and other have room for them. */
static void expose(const struct ts_device_event *w, size_t n, struct ts_device_event *spare, struct ts_stretches *other,
		   const uint32_t *names, const uint8_t *pairs, struct ts_copy_sum *io_sums)
{
	size_t n_other = 0;

	for (size_t i = 0; i < n; i++)
		if (w[i].class != TS_PART_MEMORY)
			spare[n_other++] = w[i];
	ts_stretches_find(other, spare, n_other);
	for (size_t i = 0; i < n; i++) {
		struct ts_copy_sum *sum = &io_sums[pairs[names[w[i].row]]];
		uint64_t covered = ts_stretches_before(other, w[i].end) - ts_stretches_before(other, w[i].begin);

		if (w[i].class == TS_PART_MEMORY)
			sum->exposed_ns = ts_plus(sum->exposed_ns, (uint64_t)w[i].end - (uint64_t)w[i].begin - covered);
	}
}

/* pairs: of each name the place of its sum. */
static enum ts_status expose_all(const struct ts_trace *trace, const uint8_t *pairs, struct ts_arena *arena,
				 struct ts_copy_sum *io_sums, struct ts_error *err)
{
	const struct ts_trace_spans *s = &trace->rows.spans;
	struct ts_device_event *w = NULL, *spare;
	struct ts_stretches other = {0};
	size_t n = 0;

	if (ts_device_events(trace, arena, &w, &n, err))
		return err->status;
	spare = ts_arena_array(arena, n, sizeof *spare);
	other.items = ts_arena_array(arena, n, sizeof *other.items);
	if (!spare || !other.items)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < n; i++)
		w[i].group = (uint32_t)s->device[w[i].row];
	ts_device_events_by_begin(w, n, spare);
	ts_device_events_by_group(w, n, spare);
	for (size_t begin = 0, end = 0; begin < n; begin = end) {
		while (end < n && w[end].group == w[begin].group)
			end++;
		expose(w + begin, end - begin, spare, &other, s->name, pairs, io_sums);
	}
	ts_scratch_give(arena, other.items);
	ts_scratch_give(arena, spare);
	ts_scratch_give(arena, w);
	return TS_OK;
}

static enum ts_status copies(const struct ts_trace *trace, struct ts_arena *arena, struct ts_transfers *out, struct ts_error *err)
{
	enum { PAIRS = TS_DIRECTIONS * TS_HOST_MEMORIES, UNSEEN = PAIRS };
	const struct ts_trace_spans *s = &trace->rows.spans;
	uint8_t *pairs = ts_arena_alloc(arena, trace->n_names + 1);
	bool any = false;

	out->copies = ts_arena_array(arena, PAIRS, sizeof *out->copies);
	if (!out->copies || !pairs)
		return ts_arena_error(arena, err);
	memset(pairs, UNSEEN, trace->n_names + 1);
	for (size_t i = 0; i < s->n; i++) {
		uint8_t *pair = &pairs[s->name[i]];

		if (s->kind[i] != TS_TRACE_COPY)
			continue;
		any = true;
		if (*pair == UNSEEN) {
			enum ts_direction direction;
			enum ts_host_memory memory;

			ts_copy_direction(trace->names[s->name[i]], &direction, &memory);
			*pair = (uint8_t)(direction * TS_HOST_MEMORIES + memory);
			out->copies[*pair].direction = direction;
			out->copies[*pair].memory = memory;
		}
		add_copy(&out->copies[*pair], (uint64_t)s->duration_ns[i], s->bytes[i]);
	}
	if (any && expose_all(trace, pairs, arena, out->copies, err))
		return err->status;
	for (size_t i = 0; i < PAIRS; i++)
		if (out->copies[i].sum.count)
			out->copies[out->n_copies++] = out->copies[i];
	TS_SORT(out->copies, out->n_copies, longest_copy);
	return TS_OK;
}

/* --- fills --- */

TS_ORDER(longest_fill, struct ts_fill_sum, TS_DOWN(sum.ns); TS_TEXT(shape); TS_TEXT(in_operator))

static bool has_shape(const struct ts_trace *trace, uint32_t span, const void *ctx)
{
	(void)ctx;
	return trace->rows.spans.kind[span] == TS_TRACE_OPERATOR && trace->rows.spans.shapes[span];
}

/* The fills, grouped by shape and operator. */
static enum ts_status gather(const struct ts_trace *trace, const struct ts_nest *nest, const uint32_t *shaped, struct ts_arena *arena,
			     struct ts_device_event **ret, size_t *ret_n, struct ts_error *err)
{
	const struct ts_trace_spans *s = &trace->rows.spans;
	struct ts_device_event *w, *spare;
	uint8_t *fills;
	size_t n = 0;

	if (ts_kernel_names(trace, arena, &fills, err))
		return err->status;
	for (size_t i = 0; i < s->n; i++)
		n += s->kind[i] == TS_TRACE_FILL || (s->kind[i] == TS_TRACE_KERNEL && fills[s->name[i]] == TS_KERNEL_FILL);
	w = ts_arena_array(arena, n, sizeof *w);
	spare = ts_arena_array(arena, n, sizeof *spare);
	if (!w || !spare)
		return ts_arena_error(arena, err);
	*ret = w;
	*ret_n = n;
	for (size_t i = 0; i < s->n; i++) {
		uint32_t at = ts_device_work_of(nest, i);

		if (s->kind[i] != TS_TRACE_FILL && (s->kind[i] != TS_TRACE_KERNEL || fills[s->name[i]] != TS_KERNEL_FILL))
			continue;
		at = at != TS_NEST_NONE && shaped[at] != TS_NEST_NONE ? shaped[at] : nest->in_operator[i];
		*w++ = (struct ts_device_event){.row = (uint32_t)i,
						.begin = at == TS_NEST_NONE ? -1 : (int64_t)at,
						.group = at == TS_NEST_NONE ? 0 : (uint64_t)s->shapes[at] << 32 | s->name[at]};
	}
	ts_device_events_by_group(*ret, n, spare);
	ts_scratch_give(arena, spare);
	return TS_OK;
}

static enum ts_status fills(const struct ts_trace *trace, const struct ts_nest *nest, struct ts_arena *arena, struct ts_transfers *out,
			    struct ts_error *err)
{
	const struct ts_trace_spans *s = &trace->rows.spans;
	struct ts_device_event *w = NULL;
	struct ts_fill_sum *f = NULL;
	uint32_t *shaped = NULL;
	size_t n = 0, groups = 0;

	if (ts_nest_nearest(trace, nest, has_shape, NULL, arena, &shaped, err) || gather(trace, nest, shaped, arena, &w, &n, err))
		return err->status;
	for (size_t k = 0; k < n; k++)
		groups += k == 0 || w[k].group != w[k - 1].group;
	out->fills = ts_arena_array(arena, groups, sizeof *out->fills);
	if (!out->fills)
		return ts_arena_error(arena, err);
	for (size_t k = 0; k < n; k++) {
		size_t i = w[k].row;

		if (k == 0 || w[k].group != w[k - 1].group) {
			f = &out->fills[out->n_fills++];
			if (w[k].begin >= 0) {
				f->shape = trace->names[s->shapes[w[k].begin]];
				f->in_operator = trace->names[s->name[w[k].begin]];
			}
		}
		ts_work_add(&f->sum, 1, (uint64_t)s->duration_ns[i]);
		ts_work_add(&out->filled, 1, (uint64_t)s->duration_ns[i]);
		if (s->bytes[i] > 0)
			f->bytes = f->bytes + (uint64_t)s->bytes[i] < f->bytes ? UINT64_MAX : f->bytes + (uint64_t)s->bytes[i];
	}
	ts_scratch_give(arena, shaped);
	ts_scratch_give(arena, w);
	TS_SORT(out->fills, out->n_fills, longest_fill);
	return TS_OK;
}

enum ts_status ts_transfer_sums(const struct ts_trace *trace, const struct ts_nest *nest, struct ts_arena *arena,
				struct ts_transfers *ret, struct ts_error *err)
{
	struct ts_transfers out = {0};

	TS_DOOR(ts_trace_holds(trace));
	TS_DOOR(ts_nest_holds(nest, trace));
	if (copies(trace, arena, &out, err) || fills(trace, nest, arena, &out, err))
		return err->status;
	TS_DOOR_ALL(i, out.n_copies, out.copies[i].sized <= out.copies[i].sum.count && out.copies[i].sized_ns <= out.copies[i].sum.ns);
	TS_DOOR_ALL(i, out.n_copies, out.copies[i].exposed_ns <= out.copies[i].sum.ns);
	TS_DOOR_SORTED(i, out.n_copies, out.copies[i - 1].sum.ns >= out.copies[i].sum.ns);
	TS_DOOR_SORTED(i, out.n_fills, out.fills[i - 1].sum.ns >= out.fills[i].sum.ns);
	*ret = out;
	return TS_OK;
}
