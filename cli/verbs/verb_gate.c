/* verb_gate.c - tscope gate: tests whether the candidate is slower than its baselines. */
#include "cli/core/ask.h"
#include "cli/core/context.h"
#include "cli/gate/gate_init.h"
#include "cli/gate/gate_json.h"
#include "cli/gate/gate_outputs.h"
#include "cli/gate/gate_record.h"
#include "cli/gate/gate_request.h"
#include "cli/gate/gate_text.h"
#include "cli/verbs/gate_repro.h"
#include "cli/verbs/verbs.h"

/* For --explain: prints the test in words, and reads no run. */
static enum ts_status explain(struct ts_cli *cli, const struct ts_gate_policy *policy, struct ts_error *err)
{
	if (cli->json)
		return ts_error_set(err, TS_INVALID, "gate: --explain and --json cannot be combined");
	ts_gate_explain(policy, &cli->out);
	return ts_buf_check(&cli->out, err);
}

/* For --check: tests what can be known before a job trains, that is, that the policy is valid, the server answers, and
 * the baselines can be chosen. */
static enum ts_status check_all(struct ts_cli *cli, const struct ts_policy *items, struct ts_error *err)
{
	struct ts_gate_request request;
	struct ts_gate_input found;
	size_t n = 0;

	if (cli->json || cli->args.n_words)
		return ts_error_set(err, TS_INVALID,
				    cli->json ? "gate: --check and --json cannot be combined"
					      : "gate: --check takes no candidate: it is for the time before the training");
	if (ts_gate_request_of(cli, NULL, 0, ts_args_text(&cli->args, "bundle"), items, &request, err) ||
	    ts_baseline_ask(cli, &request, &found, err))
		return err->status;
	for (size_t i = 0; i < found.n_runs; i++)
		n += found.runs[i].role == TS_GATE_BASELINE;
	ts_buf_printf(&cli->out, "The policy is valid, %s answers, and %zu run%s of the newest workload would be baselines (%.*s).\n",
		      cli->target.where, n, n == 1 ? "" : "s", TS_SPAN_ARG(found.sentence));
	return ts_buf_check(&cli->out, err);
}

/* For --replay: judges from the record of an earlier verdict, even if the runs no longer exist. */
static enum ts_status replay(struct ts_cli *cli, const char *path, struct ts_verdict *ret_verdict, struct ts_error *err)
{
	struct ts_gate_request request = {.has_given = true, .replay = true};

	if (ts_gate_record_read(path, &cli->arena, &request.given, err) || ts_cli_open(cli, TS_USE_READ, err))
		return err->status;
	return ts_ask_gate(cli->target.channel, &request, &cli->arena, ret_verdict, err);
}

static enum ts_status judge(struct ts_cli *cli, const struct ts_policy *items, struct ts_verdict *ret_verdict,
			    struct ts_error *err)
{
	struct ts_gate_request request;

	if (cli->args.n_words == 0)
		return ts_error_set(err, TS_INVALID, "gate: usage: tscope gate %s", cli->verb->usage);
	if (ts_gate_request_of(cli, cli->args.words, cli->args.n_words, ts_args_text(&cli->args, "bundle"), items,
			       &request, err))
		return err->status;
	return ts_gate_ask(cli, &request, ret_verdict, err);
}

static enum ts_status answer(struct ts_cli *cli, const struct ts_verdict *verdict, struct ts_error *err)
{
	if (cli->json)
		return ts_render_gate_json(verdict, &cli->arena, &cli->out, err);
	return ts_render_gate_text(cli, verdict, err);
}

/* The text already has the warnings, so they are printed here only for --json. A verdict that exits with 0 but is not a
 * pass also goes to stderr, so that it is seen in the log of a job; a terminal shows it once. */
static void warn(const struct ts_cli *cli, const struct ts_verdict *verdict)
{
	for (size_t i = 0; cli->json && i < verdict->n_warnings; i++)
		ts_cli_say(cli, "warning: %.*s", TS_SPAN_ARG(verdict->warnings[i]));
	bool green = verdict->exit_code == 0 && (verdict->state == TS_GATE_INCONCLUSIVE || verdict->state == TS_GATE_BLIND);

	if ((verdict->state == TS_GATE_COLLECTING || green) && (cli->json || !cli->term.out_tty))
		ts_cli_say(cli, "warning: %.*s", TS_SPAN_ARG(verdict->sentence));
}

static enum ts_status check_alone(const struct ts_cli *cli, const char *option, struct ts_error *err)
{
	static const char *const others[] = {"baseline", "bundle", "paired",  "policy",	      "metric",	 "better",
					     "workload", "across", "exclude", "inconclusive", "explain", "check"};

	if (cli->args.n_words)
		return ts_error_set(err, TS_INVALID, "gate: --%s takes no candidate, because the verdict's file has everything",
				    option);
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		if (ts_args_has(&cli->args, others[i]))
			return ts_error_set(err, TS_INVALID,
					    "gate: --%s cannot be combined with --%s, because the verdict's file has everything",
					    others[i], option);
	return TS_OK;
}

enum ts_status ts_verb_gate(struct ts_cli *cli, struct ts_error *err)
{
	const char *path = ts_args_text(&cli->args, "replay"), *init = ts_args_text(&cli->args, "init");
	struct ts_gate_policy policy;
	struct ts_verdict verdict;
	struct ts_policy items;
	enum ts_status status;

	if (init)
		return ts_gate_init(cli, init, err) ? ts_error_prefix(err, "gate") : TS_OK;
	if (ts_args_has(&cli->args, "repro"))
		return ts_gate_repro(cli, err) ? ts_error_prefix(err, "gate") : TS_OK;
	if (ts_gate_outputs_check(cli, err))
		return ts_error_prefix(err, "gate");
	if (path) {
		status = check_alone(cli, "replay", err);
		if (!status)
			status = replay(cli, path, &verdict, err);
	} else {
		status = ts_gate_options(cli, &items, &policy, err) ? ts_error_prefix(err, "gate") : TS_OK;
		if (!status && ts_args_has(&cli->args, "explain"))
			return explain(cli, &policy, err);
		if (!status && ts_args_has(&cli->args, "check"))
			return check_all(cli, &items, err);
		if (!status)
			status = judge(cli, &items, &verdict, err);
	}
	if (!status)
		status = answer(cli, &verdict, err);
	if (!status && ts_gate_outputs(cli, &verdict, err))
		status = ts_error_prefix(err, "gate");
	if (status)
		return status;
	warn(cli, &verdict);
	cli->exit_code = (int)verdict.exit_code;
	return TS_OK;
}
