/* verb_check_determinism.c - tscope check-determinism: what of a run is known to keep two runs of it from being equal bit for bit; and,
 * with a command, whether two short runs of it are. */
#include "analysis/determinism/determinism.h"
#include "cli/core/ask.h"
#include "cli/core/names.h"
#include "cli/json/json_parts.h"
#include "cli/text/show_ops.h"
#include "cli/text/text_determinism.h"
#include "cli/verbs/experiment_place.h"
#include "cli/verbs/recorded_ops.h"
#include "cli/verbs/short_runs.h"
#include "cli/verbs/verbs.h"
#include "cli/why/run_output.h"
#include "run/head.h"

#include <inttypes.h>

enum { STEPS = 4, STEPS_MOST = 100000 };

static uint32_t world_of(const struct ts_facts *facts)
{
	const struct ts_fact *fact = ts_facts_find(facts, ts_span_str("parallelism.world_size"));

	return fact && fact->type == TS_FACT_INT && fact->integer > 0 && fact->integer <= UINT32_MAX ? (uint32_t)fact->integer : 0;
}

static enum ts_status check(struct ts_cli *cli, struct ts_span spec, struct ts_determinism *ret, struct ts_error *err)
{
	struct ts_determinism_record record;
	struct ts_recorded_ops ops;
	struct ts_get_reply run;
	struct ts_head head;

	if (ts_ask_get(cli->target.channel, spec, &cli->arena, &run, err) || ts_head_decode(run.head, &cli->arena, &head, err) ||
	    ts_recorded_ops_of(cli, &run, TS_DETERMINISM_KINDS, &ops, err))
		return err->status;
	record = (struct ts_determinism_record){
		.facts = &head.facts, .world = world_of(&head.facts), .ops = ops.names, .n_ops = ops.n, .more_ops = ops.more};
	if (ts_determinism_of(&record, &cli->arena, ret, err))
		return err->status;
	ret->run = run.run;
	return TS_OK;
}

/* --- two runs of a command --- */

static struct ts_span first_of(struct ts_cli *cli, const struct ts_diff *diff, int64_t *ret_step)
{
	const struct ts_op_row *op = ts_op_culprit(&diff->ops);
	const char *said = ts_show_first_op(&diff->ops, diff->a.ranks > 1, &cli->arena);

	for (size_t i = 0; i < diff->n_series; i++)
		if (diff->series[i].state == TS_SERIES_PARTS && diff->series[i].role == TS_ROLE_TRAJECTORY) {
			*ret_step = diff->series[i].first_step;
			break;
		}
	if (op && said && op->step <= *ret_step)
		*ret_step = op->step;
	else
		said = NULL; /* what is in no operation came first: a batch, a generator */
	return said ? ts_span_str(said) : diff->reason;
}

static enum ts_status compare(struct ts_cli *cli, const struct ts_short_run *a, const struct ts_short_run *b,
			      struct ts_determinism *answer, struct ts_error *err)
{
	struct ts_diff_request request = {.a = a->spec, .b = b->spec, .plots = TS_PLOTS_NONE};
	struct ts_diff diff;

	if (ts_ask_diff(cli->target.channel, &request, &cli->arena, &diff, err))
		return err->status;
	if (diff.verdict == TS_DIFF_SAME && diff.n_same && diff.a.steps) {
		answer->ran = TS_RUNS_EQUAL;
		answer->compared = true;
		answer->steps = diff.a.steps;
		answer->series = diff.n_same;
	} else if (diff.verdict == TS_DIFF_DIFFERENT) {
		answer->ran = TS_RUNS_DIFFER;
		answer->parts = true;
		answer->first_step = INT64_MAX;
		answer->first = first_of(cli, &diff, &answer->first_step);
	} else {
		answer->first = diff.reason;
	}
	return TS_OK;
}

/* Makes two runs; the settings that the first one recorded are looked up. */
static enum ts_status run_twice(struct ts_cli *cli, struct ts_runner *runner, struct ts_determinism *answer, struct ts_error *err)
{
	struct ts_short_run runs[2] = {{.folder = NULL}};
	struct ts_short two;
	uint64_t steps = STEPS;
	bool given, said = false;

	if (ts_args_uint(&cli->args, "steps", STEPS_MOST, &given, &steps, err) ||
	    ts_short_of(cli, cli->args.words + cli->args.n_before, "determinism", &two, err))
		return err->status;
	if (given && !steps)
		return ts_error_set(err, TS_INVALID, "--steps is 1 or more");
	ts_short_steps(&two, (int64_t)(given ? steps : STEPS), true);
	for (unsigned i = 0; i < 2; i++) {
		ts_cli_say(cli, "run %u of 2, to step %" PRId64, i + 1, two.recipe.stop);
		if (ts_short_run(cli, runner, &two, i + 1, &runs[i], err))
			return err->status;
		if (!runs[0].spec.len)
			return ts_error_set(err, TS_INVALID, "nothing was recorded: %s%s", runs[0].problem,
					    ts_run_output_place(runs[0].folder, &cli->arena));
	}
	if (check(cli, runs[0].spec, answer, err))
		return err->status;
	answer->ran = TS_RUNS_UNKNOWN;
	for (size_t i = 0; i < 2; i++) {
		answer->folders[i] = ts_span_str(runs[i].folder);
		if (runs[i].problem && !said)
			answer->first = ts_span_str(ts_arena_phrase(&cli->arena, "run %zu: %s", i + 1, runs[i].problem));
		said |= runs[i].problem != NULL;
	}
	if (!said && compare(cli, &runs[0], &runs[1], answer, err))
		return err->status;
	return ts_determinism_ran(answer, &cli->arena, err);
}

static enum ts_status of_command(struct ts_cli *cli, struct ts_determinism *answer, struct ts_error *err)
{
	struct ts_runner *runner;
	enum ts_status status;

	if (cli->args.n_before)
		return ts_error_set(err, TS_INVALID, "either a run is named, or a command behind --, not both");
	if (ts_experiment_runner(cli, &runner, err)) /* before there is any thread */
		return err->status;
	status = ts_cli_open(cli, TS_USE_READ, err);
	if (!status)
		status = run_twice(cli, runner, answer, err);
	ts_runner_close(runner);
	return status;
}

static enum ts_status of_run(struct ts_cli *cli, struct ts_determinism *answer, struct ts_error *err)
{
	struct ts_span spec;

	if (cli->args.n_words != 1)
		return ts_error_set(err, TS_INVALID, "one run is named; a command stands behind --");
	if (ts_cli_run(cli, ts_cli_word(cli, 0), &spec, err) || check(cli, spec, answer, err))
		return err->status;
	ts_cli_call_run(cli, ts_cli_word(cli, 0), &answer->run);
	return TS_OK;
}

enum ts_status ts_verb_check_determinism(struct ts_cli *cli, struct ts_error *err)
{
	struct ts_determinism answer;

	if (cli->args.dashes ? of_command(cli, &answer, err) : of_run(cli, &answer, err))
		return ts_error_prefix(err, "check-determinism");
	cli->exit_code = answer.exit_code;
	return cli->json ? ts_json_answer(cli, &ts_shape_determinism, &answer, err) : ts_render_determinism_text(cli, &answer, err);
}
