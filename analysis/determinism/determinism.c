#include "analysis/determinism/determinism.h"

#include "analysis/diverge/effects.h"
#include "base/door.h"
#include "base/grow.h"
#include "base/text.h"
#include "base/words.h"
#include "run/fact_match.h"

#include <inttypes.h>

enum { NAMES_SHOWN = 4 };

TS_WORDS(ts_determinism_runs_word, enum ts_determinism_runs,
	 "unknown", [TS_RUNS_NONE] = "none", [TS_RUNS_EQUAL] = "equal", [TS_RUNS_DIFFER] = "differ", [TS_RUNS_UNKNOWN] = "unknown")

enum answer { NO, YES, UNKNOWN };

struct judging {
	const struct ts_determinism_record *record;
	const struct ts_facts *facts;
	struct ts_arena *arena;
	struct ts_determinism *out;
	size_t cap;
	enum answer cuda;	/* the program uses CUDA */
	enum answer algorithms; /* use_deterministic_algorithms */
	bool warns;		/* with warn_only: what has no such form runs nevertheless */
	bool one_thread;
	unsigned torch;
};

static const struct ts_fact *fact_of(const struct judging *j, const char *path)
{
	return ts_facts_find(j->facts, ts_span_str(path));
}

static bool any(const struct judging *j, const char *glob)
{
	for (size_t i = 0; i < j->facts->n; i++)
		if (j->facts->items[i].type != TS_FACT_ABSENT && ts_glob(ts_span_str(glob), j->facts->items[i].path))
			return true;
	return false;
}

/* --- what the record says of the program as a whole --- */

/* The recorder of the Python package says which device torch uses once it uses one; a host may have a device that the program leaves
 * alone. */
static enum answer uses_cuda(const struct judging *j)
{
	const struct ts_fact *device = fact_of(j, "session.device"), *available = fact_of(j, "hardware.cuda_available");

	if (ts_without_cuda(j->facts))
		return NO;
	if ((device && device->type == TS_FACT_TEXT && ts_span_starts(device->text, ts_span_str("cuda"))) ||
	    (available && ts_fact_is(available, "true")))
		return YES;
	/* It asks torch for these at the first step, and then for the device, too. */
	if (fact_of(j, "determinism.num_threads") && fact_of(j, "session.generators.torch"))
		return NO;
	return ts_tells_of_cuda(j->facts) ? YES : UNKNOWN;
}

static enum answer algorithms(const struct judging *j)
{
	const struct ts_fact *fact = fact_of(j, ts_hazards[0].paths[0]);

	if (!fact)
		fact = fact_of(j, ts_hazards[0].paths[1]);
	return !fact ? UNKNOWN : ts_fact_is(fact, "true") || ts_fact_is(fact, "1") ? YES : NO;
}

static void begin(struct judging *j)
{
	const struct ts_fact *warns = fact_of(j, "determinism.deterministic_warn_only");
	const struct ts_fact *threads = fact_of(j, "determinism.num_threads");

	j->cuda = uses_cuda(j);
	j->algorithms = algorithms(j);
	j->warns = !warns || !ts_fact_is(warns, "false");
	j->one_thread = threads && ts_fact_is(threads, "1");
	j->torch = ts_torch_version(j->facts);
}

/* --- rows --- */

static enum ts_status add(struct judging *j, const struct ts_determinism_row *row, struct ts_error *err)
{
	if (!TS_GROW_IN(j->arena, j->out->rows, j->cap, j->out->n + 1, 32))
		return ts_arena_error(j->arena, err);
	j->out->rows[j->out->n++] = *row;
	if (!row->elsewhere) {
		j->out->breaks += row->state == TS_HAZARD_BREAKS;
		j->out->unproved += row->state == TS_HAZARD_UNPROVED;
	}
	return TS_OK;
}

static bool one_of(const struct ts_fact *fact, const char *const words[TS_HAZARD_VALUES])
{
	for (size_t i = 0; i < TS_HAZARD_VALUES && words[i]; i++)
		if (ts_fact_is(fact, words[i]))
			return true;
	return false;
}

static struct ts_span printed(const struct judging *j, const struct ts_fact *fact)
{
	struct ts_buf text = TS_BUF_INIT(1 << 16);
	struct ts_span said;

	ts_fact_print(fact, &text);
	said = ts_arena_span(j->arena, ts_buf_view(&text));
	ts_buf_finish(&text);
	return said;
}

/* A variable that is not among the facts is unset, where variables were recorded at all. */
static bool was_asked(const struct judging *j, const struct ts_hazard *h)
{
	if (ts_span_starts(ts_span_str(h->paths[0]), ts_span_str("determinism.env.")))
		return any(j, "determinism.env.*") || fact_of(j, "session.environment");
	/* What the recorder of the package says, or leaves out because it is not so. */
	return fact_of(j, "determinism.num_threads") != NULL;
}

/* Why it cannot act; NULL: it can, or *ret_unknown: nobody knows. */
static const char *idle(const struct judging *j, const struct ts_hazard *h, bool *ret_unknown)
{
	*ret_unknown = false;
	if (h->ranks && j->record->world == 1)
		return "there is a single rank";
	if (h->cuda && j->cuda == NO)
		return "the program uses no CUDA device";
	if (h->library && !any(j, h->library) && any(j, "libraries.*"))
		return "the library is not among those of the run";
	*ret_unknown = (h->ranks && !j->record->world) || (h->cuda && j->cuda == UNKNOWN) || (h->library && !any(j, h->library));
	return NULL;
}

/* With deterministic algorithms it is prevented, too. */
static bool by_algorithms(const struct judging *j, const struct ts_hazard *h)
{
	return h->algorithms_from && j->algorithms == YES && j->torch >= h->algorithms_from;
}

static enum ts_status judge_setting(struct judging *j, const struct ts_hazard *h, struct ts_error *err)
{
	struct ts_determinism_row row = {
		.name = ts_span_str(h->name),
		.elsewhere = h->elsewhere,
		.says = ts_span_str(h->says),
		.prevent = ts_span_str(h->prevent),
		.cost = h->cost ? ts_span_str(h->cost) : ts_span_of(NULL, 0),
		.source = ts_span_str(h->source),
	};
	const struct ts_fact *fact = NULL;
	bool unknown;
	const char *why = idle(j, h, &unknown);

	for (size_t i = 0; i < sizeof h->paths / sizeof h->paths[0] && h->paths[i] && !fact; i++)
		fact = fact_of(j, h->paths[i]);
	if (fact)
		row.recorded = printed(j, fact);
	if (why) {
		row.state = TS_HAZARD_IDLE;
		row.says = ts_span_str(why);
		return add(j, &row, err);
	}
	if (fact)
		row.state = one_of(fact, h->good) ? TS_HAZARD_CONTROLLED : one_of(fact, h->bad) ? TS_HAZARD_BREAKS : h->otherwise;
	else if (unknown || !was_asked(j, h))
		row.state = TS_HAZARD_UNPROVED;
	else
		row.state = h->unset == TS_HAZARD_BREAKS && h->optional_from && j->torch >= h->optional_from ? TS_HAZARD_UNPROVED
													     : h->unset;
	if (row.state < TS_HAZARD_CONTROLLED && by_algorithms(j, h))
		row.state = TS_HAZARD_CONTROLLED;
	if (unknown && row.state == TS_HAZARD_BREAKS)
		row.state = TS_HAZARD_UNPROVED;
	return add(j, &row, err);
}

/* --- operations --- */

static enum ts_hazard_state state_of_op(const struct judging *j, const struct ts_hazard_op *op)
{
	if ((op->cuda && j->cuda == NO) || (j->cuda == NO && j->one_thread))
		return TS_HAZARD_IDLE;
	if (j->algorithms == YES && !(op->throws && j->warns))
		return TS_HAZARD_CONTROLLED;
	return op->sometimes || j->algorithms == UNKNOWN || j->cuda == UNKNOWN ? TS_HAZARD_UNPROVED : TS_HAZARD_BREAKS;
}

static enum ts_status add_op(struct judging *j, struct ts_span name, const struct ts_hazard_op *op, struct ts_error *err)
{
	struct ts_determinism_row row = {
		.name = name,
		.state = state_of_op(j, op),
		.prevent = ts_span_str(ts_hazard_ops_prevent),
		.cost = ts_span_str(op->throws ? "it has no deterministic form, and raises an error then" : ts_hazard_ops_cost),
		.source = ts_span_str(op->source ? op->source : ts_hazard_ops_source),
	};
	const char *says = op->listed[0]
				   ? ts_arena_phrase(j->arena, "%s is on torch's list of operations that do not repeat", op->listed[0])
				   : "its kernel adds in any order";

	if (row.state == TS_HAZARD_IDLE)
		return TS_OK;
	row.says = ts_span_str(
		op->sometimes ? ts_arena_phrase(j->arena, "%s, %s; whether it was called so is not recorded", says, op->sometimes)
			      : says);
	return add(j, &row, err);
}

/* The first names, as "a, b and 3 more". */
static const char *some(const struct judging *j, const struct ts_span *names, size_t n)
{
	const char *text = "";

	for (size_t i = 0; i < n && i < NAMES_SHOWN; i++)
		text = ts_arena_phrase(j->arena, "%s%s%.*s", text, i ? ", " : "", TS_SPAN_ARG(names[i]));
	return n > NAMES_SHOWN ? ts_arena_phrase(j->arena, "%s and %zu more", text, n - NAMES_SHOWN) : text;
}

static const char record_ops[] = "TSCOPE_OPERATIONS=0-1:aten in the environment of a short run";

static enum ts_status judge_ops(struct judging *j, struct ts_error *err)
{
	const struct ts_determinism_record *r = j->record;
	struct ts_determinism_row row = {
		.name = ts_span_str("operations"), .prevent = ts_span_str(record_ops), .source = ts_span_str(ts_hazard_ops_source)};
	struct ts_span *modules = ts_arena_array(j->arena, r->n_ops + 1, sizeof *modules);
	struct ts_span *foreign = ts_arena_array(j->arena, r->n_ops + 1, sizeof *foreign);
	size_t n_modules = 0, n_foreign = 0, listed = 0;

	if (!modules || !foreign)
		return ts_arena_error(j->arena, err);
	for (size_t i = 0; i < r->n_ops; i++) {
		const struct ts_hazard_op *op;
		enum ts_op_known known = ts_hazard_op_of(r->ops[i], &op);

		if (known == TS_OP_MODULE)
			modules[n_modules++] = r->ops[i];
		if (known == TS_OP_FOREIGN)
			foreign[n_foreign++] = r->ops[i];
		listed += known == TS_OP_LISTED;
		if (known == TS_OP_LISTED && add_op(j, r->ops[i], op, err))
			return err->status;
	}
	j->out->op_kinds = r->n_ops;
	row.state = TS_HAZARD_UNPROVED;
	if (!r->n_ops) {
		row.says = ts_span_str("which operations ran is not recorded, so none of them is known");
		return add(j, &row, err);
	}
	if (n_foreign) {
		row.recorded = ts_span_str(some(j, foreign, n_foreign));
		row.says = ts_span_str("they are not operations of torch, and the catalog does not know them");
		row.prevent = ts_span_of(NULL, 0);
		if (add(j, &row, err))
			return err->status;
	}
	if (n_modules) {
		row.recorded = ts_span_str(some(j, modules, n_modules));
		row.says = ts_span_str("modules were recorded, and not the operations within");
		row.prevent = ts_span_str(record_ops);
		return add(j, &row, err);
	}
	if (r->more_ops) {
		row.says = ts_span_str("there are more operations than are looked at");
		return add(j, &row, err);
	}
	if (n_foreign)
		return TS_OK;
	row.state = TS_HAZARD_CONTROLLED;
	row.recorded = ts_span_str(ts_arena_phrase(j->arena, "%zu kinds", r->n_ops));
	row.says = ts_span_str(ts_arena_phrase(j->arena, "%zu of them %s on torch's list", listed, listed == 1 ? "is" : "are"));
	row.prevent = ts_span_of(NULL, 0);
	return add(j, &row, err);
}

/* --- what the catalog is about --- */

static enum ts_status judge_frame(struct judging *j, struct ts_error *err)
{
	struct ts_determinism_row row = {.name = ts_span_str("catalog"), .state = TS_HAZARD_UNPROVED};
	const struct ts_fact *torch = fact_of(j, "libraries.torch");

	if (torch && torch->type == TS_FACT_TEXT)
		row.recorded = ts_span_str(ts_arena_phrase(j->arena, "torch %.*s", TS_SPAN_ARG(torch->text)));
	if (!torch && !any(j, "libraries.jax*") && !any(j, "libraries.tensorflow*"))
		row.says = ts_span_str("no framework that the catalog knows is among the recorded libraries");
	else if (torch && !j->torch)
		row.says = ts_span_str("the version of torch cannot be read");
	else if (j->torch > TS_HAZARDS_TORCH)
		row.says =
			ts_span_str(ts_arena_phrase(j->arena, "this torch is newer than the newest whose list is in the catalog, %u.%u",
						    TS_HAZARDS_TORCH / 100u, TS_HAZARDS_TORCH % 100u));
	else
		return TS_OK;
	return add(j, &row, err);
}

/* --- the answer --- */

/* Rows that decide before those that act elsewhere, of each the worst first, and of one weight in the order of the catalog. */
static enum ts_status in_order(struct judging *j, struct ts_error *err)
{
	struct ts_determinism *out = j->out;
	struct ts_determinism_row *rows = ts_arena_array(j->arena, out->n + 1, sizeof *rows);
	size_t n = 0;

	if (!rows)
		return ts_arena_error(j->arena, err);
	for (int elsewhere = 0; elsewhere < 2; elsewhere++)
		for (enum ts_hazard_state state = TS_HAZARD_BREAKS; state <= TS_HAZARD_IDLE; state++)
			for (size_t i = 0; i < out->n; i++)
				if (out->rows[i].elsewhere == (elsewhere == 1) && out->rows[i].state == state)
					rows[n++] = out->rows[i];
	out->rows = rows;
	return TS_OK;
}

static const char *plural(const struct judging *j, uint64_t n, const char *one, const char *many)
{
	return ts_arena_phrase(j->arena, "%" PRIu64 " %s", n, n == 1 ? one : many);
}

enum ts_status ts_determinism_of(const struct ts_determinism_record *record, struct ts_arena *arena, struct ts_determinism *ret,
				 struct ts_error *err)
{
	struct judging j = {.record = record, .facts = record->facts, .arena = arena, .out = ret};

	TS_DOOR(ts_facts_hold(record->facts));
	*ret = (struct ts_determinism){.n = 0};
	begin(&j);
	for (size_t i = 0; i < ts_hazards_n; i++)
		if (judge_setting(&j, &ts_hazards[i], err))
			return err->status;
	if (judge_ops(&j, err) || judge_frame(&j, err) || in_order(&j, err))
		return err->status;
	ret->exit_code = ret->breaks ? 1 : ret->unproved ? 3 : 0;
	if (ret->breaks)
		ret->sentence =
			ts_span_str(ts_arena_phrase(arena, "%s known to make two runs differ, and not prevented: %.*s%s.",
						    plural(&j, ret->breaks, "thing is", "things are"), TS_SPAN_ARG(ret->rows[0].name),
						    ret->breaks > 1 ? " and what follows" : ""));
	else if (ret->unproved)
		ret->sentence =
			ts_span_str(ts_arena_phrase(arena, "Nothing that was recorded is known to make two runs differ; %s unproved.",
						    plural(&j, ret->unproved, "thing is", "things are")));
	else
		ret->sentence =
			ts_span_str("All that the catalog knows is controlled, or cannot act. Only two runs can show the rest.");
	return ts_arena_check(arena, err);
}

enum ts_status ts_determinism_ran(struct ts_determinism *answer, struct ts_arena *arena, struct ts_error *err)
{
	TS_DOOR(answer->ran != TS_RUNS_NONE);
	if (answer->ran == TS_RUNS_DIFFER) {
		answer->exit_code = 1;
		answer->sentence =
			ts_span_str(ts_arena_phrase(arena, "Two runs of the command differ: %.*s.", TS_SPAN_ARG(answer->first)));
	} else if (answer->ran == TS_RUNS_UNKNOWN) {
		answer->exit_code = 3;
		answer->sentence = ts_span_str(ts_arena_phrase(arena, "Whether two runs of the command are equal is not known: %.*s.",
							       TS_SPAN_ARG(answer->first)));
	} else {
		answer->exit_code = answer->breaks ? 3 : 0;
		answer->sentence = ts_span_str(ts_arena_phrase(
			arena, "Two runs of the command are equal bit for bit in %" PRIu64 " steps, in %" PRIu64 " series%s.",
			answer->steps, answer->series,
			answer->breaks ? "; but what is known to break this is not prevented, so a longer run may differ" : ""));
	}
	return ts_arena_check(arena, err);
}
