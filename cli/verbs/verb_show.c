/* verb_show.c - tscope show: what a run is. */
#include "cli/core/ask.h"
#include "cli/core/context.h"
#include "cli/json/json_show.h"
#include "cli/snapshot/analyze_snapshot.h"
#include "cli/text/text_show.h"
#include "cli/verbs/verbs.h"

enum ts_status ts_verb_show(struct ts_cli *cli, struct ts_error *err)
{
	struct ts_get_reply run;
	struct ts_head head;
	struct ts_span spec;
	enum ts_status status;

	if (ts_is_snapshot(ts_cli_word(cli, 0)))
		return ts_show_snapshot(cli, ts_cli_word(cli, 0), err);
	if (ts_args_has(&cli->args, "at") || ts_args_has(&cli->args, "device"))
		return ts_error_set(err, TS_INVALID, "show: --at and --device are for memory snapshots, and %s is a run",
				    ts_cli_word(cli, 0));
	status = ts_cli_run(cli, ts_cli_word(cli, 0), &spec, err);
	if (!status)
		status = ts_ask_get_metrics(cli->target.channel, spec, &cli->arena, &run, err);
	if (!status)
		status = ts_head_decode(run.head, &cli->arena, &head, err);
	if (status)
		return status;
	if (!cli->json)
		return ts_render_show_text(cli, &run, &head, err);
	return ts_render_show_json(cli, &run, &head, err);
}
