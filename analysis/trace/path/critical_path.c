#include "analysis/trace/path/critical_path.h"

#include "analysis/trace/device/trace_steps.h"
#include "analysis/trace/path/path_graph.h"
#include "base/bisect.h"
#include "base/door.h"
#include "base/order.h"

enum { IFS_BY_WHAT = 8, NO_POINT = UINT32_MAX };

struct path {
	struct ts_path_graph g;
	struct ts_critical_path out;
	struct step {
		int64_t number, begin;
		uint32_t span, mark, last; /* the end of its annotation, and the last point that it waits for */
	} * steps;
	size_t n_steps;
	uint32_t *ends; /* by window: its last point */
	uint8_t *sink;	/* by point */
	uint32_t *step; /* by work: the steps that had begun when it was launched */
};

/* --- steps --- */

static enum ts_status find_steps(struct path *p, struct ts_arena *arena, struct ts_error *err)
{
	struct ts_trace_step *steps = NULL;

	if (ts_trace_steps(p->g.trace, arena, &steps, &p->n_steps, err))
		return err->status;
	p->steps = ts_arena_array(arena, p->n_steps, sizeof *p->steps);
	if (!p->steps)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < p->n_steps; i++)
		p->steps[i] =
			(struct step){.number = steps[i].number, .begin = steps[i].start_ns, .span = steps[i].row, .last = NO_POINT};
	return TS_OK;
}

static uint32_t steps_begun(const struct path *p, int64_t time)
{
	size_t low = 0;

	TS_BISECT(low, p->n_steps, i, p->steps[i].begin <= time);
	return (uint32_t)low;
}

static void later(const struct ts_path_graph *g, uint32_t *last, uint32_t point)
{
	if (*last == NO_POINT || g->rank[point] > g->rank[*last])
		*last = point;
}

/* The last point of each step: the end of its annotation, and of all work that was launched before the next one began. */
static enum ts_status finish_steps(struct path *p, struct ts_arena *arena, struct ts_error *err)
{
	const struct ts_path_graph *g = &p->g;
	const struct ts_trace_spans *s = &g->trace->rows.spans;
	uint32_t *chain = ts_arena_array(arena, g->trace->n_threads + 1, sizeof *chain);

	p->step = ts_arena_array(arena, g->n_work, sizeof *p->step);
	if (!chain || !p->step)
		return ts_arena_error(arena, err);
	for (uint32_t i = 0; i < g->n_threads; i++)
		chain[g->threads[i].thread] = i;
	for (size_t i = 0; i < p->n_steps; i++) {
		uint32_t span = p->steps[i].span;

		p->steps[i].mark = ts_path_last_at(g, &g->threads[chain[s->thread[span]]], s->start_ns[span] + s->duration_ns[span]);
		p->steps[i].last = p->steps[i].mark;
	}
	for (size_t k = 0; k < g->n_work; k++) {
		p->step[k] = steps_begun(p, g->call[k] == TS_PATH_NONE ? g->work[k].begin : g->at[g->call[k]]);
		if (p->n_steps)
			later(g, &p->steps[p->step[k] ? p->step[k] - 1 : 0].last, (uint32_t)(g->n_host + 2 * k + 1));
	}
	for (size_t i = 1; i < p->n_steps; i++)
		later(g, &p->steps[i].last, p->steps[i - 1].last);
	return TS_OK;
}

/* --- windows --- */

static void add_window(struct path *p, const struct step *step, int64_t begin, uint32_t last)
{
	struct ts_path_window *w = &p->out.windows[p->out.n_windows];

	*w = (struct ts_path_window){.is_step = step, .step = step ? step->number : 0, .begin_ns = begin};
	w->ns = p->g.at[last] > begin ? ts_path_between(begin, p->g.at[last]) : 0;
	p->out.ns += w->ns;
	p->ends[p->out.n_windows++] = last;
}

static enum ts_status one_step(struct path *p, const struct ts_path_asked *asked, size_t *ret_first, size_t *ret_n,
			       struct ts_error *err)
{
	for (size_t i = 0; i < p->n_steps; i++)
		if (p->steps[i].number == asked->step) {
			*ret_first = i;
			*ret_n = 1;
			return TS_OK;
		}
	return ts_error_set(err, TS_NOT_FOUND, "the trace has no step %" PRId64 "; it has %zu", asked->step, p->n_steps);
}

/* Whether a thread has an operator, a call or an annotation. One of nothing but Python functions was only there: its functions end when
 * the recording does. */
static void find_busy(const struct ts_trace *trace, uint8_t *busy)
{
	const struct ts_trace_spans *s = &trace->rows.spans;

	for (size_t i = 0; i < s->n; i++)
		busy[s->thread[i]] |=
			s->kind[i] == TS_TRACE_OPERATOR || s->kind[i] == TS_TRACE_ANNOTATION || s->kind[i] == TS_TRACE_RUNTIME;
}

/* The window over everything that devices and busy threads did; over every point, if there is none of these. */
static enum ts_status whole_recording(struct path *p, struct ts_arena *arena, struct ts_error *err)
{
	const struct ts_path_graph *g = &p->g;
	uint8_t *busy = ts_arena_array(arena, g->trace->n_threads + 1, 1);
	uint32_t first = NO_POINT, last = NO_POINT;

	if (!busy)
		return ts_arena_error(arena, err);
	find_busy(g->trace, busy);
	memset(p->sink + g->n_host, 1, g->n - g->n_host);
	for (size_t i = 0; i < g->n_threads; i++)
		memset(p->sink + g->threads[i].first, busy[g->threads[i].thread], g->threads[i].n);
	for (size_t i = 0; i < g->n; i++) {
		uint32_t point = g->order[i];

		if (first == NO_POINT && p->sink[point])
			first = point;
		last = p->sink[point] ? point : last;
	}
	if (first == NO_POINT) {
		memset(p->sink, 1, g->n);
		first = g->order[0];
		last = g->order[g->n - 1];
	}
	add_window(p, NULL, g->at[first], last);
	return TS_OK;
}

static enum ts_status find_windows(struct path *p, const struct ts_path_asked *asked, struct ts_arena *arena, struct ts_error *err)
{
	const struct ts_path_graph *g = &p->g;
	size_t first = asked->has_warmup ? (size_t)asked->warmup : 1;
	size_t n = p->n_steps <= first || (!asked->has_warmup && p->n_steps < 3) ? 0 : p->n_steps - first;

	if (asked->has_step && one_step(p, asked, &first, &n, err))
		return err->status;
	p->out.windows = ts_arena_array(arena, n + 1, sizeof *p->out.windows);
	p->ends = ts_arena_array(arena, n + 1, sizeof *p->ends);
	p->sink = ts_arena_array(arena, g->n, 1);
	if (!p->out.windows || !p->ends || !p->sink)
		return ts_arena_error(arena, err);
	for (size_t i = first; i < first + n; i++)
		add_window(p, &p->steps[i], i ? g->at[p->steps[i - 1].last] : p->steps[i].begin, p->steps[i].last);
	if (!n)
		return g->n ? whole_recording(p, arena, err) : TS_OK;
	for (size_t i = first; i < first + n; i++)
		p->sink[p->steps[i].mark] = p->sink[p->steps[i].last] = 1;
	for (size_t k = 0; k < g->n_work; k++)
		p->sink[g->n_host + 2 * k + 1] = p->step[k] <= first + n;
	return TS_OK;
}

/* --- the way back --- */

/* The thread of the trace on which a point of the host lies. */
static uint32_t thread_of(const struct ts_path_graph *g, uint32_t point)
{
	size_t low = 0;

	TS_BISECT(low, g->n_threads, i, g->threads[i].first <= point);
	return g->threads[low - 1].thread;
}

/* The stretch before a point, without its times. Returns where it begins, NO_POINT if nothing is known to have led here. */
static uint32_t before(const struct ts_path_graph *g, uint32_t point, struct ts_path_piece *piece)
{
	const struct ts_path_link *l = g->bound[point] == TS_PATH_NONE ? NULL : &g->links[g->bound[point]];
	uint32_t owner = l && l->how == TS_PATH_BY_OVERLAP ? l->from : point;

	*piece = (struct ts_path_piece){.span = g->span[owner], .what = TS_PATH_UNKNOWN};
	piece->thread = owner < g->n_host ? thread_of(g, owner) : g->trace->rows.spans.thread[g->span[owner]];
	if (l) {
		piece->what = ts_path_link_what(g, g->bound[point]);
		return l->from;
	}
	if (g->chain[point] == TS_PATH_FIRST)
		return NO_POINT;
	piece->what = g->what[point];
	return point - 1;
}

/* Goes back through a window, and gives the pieces from the last on: to `to` downwards, or to nowhere. Returns their number. */
static size_t go_back(const struct path *p, size_t window, struct ts_path_piece *to)
{
	const struct ts_path_graph *g = &p->g;
	int64_t begin = p->out.windows[window].begin_ns;
	uint32_t point = p->ends[window];
	size_t n = 0;

	while (point != NO_POINT && g->at[point] > begin) {
		struct ts_path_piece piece;
		uint32_t from = before(g, point, &piece);

		piece.begin_ns = from == NO_POINT || g->at[from] < begin ? begin : g->at[from];
		piece.ns = ts_path_between(piece.begin_ns, g->at[point]);
		if (piece.ns && to)
			*--to = piece;
		n += piece.ns > 0;
		point = from;
	}
	return n;
}

static void count_pieces(struct path *p, struct ts_path_window *w, const struct ts_path_piece *pieces, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		enum ts_path_group group = ts_path_group(pieces[i].what);
		struct ts_path_row *row = &p->out.rows[pieces[i].what];

		row->ns += pieces[i].ns;
		row->count++;
		row->longest_ns = pieces[i].ns > row->longest_ns ? pieces[i].ns : row->longest_ns;
		w->groups[group] += pieces[i].ns;
		p->out.groups[group] += pieces[i].ns;
	}
}

TS_ORDER(longest_row, struct ts_path_row, TS_DOWN(ns); TS_UP(what))

TS_ORDER(longest_piece, struct ts_path_stretch, TS_DOWN(piece.ns); TS_UP(piece.begin_ns))

/* Keeps the longest pieces: those that are longer than the shortest of what is kept replace it. */
static void find_longest(struct ts_critical_path *out, const struct ts_trace *trace)
{
	for (size_t i = 0; i < out->n_pieces; i++) {
		size_t at = out->n_longest;

		if (at == TS_PATH_LONGEST && out->pieces[i].ns <= out->longest[at - 1].piece.ns)
			continue;
		at = at == TS_PATH_LONGEST ? at - 1 : out->n_longest++;
		out->longest[at] = (struct ts_path_stretch){.piece = out->pieces[i]};
		if (out->pieces[i].span != TS_PATH_NONE)
			out->longest[at].name = trace->names[trace->rows.spans.name[out->pieces[i].span]];
		TS_SORT(out->longest, out->n_longest, longest_piece);
	}
}

static enum ts_status find_pieces(struct path *p, struct ts_arena *arena, struct ts_error *err)
{
	struct ts_critical_path *out = &p->out;
	size_t kept = 0;

	for (size_t i = 0; i < out->n_windows; i++)
		out->n_pieces += go_back(p, i, NULL);
	out->pieces = ts_arena_array(arena, out->n_pieces, sizeof *out->pieces);
	out->longest = ts_arena_array(arena, TS_PATH_LONGEST, sizeof *out->longest);
	out->rows = ts_arena_array(arena, TS_PATH_WHATS, sizeof *out->rows);
	if (!out->pieces || !out->longest || !out->rows)
		return ts_arena_error(arena, err);
	for (size_t i = 0, at = 0, n; i < out->n_windows; i++, at += n) {
		n = go_back(p, i, NULL);
		(void)go_back(p, i, out->pieces + at + n);
		count_pieces(p, &out->windows[i], out->pieces + at, n);
	}
	find_longest(out, p->g.trace);
	for (uint32_t i = 0; i < TS_PATH_WHATS; i++) {
		out->rows[i].what = i;
		out->rows[i].group = ts_path_group(i);
		if (out->rows[i].count)
			out->rows[kept++] = out->rows[i];
	}
	out->n_rows = kept;
	TS_SORT(out->rows, kept, longest_row);
	for (int i = 0; i < TS_PATH_GROUPS; i++)
		out->bound = out->groups[i] > out->groups[out->bound] ? (enum ts_path_group)i : out->bound;
	return TS_OK;
}

/* --- what if --- */

static uint64_t bits_of(enum ts_path_group group)
{
	uint64_t bits = 0;

	for (uint32_t i = 0; i < TS_PATH_WHATS; i++)
		if (ts_path_group(i) == group)
			bits |= UINT64_C(1) << i;
	return bits;
}

static uint64_t replay(const struct path *p, const struct ts_what_if_change *change, uint64_t *spare)
{
	struct ts_what_if_range range = {
		.begin_ns = p->out.windows[0].begin_ns, .end_ns = p->g.at[p->ends[p->out.n_windows - 1]], .sink = p->sink};

	return ts_what_if_ns(&p->g, &range, change, spare);
}

static void add_if(struct path *p, struct ts_what_if what, const struct ts_what_if_change *change, uint64_t *spare)
{
	what.ns = replay(p, change, spare);
	what.saved_ns = p->out.ns > what.ns ? p->out.ns - what.ns : 0;
	p->out.ifs[p->out.n_ifs++] = what;
}

TS_ORDER(most_saved, struct ts_what_if, TS_DOWN(saved_ns); TS_UP(ideal); TS_UP(what))

/* Only what is on the path can shorten it. */
static void ifs_by_kind(struct path *p, uint64_t *spare)
{
	for (int i = 0; i < TS_PATH_OF_UNKNOWN; i++)
		if (p->out.groups[i])
			add_if(p, (struct ts_what_if){.ideal = TS_IDEAL_GROUP, .group = (enum ts_path_group)i},
			       &(struct ts_what_if_change){.none = bits_of((enum ts_path_group)i)}, spare);
	for (size_t i = 0, n = 0; i < p->out.n_rows && n < IFS_BY_WHAT; i++) {
		const struct ts_path_row *row = &p->out.rows[i];

		if (row->ns == p->out.groups[row->group] || row->what == TS_PATH_UNKNOWN)
			continue;
		add_if(p, (struct ts_what_if){.ideal = TS_IDEAL_WHAT, .what = row->what, .group = row->group},
		       &(struct ts_what_if_change){.none = UINT64_C(1) << row->what}, spare);
		n++;
	}
}

static enum ts_status ifs_by_work(struct path *p, const struct ts_path_asked *asked, struct ts_arena *scratch, uint64_t *spare,
				  struct ts_error *err)
{
	uint64_t *less = ts_arena_array(scratch, p->g.n_work, sizeof *less);
	bool any = false;

	if (!less || ts_path_collectives(&p->g, scratch, less, &any, err))
		return ts_arena_error(scratch, err);
	if (any)
		add_if(p, (struct ts_what_if){.ideal = TS_IDEAL_COLLECTIVES, .group = TS_PATH_OF_COMMUNICATION},
		       &(struct ts_what_if_change){.less = less}, spare);
	if (!asked->n_shorter)
		return TS_OK;
	if (ts_path_shorter(&p->g, asked->shorter, asked->by_ns, asked->n_shorter, scratch, less, err))
		return err->status;
	add_if(p, (struct ts_what_if){.ideal = TS_IDEAL_SHORTER}, &(struct ts_what_if_change){.less = less}, spare);
	return TS_OK;
}

static enum ts_status find_ifs(struct path *p, const struct ts_path_asked *asked, struct ts_arena *arena, struct ts_arena *scratch,
			       struct ts_error *err)
{
	uint64_t *spare = ts_arena_array(scratch, p->g.n, sizeof *spare);

	p->out.ifs = ts_arena_array(arena, TS_PATH_GROUPS + IFS_BY_WHAT + 2, sizeof *p->out.ifs);
	if (!spare || !p->out.ifs)
		return ts_arena_error(spare ? arena : scratch, err);
	if (!p->out.ns)
		return TS_OK;
	p->out.error_ns = replay(p, &(struct ts_what_if_change){.none = 0}, spare);
	p->out.error_ns = p->out.error_ns > p->out.ns ? p->out.error_ns - p->out.ns : p->out.ns - p->out.error_ns;
	ifs_by_kind(p, spare);
	if (ifs_by_work(p, asked, scratch, spare, err))
		return err->status;
	TS_SORT(p->out.ifs, p->out.n_ifs, most_saved);
	return TS_OK;
}

/* Windows lie end to end, and so do their pieces; the times of both, and of the groups, add up. */
static bool adds_up(const struct ts_critical_path *c)
{
	uint64_t windows = 0, pieces = 0, groups = 0;

	for (size_t i = 0; i < c->n_windows; i++)
		windows += c->windows[i].ns;
	for (size_t i = 0; i < c->n_pieces; i++)
		pieces += c->pieces[i].ns;
	for (int i = 0; i < TS_PATH_GROUPS; i++)
		groups += c->groups[i];
	return windows == c->ns && pieces == c->ns && groups == c->ns;
}

/* The graph and all that is needed for a while lie in scratch. */
static enum ts_status find(struct path *p, const struct ts_trace *trace, const struct ts_nest *nest, const struct ts_path_asked *asked,
			   struct ts_arena *arena, struct ts_arena *scratch, struct ts_error *err)
{
	if (ts_path_graph(trace, nest, scratch, &p->g, err) || find_steps(p, scratch, err) || finish_steps(p, scratch, err) ||
	    find_windows(p, asked, arena, err) || find_pieces(p, arena, err) || find_ifs(p, asked, arena, scratch, err))
		return err->status;
	p->out.inferred = p->g.inferred;
	p->out.early = p->g.early;
	TS_DOOR(adds_up(&p->out));
	TS_DOOR_SORTED(i, p->out.n_pieces, p->out.pieces[i - 1].begin_ns <= p->out.pieces[i].begin_ns);
	TS_DOOR_SORTED(i, p->out.n_windows, p->out.windows[i - 1].begin_ns <= p->out.windows[i].begin_ns);
	TS_DOOR_SORTED(i, p->out.n_rows, p->out.rows[i - 1].ns >= p->out.rows[i].ns);
	TS_DOOR_ALL(i, p->out.n_ifs, p->out.ifs[i].saved_ns <= p->out.ns);
	return TS_OK;
}

enum ts_status ts_critical_path(const struct ts_trace *trace, const struct ts_nest *nest, const struct ts_path_asked *asked,
				struct ts_arena *arena, struct ts_critical_path *ret, struct ts_error *err)
{
	struct path p = {.n_steps = 0};
	struct ts_arena scratch;
	enum ts_status status;

	TS_DOOR(ts_trace_holds(trace));
	TS_DOOR(ts_nest_holds(nest, trace));
	ts_arena_init(&scratch, 0);
	status = find(&p, trace, nest, asked, arena, &scratch, err);
	ts_arena_finish(&scratch);
	if (!status)
		*ret = p.out;
	return status;
}
