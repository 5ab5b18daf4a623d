/* verb_show.c - tscope show: what a run is. */
#include "cli/core/ask.h"
#include "cli/core/names.h"
#include "cli/json/json_show.h"
#include "cli/snapshot/analyze_snapshot.h"
#include "cli/text/show_machine.h"
#include "cli/text/show_printed.h"
#include "cli/text/text_show.h"
#include "cli/verbs/again.h"
#include "cli/verbs/verbs.h"

static bool of_snapshot(const struct ts_cli *cli)
{
	return ts_args_has(&cli->args, "at") || ts_args_has(&cli->args, "device") || ts_args_has(&cli->args, "snapshot") ||
	       ts_args_has(&cli->args, "rank");
}

/* A moment of a memory snapshot of the run. */
static enum ts_status stored_snapshot(struct ts_cli *cli, struct ts_error *err)
{
	struct ts_snapshot_choice choice = {.name = ts_args_text(&cli->args, "snapshot")};
	struct ts_get_reply run;
	struct ts_span spec;
	uint64_t rank = 0;

	if (ts_args_uint(&cli->args, "rank", INT32_MAX, &choice.has_rank, &rank, err))
		return ts_error_prefix(err, "show");
	choice.rank = (int32_t)rank;
	if (ts_cli_run(cli, ts_cli_word(cli, 0), &spec, err) || ts_ask_get(cli->target.channel, spec, &cli->arena, &run, err))
		return err->status;
	return ts_show_stored_snapshot(cli, &run, &choice, err);
}

/* What the record has for running the training again. */
static enum ts_status reproduce(struct ts_cli *cli, struct ts_error *err)
{
	struct ts_get_reply run;
	struct ts_again again;
	struct ts_span spec;

	if (cli->json)
		return ts_error_set(err, TS_INVALID, "show: --reproduce has no JSON; tscope facts --json has what it is made of");
	if (ts_cli_run(cli, ts_cli_word(cli, 0), &spec, err) || ts_again_ask(cli, spec, &run, &again, err))
		return err->status;
	ts_buf_str(&cli->out, again.n_lacks ? "The run cannot be run again:\n" : "tscope reproduce can run it again:\n");
	ts_again_show(&again, &cli->out);
	cli->exit_code = again.n_lacks ? TS_EXIT_INCONCLUSIVE : TS_EXIT_YES;
	return TS_OK;
}

enum ts_status ts_verb_show(struct ts_cli *cli, struct ts_error *err)
{
	bool output = ts_args_has(&cli->args, "output"), machine = ts_args_has(&cli->args, "machine"), has_rank = false;
	struct ts_machine_about about;
	struct ts_printed_all printed;
	struct ts_get_reply run;
	struct ts_head head;
	struct ts_span spec;
	enum ts_status status;
	uint64_t rank = 0;

	if (ts_cli_settle(cli, err))
		return err->status;
	if (ts_is_snapshot(ts_cli_word(cli, 0)) && (ts_args_has(&cli->args, "snapshot") || ts_args_has(&cli->args, "rank")))
		return ts_error_set(err, TS_INVALID, "show: --snapshot and --rank are for runs, and %s is a memory snapshot",
				    ts_cli_word(cli, 0));
	if (ts_is_snapshot(ts_cli_word(cli, 0)))
		return ts_show_snapshot(cli, ts_cli_word(cli, 0), err);
	if (ts_args_has(&cli->args, "reproduce"))
		return reproduce(cli, err);
	if (output && machine)
		return ts_error_set(err, TS_INVALID, "show: --output and --machine are two questions");
	if (of_snapshot(cli) && !output && !machine)
		return stored_snapshot(cli, err);
	status = ts_cli_run(cli, ts_cli_word(cli, 0), &spec, err);
	if (!status)
		status = ts_ask_get_metrics(cli->target.channel, spec, &cli->arena, &run, err);
	if (!status)
		status = ts_head_decode(run.head, &cli->arena, &head, err);
	if (status)
		return status;
	if ((output || machine) && ts_args_uint(&cli->args, "rank", INT32_MAX, &has_rank, &rank, err))
		return ts_error_prefix(err, "show");
	if ((output && ts_printed_of(cli, &run, has_rank, (int32_t)rank, &printed, err)) ||
	    (machine && ts_machine_about_run(cli, &run, has_rank, (int32_t)rank, &about, err)))
		return ts_error_prefix(err, "show");
	if (cli->json)
		return ts_render_show_json(cli, &run, &head, output ? &printed : NULL, machine ? &about : NULL, err);
	if (machine)
		return ts_machine_show(cli, &about, err);
	return output ? ts_printed_show(cli, &printed, err) : ts_render_show_text(cli, &run, &head, err);
}
