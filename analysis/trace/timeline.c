#include "analysis/trace/timeline.h"

#include "base/number.h"

/* A device's event, as far as it matters here. */
struct work {
	int64_t begin, end;
	uint64_t group; /* of the population that is being made */
	uint32_t row;	/* of spans */
	uint8_t class;	/* bits of `enum part` */
	uint8_t collective;
};

enum part { COMPUTATION = 1, COMMUNICATION = 2, MEMORY = 4 };

/* --- sorting --- */

typedef bool before_fn(const struct work *a, const struct work *b); /* inlined: sort is compiled once for each */

static bool begins_before(const struct work *a, const struct work *b)
{
	return a->begin < b->begin;
}

static bool group_before(const struct work *a, const struct work *b)
{
	return a->group < b->group;
}

static inline void merge(const struct work *from, size_t low, size_t middle, size_t high, struct work *to, before_fn *before)
{
	size_t a = low, b = middle;

	for (size_t i = low; i < high; i++)
		to[i] = b == high || (a < middle && !before(&from[b], &from[a])) ? from[a++] : from[b++];
}

/* The end of the run that begins at i. */
static inline size_t run_end(const struct work *w, size_t n, size_t i, before_fn *before)
{
	i++;
	while (i < n && !before(&w[i], &w[i - 1]))
		i++;
	return i;
}

/* Merges runs until there is one: stable, and as fast as it can be for events that are in order but for some. spare has n, too. */
static inline __attribute__((always_inline)) void sort(struct work *w, size_t n, struct work *spare, before_fn *before)
{
	struct work *from = w, *to = spare;
	size_t runs = 2;

	while (runs > 1) {
		runs = 0;
		for (size_t low = 0; low < n; runs++) {
			size_t middle = run_end(from, n, low, before);
			size_t high = middle < n ? run_end(from, n, middle, before) : n;

			merge(from, low, middle < n ? middle : n, high, to, before);
			low = high;
		}
		struct work *swap = from;

		from = to;
		to = swap;
	}
	if (from != w)
		memcpy(w, from, n * sizeof *w);
}

/* --- one population --- */

/* The length of a union of intervals that come by their begins. */
struct cover {
	int64_t until;
	uint64_t ns;
	bool any;
};

static void cover(struct cover *c, int64_t begin, int64_t end)
{
	if (c->any && end <= c->until)
		return;
	c->ns += (uint64_t)end - (uint64_t)(c->any && begin < c->until ? c->until : begin);
	c->until = end;
	c->any = true;
}

struct covers {
	struct cover parts[8]; /* by the mask of parts that it covers */
	struct cover collectives[TS_COLLECTIVES], with_computation[TS_COLLECTIVES];
	uint8_t occurring[TS_COLLECTIVES]; /* the collectives of this population */
	size_t n_occurring;
};

static void cover_all(struct covers *c, const struct work *w)
{
	static const uint8_t masks[] = {COMPUTATION, COMMUNICATION, MEMORY, COMPUTATION | COMMUNICATION,
					COMPUTATION | COMMUNICATION | MEMORY};

	for (size_t i = 0; i < sizeof masks; i++)
		if (w->class & masks[i])
			cover(&c->parts[masks[i]], w->begin, w->end);
	if (w->class & COMMUNICATION)
		cover(&c->collectives[w->collective], w->begin, w->end);
	for (size_t i = 0; i < c->n_occurring; i++)
		if (w->class & COMPUTATION || (w->class & COMMUNICATION && w->collective == c->occurring[i]))
			cover(&c->with_computation[c->occurring[i]], w->begin, w->end);
}

static void count(struct ts_timeline *t, const struct work *w, const struct ts_trace_spans *spans)
{
	uint64_t duration = (uint64_t)w->end - (uint64_t)w->begin;

	if (!t->events++ || w->end > t->end_ns)
		t->end_ns = w->end;
	t->communications += w->class == COMMUNICATION;
	t->computations += w->class == COMPUTATION;
	t->copies += w->class == MEMORY;
	t->fills += spans->kind[w->row] == TS_TRACE_FILL;
	t->collectives[w->collective].events += w->class == COMMUNICATION;
	t->sum_ns = t->sum_ns + duration < duration ? UINT64_MAX : t->sum_ns + duration;
}

/* w is sorted by begin. */
static struct ts_timeline measure(const struct work *w, size_t n, const struct ts_trace_spans *spans)
{
	struct ts_timeline t = {0};
	struct covers c = {0};

	if (!n)
		return t;
	for (size_t i = 0; i < n; i++)
		count(&t, &w[i], spans);
	for (uint8_t i = 0; i < TS_COLLECTIVES; i++)
		if (t.collectives[i].events)
			c.occurring[c.n_occurring++] = i;
	for (size_t i = 0; i < n; i++)
		cover_all(&c, &w[i]);
	t.begin_ns = w[0].begin;
	t.span_ns = (uint64_t)t.end_ns - (uint64_t)t.begin_ns;
	t.computation_ns = c.parts[COMPUTATION].ns;
	t.communication_ns = c.parts[COMMUNICATION].ns;
	t.memory_ns = c.parts[MEMORY].ns;
	t.busy_ns = c.parts[COMPUTATION | COMMUNICATION | MEMORY].ns;
	t.idle_ns = t.span_ns - t.busy_ns;
	t.exposed_communication_ns = c.parts[COMPUTATION | COMMUNICATION].ns - t.computation_ns;
	t.overlapped_communication_ns = t.communication_ns - t.exposed_communication_ns;
	t.exposed_memory_ns = t.busy_ns - c.parts[COMPUTATION | COMMUNICATION].ns;
	for (size_t i = 0; i < c.n_occurring; i++) {
		struct ts_timeline_collective *k = &t.collectives[c.occurring[i]];

		k->ns = c.collectives[c.occurring[i]].ns;
		k->exposed_ns = c.with_computation[c.occurring[i]].ns - t.computation_ns;
	}
	return t;
}

/* --- what the events are --- */

enum { NOT_YET = 0xff };

static uint8_t class_of(const struct ts_trace *trace, size_t row, uint8_t *categories)
{
	uint32_t name = trace->rows.spans.name[row];

	if (trace->rows.spans.kind[row] == TS_TRACE_COPY)
		return MEMORY;
	if (trace->rows.spans.kind[row] == TS_TRACE_FILL)
		return COMPUTATION;
	if (categories[name] == NOT_YET)
		categories[name] = (uint8_t)ts_kernel_category(trace->names[name]);
	return categories[name] == TS_KERNEL_COMMUNICATION ? COMMUNICATION : COMPUTATION;
}

static enum ts_status gather(const struct ts_trace *trace, struct ts_arena *arena, struct work **ret, size_t *ret_n,
			     struct ts_error *err)
{
	const struct ts_trace_spans *s = &trace->rows.spans;
	uint8_t *categories = ts_arena_alloc(arena, trace->n_names + 1);
	struct work *w;
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		n += ts_trace_on_device(s->kind[i]);
	w = ts_arena_array(arena, n, sizeof *w);
	if (!w || !categories)
		return ts_arena_error(arena, err);
	memset(categories, NOT_YET, trace->n_names + 1);
	*ret = w;
	*ret_n = n;
	for (size_t i = 0; i < s->n; i++) {
		if (!ts_trace_on_device(s->kind[i]))
			continue;
		*w = (struct work){.begin = s->start_ns[i], .end = s->start_ns[i] + s->duration_ns[i], .row = (uint32_t)i};
		w->class = class_of(trace, i, categories);
		if (w->class == COMMUNICATION)
			w->collective = (uint8_t)ts_kernel_collective(trace->names[s->name[i]], trace->names[s->collective[i]]);
		w++;
	}
	return TS_OK;
}

/* --- devices and streams --- */

/* Puts the events of each group together, in their order, and calls make for each group. */
static void by_group(struct work *w, size_t n, struct work *spare, const struct ts_trace_spans *spans, void *ctx,
		     void (*make)(void *ctx, uint64_t group, const struct ts_timeline *timeline))
{
	sort(w, n, spare, group_before);
	for (size_t i = 0; i < n;) {
		struct ts_timeline timeline;
		size_t end = i;

		while (end < n && w[end].group == w[i].group)
			end++;
		timeline = measure(w + i, end - i, spans);
		make(ctx, w[i].group, &timeline);
		i = end;
	}
}

/* Where an event ran, as one number that sorts by device and then stream. */
enum { OFFSET = -INT32_MAX - 1 };

static uint64_t place_of(int32_t device, int32_t stream)
{
	return (uint64_t)((uint32_t)device ^ (uint32_t)OFFSET) << 32 | ((uint32_t)stream ^ (uint32_t)OFFSET);
}

struct places {
	struct ts_timeline_of *items;
	size_t n;
};

static void add_place(void *ctx, uint64_t group, const struct ts_timeline *timeline)
{
	struct places *p = ctx;

	p->items[p->n++] = (struct ts_timeline_of){.device = (int32_t)((uint32_t)(group >> 32) ^ (uint32_t)OFFSET),
						   .stream = (int32_t)((uint32_t)group ^ (uint32_t)OFFSET),
						   .timeline = *timeline};
}

static size_t count_groups(const struct work *w, size_t n)
{
	size_t groups = n > 0;

	for (size_t i = 1; i < n; i++)
		groups += w[i].group != w[i - 1].group;
	return groups;
}

/* w is sorted by begin, and is so afterwards in `sorted`, from which it is copied. */
static enum ts_status places(struct work *w, const struct work *sorted, size_t n, struct work *spare, const struct ts_trace_spans *s,
			     bool streams, struct ts_arena *arena, struct places *ret, struct ts_error *err)
{
	memcpy(w, sorted, n * sizeof *w);
	for (size_t i = 0; i < n; i++)
		w[i].group = place_of(s->device[w[i].row], streams ? s->stream[w[i].row] : TS_TRACE_NO_DEVICE);
	sort(w, n, spare, group_before);
	ret->items = ts_arena_array(arena, count_groups(w, n), sizeof *ret->items);
	if (!ret->items)
		return ts_arena_error(arena, err);
	by_group(w, n, spare, s, ret, add_place);
	return TS_OK;
}

/* --- steps --- */

static bool step_number(struct ts_span name, int64_t *ret)
{
	return ts_span_skip(&name, "ProfilerStep#") && ts_parse_i64(name, ret);
}

static enum ts_status find_steps(const struct ts_trace *trace, struct ts_arena *arena, struct ts_timelines *out, struct ts_error *err)
{
	const struct ts_trace_spans *s = &trace->rows.spans;
	struct work *w, *spare;
	int64_t number;
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		n += s->kind[i] == TS_TRACE_ANNOTATION && step_number(trace->names[s->name[i]], &number);
	w = ts_arena_array(arena, n, sizeof *w);
	spare = ts_arena_array(arena, n, sizeof *spare);
	out->steps = ts_arena_array(arena, n, sizeof *out->steps);
	if (!w || !spare || !out->steps)
		return ts_arena_error(arena, err);
	n = 0;
	for (size_t i = 0; i < s->n; i++)
		if (s->kind[i] == TS_TRACE_ANNOTATION && step_number(trace->names[s->name[i]], &number))
			w[n++] = (struct work){.begin = s->start_ns[i], .group = (uint64_t)number, .row = (uint32_t)i};
	sort(w, n, spare, begins_before);
	for (size_t i = 0; i < n; i++)
		out->steps[i] = (struct ts_timeline_step){
			.number = (int64_t)w[i].group, .start_ns = w[i].begin, .duration_ns = (uint64_t)s->duration_ns[w[i].row]};
	out->n_steps = n;
	return TS_OK;
}

/* The calls that launched something, by correlation. */
struct launches {
	struct work *items;
	size_t n, last;
};

static enum ts_status find_launches(const struct ts_trace *trace, struct ts_arena *arena, struct launches *ret, struct ts_error *err)
{
	const struct ts_trace_spans *s = &trace->rows.spans;
	struct work *spare;
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		n += s->kind[i] == TS_TRACE_RUNTIME && s->correlation[i] != TS_TRACE_NONE;
	ret->items = ts_arena_array(arena, n, sizeof *ret->items);
	spare = ts_arena_array(arena, n, sizeof *spare);
	if (!ret->items || !spare)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < s->n; i++)
		if (s->kind[i] == TS_TRACE_RUNTIME && s->correlation[i] != TS_TRACE_NONE)
			ret->items[ret->n++] = (struct work){.begin = s->start_ns[i], .group = (uint64_t)s->correlation[i]};
	sort(ret->items, ret->n, spare, group_before);
	return TS_OK;
}

/* The first of these that is not before the key. Who asks in the order of correlations finds the next at once. */
static const struct work *launch_of(struct launches *l, uint64_t correlation)
{
	size_t low = 0, n = l->n;

	if (l->last + 1 < l->n && l->items[l->last + 1].group == correlation && l->items[l->last].group != correlation)
		return &l->items[++l->last];
	while (n) {
		size_t half = n / 2;

		if (l->items[low + half].group < correlation) {
			low += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	if (low == l->n || l->items[low].group != correlation)
		return NULL;
	l->last = low;
	return &l->items[low];
}

/* The number + 1 of the step during which this time lies; 0: none. */
static uint64_t step_at(const struct ts_timelines *out, int64_t time)
{
	size_t low = 0, n = out->n_steps;

	while (n) {
		size_t half = n / 2;

		if (out->steps[low + half].start_ns <= time) {
			low += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	if (!low || (uint64_t)time - (uint64_t)out->steps[low - 1].start_ns >= out->steps[low - 1].duration_ns)
		return 0;
	return low;
}

static void set_step(void *ctx, uint64_t group, const struct ts_timeline *timeline)
{
	struct ts_timelines *out = ctx;

	*(group ? &out->steps[group - 1].timeline : &out->between) = *timeline;
}

static enum ts_status by_step(const struct ts_trace *trace, struct work *w, size_t n, struct work *spare, struct ts_arena *arena,
			      struct ts_timelines *out, struct ts_error *err)
{
	const struct ts_trace_spans *s = &trace->rows.spans;
	struct launches launches = {0};
	size_t launched = 0;

	if (find_steps(trace, arena, out, err) || find_launches(trace, arena, &launches, err))
		return err->status;
	for (size_t i = 0; i < n; i++) {
		int64_t correlation = s->correlation[w[i].row];
		const struct work *launch = correlation == TS_TRACE_NONE ? NULL : launch_of(&launches, (uint64_t)correlation);

		if (launch)
			spare[launched++] = w[i];
		w[i].group = step_at(out, launch ? launch->begin : w[i].begin);
	}
	out->launched = measure(spare, launched, s);
	out->unlaunched = n - launched;
	by_group(w, n, spare, s, out, set_step);
	return TS_OK;
}

enum ts_status ts_timelines(const struct ts_trace *trace, struct ts_arena *arena, struct ts_timelines *ret, struct ts_error *err)
{
	struct ts_timelines out = {0};
	struct places devices = {0}, streams = {0};
	struct work *sorted = NULL, *w, *spare;
	size_t n = 0;

	if (gather(trace, arena, &sorted, &n, err))
		return err->status;
	w = ts_arena_array(arena, n, sizeof *w);
	spare = ts_arena_array(arena, n, sizeof *spare);
	if (!w || !spare)
		return ts_arena_error(arena, err);
	sort(sorted, n, spare, begins_before);
	out.all = measure(sorted, n, &trace->rows.spans);
	if (places(w, sorted, n, spare, &trace->rows.spans, false, arena, &devices, err) ||
	    places(w, sorted, n, spare, &trace->rows.spans, true, arena, &streams, err) ||
	    by_step(trace, sorted, n, spare, arena, &out, err))
		return err->status;
	out.devices = devices.items;
	out.n_devices = devices.n;
	out.streams = streams.items;
	out.n_streams = streams.n;
	*ret = out;
	return TS_OK;
}
