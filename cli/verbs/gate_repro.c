/* gate_repro.c - see gate_repro.h. */
#include "cli/verbs/gate_repro.h"

#include "analysis/determinism/determinism.h"
#include "analysis/determinism/repro.h"
#include "base/file.h"
#include "cli/core/ask.h"
#include "cli/gate/repro_render.h"
#include "cli/json/json_parts.h"
#include "cli/verbs/experiment_place.h"
#include "cli/verbs/golden_run.h"
#include "cli/verbs/recorded_ops.h"
#include "cli/verbs/short_runs.h"
#include "cli/why/run_output.h"
#include "run/head.h"

#include <inttypes.h>
#include <string.h>

enum { RUNS = 2, RUNS_MOST = 20, STEPS = 20, STEPS_MOST = 100000, RESUME_WORDS = 64, METRICS = 64, OUTPUT_MAX = 4 << 20 };

struct gating {
	struct ts_cli *cli;
	struct ts_runner *runner;
	struct ts_short recipe;
	struct ts_repro out;
	struct ts_short_run runs[RUNS_MOST];
	struct ts_golden seen[RUNS_MOST]; /* of each run */
	struct ts_span metrics[METRICS];  /* the series that count; none: those of the trajectory */
	size_t n_metrics;
	struct ts_golden golden;
	double *limits; /* of the first run's series, and of the golden record's */
	double *golden_limits;
	unsigned made; /* runs, of any gate: the numbers of their folders */
};

static void judge(struct gating *g, enum ts_repro_name name, enum ts_proof proof, const char *sentence)
{
	g->out.gates[name] = (struct ts_repro_gate){proof, ts_span_str(sentence)};
}

static const char *problem_of(struct gating *g, const char *what, const struct ts_short_run *run)
{
	return ts_arena_phrase(&g->cli->arena, "%s could not be made: %s%s", what, run->problem,
			       ts_run_output_place(run->folder, &g->cli->arena));
}

/* --- repeatability --- */

/* What a run computed, as far as it counts. */
static enum ts_status see(struct gating *g, const struct ts_short_run *run, struct ts_golden *ret, struct ts_error *err)
{
	struct ts_get_reply reply;

	if (ts_golden_of_run(g->cli, run->spec, 0, g->n_metrics > 0, ret, &reply, err))
		return err->status;
	return g->n_metrics ? ts_likeness_keep(ret, g->metrics, g->n_metrics, &g->cli->arena, err) : TS_OK;
}

static enum ts_status make_runs(struct gating *g, const char **ret_problem, struct ts_error *err)
{
	*ret_problem = NULL;
	for (unsigned i = 0; i < g->out.runs && !*ret_problem; i++) {
		ts_cli_say(g->cli, "repeatability: run %u of %" PRIu64, i + 1, g->out.runs);
		if (ts_short_run(g->cli, g->runner, &g->recipe, ++g->made, &g->runs[i], err))
			return err->status;
		if (g->runs[i].problem)
			*ret_problem = problem_of(g, ts_arena_phrase(&g->cli->arena, "run %u", i + 1), &g->runs[i]);
		else if (see(g, &g->runs[i], &g->seen[i], err))
			return err->status;
	}
	return TS_OK;
}

/* Too few runs for this profile. */
static bool few(struct gating *g, enum ts_repro_name name)
{
	bool is = g->out.profile->repeats && g->out.runs < TS_PROFILE_REPEATS;

	if (is)
		judge(g, name, TS_PROOF_UNPROVED, "the profile 'repeats' needs 3 runs (--runs 3)");
	return is;
}

static enum ts_status repeatability(struct gating *g, struct ts_error *err)
{
	struct ts_likeness like, worst = {.proof = TS_PROOF_GREEN};
	size_t at = 0;

	if (few(g, TS_REPRO_REPEATABILITY))
		return TS_OK;
	for (size_t i = 1; i < g->out.runs; i++) {
		/* Among repeats that scatter, the last is held against the scatter of those before it. */
		if (g->out.profile->repeats && i + 1 < g->out.runs) {
			ts_likeness_widen(&g->seen[0], &g->seen[i], g->limits);
			continue;
		}
		if (ts_likeness_of(&g->seen[0], &g->seen[i], g->out.profile, g->limits, &g->cli->arena, &like, err))
			return err->status;
		if (!at || (like.proof == TS_PROOF_RED && worst.proof != TS_PROOF_RED) ||
		    (like.proof == TS_PROOF_UNPROVED && worst.proof == TS_PROOF_GREEN)) {
			worst = like;
			at = i;
		}
	}
	judge(g, TS_REPRO_REPEATABILITY, worst.proof,
	      ts_arena_phrase(&g->cli->arena, "of %" PRIu64 " runs, run 1 and run %zu: %.*s", g->out.runs, at + 1,
			      TS_SPAN_ARG(worst.sentence)));
	return TS_OK;
}

/* --- equivalence --- */

static enum ts_status read_golden(struct gating *g, const char *path, struct ts_error *err)
{
	struct ts_buf text = TS_BUF_INIT(TS_GOLDEN_READ_MOST);
	enum ts_status status = ts_file_read(path, &text, err);

	if (!status && ts_golden_parse(ts_buf_view(&text), &g->cli->arena, &g->golden, err))
		status = ts_error_prefix(err, "%s", path);
	if (!status && g->n_metrics)
		status = ts_likeness_keep(&g->golden, g->metrics, g->n_metrics, &g->cli->arena, err);
	ts_buf_finish(&text);
	g->out.golden = ts_span_str(path);
	if (!status && g->golden.n_accepted)
		g->out.accepted = g->golden.accepted[g->golden.n_accepted - 1];
	return status;
}

static enum ts_status equivalence(struct gating *g, struct ts_error *err)
{
	struct ts_likeness like;

	if (!g->out.golden.len) {
		judge(g, TS_REPRO_EQUIVALENCE, TS_PROOF_UNPROVED, "no golden record was named (--golden)");
		return TS_OK;
	}
	if (few(g, TS_REPRO_EQUIVALENCE))
		return TS_OK;
	if (g->out.profile->repeats)
		ts_likeness_widen(&g->seen[0], &g->seen[g->out.runs - 1], g->limits);
	for (size_t k = 0; k < g->golden.n; k++)
		for (size_t m = 0; m < g->seen[0].n; m++)
			if (ts_likeness_same_name(g->golden.series[k].name, g->seen[0].series[m].name))
				g->golden_limits[k] = g->limits[m];
	if (ts_likeness_of(&g->golden, &g->seen[0], g->out.profile, g->golden_limits, &g->cli->arena, &like, err))
		return err->status;
	judge(g, TS_REPRO_EQUIVALENCE, like.proof, ts_arena_phrase(&g->cli->arena, "%.*s", TS_SPAN_ARG(like.sentence)));
	return TS_OK;
}

/* --- replay --- */

/* The command's words, then those of --resume, which are parted at blanks. */
static enum ts_status resumed_words(struct gating *g, const char *resume, struct ts_error *err)
{
	const char *const *words = g->recipe.recipe.argv;
	const char **made;
	size_t n = 0;

	while (words[n])
		n++;
	made = ts_arena_array(&g->cli->arena, n + RESUME_WORDS + 1, sizeof *made);
	if (!made)
		return ts_arena_error(&g->cli->arena, err);
	memcpy(made, words, n * sizeof *made);
	for (size_t k = 0; *resume; k++) {
		size_t len;

		resume += strspn(resume, " ");
		len = strcspn(resume, " ");
		if (len && k == RESUME_WORDS)
			return ts_error_set(err, TS_INVALID, "--resume has more than %d words", RESUME_WORDS);
		if (len)
			made[n++] = ts_arena_phrase(&g->cli->arena, "%.*s", (int)len, resume);
		resume += len;
	}
	g->recipe.recipe.argv = made;
	return TS_OK;
}

/* A folder for checkpoints that this run has alone, or shares with the one that goes on. */
static enum ts_status restart_folder(struct gating *g, const char *name, struct ts_error *err)
{
	struct ts_recipe_pair *pair = ts_arena_array(&g->cli->arena, 1, sizeof *pair);
	const char *folder = ts_arena_phrase(&g->cli->arena, "%s/%s", g->recipe.directory, name);

	if (!pair)
		return ts_arena_error(&g->cli->arena, err);
	if (ts_make_dirs(folder, 0700, err))
		return err->status;
	*pair = (struct ts_recipe_pair){"restart", folder};
	g->recipe.recipe.slots = pair;
	g->recipe.recipe.n_slots = 1;
	return TS_OK;
}

static enum ts_status halves(struct gating *g, const char *resume, struct ts_short_run *first, struct ts_short_run *second,
			     struct ts_error *err)
{
	int64_t all = g->recipe.recipe.stop + 1;

	if (restart_folder(g, "restart", err))
		return err->status;
	ts_cli_say(g->cli, "replay: %" PRId64 " of %" PRId64 " steps", all / 2, all);
	ts_short_steps(&g->recipe, all / 2, false);
	g->recipe.recipe.watch.n = all;
	if (ts_short_run(g->cli, g->runner, &g->recipe, ++g->made, first, err) || first->problem)
		return first->problem ? TS_OK : err->status;
	ts_cli_say(g->cli, "replay: the rest, in a new process");
	ts_short_steps(&g->recipe, all, false);
	return resumed_words(g, resume, err) || ts_short_run(g->cli, g->runner, &g->recipe, ++g->made, second, err) ? err->status
														    : TS_OK;
}

/* Its tests of a resumed training hold the steps behind the checkpoint against those of the run that was not interrupted. */
static enum ts_status replay_as_megatron(struct gating *g, const struct ts_short_run *second, struct ts_error *err)
{
	struct ts_likeness like;
	struct ts_golden seen;

	if (see(g, second, &seen, err))
		return err->status;
	ts_golden_from(&g->seen[0], (int64_t)g->out.steps / 2);
	if (ts_likeness_of(&g->seen[0], &seen, g->out.profile, NULL, &g->cli->arena, &like, err))
		return err->status;
	judge(g, TS_REPRO_REPLAY, like.proof, ts_arena_phrase(&g->cli->arena, "behind the restart %.*s", TS_SPAN_ARG(like.sentence)));
	return TS_OK;
}

static enum ts_status replay(struct gating *g, struct ts_error *err)
{
	static const enum ts_proof proofs[] = {[TS_RESUME_CORRECT] = TS_PROOF_GREEN, [TS_RESUME_WRONG] = TS_PROOF_RED};
	const char *resume = ts_args_text(&g->cli->args, "resume");
	struct ts_short_run first = {.folder = NULL}, second = {.folder = NULL};
	struct ts_resume_request request = {.has_tolerance = false};
	struct ts_resume answer;

	if (!resume || g->out.steps < 4) {
		judge(g, TS_REPRO_REPLAY, TS_PROOF_UNPROVED,
		      resume ? "a restart needs 4 steps or more" : "how the training is resumed was not said (--resume)");
		return TS_OK;
	}
	if (halves(g, resume, &first, &second, err))
		return err->status;
	if (first.problem || second.problem) {
		judge(g, TS_REPRO_REPLAY, TS_PROOF_UNPROVED,
		      problem_of(g, first.problem ? "the first half" : "the second half", first.problem ? &first : &second));
		return TS_OK;
	}
	if (g->out.profile->megatron)
		return replay_as_megatron(g, &second, err);
	request.parent = g->runs[0].spec;
	request.child = second.spec;
	if (ts_ask_resume(g->cli->target.channel, &request, &g->cli->arena, &answer, err)) {
		judge(g, TS_REPRO_REPLAY, TS_PROOF_UNPROVED,
		      ts_arena_phrase(&g->cli->arena, "it could not be compared: %s", err->text));
		return TS_OK;
	}
	judge(g, TS_REPRO_REPLAY, answer.verdict == TS_RESUME_UNDECIDED ? TS_PROOF_UNPROVED : proofs[answer.verdict],
	      ts_arena_phrase(&g->cli->arena, "%.*s", TS_SPAN_ARG(answer.why.sentence)));
	return TS_OK;
}

/* --- the certificate --- */

static enum ts_status certify(struct gating *g, struct ts_error *err)
{
	struct ts_determinism_record record;
	struct ts_determinism checked;
	struct ts_recorded_ops ops;
	struct ts_get_reply run;
	struct ts_head head;

	if (ts_ask_get(g->cli->target.channel, g->runs[0].spec, &g->cli->arena, &run, err) ||
	    ts_head_decode(run.head, &g->cli->arena, &head, err) || ts_recorded_ops_of(g->cli, &run, TS_DETERMINISM_KINDS, &ops, err))
		return err->status;
	record = (struct ts_determinism_record){
		.facts = &head.facts, .world = run.run.ranks, .ops = ops.names, .n_ops = ops.n, .more_ops = ops.more};
	if (ts_determinism_of(&record, &g->cli->arena, &checked, err))
		return err->status;
	g->out.facts = g->seen[0].facts;
	g->out.n_facts = g->seen[0].n_facts;
	g->out.other = ts_arena_array(&g->cli->arena, g->golden.n_facts + 1, sizeof *g->out.other);
	g->out.open = ts_arena_array(&g->cli->arena, checked.n + 1, sizeof *g->out.open);
	if (!g->out.other || !g->out.open)
		return ts_arena_error(&g->cli->arena, err);
	for (size_t i = 0; i < g->golden.n_facts; i++) {
		bool same = false;

		for (size_t k = 0; k < g->out.n_facts && !same; k++)
			same = ts_span_eq(g->out.facts[k].name, g->golden.facts[i].name) &&
			       ts_span_eq(g->out.facts[k].value, g->golden.facts[i].value);
		if (!same)
			g->out.other[g->out.n_other++] = g->golden.facts[i];
	}
	for (size_t i = 0; i < checked.n; i++)
		if (!checked.rows[i].elsewhere && checked.rows[i].state <= TS_HAZARD_UNPROVED)
			g->out.open[g->out.n_open++] =
				ts_span_str(ts_arena_phrase(&g->cli->arena, "%.*s (%s)", TS_SPAN_ARG(checked.rows[i].name),
							    ts_hazard_state_word(checked.rows[i].state)));
	return ts_arena_check(&g->cli->arena, err);
}

/* --- outputs --- */

static enum ts_status output(struct gating *g, const char *option, struct ts_error *err)
{
	const char *path = ts_args_text(&g->cli->args, option);
	struct ts_buf text = TS_BUF_INIT(OUTPUT_MAX);
	struct ts_json json = ts_json_of(&text);
	enum ts_status status = TS_OK;

	if (!path)
		return TS_OK;
	json.indent = 2;
	if (strcmp(option, "junit") == 0)
		status = ts_render_repro_junit(&g->out, &g->cli->arena, &text, err);
	else if (strcmp(option, "markdown") == 0)
		status = ts_render_repro_markdown(&g->out, &g->cli->arena, &text, err);
	else
		status = ts_shape_json(&ts_shape_repro, &g->out, &json, &g->cli->arena, err);
	if (!status)
		status = ts_buf_check(&text, err);
	if (!status)
		status = ts_file_replace(path, ts_buf_view(&text), 0644, err);
	ts_buf_finish(&text);
	return status ? ts_error_prefix(err, "--%s", option) : TS_OK;
}

static enum ts_status answer(struct gating *g, struct ts_error *err)
{
	if (output(g, "junit", err) || output(g, "markdown", err) || output(g, "certificate", err))
		return err->status;
	g->cli->exit_code = g->out.exit_code;
	return g->cli->json ? ts_json_answer(g->cli, &ts_shape_repro, &g->out, err) : ts_render_repro_text(g->cli, &g->out, err);
}

/* --- */

/* The series that --metric names; those that Megatron-LM's tests look at where nobody names any. */
static enum ts_status metrics(struct gating *g, struct ts_error *err)
{
	static const char *const of_megatron[] = {"lm loss", "num-zeros"};
	const char *name;

	for (size_t i = 0; (name = ts_args_nth(&g->cli->args, "metric", i)) != NULL; i++) {
		if (g->n_metrics == METRICS)
			return ts_error_set(err, TS_INVALID, "--metric is given more than %d times", METRICS);
		g->metrics[g->n_metrics++] = ts_span_str(name);
	}
	if (g->n_metrics || !g->out.profile->megatron)
		return TS_OK;
	for (size_t i = 0; i < sizeof of_megatron / sizeof of_megatron[0]; i++)
		g->metrics[g->n_metrics++] = ts_span_str(of_megatron[i]);
	return TS_OK;
}

static enum ts_status options(struct gating *g, struct ts_error *err)
{
	const char *profile = ts_args_text(&g->cli->args, "profile"), *golden = ts_args_text(&g->cli->args, "golden");
	uint64_t runs = RUNS, steps = STEPS;
	bool given;

	g->out.profile = ts_profile_find(ts_span_str(profile ? profile : ts_profiles[0].name));
	if (!g->out.profile)
		return ts_error_set(
			err, TS_INVALID,
			"there is no profile '%s': they are bitwise, float32, bf16, repeats, megatron and megatron-approximate",
			profile);
	if (metrics(g, err))
		return err->status;
	if (ts_args_uint(&g->cli->args, "runs", RUNS_MOST, &given, &runs, err) ||
	    ts_args_uint(&g->cli->args, "steps", STEPS_MOST, &given, &steps, err))
		return err->status;
	g->out.runs = runs ? runs : RUNS;
	g->out.steps = steps ? steps : STEPS;
	if (g->out.runs < 2)
		return ts_error_set(err, TS_INVALID, "--runs is 2 or more");
	return golden ? read_golden(g, golden, err) : TS_OK;
}

static enum ts_status gates(struct gating *g, struct ts_error *err)
{
	const char *problem = NULL;

	if (ts_short_of(g->cli, g->cli->args.words + g->cli->args.n_before, "repro", &g->recipe, err) ||
	    restart_folder(g, "whole", err))
		return err->status;
	ts_short_steps(&g->recipe, (int64_t)g->out.steps, false);
	g->out.directory = ts_span_str(g->recipe.directory);
	if (make_runs(g, &problem, err))
		return err->status;
	if (problem) {
		for (int i = 0; i < TS_REPRO_GATES; i++)
			judge(g, (enum ts_repro_name)i, TS_PROOF_UNPROVED, problem);
		return TS_OK;
	}
	g->limits = ts_arena_array(&g->cli->arena, g->seen[0].n + 1, sizeof *g->limits);
	g->golden_limits = ts_arena_array(&g->cli->arena, g->golden.n + 1, sizeof *g->golden_limits);
	if (!g->limits || !g->golden_limits)
		return ts_arena_error(&g->cli->arena, err);
	return repeatability(g, err) || equivalence(g, err) || certify(g, err) || replay(g, err) ? err->status : TS_OK;
}

enum ts_status ts_gate_repro(struct ts_cli *cli, struct ts_error *err)
{
	struct gating *g = ts_arena_array(&cli->arena, 1, sizeof *g);
	enum ts_status status;

	if (!g)
		return ts_arena_error(&cli->arena, err);
	g->cli = cli;
	if (!cli->args.dashes || cli->args.n_before)
		return ts_error_set(err, TS_INVALID, "--repro runs a command, which stands behind --, and takes no candidate");
	if (options(g, err) || ts_experiment_runner(cli, &g->runner, err)) /* before there is any thread */
		return err->status;
	status = ts_cli_open(cli, TS_USE_READ, err);
	if (!status)
		status = gates(g, err);
	if (!status)
		status = ts_repro_settle(&g->out, &cli->arena, err);
	if (!status)
		status = answer(g, err);
	ts_runner_close(g->runner);
	return status;
}
