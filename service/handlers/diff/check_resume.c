#include "service/handlers/diff/check_resume.h"

#include "analysis/gate/gate_policy.h"
#include "base/limits.h"
#include "base/text.h"
#include "service/handlers/core/run_happenings.h"
#include "service/handlers/analyze/reduce.h"
#include "service/handlers/core/describe.h"
#include "service/handlers/core/fit.h"
#include "service/handlers/core/lineage.h"
#include "service/handlers/core/methods.h"
#include "service/handlers/core/resolve.h"
#include "service/handlers/core/run_ending.h"
#include "service/handlers/diff/resume_pairs.h"
#include "service/handlers/diff/resume_rows.h"

#include <math.h>

/* Returns the number format that the run records, in its own words; empty if it records none. */
static struct ts_span dtype_of(const struct ts_facts *facts)
{
	static const char *const paths[] = {"work.dtype", "config.dtype", "config.precision", "config.mixed_precision",
					    "config.amp_dtype"};

	for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
		struct ts_span text = ts_fact_text(facts, paths[i]);

		if (ts_resume_format_of(text) != TS_FORMAT_UNKNOWN)
			return text;
	}
	if (ts_facts_true(facts, "config.bf16"))
		return ts_span_str("bf16");
	return ts_facts_true(facts, "config.fp16") ? ts_span_str("fp16") : ts_span_of(NULL, 0);
}

static void fill_format(const struct ts_resume_question *q, const struct ts_run *run, struct ts_resume_evidence *e)
{
	e->has_tolerance = q->has_tolerance;
	e->tolerance = q->tolerance;
	e->dtype = dtype_of(&run->head.facts);
	e->format = ts_resume_format_of(e->dtype);
}

/* Finds the first step of the child's last segment, where that is not the child's first step. */
static enum ts_status segment_start(struct ts_fetch *f, const struct ts_run *child, struct ts_arena *arena,
				    struct ts_resume_evidence *e, struct ts_error *err)
{
	struct ts_restart *restarts;
	uint64_t all;
	size_t n;

	if (ts_resume_restarts(f, child, arena, &restarts, &n, &all, err))
		return err->status;
	if (n) {
		e->said = TS_RESUME_SAID_SEGMENT;
		e->step = restarts[n - 1].step;
	}
	return TS_OK;
}

/* Of a run that logs every n-th step, the first record is of up to n - 1 steps after its resume. */
static int64_t slack_of(const struct ts_run_ref *child)
{
	double steps = (double)child->last_step - (double)child->first_step, every;

	if (child->steps < 2)
		return 0;
	every = floor(steps / (double)(child->steps - 1) + 0.5);
	return every > 1 && every < 1e15 ? (int64_t)every - 1 : 0;
}

static enum ts_status find_step(struct ts_fetch *f, const struct ts_run *child, struct ts_arena *arena,
				const struct ts_resume *r, struct ts_resume_evidence *e, struct ts_error *err)
{
	if (r->lineage.has_step) {
		e->said = TS_RESUME_SAID_FACT;
		e->step = r->lineage.step;
		return TS_OK;
	}
	if (segment_start(f, child, arena, e, err))
		return err->status;
	if (e->said == TS_RESUME_SAID_NOT && r->child.steps && r->parent.steps && r->child.first_step > r->parent.first_step) {
		e->said = TS_RESUME_SAID_FIRST;
		e->step = r->child.first_step;
		e->slack = slack_of(&r->child);
	}
	return TS_OK;
}

/* The pace of a run of which none is known stays unknown: too few steps, no times. */
static enum ts_status find_pace(struct ts_fetch *f, const struct ts_run *parent, const struct ts_run *child, struct ts_arena *arena,
				struct ts_resume_pace *ret, struct ts_error *err)
{
	const struct ts_run *runs[2] = {parent, child};
	struct ts_gate_policy policy;
	struct ts_gate_run reduced[2];
	const struct ts_reduced *metrics[2];

	ts_gate_policy_default(&policy);
	for (size_t i = 0; i < 2; i++) {
		if (ts_reduce_run(f, &runs[i]->id, &policy, arena, &reduced[i], err))
			return err->status;
		metrics[i] = reduced[i].reduction.metrics;
	}
	ret->known = metrics[0][TS_METRIC_STEP_TIME].known && metrics[1][TS_METRIC_STEP_TIME].known &&
		     metrics[1][TS_METRIC_STEP_TIME_FLOOR].known;
	ret->parent = metrics[0][TS_METRIC_STEP_TIME].value;
	ret->child = metrics[1][TS_METRIC_STEP_TIME].value;
	ret->child_fast = metrics[1][TS_METRIC_STEP_TIME_FLOOR].value;
	return TS_OK;
}

static enum ts_status check_two(struct ts_fetch *f, const struct ts_resume_question *q, const struct ts_run *child,
				const struct ts_run *parent, struct ts_arena *arena, struct ts_resume *r, struct ts_error *err)
{
	struct ts_resume_evidence e = {.said = TS_RESUME_SAID_NOT};

	if (ts_run_describe(f, parent, &r->parent, err) || ts_run_ending(f, parent, arena, &r->ending_parent, err))
		return ts_error_prefix(err, "the parent");
	fill_format(q, child, &e);
	if (e.format == TS_FORMAT_UNKNOWN)
		fill_format(q, parent, &e);
	if (find_step(f, child, arena, r, &e, err))
		return err->status;
	if (e.said != TS_RESUME_SAID_NOT &&
	    (ts_resume_pair_runs(f, parent, child, arena, &e, err) || find_pace(f, parent, child, arena, &e.pace, err)))
		return err->status;
	e.wrote = r->lineage.named;
	return ts_resume_decide(&e, arena, r, err);
}

/* Whether everything that was executed twice is equal, as far as it goes. */
static bool nothing_differs(const struct ts_resume_evidence *e)
{
	for (size_t i = 0; i < e->n_series; i++) {
		const struct ts_resume_series *s = &e->series[i];

		if (s->n && (s->a ? memcmp(s->a, s->b, s->n * sizeof *s->a) : memcmp(s->word_a, s->word_b, s->n * sizeof *s->word_a)))
			return false;
	}
	return true;
}

/* A restart that executed too little twice to be decided, and nothing otherwise, says less than one that is correct. */
static int badness(enum ts_resume_verdict verdict, const struct ts_resume_evidence *e)
{
	if (verdict == TS_RESUME_UNDECIDED)
		return nothing_differs(e) ? 0 : 2;
	return verdict == TS_RESUME_WRONG ? 3 : 1;
}

/* Adds a row for each restart to the rows of the restart that determines the answer. */
static bool restart_rows(struct ts_restart restart, enum ts_resume_verdict verdict, struct ts_measures *rows,
			 struct ts_arena *arena)
{
	const char *subject = ts_measure_subject(TS_M_RESTART_AT, restart.segment, arena);

	return subject && ts_measure_add(rows, arena, TS_M_RESTART_AT, ts_span_str(subject), (double)restart.step) &&
	       ts_measure_text(rows, arena, TS_M_RESTART_VERDICT, ts_span_str(subject),
			       ts_span_str(ts_resume_word(verdict)));
}

static bool append_rows(struct ts_resume *r, const struct ts_measures *rows, struct ts_arena *arena)
{
	struct ts_measure *items = ts_arena_array(arena, r->why.features.n + rows->n, sizeof *items);

	if (!items)
		return false;
	if (r->why.features.n)
		memcpy(items, r->why.features.items, r->why.features.n * sizeof *items);
	if (rows->n)
		memcpy(items + r->why.features.n, rows->items, rows->n * sizeof *items);
	r->why.features.items = items;
	r->why.features.n = r->why.features.cap = r->why.features.n + rows->n;
	return true;
}

/* Checks each restart alone; the answer is the first of those with the worst verdict, where undecided ones in which nothing differs
 * count only if there is no other. */
static enum ts_status check_restarts(struct ts_fetch *f, const struct ts_resume_question *q, const struct ts_run *run,
				     const struct ts_restart *restarts, size_t n, struct ts_arena *arena, struct ts_resume *r,
				     struct ts_error *err)
{
	struct ts_measures rows = {.n = 0};
	struct ts_resume worst = *r;
	int bad, worst_bad = 0;

	for (size_t i = 0; i < n; i++) {
		struct ts_resume_evidence e = {
			.restart = true, .restarts = n, .said = TS_RESUME_SAID_SEGMENT, .step = restarts[i].step};
		struct ts_resume one = *r;

		fill_format(q, run, &e);
		if (ts_resume_pair_restart(f, run, restarts[i], arena, &e, err) || ts_resume_decide(&e, arena, &one, err))
			return ts_error_prefix(err, "restart %" PRId64, restarts[i].segment);
		if (!restart_rows(restarts[i], one.verdict, &rows, arena))
			return ts_arena_error(arena, err);
		bad = badness(one.verdict, &e);
		if (i == 0 || bad > worst_bad) {
			worst = one;
			worst_bad = bad;
		}
	}
	*r = worst;
	return append_rows(r, &rows, arena) ? TS_OK : ts_arena_error(arena, err);
}

/* Of what ends runs, the last that was recorded before a restart at this step and after the restart before it. */
static const struct ts_happening *ended_before(const struct ts_happenings *h, int64_t step)
{
	const struct ts_happening *restart = NULL, *found = NULL;

	for (size_t i = 0; i < h->n; i++)
		if (h->items[i].kind == TS_HAPPENING_RESTART && h->items[i].has_time && h->items[i].step == step && !restart)
			restart = &h->items[i];
	for (size_t i = 0; restart && i < h->n; i++) {
		const struct ts_happening *e = &h->items[i];

		if (e->has_time && e->time_s <= restart->time_s && e->kind <= TS_HAPPENING_RESTART && e != restart &&
		    (!found || e->time_s > found->time_s))
			found = e;
	}
	return found && found->kind != TS_HAPPENING_RESTART ? found : NULL;
}

static enum ts_status say_before(struct ts_fetch *f, const struct ts_run *run, int64_t step, struct ts_arena *arena,
				 struct ts_span *ret, struct ts_error *err)
{
	const struct ts_happening *e;
	struct ts_happenings h;
	const char *text, *at;

	if (ts_happenings_of_run(f, run, arena, &h, err))
		return err->status;
	e = ended_before(&h, step);
	if (!e)
		return TS_OK;
	at = !e->has_step ? "" : ts_arena_printf(arena, " %s step %" PRId64, e->after ? "after" : "at", e->step);
	text = at ? ts_arena_printf(arena, "Before the restart the run recorded '%.*s'%s%s%.*s.",
				    TS_SPAN_ARG(ts_utf8_cut(e->name, TS_END_TEXT_MAX)), at, e->text.len ? ": " : "",
				    TS_SPAN_ARG(ts_utf8_cut(e->text, TS_END_TEXT_MAX)))
		  : NULL;
	*ret = ts_span_str(text ? text : "");
	return text ? TS_OK : ts_arena_error(arena, err);
}

/* The run neither restarted nor has a parent in this store. */
static enum ts_status check_nothing(const struct ts_resume_question *q, const struct ts_run *run, struct ts_arena *arena,
				    struct ts_resume *r, struct ts_error *err)
{
	struct ts_resume_evidence e = {.restart = true};

	if (r->lineage.named && r->lineage.parent.len <= TS_PATH_MAX)
		e.absent_parent = r->lineage.parent;
	fill_format(q, run, &e);
	return ts_resume_decide(&e, arena, r, err);
}

static enum ts_status check_one(struct ts_fetch *f, const struct ts_resume_question *q, const struct ts_run *run,
				struct ts_arena *arena, struct ts_resume *r, struct ts_error *err)
{
	struct ts_restart *restarts;
	struct ts_run parent;
	size_t n;

	r->parent = r->child;
	if (ts_resume_restarts(f, run, arena, &restarts, &n, &r->restarts, err))
		return err->status;
	if (n == 0 && r->lineage.found) {
		if (ts_run_open(f, &r->lineage.id, arena, &parent, err))
			return ts_error_prefix(err, "the parent");
		return check_two(f, q, run, &parent, arena, r, err);
	}
	r->restart = true;
	if (n == 0)
		return check_nothing(q, run, arena, r, err);
	if (check_restarts(f, q, run, restarts, n, arena, r, err))
		return err->status;
	return r->why.has_step ? say_before(f, run, r->why.step, arena, &r->before, err) : TS_OK;
}

enum ts_status ts_check_resume(struct ts_fetch *f, const struct ts_resume_question *q, struct ts_arena *arena,
			       struct ts_resume *ret, struct ts_error *err)
{
	struct ts_run child, parent;
	struct ts_resume r;
	enum ts_status status;

	memset(&r, 0, sizeof r);
	if (ts_run_open(f, &q->child, arena, &child, err) || ts_run_describe(f, &child, &r.child, err) ||
	    ts_run_ending(f, &child, arena, &r.ending_child, err) ||
	    ts_lineage_find(f, &child, q->project, arena, &r.lineage, err))
		return ts_error_prefix(err, "the resumed run");
	if (!q->has_parent) {
		status = check_one(f, q, &child, arena, &r, err);
	} else {
		if (ts_run_open(f, &q->parent, arena, &parent, err))
			return ts_error_prefix(err, "the parent");
		/* Shared blocks are counted with the parent that the request names, whatever parent the child records. */
		r.lineage.found = true;
		r.lineage.id = q->parent;
		ts_lineage_share(&child, &parent, &r.lineage);
		status = check_two(f, q, &child, &parent, arena, &r, err);
	}
	if (!status)
		*ret = r;
	return status;
}

TS_REPLIER(resume_reply, ts_resume);

/* Returns "project" of "project/name". */
static struct ts_span project_of(const struct ts_resolved *what)
{
	const uint8_t *slash = what->by_ref ? memchr(what->ref.name.data, '/', what->ref.name.len) : NULL;

	return slash ? ts_span_of(what->ref.name.data, (size_t)(slash - what->ref.name.data)) : ts_span_of(NULL, 0);
}

static enum ts_status answer(struct ts_call *call, const struct ts_resume_request *request, struct ts_arena *arena,
			     struct ts_error *err)
{
	struct ts_resume_question q = {
		.has_parent = request->parent.len > 0,
		.has_tolerance = request->has_tolerance,
		.tolerance = request->tolerance,
	};
	struct ts_resolved parent, child;
	struct ts_fetch fetch;
	struct ts_resume r;
	enum ts_status status;

	if ((q.has_parent && ts_resolve(call->engine, request->parent, arena, &parent, err)) ||
	    ts_resolve(call->engine, request->child, arena, &child, err))
		return err->status;
	if (q.has_parent)
		q.parent = parent.id;
	q.child = child.id;
	q.project = project_of(&child);
	ts_fetch_init(&fetch, call);
	status = ts_check_resume(&fetch, &q, arena, &r, err);
	ts_fetch_finish(&fetch);
	return status ? status : reply_resume_reply(call, &r, err);
}

enum ts_status ts_handle_check_resume(struct ts_call *call, void *state, struct ts_span request, struct ts_error *err)
{
	struct ts_resume_request asked;
	struct ts_arena arena;
	enum ts_status status;

	(void)state;
	if (ts_wire_unpack_resume_request(request, call->arena, &asked, err))
		return err->status;
	/* The indexes of two runs may take more memory than an ordinary call is allowed. */
	ts_arena_init(&arena, TS_ANALYSIS_ARENA);
	status = answer(call, &asked, &arena, err);
	if (status)
		status = ts_blame(call, (struct ts_span[]){asked.child, asked.parent}, asked.parent.len ? 2 : 1, err);
	ts_arena_finish(&arena);
	return status;
}
