/* verb_gc.c - tscope gc: frees objects that no name reaches. */
#include "cli/core/ask.h"
#include "cli/core/context.h"
#include "cli/json/json_parts.h"
#include "cli/text/show_value.h"
#include "cli/verbs/verbs.h"

static void json(struct ts_cli *cli, const struct ts_gc_reply *reply, bool dry_run)
{
	struct ts_json writer = ts_cli_json(cli), *j = &writer;
	const struct ts_sweep_report *r = &reply->swept;

	ts_json_object(j);
	ts_json_key(j, "dry_run");
	ts_json_bool(j, dry_run);
	ts_json_count(j, "kept_count", r->kept);
	ts_json_count(j, "leased_count", r->leased);
	ts_json_count(j, "freed_count", r->freed);
	ts_json_count(j, "freed_bytes", r->freed_bytes);
	ts_json_count(j, "removed_count", r->removed);
	ts_json_count(j, "removed_bytes", r->removed_bytes);
	ts_json_count(j, "scored_count", reply->scored);
	ts_json_end(j);
	ts_cli_json_end(cli, j);
}

static void text(struct ts_cli *cli, const struct ts_gc_reply *reply, bool dry_run)
{
	const struct ts_sweep_report *r = &reply->swept;

	ts_buf_printf(&cli->out, "%s %s objects, %s; kept %s", dry_run ? "would free" : "freed",
		      ts_show_count(r->freed, &cli->arena), ts_show_bytes((double)r->freed_bytes, &cli->arena),
		      ts_show_count(r->kept, &cli->arena));
	if (r->leased)
		ts_buf_printf(&cli->out, ", and %s that no name reaches but that were used within the lease",
			      ts_show_count(r->leased, &cli->arena));
	ts_buf_char(&cli->out, '\n');
	if (r->removed)
		ts_buf_printf(&cli->out, "%s, %s, are kept for names that were removed (tscope restore); gc --removed 0s frees them\n",
			      ts_show_plural(r->removed, "object", &cli->arena),
			      ts_show_bytes((double)r->removed_bytes, &cli->arena));
	if (reply->scored)
		ts_buf_printf(&cli->out, "made the metrics of %s that an older tscope had pushed\n",
			      ts_show_plural(reply->scored, "run", &cli->arena));
}

enum ts_status ts_verb_gc(struct ts_cli *cli, struct ts_error *err)
{
	struct ts_gc_request request = {.dry_run = ts_args_has(&cli->args, "dry-run")};
	struct ts_gc_reply report;
	enum ts_status status = ts_args_seconds(&cli->args, "lease", &request.has_lease, &request.lease_s, err);

	if (!status)
		status = ts_args_seconds(&cli->args, "removed", &request.has_removed, &request.removed_s, err);
	if (status)
		return ts_error_prefix(err, "gc");
	status = ts_cli_open(cli, TS_USE_CHANGE, err);
	if (!status)
		status = ts_ask_gc(cli->target.channel, &request, &cli->arena, &report, err);
	if (status)
		return status;
	if (cli->target.absent)
		ts_cli_say(cli, "%s", cli->target.absent);
	if (cli->json)
		json(cli, &report, request.dry_run);
	else
		text(cli, &report, request.dry_run);
	return TS_OK;
}
