#include "analysis/snapshot/memory_diff.h"

#include "analysis/snapshot/stack_pairs.h"
#include "base/door.h"
#include "base/order.h"
#include "base/text.h"
#include "base/words.h"

TS_WORDS(ts_memory_match_word, enum ts_memory_match, "unknown", [TS_MATCH_STACK] = "stack", [TS_MATCH_LINES] = "lines_moved",
	 [TS_MATCH_ONLY_A] = "only_a", [TS_MATCH_ONLY_B] = "only_b")

/* One device on both sides. */
struct pair {
	struct ts_replay replays[2];
	struct ts_memory memory[2];
	const struct ts_stack_pairs *stacks;
	struct ts_arena *arena;
};

/* b less a, as far as that can be said: sizes come from a file. */
static int64_t less(uint64_t b, uint64_t a)
{
	uint64_t apart = b > a ? b - a : a - b;

	apart = apart < INT64_MAX ? apart : INT64_MAX;
	return b > a ? (int64_t)apart : -(int64_t)apart;
}

static uint64_t size_of(int64_t x)
{
	return x < 0 ? 0 - (uint64_t)x : (uint64_t)x;
}

/* --- rows --- */

/* What both sides hold under one number. */
struct bucket {
	struct ts_memory_diff_sum sums[2];
	uint32_t stack[2]; /* of most bytes */
	uint64_t most[2];
	uint8_t kind[2];
	bool has[2];
	uint32_t loose;
};

static int64_t line_of(const struct pair *p, int k, uint32_t frame)
{
	return frame == TS_SNAPSHOT_NONE ? 0 : p->replays[k].snapshot->frames[frame].line;
}

static void put(struct bucket *to, int k, const struct bucket *from)
{
	const struct ts_memory_diff_sum *sum = &from->sums[k];

	to->sums[k].line = to->has[k] && to->sums[k].line != sum->line ? 0 : sum->line;
	to->sums[k].bytes += sum->bytes;
	to->sums[k].count += sum->count;
	to->sums[k].largest = sum->largest > to->sums[k].largest ? sum->largest : to->sums[k].largest;
	if (!to->has[k] || from->most[k] > to->most[k]) {
		to->most[k] = from->most[k];
		to->stack[k] = from->stack[k];
		to->kind[k] = from->kind[k];
	}
	to->has[k] = true;
}

/* Puts the holders of one side into the buckets of their stacks. */
static enum ts_status hold(const struct pair *p, int k, uint32_t event, struct bucket *buckets, struct ts_error *err)
{
	struct ts_holders h;

	if (ts_holders_at(&p->memory[k], event, TS_BY_STACK, p->arena, &h, err))
		return err->status;
	for (size_t i = 0; i < h.n; i++) {
		const struct ts_holder *from = &h.items[i];
		bool none = from->stack == TS_SNAPSHOT_NONE;
		struct bucket one = {.loose = none ? 0 : p->stacks->loose[k][from->stack]}, *to;

		one.sums[k] = (struct ts_memory_diff_sum){from->bytes, from->n, from->largest, line_of(p, k, from->frame)};
		one.most[k] = from->bytes;
		one.stack[k] = from->stack;
		one.kind[k] = from->kind;
		to = &buckets[none ? 0 : p->stacks->exact[k][from->stack]];
		to->loose = one.loose;
		put(to, k, &one);
	}
	return TS_OK;
}

/* "einsum < bmm" of "at::_ops::bmm::call(at::Tensor const&)", called by that of einsum, called by Python. */
static struct ts_span operators_of(const struct ts_snapshot *s, uint32_t stack, struct ts_arena *arena)
{
	struct ts_span names[TS_MEMORY_CALLS];
	const char *text = "";
	size_t n = 0;

	for (uint32_t i = 0; stack != TS_SNAPSHOT_NONE && i < s->stacks[stack].n; i++) {
		const struct ts_snapshot_frame *frame = &s->frames[s->stack_frames[s->stacks[stack].first + i]];
		struct ts_span name = s->texts[frame->function];

		if (ts_is_python(s->texts[frame->file]))
			break;
		if (ts_span_skip(&name, "at::_ops::") && ts_span_through(name, ':').len)
			names[n++ % TS_MEMORY_CALLS] = ts_span_of(name.data, ts_span_through(name, ':').len - 1);
	}
	for (size_t k = 0; k < n && k < TS_MEMORY_CALLS && text; k++)
		text = ts_arena_printf(arena, "%s%s%.*s", text, k ? " < " : "", TS_SPAN_ARG(names[(n - 1 - k) % TS_MEMORY_CALLS]));
	return text ? ts_span_str(text) : ts_span_of(NULL, 0);
}

static struct ts_memory_diff_row row_of(const struct pair *p, const struct bucket *b, bool lines)
{
	struct ts_memory_diff_row row = {.a = b->sums[0], .b = b->sums[1], .difference = less(b->sums[1].bytes, b->sums[0].bytes)};
	int k = b->has[1];
	uint32_t frame = b->stack[k] == TS_SNAPSHOT_NONE ? TS_SNAPSHOT_NONE : p->memory[k].origins[b->stack[k]].frame;
	const struct ts_snapshot *s = p->replays[k].snapshot;

	row.match = lines ? TS_MATCH_LINES : TS_MATCH_STACK;
	if (!b->has[0] || !b->has[1])
		row.match = b->has[0] ? TS_MATCH_ONLY_A : TS_MATCH_ONLY_B;
	row.kind = (enum ts_memory_kind)b->kind[b->sums[1].bytes >= b->sums[0].bytes && b->has[1]];
	if (frame != TS_SNAPSHOT_NONE) {
		row.file = s->texts[s->frames[frame].file];
		row.function = s->texts[s->frames[frame].function];
	}
	row.scales = row.a.largest > TS_MEMORY_RATIO_FROM && row.b.largest > TS_MEMORY_RATIO_FROM;
	row.ratio = row.scales ? (double)row.b.largest / (double)row.a.largest : 0;
	row.calls = ts_memory_calls(&p->memory[k], b->stack[k], p->arena);
	row.operators = operators_of(s, b->stack[k], p->arena);
	return row;
}

TS_ORDER(largest_first, struct ts_memory_diff_row, TS_BY(size_of(b->difference), size_of(a->difference)); TS_DOWN(b.bytes);
	 TS_TEXT(file); TS_TEXT(function); TS_TEXT(calls))

/* Moves what one side alone has to the buckets of its stack without lines, where both sides have some there. */
static void join_loosely(struct bucket *exact, uint32_t n, struct bucket *loose)
{
	for (uint32_t i = 1; i < n; i++)
		if (exact[i].has[0] != exact[i].has[1])
			loose[exact[i].loose].has[exact[i].has[1]] = true;
	for (uint32_t i = 1; i < n; i++) {
		struct bucket *to = &loose[exact[i].loose];
		int k = exact[i].has[1];

		if (exact[i].has[0] == exact[i].has[1] || !to->has[0] || !to->has[1])
			continue;
		if (!to->sums[k].count)
			to->has[k] = false; /* it was a mark so far */
		put(to, k, &exact[i]);
		to->has[k] = true;
		exact[i].has[0] = exact[i].has[1] = false;
	}
}

static enum ts_status rows_of(const struct pair *p, struct bucket *exact, struct ts_memory_diff_moment *m, struct ts_error *err)
{
	uint32_t n_exact = p->stacks->n_exact, n_loose = p->stacks->n_loose;
	struct bucket *loose = ts_arena_array(p->arena, n_loose, sizeof *loose);

	m->rows = ts_arena_array(p->arena, (size_t)n_exact + n_loose, sizeof *m->rows);
	if (!loose || !m->rows)
		return ts_arena_error(p->arena, err);
	join_loosely(exact, n_exact, loose);
	for (uint32_t i = 0; i < n_exact; i++)
		if (exact[i].has[0] || exact[i].has[1])
			m->rows[m->n++] = row_of(p, &exact[i], false);
	for (uint32_t i = 0; i < n_loose; i++)
		if (loose[i].sums[0].count && loose[i].sums[1].count)
			m->rows[m->n++] = row_of(p, &loose[i], true);
	TS_SORT(m->rows, m->n, largest_first);
	for (size_t i = 0; i < m->n; i++) {
		m->a += m->rows[i].a.bytes;
		m->b += m->rows[i].b.bytes;
		m->n_differ += m->rows[i].difference != 0;
	}
	m->difference = less(m->b, m->a);
	return ts_arena_check(p->arena, err);
}

static void sum_kinds(const struct pair *p, const uint32_t events[2], struct ts_memory_diff_moment *m)
{
	for (int i = 0; i < TS_MEMORY_KINDS; i++)
		m->kinds[i].kind = (enum ts_memory_kind)i;
	for (int k = 0; k < 2; k++)
		for (uint32_t i = 0; i < p->replays[k].n_lives; i++)
			if (ts_life_at(&p->replays[k].lives[i], events[k]))
				*(k ? &m->kinds[p->memory[k].kinds[i]].b : &m->kinds[p->memory[k].kinds[i]].a) +=
					p->replays[k].lives[i].requested;
	for (int i = 0; i < TS_MEMORY_KINDS; i++)
		m->kinds[i].difference = less(m->kinds[i].b, m->kinds[i].a);
}

/* The sums by kind of one side alone would differ from those of the other whatever it holds. */
static void forget_kinds(struct ts_memory_diff_moment *m)
{
	for (int i = 0; i < TS_MEMORY_KINDS; i++)
		m->kinds[i] = (struct ts_memory_diff_kind){.kind = (enum ts_memory_kind)i};
	m->kinds[TS_MEMORY_UNKNOWN] = (struct ts_memory_diff_kind){TS_MEMORY_UNKNOWN, m->a, m->b, m->difference};
}

static enum ts_status moment(const struct pair *p, const uint32_t events[2], struct ts_memory_diff_moment *m, struct ts_error *err)
{
	struct bucket *buckets = ts_arena_array(p->arena, p->stacks->n_exact, sizeof *buckets);

	if (!buckets)
		return ts_arena_error(p->arena, err);
	for (int k = 0; k < 2; k++)
		if (hold(p, k, events[k], buckets, err))
			return err->status;
	m->known = true;
	sum_kinds(p, events, m);
	if (rows_of(p, buckets, m, err))
		return err->status;
	if (!p->replays[0].n_events || !p->replays[1].n_events)
		forget_kinds(m);
	return TS_OK;
}

/* --- stacks with the same source --- */

static int64_t line_shown(const struct ts_memory_diff_row *row)
{
	return row->match == TS_MATCH_ONLY_A ? row->a.line : row->b.line;
}

static bool same_source(const struct ts_memory_diff_row *a, const struct ts_memory_diff_row *b)
{
	return a->calls.len && b->calls.len && line_shown(a) == line_shown(b) && ts_span_eq(a->function, b->function) &&
	       ts_span_eq(a->file, b->file);
}

/* Takes the first of "a (a.py:1) < b (b.py:2)" off it. */
static struct ts_span take_call(struct ts_span *calls)
{
	struct ts_span between = ts_span_str(" < "), call = *calls;

	for (size_t i = 0; i + between.len <= calls->len; i++)
		if (ts_span_starts(ts_span_from(*calls, i), between)) {
			call = ts_span_of(calls->data, i);
			*calls = ts_span_from(*calls, i + between.len);
			return call;
		}
	*calls = ts_span_of(NULL, 0);
	return call;
}

/* Whether each row around with the source of row i has another call than this at this depth, or, of those with the same calls, another
 * operator. *io_any: there is such a row. */
static bool alone_in(const struct ts_memory_diff_moment *m, size_t i, struct ts_span call, int depth, bool operators, bool *io_any)
{
	size_t n = m->n < TS_MEMORY_DIFF_NEAR ? m->n : TS_MEMORY_DIFF_NEAR;

	for (size_t k = 0; k < n; k++) {
		struct ts_span other = operators ? m->rows[k].operators : m->rows[k].calls, at = other;

		if (k == i || !same_source(&m->rows[i], &m->rows[k]) || (operators && !ts_span_eq(m->rows[i].calls, m->rows[k].calls)))
			continue;
		*io_any = true;
		for (int d = 0; d <= depth; d++)
			at = take_call(&other);
		if (ts_span_eq(at, call))
			return false;
	}
	return true;
}

struct ts_memory_diff_apart ts_memory_diff_apart(const struct ts_memory_diff_moment *m, size_t i)
{
	struct ts_span left = m->rows[i].calls;
	bool any = false, within = true;

	for (int depth = 0; left.len && depth < TS_MEMORY_CALLS; depth++) {
		struct ts_span call = take_call(&left), name = m->rows[i].function;

		within = within && !(ts_span_starts(call, name) && ts_span_starts(ts_span_from(call, name.len), ts_span_str(" (")) &&
				     ts_span_starts(ts_span_from(call, name.len + 2), m->rows[i].file));
		if (alone_in(m, i, call, depth, false, &any) && any)
			return (struct ts_memory_diff_apart){.call = call, .within = within};
	}
	left = m->rows[i].operators;
	for (int depth = 0; any && left.len && depth < TS_MEMORY_CALLS; depth++) {
		struct ts_span operator = take_call(&left);

		if (alone_in(m, i, operator, depth, true, &any))
			return (struct ts_memory_diff_apart){.operator = operator};
	}
	return (struct ts_memory_diff_apart){.within = false};
}

/* --- the sentence --- */

static void say_where(struct ts_buf *out, const struct ts_memory_diff_row *row)
{
	int64_t line = line_shown(row);

	if (!row->file.len && !row->function.len) {
		ts_buf_str(out, "code that no stack names");
		return;
	}
	ts_memory_put_name(out, ts_memory_short_function(row->function), TS_MEMORY_NAME_SAID);
	if (line <= 0 && !ts_is_python(row->file))
		return;
	ts_buf_str(out, " (");
	ts_memory_put_name(out, row->file, TS_MEMORY_NAME_SAID);
	if (line > 0)
		ts_buf_printf(out, ":%" PRId64, line);
	ts_buf_str(out, ")");
}

enum { CLAUSES = 3, PART_OF_WHOLE = 20 /* a row below a twentieth of the difference is not named */ };

/* The rows that changed in the direction of the whole, the largest first, and what all others come to. */
static void say_rows(const struct ts_memory_diff_moment *m, struct ts_buf *out)
{
	int64_t rest = m->difference;
	struct ts_memory_diff_apart apart;
	int said = 0;

	for (size_t i = 0; i < m->n && said < CLAUSES; i++) {
		const struct ts_memory_diff_row *row = &m->rows[i];

		if ((row->difference > 0) != (m->difference > 0) || size_of(row->difference) < size_of(m->difference) / PART_OF_WHOLE)
			continue;
		ts_buf_str(out, said++ ? ", " : ": ");
		ts_print_bytes(out, (double)size_of(row->difference));
		ts_buf_str(out, row->match == TS_MATCH_ONLY_B
					? " new from "
					: (row->match == TS_MATCH_ONLY_A ? " gone from "
									 : (row->difference > 0 ? " more from " : " less from ")));
		say_where(out, row);
		apart = ts_memory_diff_apart(m, i);
		if (apart.call.len)
			ts_buf_printf(out, apart.within ? " through %.*s" : " called by %.*s", TS_SPAN_ARG(apart.call));
		if (apart.operator.len)
			ts_buf_printf(out, " by at::%.*s", TS_SPAN_ARG(apart.operator));
		if (row->kind != TS_MEMORY_UNKNOWN)
			ts_buf_printf(out, ", %s", ts_memory_kind_word(row->kind));
		rest -= row->difference;
	}
	if (said && rest) {
		ts_buf_str(out, ", and ");
		ts_print_bytes(out, (double)size_of(rest));
		ts_buf_str(out, rest > 0 ? " more from all others" : " less from all others");
	}
}

static enum ts_status say(struct ts_memory_diff_device *d, struct ts_arena *arena, struct ts_error *err)
{
	const struct ts_memory_diff_moment *m = d->peak.known ? &d->peak : &d->end;
	const char *what = d->peak.known ? "The peak" : "What is held at the end";
	struct ts_buf out = TS_BUF_INIT(1 << 20);
	enum ts_status status;

	ts_buf_str(&out, what);
	if (m->difference) {
		ts_buf_str(&out, m->difference > 0 ? " grew by " : " shrank by ");
		ts_print_bytes(&out, (double)size_of(m->difference));
		ts_buf_str(&out, ", from ");
		ts_print_bytes(&out, (double)m->a);
		ts_buf_str(&out, " to ");
		ts_print_bytes(&out, (double)m->b);
		say_rows(m, &out);
	} else {
		ts_buf_str(&out, " is the same to the byte, ");
		ts_print_bytes(&out, (double)m->b);
		if (m->n_differ)
			ts_buf_printf(&out, ", but held by others: %zu %s", m->n_differ,
				      m->n_differ == 1 ? "stack differs" : "stacks differ");
	}
	ts_buf_str(&out, ".");
	status = ts_buf_check(&out, err);
	d->sentence = ts_arena_span(arena, ts_buf_view(&out));
	ts_buf_finish(&out);
	return status ? status : ts_arena_check(arena, err);
}

/* What the file of a side may lack, as a sentence; "" where it is whole. */
static const char *lacking_of(const struct ts_snapshot *s, const char *side, struct ts_arena *arena)
{
	if (s->damaged)
		return ts_arena_printf(
			arena, "The file of %s is damaged: any of its numbers may be wrong, and what follows is missing.", side);
	if (!s->cut)
		return "";
	if (!s->traced)
		return ts_arena_printf(
			arena, "The file of %s ends too early: segments may be missing, and all of its history is.", side);
	if (s->n_cut_events)
		return ts_arena_printf(arena,
				       "The file of %s ends too early, within its history: the events of that device are not compared "
				       "(%" PRIu64 " of them stand before the end), and those of later devices are missing.",
				       side, s->n_cut_events);
	return ts_arena_printf(arena, "The file of %s ends too early: what stands behind its history is missing.", side);
}

static enum ts_status say_lacking(const struct ts_snapshot *const s[2], struct ts_memory_diff *d, struct ts_arena *arena,
				  struct ts_error *err)
{
	const char *a = lacking_of(s[0], "A", arena), *b = lacking_of(s[1], "B", arena), *text;

	text = a && b ? ts_arena_printf(arena, "%s%s%s", a, *a && *b ? " " : "", b) : NULL;
	if (!text)
		return ts_arena_error(arena, err);
	d->lacking = ts_span_str(text);
	return TS_OK;
}

/* --- the whole --- */

static const struct {
	const char *name;
	bool of_events; /* known if there are any */
} gauge_rows[TS_MEMORY_GAUGES] = {{"peak", true},      {"baseline", true},   {"reserved_peak", true},
				  {"reserved", false}, {"allocated", false}, {"requested", false},
				  {"rounding", false}, {"cached", false},    {"fragments", false}};

static void gauge_values(const struct ts_replay *r, uint64_t ret[TS_MEMORY_GAUGES])
{
	struct ts_fragments f;

	ts_fragments_of(r->snapshot, r->device, &f);
	memcpy(ret,
	       (const uint64_t[]){r->peak, r->baseline, r->reserved_peak, r->reserved, r->allocated, r->requested, r->rounding,
				  f.cached + f.pages, f.stuck},
	       TS_MEMORY_GAUGES * sizeof *ret);
}

static void gauges(const struct pair *p, struct ts_memory_diff_device *d)
{
	uint64_t a[TS_MEMORY_GAUGES], b[TS_MEMORY_GAUGES];

	gauge_values(&p->replays[0], a);
	gauge_values(&p->replays[1], b);
	for (int i = 0; i < TS_MEMORY_GAUGES; i++)
		d->gauges[i] = (struct ts_memory_diff_gauge){gauge_rows[i].name, !gauge_rows[i].of_events || p->replays[0].n_events,
							     !gauge_rows[i].of_events || p->replays[1].n_events, a[i], b[i]};
}

static enum ts_status device(struct pair *p, const struct ts_snapshot *const s[2], const struct ts_origin *const origins[2],
			     uint16_t number, struct ts_memory_diff_device *d, struct ts_error *err)
{
	uint32_t peaks[2], ends[2];

	*d = (struct ts_memory_diff_device){.device = number};
	for (int k = 0; k < 2; k++) {
		if (ts_replay_device(s[k], number, p->arena, &p->replays[k], err))
			return err->status;
		p->memory[k] = (struct ts_memory){
			.replay = &p->replays[k], .origins = origins[k], .kinds = ts_kinds_of(&p->replays[k], origins[k], p->arena)};
		if (!p->memory[k].kinds)
			return ts_arena_error(p->arena, err);
		peaks[k] = p->replays[k].peak_event;
		ends[k] = p->replays[k].n_events ? p->replays[k].n_events - 1 : TS_REPLAY_BEFORE;
	}
	gauges(p, d);
	if (p->replays[0].n_events && p->replays[1].n_events && moment(p, peaks, &d->peak, err))
		return err->status;
	if (moment(p, ends, &d->end, err))
		return err->status;
	return say(d, p->arena, err);
}

static bool is_there(const struct ts_snapshot *s, size_t device)
{
	if (device >= s->n_devices)
		return false;
	for (size_t i = 0; i < s->n_segments; i++)
		if (s->segments[i].device == device)
			return true;
	return s->devices[device].n_events > 0;
}

static bool same(const struct ts_memory_diff *d)
{
	if (d->only_a || d->only_b || d->lacking.len)
		return false;
	for (size_t i = 0; i < d->n; i++) {
		if (d->devices[i].peak.n_differ || d->devices[i].end.n_differ)
			return false;
		for (int k = 0; k < TS_MEMORY_GAUGES; k++)
			if (d->devices[i].gauges[k].known_a != d->devices[i].gauges[k].known_b ||
			    d->devices[i].gauges[k].a != d->devices[i].gauges[k].b)
				return false;
	}
	return true;
}

enum ts_status ts_memory_diff(const struct ts_snapshot *a, const struct ts_snapshot *b, struct ts_arena *arena,
			      struct ts_memory_diff *ret_diff, struct ts_error *err)
{
	const struct ts_snapshot *const s[2] = {a, b};
	const struct ts_origin *const origins[2] = {ts_origins(a, arena), ts_origins(b, arena)};
	size_t n = a->n_devices > b->n_devices ? a->n_devices : b->n_devices;
	struct ts_memory_diff d = {.devices = ts_arena_array(arena, n, sizeof *d.devices)};
	struct ts_stack_pairs stacks;

	TS_DOOR(ts_snapshot_holds(a) && ts_snapshot_holds(b));
	if (!d.devices || !origins[0] || !origins[1])
		return ts_arena_error(arena, err);
	if (ts_stack_pairs(a, b, arena, &stacks, err))
		return err->status;
	for (size_t i = 0; i < n; i++) {
		bool in_a = is_there(a, i), in_b = is_there(b, i);
		struct pair *p;

		d.only_a += in_a && !in_b;
		d.only_b += in_b && !in_a;
		if (!in_a || !in_b)
			continue;
		p = ts_arena_array(arena, 1, sizeof *p);
		if (!p)
			return ts_arena_error(arena, err);
		p->stacks = &stacks;
		p->arena = arena;
		if (device(p, s, origins, (uint16_t)i, &d.devices[d.n++], err))
			return err->status;
	}
	if (say_lacking(s, &d, arena, err))
		return err->status;
	d.same = same(&d);
	*ret_diff = d;
	return TS_OK;
}
