/* gate_changes.c - what else changed from the newest baseline to the candidate: facts, and the loss. */
#include "base/limits.h"
#include "service/handlers/diff/diff_runs.h"
#include "service/handlers/gate/gate_gather.h"

enum { FACTS_MAX = 64, SHOWN_VALUE = 1000 };

/* Session and commit differ between any two runs, so they explain nothing; columns only name who wrote the run. */
static bool explains(enum ts_group group)
{
	return group != TS_GROUP_SESSION && group != TS_GROUP_CODE && group != TS_GROUP_COLUMNS;
}

/* Returns the fact's value as text, cut to SHOWN_VALUE bytes. data == NULL: no memory. */
static struct ts_span shown(const struct ts_fact *fact, struct ts_arena *arena)
{
	struct ts_buf text = TS_BUF_INIT(TS_MESSAGE_MAX);
	struct ts_span view, copy = {NULL, 0};

	if (fact)
		ts_fact_print(fact, &text);
	view = ts_buf_view(&text);
	if (!text.failed)
		copy = ts_arena_span(arena, ts_span_of(view.data, view.len < SHOWN_VALUE ? view.len : SHOWN_VALUE));
	ts_buf_finish(&text);
	return copy;
}

static enum ts_status add_facts(struct ts_gathering *g, const struct ts_run *newest, const struct ts_run *candidate,
				struct ts_error *err)
{
	struct ts_gate_input *in = &g->input;
	struct ts_fact_row *rows;
	uint64_t ignored;
	size_t n;

	in->facts = ts_arena_array(g->arena, FACTS_MAX, sizeof *in->facts);
	if (!in->facts)
		return ts_arena_error(g->arena, err);
	if (ts_facts_diff(newest, candidate, (struct ts_fact_globs){NULL, 0}, g->arena, &rows, &n, &ignored, err))
		return err->status;
	for (size_t i = 0; i < n; i++) {
		struct ts_gate_fact row = {.path = rows[i].path};

		if (!explains(rows[i].group) || rows[i].rank != TS_RANK_JOB)
			continue;
		if (in->n_facts == FACTS_MAX) {
			in->facts_more++;
			continue;
		}
		row.a = shown(rows[i].a, g->arena);
		row.b = shown(rows[i].b, g->arena);
		if (!row.a.data || !row.b.data)
			return ts_arena_error(g->arena, err);
		in->facts[in->n_facts++] = row;
	}
	return TS_OK;
}

/* Runs with seeds of their own differ in every bit, which is no news. */
static bool seeds_differ(const struct ts_gate_input *in)
{
	for (size_t i = 0; i < in->n_facts; i++)
		if (ts_span_starts(in->facts[i].path, ts_span_str("seeds.")))
			return true;
	return false;
}

static enum ts_status add_loss(struct ts_gathering *g, const struct ts_id *newest, struct ts_error *err)
{
	/* A candidate always has another commit than its baselines. */
	const struct ts_span expected[] = {ts_span_str("code.ancestors"), ts_span_str("code.commit")};
	struct ts_diff_how how = {.expected = {expected, sizeof expected / sizeof expected[0]}};
	struct ts_gate_loss *loss = &g->input.loss;
	struct ts_diff diff;

	if (ts_diff_runs(g->f, newest, &g->candidates.ids[0], &how, g->arena, &diff, err))
		return err->status;
	loss->bits = diff.diagnosis.bits.answer;
	loss->numeric = diff.diagnosis.numeric.answer;
	loss->statistical = diff.diagnosis.statistical.answer;
	if (seeds_differ(&g->input) && loss->bits == TS_TIER_FAILS && loss->statistical != TS_TIER_FAILS) {
		loss->sentence = ts_span_str("the seeds differ, so the losses differ from the first step on");
		return TS_OK;
	}
	loss->sentence = diff.reason.len <= SHOWN_VALUE ? diff.reason : ts_span_of(diff.reason.data, SHOWN_VALUE);
	return TS_OK;
}

enum ts_status ts_gather_changes(struct ts_gathering *g, const struct ts_baseline_found *newest, struct ts_error *err)
{
	struct ts_run base, candidate;
	struct ts_error mine;

	if (!newest->any) {
		g->input.loss.sentence = ts_span_str("there is no baseline to compare the loss with");
		return TS_OK;
	}
	/* A bundle holds reduced values, and its runs may not be in this store. */
	if (ts_run_open(g->f, &newest->newest, g->arena, &base, &mine)) {
		if (mine.status != TS_NOT_FOUND || !g->request->has_given) {
			*err = mine;
			return mine.status;
		}
		g->input.loss.sentence =
			ts_span_str("the runs of the bundle are not in this store, so neither loss nor facts were compared");
		return TS_OK;
	}
	if (ts_run_open(g->f, &g->candidates.ids[0], g->arena, &candidate, err) ||
	    add_facts(g, &base, &candidate, err) || add_loss(g, &newest->newest, err))
		return err->status;
	return TS_OK;
}
