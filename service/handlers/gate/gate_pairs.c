/* gate_pairs.c - matches runs of base and candidate on one allocation into pairs. */
#include "base/order.h"
#include "service/handlers/gate/gate_gather.h"

#include <string.h>

struct side {
	struct ts_gate_run run;
	bool candidate;
	bool paired;
};

TS_ORDER(in_order, struct side, TS_TEXT(run.workload.session); TS_UP(candidate); TS_UP(run.workload.started_ns);
	 TS_THEN(ts_id_cmp(&a->run.id, &b->run.id)))

static enum ts_status pass_over(struct ts_gathering *g, const struct ts_gate_run *run, const char *reason,
				struct ts_error *err)
{
	struct ts_gate_passed_over *row = ts_gate_pass_over(&g->input, g->arena);

	if (!row || !reason)
		return ts_arena_error(g->arena, err);
	*row = (struct ts_gate_passed_over){run->id, run->name, ts_span_str(reason)};
	return TS_OK;
}

/* Returns why a run that was given for the pairs does not count; NULL: it counts. */
static const char *against(const struct ts_gathering *g, const struct ts_gate_run *run,
			   const struct ts_run_notes *notes)
{
	struct ts_gate_policy policy = g->input.policy;
	enum ts_workload_part part;

	if (g->input.other_work.len)
		policy.across[TS_WORKLOAD_CONFIG] = policy.across[TS_WORKLOAD_PARALLELISM] = true;
	if (notes->training)
		return "it was given for the pairs, but it is still training";
	if (notes->bad.len)
		return "it was given for the pairs, but it is marked bad";
	if (!ts_gate_same_workload(&policy, &run->workload, &g->candidates.first.run.workload, &part))
		return "it was given for the pairs, but its workload differs from the candidate's";
	return NULL;
}

static enum ts_status take(struct ts_gathering *g, const struct ts_id *id, struct side *sides, size_t *n,
			   struct ts_error *err)
{
	struct ts_gate_code own = ts_gate_code_of(&g->candidates.first.facts), code;
	struct ts_gate_subject s;
	struct ts_run_notes notes;
	const char *why;

	if (ts_run_notes_of(g->f->call, &g->names, id, g->arena, &notes, err) ||
	    ts_gate_subject_open(g->f, id, &g->input.policy, g->arena, &s, err))
		return ts_error_prefix(err, "pairs");
	s.run.name = notes.name;
	why = against(g, &s.run, &notes);
	if (why)
		return pass_over(g, &s.run, why, err);
	code = ts_gate_code_of(&s.facts);
	if (code.commit.len == 0)
		return pass_over(
			g, &s.run,
			"it was given for the pairs, but it records no commit, so it is not known whether it is of the base or of the "
			"candidate",
			err);
	sides[(*n)++] = (struct side){.run = s.run, .candidate = ts_gate_same_code(&own, &code)};
	return TS_OK;
}

static size_t of_side(const struct side *sides, size_t from, size_t n, bool candidate)
{
	size_t to = from;

	while (to < n && sides[to].candidate == candidate &&
	       ts_span_eq(sides[to].run.workload.session, sides[from].run.workload.session))
		to++;
	return to;
}

static enum ts_status add(struct ts_gathering *g, const struct side *side, uint32_t number, struct ts_error *err)
{
	struct ts_gate_run *run = ts_gate_run_add(&g->input, g->arena);

	if (!run)
		return ts_arena_error(g->arena, err);
	*run = side->run;
	run->role = side->candidate ? TS_GATE_PAIR_CANDIDATE : TS_GATE_PAIR_BASE;
	run->group = number;
	return TS_OK;
}

/* Returns "p/pair-ID-N" of "p/pair-ID-N-base"; empty if the run has another name. */
static struct ts_span stem(const struct side *side)
{
	const char *end = side->candidate ? "-candidate" : "-base";
	struct ts_span name = side->run.name, none = ts_span_of(NULL, 0);
	size_t len = strlen(end);
	size_t from = name.len;

	while (from && name.data[from - 1] != '/')
		from--;
	if (name.len < from + len || memcmp(name.data + name.len - len, end, len) != 0)
		return none;
	if (!ts_span_starts(ts_span_of(name.data + from, name.len - from), ts_span_str("pair-")))
		return none;
	return ts_span_of(name.data, name.len - len);
}

static enum ts_status add_pair(struct ts_gathering *g, struct side *base, struct side *candidate, uint32_t *io_number,
			       struct ts_error *err)
{
	base->paired = candidate->paired = true;
	++*io_number;
	return add(g, base, *io_number, err) || add(g, candidate, *io_number, err) ? err->status : TS_OK;
}

/* Pairs runs by their names, of which each gives a pair. So a run that is missing does not move the partners of the others. */
static enum ts_status pair_names(struct ts_gathering *g, struct side *bases, size_t n_bases, struct side *candidates,
				 size_t n_candidates, uint32_t *io_number, struct ts_error *err)
{
	for (size_t i = 0; i < n_bases; i++)
		for (size_t k = 0; !bases[i].paired && k < n_candidates; k++)
			if (!candidates[k].paired && ts_span_eq(stem(&bases[i]), stem(&candidates[k])) &&
			    add_pair(g, &bases[i], &candidates[k], io_number, err))
				return err->status;
	return TS_OK;
}

static bool all_named(const struct side *sides, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!stem(&sides[i]).len)
			return false;
	return true;
}

/* Pairs the runs of one session, which are sorted: base runs first, then candidate runs, each by start. Where their names do not say
 * who belongs together, both sides must have as many: any run that is missing would move the partners of the others. */
static enum ts_status pair_session(struct ts_gathering *g, struct side *sides, size_t from, size_t n, size_t *ret_to,
				   uint32_t *io_number, struct ts_error *err)
{
	size_t bases = of_side(sides, from, n, false) - from, candidates = 0;
	struct side *own = sides + from;
	const char *why = "it was given for the pairs, but the run that its name belongs to was not, or lies in another session";

	if (from + bases < n &&
	    (bases == 0 || ts_span_eq(sides[from + bases].run.workload.session, sides[from].run.workload.session)))
		candidates = of_side(sides, from + bases, n, true) - from - bases;
	*ret_to = from + bases + candidates;
	if (all_named(own, bases + candidates)) {
		if (pair_names(g, own, bases, own + bases, candidates, io_number, err))
			return err->status;
	} else if (bases == candidates) {
		for (size_t k = 0; k < bases; k++)
			if (add_pair(g, &own[k], &own[bases + k], io_number, err))
				return err->status;
	} else if (!bases || !candidates) {
		why = "it was given for the pairs, but its session has no other run to pair it with";
	} else {
		why = ts_arena_printf(
			g->arena,
			"it was given for the pairs, but its session has %zu of the base and %zu of the candidate, and their "
			"names do not say which belong together: give as many of both",
			bases, candidates);
	}
	for (size_t i = 0; i < bases + candidates; i++)
		if (!own[i].paired && pass_over(g, &own[i].run, why, err))
			return err->status;
	return TS_OK;
}

enum ts_status ts_gather_pairs(struct ts_gathering *g, struct ts_error *err)
{
	struct side *sides = ts_arena_array(g->arena, g->n_pairs, sizeof *sides);
	uint32_t number = 0;
	size_t n = 0;

	if (!sides)
		return ts_arena_error(g->arena, err);
	if (g->n_pairs && ts_gate_code_of(&g->candidates.first.facts).commit.len == 0)
		return ts_error_set(err, TS_INVALID,
				    "the candidate records no commit, so it is not known which runs of the pairs are of the candidate");
	for (size_t i = 0; i < g->n_pairs; i++)
		if (take(g, &g->pairs[i], sides, &n, err))
			return err->status;
	TS_SORT(sides, n, in_order);
	for (size_t at = 0; at < n;)
		if (pair_session(g, sides, at, n, &at, &number, err))
			return err->status;
	return TS_OK;
}
