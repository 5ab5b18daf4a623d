/* gate_gather.c - see gate_gather.h: takes the candidates, and puts the whole input together. */
#include "service/handlers/gate/gate_gather.h"

#include "analysis/analysis.h"
#include "analysis/policy.h"
#include "base/limits.h"
#include "service/handlers/core/resolve.h"

enum { SHOWN_NOTE = 1000 };

/* --- names and ids --- */

static struct ts_span project_prefix(const struct ts_gate_request *r)
{
	const struct {
		const struct ts_span *specs;
		size_t n;
	} all[] = {{r->candidates, r->n_candidates}, {r->baselines, r->n_baselines}, {r->pairs, r->n_pairs}};

	for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
		for (size_t i = 0; i < all[k].n; i++) {
			struct ts_span prefix = ts_spec_project(all[k].specs[i]);

			if (prefix.len)
				return prefix;
		}
	return ts_span_of(NULL, 0);
}

static bool holds(const struct ts_id *ids, size_t n, const struct ts_id *id)
{
	for (size_t i = 0; i < n; i++)
		if (ts_id_eq(&ids[i], id))
			return true;
	return false;
}

/* Resolves each run once. */
static enum ts_status resolve_all(struct ts_gathering *g, const struct ts_span *specs, size_t n, struct ts_id *ids, size_t *ret_n,
				  struct ts_error *err)
{
	struct ts_resolved found;

	*ret_n = 0;
	for (size_t i = 0; i < n; i++) {
		if (ts_resolve(g->f->call->engine, specs[i], g->arena, &found, err))
			return err->status;
		if (!holds(ids, *ret_n, &found.id))
			ids[(*ret_n)++] = found.id;
	}
	return TS_OK;
}

static enum ts_status take_policy(struct ts_gathering *g, struct ts_error *err)
{
	ts_gate_policy_default(&g->input.policy);
	return ts_policy_of_gate(&g->request->policy, g->arena, &g->input.policy, err);
}

enum ts_status ts_gathering_begin(struct ts_gathering *g, struct ts_fetch *f, const struct ts_gate_request *request,
				  struct ts_arena *arena, struct ts_error *err)
{
	struct ts_gate_candidates *c = &g->candidates;

	*g = (struct ts_gathering){.f = f, .request = request, .arena = arena};
	g->input.analysis_version = TS_ANALYSIS_VERSION;
	c->ids = ts_arena_array(arena, request->n_candidates + TS_GATE_RERUNS_LOOK, sizeof *c->ids);
	g->pairs = ts_arena_array(arena, request->n_pairs, sizeof *g->pairs);
	if (!c->ids || !g->pairs)
		return ts_arena_error(arena, err);
	if (take_policy(g, err) || ts_run_names_load(f->call, project_prefix(request), arena, &g->names, err) ||
	    resolve_all(g, request->candidates, request->n_candidates, c->ids, &c->n, err) ||
	    resolve_all(g, request->pairs, request->n_pairs, g->pairs, &g->n_pairs, err))
		return err->status;
	return TS_OK;
}

/* --- candidates --- */

/* Returns how an error message names the run. */
static struct ts_span title(const struct ts_gathering *g, const struct ts_gate_run *run)
{
	char hex[TS_ID_HEX + 1];
	const char *text = ts_arena_printf(g->arena, "the run %.12s", ts_id_hex(&run->id, hex));

	return run->name.len ? run->name : ts_span_str(text ? text : "a candidate");
}

static enum ts_status add_candidate(struct ts_gathering *g, const struct ts_gate_run *run, struct ts_error *err)
{
	struct ts_gate_run *row = ts_gate_run_add(&g->input, g->arena);

	if (!row)
		return ts_arena_error(g->arena, err);
	*row = *run;
	row->role = TS_GATE_CANDIDATE;
	row->group = 0;
	return TS_OK;
}

static enum ts_status refuse(const struct ts_gathering *g, const struct ts_gate_run *run,
			     const struct ts_run_notes *notes, struct ts_error *err)
{
	struct ts_span name = title(g, run);
	size_t shown = notes->bad.len < SHOWN_NOTE ? notes->bad.len : SHOWN_NOTE;

	if (notes->training)
		return ts_error_set(err, TS_INVALID, "%.*s is still training; run the gate when it has finished",
				    TS_SPAN_ARG(name));
	return ts_error_set(err, TS_INVALID,
			    "%.*s is marked bad (%.*s); to gate it, remove the note with 'tscope note RUN bad='",
			    TS_SPAN_ARG(name), (int)shown, (const char *)notes->bad.data);
}

static enum ts_status check_one_work(const struct ts_gathering *g, const struct ts_gate_subject *s,
				     struct ts_error *err)
{
	const struct ts_gate_subject *first = &g->candidates.first;
	struct ts_gate_code a = ts_gate_code_of(&first->facts), b = ts_gate_code_of(&s->facts);
	struct ts_span one = title(g, &first->run), other = title(g, &s->run);
	enum ts_workload_part part;

	if ((a.commit.len || b.commit.len) && !ts_gate_same_code(&a, &b))
		return ts_error_set(err, TS_INVALID, "%.*s and %.*s ran different commits; gate the runs of one commit at a time",
				    TS_SPAN_ARG(one), TS_SPAN_ARG(other));
	if (!ts_gate_same_workload(&g->input.policy, &s->run.workload, &first->run.workload, &part))
		return ts_error_set(err, TS_INVALID,
				    "%.*s and %.*s have different workloads (different %s); gate the runs of one workload at a time",
				    TS_SPAN_ARG(one), TS_SPAN_ARG(other), ts_workload_part_word(part));
	return TS_OK;
}

static enum ts_status take_named(struct ts_gathering *g, size_t i, struct ts_error *err)
{
	struct ts_gate_subject s;
	struct ts_run_notes notes;

	if (ts_run_notes_of(g->f->call, &g->names, &g->candidates.ids[i], g->arena, &notes, err) ||
	    ts_gate_subject_open(g->f, &g->candidates.ids[i], &g->input.policy, g->arena, &s, err))
		return ts_error_prefix(err, "candidate %zu", i + 1);
	s.run.name = notes.name;
	if (notes.training || notes.bad.len)
		return refuse(g, &s.run, &notes, err);
	if (i == 0)
		g->candidates.first = s;
	else if (check_one_work(g, &s, err))
		return err->status;
	return add_candidate(g, &s.run, err);
}

static enum ts_status check_declared(const struct ts_gathering *g, struct ts_error *err)
{
	struct ts_span want = g->input.policy.workload, is = g->candidates.first.run.workload.name;

	if (want.len == 0 || is.len == 0 || ts_span_eq(want, is))
		return TS_OK;
	return ts_error_set(err, TS_INVALID, "the candidate declares the workload %.*s, and GATE.workload asks for %.*s",
			    TS_SPAN_ARG(is), TS_SPAN_ARG(want));
}

static enum ts_status pass_over(struct ts_gathering *g, const struct ts_id *id, const struct ts_run_notes *notes,
				struct ts_error *err)
{
	struct ts_gate_passed_over *row = ts_gate_pass_over(&g->input, g->arena);
	const char *reason = "it ran the candidate's commit, but it is still training";

	if (notes->bad.len)
		reason = ts_arena_printf(g->arena, "it ran the candidate's commit, but it is marked bad: %.*s",
					 (int)(notes->bad.len < SHOWN_NOTE ? notes->bad.len : SHOWN_NOTE),
					 (const char *)notes->bad.data);
	if (!row || !reason)
		return ts_arena_error(g->arena, err);
	*row = (struct ts_gate_passed_over){*id, notes->name, ts_span_str(reason)};
	return TS_OK;
}

/* A broken run must not stop the gate, but it might be a candidate, so the verdict lists it as passed over. */
static enum ts_status pass_over_unread(struct ts_gathering *g, const struct ts_run_name *ref, struct ts_error *err)
{
	struct ts_gate_passed_over *row = ts_gate_pass_over(&g->input, g->arena);

	if (!row)
		return ts_arena_error(g->arena, err);
	*row = (struct ts_gate_passed_over){
		ref->id, ref->name,
		ts_span_str("it cannot be read, so it is not known whether it ran the candidate's commit")};
	return TS_OK;
}

static enum ts_status take_rerun(struct ts_gathering *g, const struct ts_id *id, struct ts_error *err)
{
	struct ts_gate_run run = {.id = *id};
	struct ts_run_notes notes;
	enum ts_workload_part part;

	if (ts_logged_reduce(g->f, id, &g->input.policy, g->arena, &run, err))
		return err->status;
	if (!ts_gate_same_workload(&g->input.policy, &run.workload, &g->candidates.first.run.workload, &part))
		return TS_OK;
	if (ts_run_notes_of(g->f->call, &g->names, id, g->arena, &notes, err))
		return err->status;
	if (notes.bad.len && ts_call_has_roles(g->f->call) && ts_run_marks_doubtful(&notes.marks, INT64_MIN)) {
		g->marked++;
		g->marked_by = notes.marks.by;
	}
	if (notes.training || notes.bad.len)
		return pass_over(g, id, &notes, err);
	run.id = *id;
	run.name = notes.name;
	g->candidates.ids[g->candidates.n++] = *id;
	return add_candidate(g, &run, err);
}

/* Takes the other runs of the candidate's commit. Heads are read one after the other into the same memory. */
static enum ts_status take_reruns(struct ts_gathering *g, struct ts_error *err)
{
	struct ts_gate_code own = ts_gate_code_of(&g->candidates.first.facts);
	struct ts_arena scratch;
	enum ts_status status = TS_OK;

	if (own.commit.len == 0)
		return TS_OK;
	ts_arena_init(&scratch, TS_CALL_ARENA);
	for (size_t i = 0; !status && i < g->names.n && i < TS_GATE_RERUNS_LOOK; i++) {
		const struct ts_id *id = &g->names.refs[i].id;
		struct ts_gate_code code;
		struct ts_facts facts;

		if (holds(g->candidates.ids, g->candidates.n, id) || holds(g->pairs, g->n_pairs, id))
			continue;
		ts_arena_reset(&scratch);
		status = ts_call_check(g->f->call, err);
		if (!status)
			status = ts_gate_subject_facts(g->f, id, &scratch, &facts, err);
		if (status == TS_DAMAGED || status == TS_NOT_FOUND) {
			status = pass_over_unread(g, &g->names.refs[i], err);
			continue;
		}
		if (status)
			continue;
		code = ts_gate_code_of(&facts);
		if (ts_gate_same_code(&own, &code))
			status = take_rerun(g, id, err);
	}
	ts_arena_finish(&scratch);
	return status;
}

static enum ts_status take_candidates(struct ts_gathering *g, struct ts_error *err)
{
	size_t named = g->candidates.n;

	if (named == 0)
		return ts_error_set(err, TS_INVALID, "the request names no candidate");
	for (size_t i = 0; i < named; i++)
		if (take_named(g, i, err))
			return err->status;
	return check_declared(g, err) ? err->status : take_reruns(g, err);
}

/* --- a bundle --- */

static bool same_exclude(const struct ts_exclude *a, const struct ts_exclude *b)
{
	return a->kind == b->kind && ts_span_eq(a->name, b->name) && a->every == b->every;
}

static bool same_reduce(const struct ts_reduce_options *a, const struct ts_reduce_options *b)
{
	bool same = a->has_warmup == b->has_warmup && a->warmup == b->warmup && a->n_excludes == b->n_excludes;

	for (size_t i = 0; same && i < a->n_excludes; i++)
		same = same_exclude(&a->excludes[i], &b->excludes[i]);
	return same;
}

/* Values that another version reduced, or that leave out other steps, cannot be compared. */
static enum ts_status check_given(const struct ts_gathering *g, struct ts_error *err)
{
	const struct ts_gate_input *given = &g->request->given;

	if (!g->request->has_given || given->n_runs == 0)
		return TS_OK;
	if (given->analysis_version != g->input.analysis_version)
		return ts_error_set(err, TS_INVALID,
				    "the bundle was made by analysis version %u, and this program has version %u; make a new bundle",
				    (unsigned)given->analysis_version, (unsigned)g->input.analysis_version);
	if (!same_reduce(&given->policy.reduce, &g->input.policy.reduce))
		return ts_error_set(
			err, TS_INVALID,
			"the bundle was made with other values of GATE.exclude or GATE.warmup; make a new bundle, or set the same "
			"values");
	return TS_OK;
}

/* --- gathering the input --- */

/* Removes the rows of ranks from older runs where an answer would become too large. */
static void trim_ranks(struct ts_gate_input *input)
{
	size_t rows = 0;

	for (size_t i = 0; i < input->n_runs; i++) {
		struct ts_reduction *r = &input->runs[i].reduction;

		rows += r->n_ranks;
		if (rows <= TS_BASELINE_RANK_ROWS)
			continue;
		rows -= r->n_ranks;
		r->n_ranks = 0;
	}
}

static enum ts_status check_size(const struct ts_gate_input *input, struct ts_error *err)
{
	if (input->n_runs <= TS_GATE_RUNS_MAX && input->n_passed_over <= TS_GATE_RUNS_MAX)
		return TS_OK;
	return ts_error_set(err, TS_TOO_LARGE, "a gate takes at most %d runs, and these are %zu", TS_GATE_RUNS_MAX,
			    input->n_runs);
}

/* A series that none of the runs has is a typing error. Where a candidate is looked at alone, its baselines are elsewhere. */
static enum ts_status check_series(const struct ts_gathering *g, struct ts_error *err)
{
	if (g->request->has_given && g->request->given.n_runs == 0)
		return TS_OK;
	return ts_logged_check(g->f, &g->input.policy, g->input.runs, g->input.n_runs, &g->candidates.ids[0], err);
}

/* Who put a candidate there, if that one only pushes. */
static enum ts_status take_pusher(struct ts_gathering *g, const struct ts_log_entry *entry, struct ts_error *err)
{
	if (entry->standing == TS_STANDING_MAINTAINER || !holds(g->candidates.ids, g->candidates.n, &entry->id))
		return TS_OK;
	g->by = ts_arena_span(g->arena, entry->who);
	return g->by.data ? TS_OK : ts_arena_error(g->arena, err);
}

/* Earlier of a time and of the first note that a name ever had. */
static enum ts_status noted_first(struct ts_gathering *g, struct ts_span name, int64_t *io_ns, struct ts_error *err)
{
	struct ts_engine *engine = g->f->call->engine;
	struct ts_note *notes;
	size_t n;

	if (engine->ops->note_log(engine, name, g->arena, &notes, &n, err))
		return err->status == TS_NOT_FOUND ? TS_OK : err->status;
	if (n && notes[n - 1].at_ns < *io_ns)
		*io_ns = notes[n - 1].at_ns;
	return TS_OK;
}

/* Earlier of a time and of when a name of a candidate began. Its log begins anew when it is removed and made again, and what its notes
 * were does not. */
static enum ts_status began(struct ts_gathering *g, const struct ts_run_name *ref, struct ts_arena *scratch, int64_t *io_ns,
			    struct ts_error *err)
{
	struct ts_engine *engine = g->f->call->engine;
	struct ts_log_entry *entries;
	size_t n;

	ts_arena_reset(scratch);
	if (engine->ops->ref_log(engine, TS_REF_RUN, ref->name, 0, scratch, &entries, &n, err))
		return err->status == TS_NOT_FOUND ? TS_OK : err->status;
	if (n && entries[n - 1].moved_ns < *io_ns)
		*io_ns = entries[n - 1].moved_ns;
	for (size_t i = 0; i < n && !g->by.len; i++)
		if (take_pusher(g, &entries[i], err))
			return err->status;
	return noted_first(g, ref->name, io_ns, err);
}

static bool is_name_of_candidate(const struct ts_gathering *g, struct ts_span name)
{
	for (size_t i = 0; i < g->names.n; i++)
		if (ts_span_eq(g->names.refs[i].name, name) && holds(g->candidates.ids, g->candidates.n, &g->names.refs[i].id))
			return true;
	return false;
}

/* Whether a run that was removed is one of the candidate's commit. What cannot be read is none. */
static enum ts_status has_our_code(struct ts_gathering *g, const struct ts_id *id, bool *ret_has, struct ts_error *err)
{
	struct ts_gate_code own = ts_gate_code_of(&g->candidates.first.facts), code;
	struct ts_arena scratch;
	enum ts_status status;
	struct ts_facts facts;

	*ret_has = false;
	if (own.commit.len == 0)
		return TS_OK;
	ts_arena_init(&scratch, TS_CALL_ARENA);
	status = ts_call_check(g->f->call, err);
	if (!status)
		status = ts_gate_subject_facts(g->f, id, &scratch, &facts, err);
	if (!status) {
		code = ts_gate_code_of(&facts);
		*ret_has = ts_gate_same_code(&own, &code);
	}
	ts_arena_finish(&scratch);
	return status == TS_DAMAGED || status == TS_NOT_FOUND ? TS_OK : status;
}

/* The same of names that were removed: pushed again, a candidate is not younger, and neither is another run of its commit. */
static enum ts_status was_removed(struct ts_gathering *g, int64_t *io_ns, struct ts_error *err)
{
	struct ts_removed_query query = {.prefix = project_prefix(g->request), .limit = TS_REMOVED_MAX};
	struct ts_engine *engine = g->f->call->engine;
	struct ts_removed_name *removed;
	bool more;
	size_t n;

	if (engine->ops->removed_list(engine, &query, g->arena, &removed, &n, &more, err))
		return err->status;
	for (size_t i = 0; i < n; i++) {
		const struct ts_ref *ref = &removed[i].ref;
		bool ours;

		if (ref->kind != TS_REF_RUN)
			continue;
		ours = holds(g->candidates.ids, g->candidates.n, &ref->id) || is_name_of_candidate(g, ref->name);
		if ((!ours && has_our_code(g, &ref->id, &ours, err)) || (ours && noted_first(g, ref->name, io_ns, err)))
			return err->status;
		if (ours && ref->moved_ns < *io_ns)
			*io_ns = ref->moved_ns;
	}
	return TS_OK;
}

/* When the candidates came; INT64_MAX where it does not matter who did what since. */
static enum ts_status find_since(struct ts_gathering *g, struct ts_error *err)
{
	enum ts_status status = TS_OK;
	struct ts_arena scratch;

	g->since_ns = INT64_MAX;
	if (!ts_call_has_roles(g->f->call) || g->candidates.n == 0)
		return TS_OK;
	ts_arena_init(&scratch, TS_CALL_ARENA);
	for (size_t i = 0; i < g->names.n && !status; i++)
		if (holds(g->candidates.ids, g->candidates.n, &g->names.refs[i].id))
			status = began(g, &g->names.refs[i], &scratch, &g->since_ns, err);
	ts_arena_finish(&scratch);
	return status ? status : was_removed(g, &g->since_ns, err);
}

/* A run of the candidate's commit does not count any more because somebody who does not maintain the project marked it. */
static enum ts_status add_unmarked(struct ts_gathering *g, struct ts_error *err)
{
	const char *text;

	if (g->marked == 0 || g->input.lost.len)
		return TS_OK;
	text = ts_arena_printf(g->arena,
			       "%zu run%s of the candidate's commit %s marked bad by %.*s, who did not maintain the project", g->marked,
			       g->marked == 1 ? "" : "s", g->marked == 1 ? "was" : "were",
			       TS_SPAN_ARG(g->marked_by.len ? g->marked_by : ts_span_str("nobody who is known")));
	if (!text)
		return ts_arena_error(g->arena, err);
	g->input.lost = ts_span_str(text);
	return TS_OK;
}

static struct ts_baseline_query query_of(const struct ts_gathering *g, const struct ts_gate_subject *candidate)
{
	return (struct ts_baseline_query){.request = g->request,
					  .candidate = candidate,
					  .candidates = g->candidates.ids,
					  .n_candidates = g->candidates.n,
					  .names = &g->names,
					  .by = g->by,
					  .since_ns = g->since_ns};
}

enum ts_status ts_gather(struct ts_gathering *g, struct ts_error *err)
{
	struct ts_baseline_query query;
	struct ts_baseline_found newest;

	if (check_given(g, err) || take_candidates(g, err) || find_since(g, err))
		return err->status;
	query = query_of(g, &g->candidates.first);
	if (ts_baselines_select(g->f, &query, g->arena, &g->input, &newest, err) || add_unmarked(g, err) ||
	    ts_gather_pairs(g, err) || ts_gather_changes(g, &newest, err) || check_size(&g->input, err) || check_series(g, err))
		return err->status;
	trim_ranks(&g->input);
	return TS_OK;
}

/* Takes a candidate that is not in this store: the request carries its reduced values and its ancestors. */
static bool given_candidate(const struct ts_gathering *g, struct ts_gate_subject *ret)
{
	const struct ts_gate_request *request = g->request;

	for (size_t i = 0; request->has_given && i < request->given.n_runs; i++) {
		if (request->given.runs[i].role != TS_GATE_CANDIDATE)
			continue;
		*ret = (struct ts_gate_subject){
			.run = request->given.runs[i], .ancestors = request->ancestors, .cut = request->ancestors_cut};
		return true;
	}
	return false;
}

enum ts_status ts_gather_baselines(struct ts_gathering *g, struct ts_error *err)
{
	const struct ts_gate_subject *candidate = NULL;
	struct ts_baseline_query query;
	struct ts_baseline_found newest;
	struct ts_gate_subject subject;

	if (g->candidates.n > 1)
		return ts_error_set(err, TS_INVALID,
				    "the request names more than one run; baselines can be shown for one run at a time");
	if (g->candidates.n) {
		if (ts_gate_subject_open(g->f, &g->candidates.ids[0], &g->input.policy, g->arena, &subject, err))
			return ts_error_prefix(err, "candidate");
		candidate = &subject;
	} else if (given_candidate(g, &subject)) {
		candidate = &subject;
	}
	if (find_since(g, err))
		return err->status;
	query = query_of(g, candidate);
	if (ts_baselines_select(g->f, &query, g->arena, &g->input, &newest, err) || check_size(&g->input, err))
		return err->status;
	/* A candidate that is elsewhere may have what no baseline has. */
	if (!g->request->has_given &&
	    ts_logged_check(g->f, &g->input.policy, g->input.runs, g->input.n_runs, newest.any ? &newest.newest : NULL, err))
		return err->status;
	trim_ranks(&g->input);
	return TS_OK;
}
