/* baselines.c - see baselines.h. Every run that was asked for becomes an item, newest first, with what speaks against it; what
 * nothing speaks against is a baseline. Levels of a branch and its history are another file's (baseline_levels.c). */
#include "base/grow.h"
#include "base/order.h"
#include "service/handlers/gate/baseline_levels.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/text.h"
#include "service/handlers/core/resolve.h"

enum { SHOWN_NOTE = 1000, SHOWN_VALUE = 80 };

/* --- runs of the candidate's workload --- */

static bool same_config(const struct ts_gate_policy *policy, const struct ts_workload *run,
			const struct ts_workload *candidate)
{
	struct ts_span want = policy->workload.len ? policy->workload : candidate->name;

	if (want.len)
		return ts_span_eq(run->name, want) && (candidate->name.len == 0 || ts_span_eq(candidate->name, want));
	return run->name.len == 0 && ts_id_eq(&run->key[TS_WORKLOAD_CONFIG], &candidate->key[TS_WORKLOAD_CONFIG]);
}

bool ts_gate_same_workload(const struct ts_gate_policy *policy, const struct ts_workload *run,
			   const struct ts_workload *candidate, enum ts_workload_part *ret_part)
{
	for (int p = 0; p < TS_WORKLOAD_PARTS; p++) {
		bool same = p == TS_WORKLOAD_CONFIG ? same_config(policy, run, candidate)
						    : ts_id_eq(&run->key[p], &candidate->key[p]);

		*ret_part = (enum ts_workload_part)p;
		if (!same && !policy->across[p])
			return false;
	}
	return true;
}

/* --- reasons why a run is no baseline --- */

static enum ts_status say(struct ts_baseline_selection *s, struct ts_baseline_item *item, const char *text,
			  struct ts_error *err)
{
	if (!text)
		return ts_arena_error(s->arena, err);
	item->why_not = ts_span_str(text);
	return TS_OK;
}

static bool is_candidate(const struct ts_baseline_selection *s, const struct ts_id *id)
{
	for (size_t i = 0; i < s->query->n_candidates; i++)
		if (ts_id_eq(&s->query->candidates[i], id))
			return true;
	return false;
}

/* Two patches over one commit are different code. Only facts tell them apart, and without facts they count as the same code. */
static enum ts_status is_own_code(struct ts_baseline_selection *s, const struct ts_gate_run *run, bool *ret,
				  struct ts_error *err)
{
	const struct ts_gate_subject *c = s->query->candidate;
	const struct ts_workload *w = &run->workload;
	struct ts_gate_code own, other;
	struct ts_facts facts;

	*ret = false;
	if (!c || !w->commit.len || !ts_span_eq(w->commit, c->run.workload.commit) || w->dirty != c->run.workload.dirty)
		return TS_OK;
	*ret = true;
	if (!w->dirty || s->given)
		return TS_OK;
	if (ts_gate_subject_facts(s->f, &run->id, s->arena, &facts, err))
		return err->status;
	own = (struct ts_gate_code){c->run.workload.commit, c->patch, true};
	other = ts_gate_code_of(&facts);
	*ret = !c->patch.len || ts_gate_same_code(&own, &other);
	return TS_OK;
}

static const char *not_ancestor(struct ts_baseline_selection *s, const struct ts_gate_run *run)
{
	const struct ts_gate_subject *c = s->query->candidate;

	if (!c || !s->use_ancestors)
		return NULL;
	if (run->workload.commit.len == 0)
		return "it records no commit, so it is not known whether that is an ancestor of the candidate's";
	if (ts_gate_is_ancestor(c->ancestors, run->workload.commit) ||
	    ts_span_eq(run->workload.commit, c->run.workload.commit)) {
		s->seen_ancestor = true;
		return NULL;
	}
	/* Where the list of ancestors is truncated, a run that came before an ancestor counts as an ancestor. */
	return c->cut && s->seen_ancestor ? NULL : "its commit is not an ancestor of the candidate's";
}

static struct ts_span cut(struct ts_span text)
{
	return ts_span_of(text.data, text.len < SHOWN_VALUE ? text.len : SHOWN_VALUE);
}

/* Returns "its config.lr is 0.001, the candidate's is 0.002, and 2 more facts differ", for example. NULL: the arena is full. */
static const char *tell_difference(struct ts_baseline_selection *s, const struct ts_workload_difference *rows, size_t n)
{
	const struct ts_workload_difference *first = NULL;
	const char *a, *b, *more = "";
	size_t others = 0;

	for (size_t i = 0; i < n; i++) {
		if (s->policy->across[rows[i].part])
			continue;
		others += first != NULL;
		first = first ? first : &rows[i];
	}
	if (!first)
		return "its workload differs from the candidate's";
	a = first->a.len ? ts_arena_printf(s->arena, "is %.*s", TS_SPAN_ARG(cut(first->a))) : "is not recorded";
	b = first->b.len ? ts_arena_printf(s->arena, "is %.*s", TS_SPAN_ARG(cut(first->b))) : "is not recorded";
	if (others)
		more = ts_arena_printf(s->arena, ", and %zu more fact%s differ%s", others, others == 1 ? "" : "s",
				       others == 1 ? "s" : "");
	if (!a || !b || !more)
		return NULL;
	return ts_arena_printf(s->arena, "its %.*s %s, %s%s's %s%s", TS_SPAN_ARG(first->path), a, others ? "" : "and ",
			       s->query->candidate ? "the candidate" : "the newest run", b, more);
}

static enum ts_status compare_facts(struct ts_baseline_selection *s, const struct ts_id *id,
				    struct ts_workload_difference **ret_rows, size_t *ret_n, struct ts_error *err)
{
	struct ts_facts facts;

	if (ts_gate_subject_facts(s->f, id, s->arena, &facts, err))
		return err->status;
	return ts_workload_compare(&facts, &s->facts, s->policy->ignore, s->arena, ret_rows, ret_n, err);
}

/* Gives the reason why a run of another workload is no baseline: the facts that differ, where few heads must be read to
 * find them. */
static enum ts_status say_other(struct ts_baseline_selection *s, struct ts_baseline_item *item,
				enum ts_workload_part part, struct ts_error *err)
{
	struct ts_workload_difference *rows;
	size_t n;

	item->other = true;
	if (part == TS_WORKLOAD_CONFIG && s->policy->workload.len)
		return say(s, item,
			   ts_arena_printf(s->arena, "it does not declare the workload %.*s",
					   TS_SPAN_ARG(s->policy->workload)),
			   err);
	if (s->facts.n == 0 || s->given || s->told == TS_BASELINE_TOLD)
		return say(s, item,
			   ts_arena_printf(s->arena, "its %s differ%s from the candidate's", ts_workload_part_word(part),
					   part == TS_WORKLOAD_LIBRARIES ? "" : "s"),
			   err);
	s->told++;
	if (compare_facts(s, &item->run.id, &rows, &n, err))
		return err->status;
	return say(s, item, tell_difference(s, rows, n), err);
}

/* Where there is no candidate, the newest run that could be a baseline sets the workload. */
static enum ts_status take_workload(struct ts_baseline_selection *s, const struct ts_gate_run *run,
				    struct ts_error *err)
{
	s->has_workload = true;
	s->workload = run->workload;
	return s->given ? TS_OK : ts_gate_subject_facts(s->f, &run->id, s->arena, &s->facts, err);
}

static void count_lost(struct ts_baseline_selection *s, const struct ts_run_marks *marks)
{
	bool doubtful = ts_run_marks_doubtful(marks, s->query->since_ns);

	if (!marks->any || marks->since_ns <= s->query->since_ns)
		return;
	if (s->lost++ == 0 || (doubtful && s->doubtful == 0)) {
		s->lost_by = marks->by;
		s->lost_by_others = false;
	} else if ((doubtful || s->doubtful == 0) && !ts_span_eq(s->lost_by, marks->by)) {
		s->lost_by_others = true;
	}
	s->doubtful += doubtful;
}

static enum ts_status judge(struct ts_baseline_selection *s, struct ts_baseline_item *item,
			    const struct ts_run_notes *notes, struct ts_error *err)
{
	const char *stranger = not_ancestor(s, &item->run);
	enum ts_workload_part part;
	bool own;

	if (is_own_code(s, &item->run, &own, err))
		return err->status;
	item->silent = is_candidate(s, &item->run.id);
	item->line = !stranger;
	if (!s->has_workload && !notes->training && !notes->bad.len && take_workload(s, &item->run, err))
		return err->status;
	item->same = s->has_workload && ts_gate_same_workload(s->policy, &item->run.workload, &s->workload, &part);
	if (item->same && !own && !stranger && !item->silent)
		count_lost(s, &notes->marks);
	if (notes->training)
		return say(s, item, "it is still training", err);
	if (notes->bad.len)
		return say(s, item,
			   ts_arena_printf(s->arena, "it is marked bad: %.*s",
					   (int)(notes->bad.len < SHOWN_NOTE ? notes->bad.len : SHOWN_NOTE),
					   (const char *)notes->bad.data),
			   err);
	if (own)
		return say(s, item, "it ran the candidate's own commit", err);
	item->stranger = stranger != NULL;
	if (stranger)
		return say(s, item, stranger, err);
	if (!item->same)
		return say_other(s, item, part, err);
	s->kin += !item->silent;
	return TS_OK;
}

static struct ts_baseline_item *item_next(struct ts_baseline_selection *s)
{
	if (!TS_GROW_IN(s->arena, s->items, s->cap, s->n + 1, 32))
		return NULL;
	/* A branch may be searched twice. */
	s->items[s->n] = (struct ts_baseline_item){.level = 0};
	return &s->items[s->n++];
}

/* --- runs of a branch --- */

/* Whether somebody who does not maintain the project put it on the protected branch when the candidate was there already. */
static bool is_late(const struct ts_baseline_selection *s, const struct ts_branch_run *r)
{
	return s->protected && r->standing != TS_STANDING_MAINTAINER && r->moved_ns > s->query->since_ns;
}

/* Whether whoever pushed the candidate, and does not maintain the project, put it on the protected branch, which others feed, too: then
 * it may be there for this candidate. */
static bool is_own_feed(const struct ts_baseline_selection *s, const struct ts_branch_run *r)
{
	return s->protected && s->fed && s->query->by.len && r->standing != TS_STANDING_MAINTAINER && ts_span_eq(r->who, s->query->by);
}

static bool is_passed(const struct ts_baseline_selection *s, const struct ts_branch_run *r)
{
	return is_late(s, r) || is_own_feed(s, r);
}

/* Whether anybody but the candidate's pusher ever put anything on the branch, also before the entries that are looked at. */
static enum ts_status find_feeders(struct ts_baseline_selection *s, struct ts_span branch, const struct ts_branch_run *runs,
				   size_t n, uint64_t older, struct ts_error *err)
{
	struct ts_engine *engine = s->f->call->engine;
	struct ts_log_entry *entries;
	enum ts_status status;
	struct ts_arena scratch;
	size_t n_entries = 0;

	for (size_t i = 0; i < n && !s->fed; i++)
		s->fed = !ts_span_eq(runs[i].who, s->query->by);
	s->fed = s->fed || (s->pruned.entries && !ts_span_eq(s->pruned.owner, s->query->by));
	if (s->fed || !older)
		return TS_OK;
	ts_arena_init(&scratch, TS_CALL_ARENA);
	status = engine->ops->ref_log(engine, TS_REF_BRANCH, branch, 0, &scratch, &entries, &n_entries, err);
	for (size_t i = 0; i < n_entries && !s->fed && !status; i++)
		s->fed = !ts_span_eq(entries[i].who, s->query->by);
	ts_arena_finish(&scratch);
	return status;
}

static bool pushed_again(const struct ts_baseline_selection *s, const struct ts_branch_run *entries, const struct ts_branch_run *r)
{
	return r->later != SIZE_MAX && !r->gone && !entries[r->later].gone && !is_passed(s, &entries[r->later]) &&
	       ts_branch_same_run(&r->run.workload, &entries[r->later].run.workload);
}

static enum ts_status take_entry(struct ts_baseline_selection *s, const struct ts_branch_run *r, struct ts_error *err)
{
	struct ts_run_notes notes = {.bad = r->bad, .accepted = r->accepted, .training = r->training, .marks = r->marks};
	struct ts_baseline_item *item = item_next(s);

	if (!item)
		return ts_arena_error(s->arena, err);
	item->run = r->run;
	item->accepted = r->accepted;
	if (is_late(s, r))
		return say(s, item,
			   ts_arena_printf(s->arena,
					   "it was put on the branch after the candidate came, by %.*s, who did not maintain the "
					   "project",
					   TS_SPAN_ARG(r->who.len ? r->who : ts_span_str("nobody who is known"))),
			   err);
	if (is_own_feed(s, r) && !is_candidate(s, &r->run.id)) {
		s->own++;
		return say(s, item,
			   ts_arena_printf(s->arena,
					   "it was put on the branch by %.*s, who pushed the candidate, too, and did not maintain "
					   "the project",
					   TS_SPAN_ARG(r->who)),
			   err);
	}
	if (!r->gone)
		return judge(s, item, &notes, err);
	item->why_not = r->bad; /* why the run cannot be read */
	return TS_OK;
}

static enum ts_status look_at_branch(struct ts_baseline_selection *s, struct ts_branch_run *entries, size_t n,
				     struct ts_error *err)
{
	size_t enough = (size_t)s->policy->baselines + TS_BASELINE_HISTORY;

	s->n = s->kin = s->told = s->lost = s->doubtful = s->own = 0;
	s->has_workload = s->query->candidate != NULL;
	s->seen_ancestor = false;
	for (size_t i = 0; i < n && s->kin < enough; i++) {
		if (ts_branch_reduce(s->f, s->policy, s->arena, &entries[i], err))
			return err->status;
		if (!pushed_again(s, entries, &entries[i]) && take_entry(s, &entries[i], err))
			return err->status;
	}
	return TS_OK;
}

/* A run that the branch had before one of the candidate's ancestors is an ancestor itself, unless the branch was rewritten since. Where
 * there are too few ancestors to judge, such runs count, and so do all where the candidate has no ancestor on the branch. */
static void take_rewritten(struct ts_baseline_selection *s)
{
	size_t from = 0;

	if (!s->use_ancestors || s->kin >= TS_GATE_LEAST)
		return;
	while (from < s->n && !(s->items[from].line && s->items[from].same && !s->items[from].silent))
		from++;
	for (size_t i = from == s->n ? 0 : from; i < s->n; i++) {
		struct ts_baseline_item *item = &s->items[i];

		if (!item->stranger || !item->same || item->silent)
			continue;
		item->stranger = false;
		item->line = true;
		item->why_not = ts_span_of(NULL, 0);
		s->kin++;
		s->rewritten++;
	}
}

static enum ts_status select_branch(struct ts_baseline_selection *s, struct ts_span branch, struct ts_error *err)
{
	const struct ts_gate_subject *c = s->query->candidate;
	const uint8_t *slash = memchr(branch.data, '/', branch.len);
	struct ts_branch_run *entries = NULL;
	uint64_t older = 0;
	size_t n = 0;

	s->branch = true;
	s->protected = ts_call_protects(s->f->call, branch);
	s->what = slash ? ts_span_of(slash + 1, branch.len - (size_t)(slash + 1 - branch.data)) : branch;
	s->use_ancestors = c && c->ancestors.len;
	if (ts_branch_entries(s->f, branch, TS_BASELINE_LOOK, s->arena, &entries, &n, &older, &s->pruned, err) ||
	    find_feeders(s, branch, entries, n, older, err) || look_at_branch(s, entries, n, err))
		return err->status;
	/* A shallow checkout lists few ancestors, or none that was ever measured. */
	if (s->use_ancestors && c->cut && !s->seen_ancestor) {
		s->use_ancestors = false;
		s->no_ancestor_known = true;
		if (look_at_branch(s, entries, n, err))
			return err->status;
	}
	take_rewritten(s);
	return TS_OK;
}

/* --- runs by name --- */

static enum ts_status take_named(struct ts_baseline_selection *s, const struct ts_resolved *found, struct ts_error *err)
{
	struct ts_baseline_item *item;
	struct ts_run_notes notes;

	for (size_t i = 0; i < s->n; i++)
		if (ts_id_eq(&s->items[i].run.id, &found->id))
			return TS_OK;
	if (ts_run_notes_of(s->f->call, s->query->names, &found->id, s->arena, &notes, err))
		return err->status;
	item = item_next(s);
	if (!item)
		return ts_arena_error(s->arena, err);
	item->run.name = notes.name;
	if (ts_logged_reduce(s->f, &found->id, s->policy, s->arena, &item->run, err))
		return err->status;
	item->run.id = found->id;
	item->notes = notes;
	return TS_OK;
}

TS_ORDER(newest_first, struct ts_baseline_item, TS_DOWN(run.workload.started_ns); TS_THEN(ts_id_cmp(&a->run.id, &b->run.id)))

static enum ts_status select_named(struct ts_baseline_selection *s, const struct ts_resolved *found, size_t n,
				   struct ts_error *err)
{
	for (size_t i = 0; i < n; i++)
		if (take_named(s, &found[i], err))
			return ts_error_prefix(err, "baseline %zu", i + 1);
	TS_SORT(s->items, s->n, newest_first);
	s->has_workload = s->query->candidate != NULL;
	for (size_t i = 0; i < s->n; i++)
		if (judge(s, &s->items[i], &s->items[i].notes, err))
			return err->status;
	return TS_OK;
}

/* --- runs of a bundle --- */

static enum ts_status select_given(struct ts_baseline_selection *s, struct ts_error *err)
{
	const struct ts_gate_input *given = &s->query->request->given;
	const struct ts_gate_subject *c = s->query->candidate;
	static const struct ts_run_notes none;

	s->given = true;
	s->use_ancestors = c && c->ancestors.len && !c->cut;
	s->has_workload = c != NULL;
	for (size_t i = 0; i < given->n_runs; i++) {
		struct ts_baseline_item *item;

		if (given->runs[i].role != TS_GATE_BASELINE)
			continue;
		item = item_next(s);
		if (!item)
			return ts_arena_error(s->arena, err);
		item->run = given->runs[i];
		if (judge(s, item, &none, err))
			return err->status;
	}
	return TS_OK;
}

/* --- runs of other work --- */

static bool both_know(const struct ts_reduction *a, const struct ts_reduction *b, enum ts_metric metric)
{
	return a->metrics[metric].known && b->metrics[metric].known;
}

/* Asks whether a rate of both runs can be compared: on the same devices, in the same dtype, with FLOPs of the same convention. */
static bool comparable(const struct ts_baseline_selection *s, const struct ts_gate_run *run)
{
	const struct ts_gate_run *candidate = &s->query->candidate->run;
	const struct ts_reduction *a = &run->reduction, *b = &candidate->reduction;
	const struct ts_span dtype = ts_span_str("work.dtype");
	struct ts_gate_policy policy = *s->policy;
	enum ts_workload_part part;

	policy.across[TS_WORKLOAD_CONFIG] = policy.across[TS_WORKLOAD_PARALLELISM] = true;
	if (run->workload.name.len || candidate->workload.name.len ||
	    !ts_gate_same_workload(&policy, &run->workload, &candidate->workload, &part) ||
	    !ts_span_eq(ts_workload_label_of(&run->workload, dtype), ts_workload_label_of(&candidate->workload, dtype)))
		return false;
	return (both_know(a, b, TS_METRIC_MFU) && ts_span_eq(a->mfu_basis, b->mfu_basis)) ||
	       both_know(a, b, TS_METRIC_TOKENS_PER_S_DEVICE) || both_know(a, b, TS_METRIC_SAMPLES_PER_S_DEVICE);
}

static bool seen_before(const struct ts_baseline_selection *s, size_t at)
{
	enum ts_workload_part part;

	for (size_t i = 0; i < at; i++)
		if (s->items[i].other &&
		    ts_gate_same_workload(s->policy, &s->items[i].run.workload, &s->items[at].run.workload, &part))
			return true;
	return false;
}

/* Finds the run of other work that differs from the candidate in the fewest facts; among equals, the newest one. Each workload costs
 * reading a head, so only the newest few are looked at. */
static enum ts_status find_nearest(struct ts_baseline_selection *s, const struct ts_baseline_item **ret,
				   struct ts_workload_difference **ret_rows, size_t *ret_n, struct ts_error *err)
{
	size_t looked = 0;

	*ret = NULL;
	*ret_rows = NULL;
	*ret_n = 0;
	for (size_t i = 0; i < s->n && looked < TS_BASELINE_TOLD; i++) {
		struct ts_workload_difference *rows = NULL;
		size_t n = 0;

		if (!s->items[i].other || s->items[i].silent || !comparable(s, &s->items[i].run) || seen_before(s, i))
			continue;
		looked++;
		if (s->facts.n && !s->given && compare_facts(s, &s->items[i].run.id, &rows, &n, err))
			return err->status;
		if (*ret && n >= *ret_n)
			continue;
		*ret = &s->items[i];
		*ret_rows = rows;
		*ret_n = n;
	}
	return TS_OK;
}

/* Returns "the candidate does other work than its baselines: config.batch is 64 instead of 32, and 2 more facts differ". */
static const char *tell_work(struct ts_baseline_selection *s, const struct ts_workload_difference *rows, size_t n)
{
	const struct ts_span none = ts_span_str("not recorded");
	const char *more = "";

	if (n == 0)
		return "the candidate has another workload than its baselines";
	if (n > 1)
		more = ts_arena_printf(s->arena, ", and %zu more fact%s", n - 1, n == 2 ? " differs" : "s differ");
	if (!more)
		return NULL;
	return ts_arena_printf(s->arena, "the candidate has another workload than its baselines: %.*s is %.*s instead of %.*s%s",
			       TS_SPAN_ARG(cut(rows[0].path)), TS_SPAN_ARG(rows[0].b.len ? cut(rows[0].b) : none),
			       TS_SPAN_ARG(rows[0].a.len ? cut(rows[0].a) : none), more);
}

/* Where no run has the candidate's workload, the runs of the nearest other one are the baselines of a rate. */
static enum ts_status take_other_work(struct ts_baseline_selection *s, struct ts_error *err)
{
	const struct ts_baseline_item *nearest;
	struct ts_workload_difference *rows;
	enum ts_workload_part part;
	const char *text;
	size_t n;

	if (s->kin || !s->query->candidate || !s->policy->other_work || s->policy->workload.len)
		return TS_OK;
	if (find_nearest(s, &nearest, &rows, &n, err))
		return err->status;
	if (!nearest)
		return TS_OK;
	text = tell_work(s, rows, n);
	if (!text)
		return ts_arena_error(s->arena, err);
	s->input->other_work = ts_span_str(text);
	s->workload = nearest->run.workload;
	for (size_t i = 0; i < s->n; i++) {
		struct ts_baseline_item *item = &s->items[i];

		item->same = ts_gate_same_workload(s->policy, &item->run.workload, &s->workload, &part);
		if (!item->same || !item->other)
			continue;
		item->other = false;
		item->why_not = ts_span_of(NULL, 0);
		s->kin += !item->silent;
	}
	return TS_OK;
}

/* --- writing the input --- */

static enum ts_status add_passed_over(struct ts_baseline_selection *s, const struct ts_baseline_item *item,
				      struct ts_error *err)
{
	struct ts_gate_passed_over *row = ts_gate_pass_over(s->input, s->arena);

	if (!row)
		return ts_arena_error(s->arena, err);
	*row = (struct ts_gate_passed_over){item->run.id, item->run.name, item->why_not};
	return TS_OK;
}

static enum ts_status add_given(struct ts_baseline_selection *s, struct ts_error *err)
{
	const struct ts_gate_input *given = &s->query->request->given;

	for (size_t i = 0; i < given->n_runs; i++) {
		struct ts_gate_run *run;

		if (given->runs[i].role != TS_GATE_HISTORY)
			continue;
		run = ts_gate_run_add(s->input, s->arena);
		if (!run)
			return ts_arena_error(s->arena, err);
		*run = given->runs[i];
	}
	for (size_t i = 0; i < given->n_passed_over; i++) {
		struct ts_gate_passed_over *row = ts_gate_pass_over(s->input, s->arena);

		if (!row)
			return ts_arena_error(s->arena, err);
		*row = given->passed_over[i];
	}
	return TS_OK;
}

static enum ts_status add_items(struct ts_baseline_selection *s, struct ts_baseline_found *found, struct ts_error *err)
{
	size_t most = (size_t)s->policy->baselines;

	for (size_t i = 0; i < s->n; i++) {
		struct ts_baseline_item *item = &s->items[i];
		struct ts_gate_run *run;

		if (item->silent || item->why_not.len)
			continue;
		if (s->chosen == most && s->branch) {
			item->beyond = true;
			if (say(s, item, ts_arena_printf(s->arena, "it is older than the newest %zu baselines", most), err))
				return err->status;
			continue;
		}
		run = ts_gate_run_add(s->input, s->arena);
		if (!run)
			return ts_arena_error(s->arena, err);
		*run = item->run;
		run->role = TS_GATE_BASELINE;
		run->group = 0;
		if (s->chosen++ == 0)
			*found = (struct ts_baseline_found){true, item->run.id};
	}
	for (size_t i = 0; i < s->n; i++)
		if (s->items[i].why_not.len && !s->items[i].silent && add_passed_over(s, &s->items[i], err))
			return err->status;
	return s->branch ? ts_baseline_history(s, err) : TS_OK;
}

/* Adds how the workload differs from that of the newest baseline, or why there is no baseline. */
static enum ts_status add_differences(struct ts_baseline_selection *s, const struct ts_baseline_found *found,
				      struct ts_error *err)
{
	const struct ts_baseline_item *nearest = NULL;
	struct ts_error mine;
	const char *text = "";
	enum ts_status status;

	if (!s->query->candidate)
		return TS_OK;
	for (size_t i = 0; i < s->n && !nearest && !found->any; i++)
		nearest = s->items[i].other && s->items[i].line ? &s->items[i] : NULL;
	if ((found->any || nearest) && s->facts.n) {
		status = compare_facts(s, found->any ? &found->newest : &nearest->run.id, &s->input->differences,
				       &s->input->n_differences, &mine);
		/* The runs of a bundle may not be in this store. */
		if (status && !(s->given && status == TS_NOT_FOUND)) {
			*err = mine;
			return status;
		}
	}
	if (s->given && s->n == 0)
		s->input->not_comparable = s->query->request->given.not_comparable;
	if (s->kin || !nearest)
		return TS_OK;
	text = ts_arena_printf(s->arena, "no baseline has the candidate's workload; the newest run does not match, because %.*s",
			       TS_SPAN_ARG(nearest->why_not));
	if (!text)
		return ts_arena_error(s->arena, err);
	s->input->not_comparable = ts_span_str(text);
	return TS_OK;
}

/* Where baselines are few, a branch that lost entries to a policy must not look like a young or a rewritten one. */
static const char *say_pruned(struct ts_baseline_selection *s)
{
	char date[TS_TIME_TEXT];

	if (s->pruned.entries == 0 || s->chosen >= s->policy->baselines)
		return "";
	return ts_arena_printf(s->arena, "; %" PRIu64 " older entr%s of the branch %s pruned, the last on %.10s", s->pruned.entries,
			       s->pruned.entries == 1 ? "y" : "ies", s->pruned.entries == 1 ? "was" : "were",
			       ts_time_text(s->pruned.at_ns, date));
}

/* Runs that may have been put there for this candidate. */
static const char *say_own(struct ts_baseline_selection *s)
{
	if (s->own == 0)
		return "";
	return ts_arena_printf(s->arena,
			       "; %zu more do%s not count, because %.*s, who pushed the candidate, put %s on the branch and did not "
			       "maintain the project",
			       s->own, s->own == 1 ? "es" : "", TS_SPAN_ARG(s->query->by), s->own == 1 ? "it" : "them");
}

static enum ts_status say_lost(struct ts_baseline_selection *s, const char *text, struct ts_error *err)
{
	if (!text)
		return ts_arena_error(s->arena, err);
	s->input->lost = ts_span_str(text);
	return TS_OK;
}

/* What was lost since the candidate came counts against a green verdict where nobody who maintains the project did it, and where too
 * little is left. */
static enum ts_status add_lost(struct ts_baseline_selection *s, struct ts_error *err)
{
	bool few = s->chosen < TS_GATE_LEAST, pruned = s->pruned.entries && s->pruned.at_ns > s->query->since_ns;
	struct ts_span by = s->lost_by.len ? s->lost_by : ts_span_str("nobody who is known");
	const char *others = s->lost_by_others ? " and others" : "";

	if (s->given)
		s->input->lost = s->query->request->given.lost;
	if (s->doubtful)
		return say_lost(s,
				ts_arena_printf(s->arena,
						"%zu baseline%s %s marked since the candidate came, by %.*s%s, who did not maintain "
						"the project",
						s->doubtful, s->doubtful == 1 ? "" : "s", s->doubtful == 1 ? "was" : "were",
						TS_SPAN_ARG(by), others),
				err);
	if (s->lost && few)
		return say_lost(s,
				ts_arena_printf(s->arena,
						"%zu baseline%s %s marked since the candidate came, by %.*s%s, and too few are left",
						s->lost, s->lost == 1 ? "" : "s", s->lost == 1 ? "was" : "were", TS_SPAN_ARG(by),
						others),
				err);
	if (pruned && few)
		return say_lost(s,
				ts_arena_printf(s->arena,
						"%" PRIu64 " entr%s of the branch %s pruned, the last since the candidate came, and "
						"too few baselines are left",
						s->pruned.entries, s->pruned.entries == 1 ? "y" : "ies",
						s->pruned.entries == 1 ? "was" : "were"),
				err);
	return TS_OK;
}

static enum ts_status add_sentence(struct ts_baseline_selection *s, struct ts_error *err)
{
	const struct ts_span given = s->given ? s->query->request->given.sentence : ts_span_of(NULL, 0);
	size_t shown = given.len < SHOWN_NOTE ? given.len : SHOWN_NOTE;
	const char *asked, *text, *pruned = say_pruned(s), *own = say_own(s);

	if (!pruned || !own)
		return ts_arena_error(s->arena, err);
	if (s->branch)
		asked = ts_arena_printf(s->arena, "%.*s", TS_SPAN_ARG(s->what));
	else if (s->given)
		asked = ts_arena_printf(s->arena, "%.*s", TS_SPAN_ARG(cut(s->query->request->given.baseline)));
	else if (s->n == 1 && s->items[0].run.name.len)
		asked = ts_arena_printf(s->arena, "%.*s", TS_SPAN_ARG(s->items[0].run.name));
	else
		asked = ts_arena_printf(s->arena, "its baselines");
	if (s->branch)
		text = ts_arena_printf(
			s->arena, "%zu run%s of %.*s%s%s%s%s", s->chosen, s->chosen == 1 ? "" : "s", TS_SPAN_ARG(s->what),
			s->no_branch ? ", because the project has no branch yet"
			: s->since   ? s->since
				     : "",
			s->rewritten && s->pruned.entries
				? "; the candidate has too few ancestors on the branch, so runs count that are no ancestors"
			: s->rewritten
				? "; the candidate has too few ancestors on the branch, so runs count that are no ancestors: the "
				  "branch was rewritten since, or the candidate's began elsewhere"
			: s->no_ancestor_known
				? "; the candidate lists none of them as an ancestor, so the gate cannot tell which are, and uses all"
				: "",
			pruned, own);
	else if (s->given && s->chosen == s->n)
		text = ts_arena_printf(s->arena, "%.*s", (int)shown, (const char *)given.data);
	else if (s->given)
		text = ts_arena_printf(s->arena, "%zu of the runs in the bundle, which were chosen as %.*s", s->chosen, (int)shown,
				       (const char *)given.data);
	else
		text = ts_arena_printf(s->arena, "%zu run%s given by name", s->chosen, s->chosen == 1 ? "" : "s");
	if (!asked || !text)
		return ts_arena_error(s->arena, err);
	s->input->baseline = ts_span_str(asked);
	s->input->sentence = ts_span_str(text);
	return TS_OK;
}

/* Returns the name in "branch:project/name" or "?project/name"; *ret_project is "project/". It is empty if the spec has
 * another form. */
static struct ts_span branch_asked(struct ts_span spec, struct ts_span *ret_project)
{
	struct ts_span none = ts_span_of(NULL, 0);
	size_t before;

	*ret_project = ts_spec_project(spec);
	if (!ret_project->len || !(ts_span_starts(spec, ts_span_str("branch:")) || spec.data[0] == '?'))
		return none;
	before = (size_t)(ret_project->data - spec.data) + ret_project->len;
	return ts_span_of(spec.data + before, spec.len - before);
}

/* Whether the spec can only be a branch: it says so, or is called as hosts of git call the branch that a project begins with. */
static bool is_branch_to_come(struct ts_span spec, struct ts_span name)
{
	static const char *const firsts[] = {"main", "master", "trunk", "develop", "default"};

	for (size_t i = 0; i < sizeof firsts / sizeof firsts[0]; i++)
		if (ts_span_is(name, firsts[i]))
			return true;
	return ts_span_starts(spec, ts_span_str("branch:"));
}

/* In a project without any branch, the requested branch has no run yet: the gate has just been introduced, and that is
 * no error. In a project that has branches, and where the name may be another's, a name that nothing has is a typing error. io_err is
 * that of the name which was not found. */
static enum ts_status select_nothing_yet(struct ts_baseline_selection *s, bool *ret_new, struct ts_error *io_err)
{
	struct ts_ref_query query = {.kind = TS_REF_BRANCH, .order = TS_ORDER_NAME, .limit = 1};
	struct ts_engine *engine = s->f->call->engine;
	struct ts_span spec = s->query->request->baselines[0], name = branch_asked(spec, &query.prefix), next;
	struct ts_ref *refs;
	size_t n = 0;

	*ret_new = false;
	if (name.len == 0 || s->query->request->n_baselines != 1)
		return TS_OK;
	if (engine->ops->ref_list(engine, &query, s->arena, &refs, &n, &next, io_err))
		return io_err->status;
	if (n)
		return TS_OK;
	if (!is_branch_to_come(spec, name)) {
		struct ts_error why = *io_err;

		ts_error_set(io_err, TS_NOT_FOUND, "%s; the project has no branch yet: branch:%.*s is one that is to come", why.text,
			     TS_SPAN_ARG(name));
		return TS_OK;
	}
	*ret_new = true;
	s->branch = true;
	s->what = name;
	s->no_branch = true;
	return TS_OK;
}

/* Selects from what the request names: a branch, which must be the only baseline, runs, or a bundle. */
static enum ts_status select_asked(struct ts_baseline_selection *s, struct ts_error *err)
{
	const struct ts_gate_request *request = s->query->request;
	struct ts_resolved *found = ts_arena_array(s->arena, request->n_baselines, sizeof *found);

	if (!found)
		return ts_arena_error(s->arena, err);
	if (request->n_baselines == 0 && request->has_given)
		return select_given(s, err);
	if (request->n_baselines == 0)
		return ts_error_set(err, TS_INVALID, "the request names no baseline: name a branch, runs, or a bundle");
	for (size_t i = 0; i < request->n_baselines; i++) {
		enum ts_status status = ts_resolve(s->f->call->engine, request->baselines[i], s->arena, &found[i], err);
		bool is_new = false;

		if (status == TS_NOT_FOUND && select_nothing_yet(s, &is_new, err))
			return err->status;
		if (is_new)
			return TS_OK;
		if (status)
			return ts_error_prefix(err, "baseline");
		if (found[i].by_ref && found[i].ref.kind == TS_REF_BRANCH && request->n_baselines > 1)
			return ts_error_set(
				err, TS_INVALID,
				"the branch %.*s must be the only baseline: other baselines cannot be added to a branch",
				TS_SPAN_ARG(found[i].ref.name));
	}
	if (found[0].by_ref && found[0].ref.kind == TS_REF_BRANCH)
		return select_branch(s, found[0].ref.name, err);
	return select_named(s, found, request->n_baselines, err);
}

enum ts_status ts_baselines_select(struct ts_fetch *f, const struct ts_baseline_query *query, struct ts_arena *arena,
				   struct ts_gate_input *input, struct ts_baseline_found *ret_found,
				   struct ts_error *err)
{
	struct ts_baseline_selection s = {
		.f = f, .query = query, .arena = arena, .input = input, .policy = &input->policy};
	struct ts_baseline_found found = {.any = false};

	if (query->candidate) {
		s.workload = query->candidate->run.workload;
		s.facts = query->candidate->facts;
	}
	if (select_asked(&s, err) || take_other_work(&s, err) || (s.branch && ts_baseline_levels(&s, err)) ||
	    add_items(&s, &found, err) || (s.given && add_given(&s, err)) || add_differences(&s, &found, err) ||
	    add_sentence(&s, err) || add_lost(&s, err))
		return err->status;
	*ret_found = found;
	return TS_OK;
}
