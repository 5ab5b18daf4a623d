/* verb_gc.c - tscope gc: frees objects that no name reaches. */
#include "cli/core/ask.h"
#include "cli/core/context.h"
#include "cli/json/json_parts.h"
#include "cli/verbs/gc_policy.h"
#include "cli/verbs/verbs.h"
#include "cli/view/show_value.h"

/* retained NULL: there is no policy */
static enum ts_status json(struct ts_cli *cli, const struct ts_gc_reply *reply, bool dry_run, const struct ts_retain_reply *retained,
			   struct ts_error *err)
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
	ts_json_key(j, "retention");
	if (!retained)
		ts_json_null(j);
	else if (ts_shape_json(&ts_shape_retain_reply, retained, j, &cli->arena, err))
		return err->status;
	ts_json_end(j);
	ts_cli_json_end(cli, j);
	return TS_OK;
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
		ts_buf_printf(&cli->out, "%s, %s, are kept for what was removed (tscope restore); gc --removed 0s frees them\n",
			      ts_show_plural(r->removed, "object", &cli->arena),
			      ts_show_bytes((double)r->removed_bytes, &cli->arena));
	if (reply->scored)
		ts_buf_printf(&cli->out, "made the metrics of %s that an older tscope had pushed\n",
			      ts_show_plural(reply->scored, "run", &cli->arena));
}

/* With a policy nothing is changed unless it is applied. */
static enum ts_status read_options(struct ts_cli *cli, struct ts_gc_request *request, bool *ret_apply, struct ts_error *err)
{
	bool policy = ts_args_has(&cli->args, "policy"), dry = ts_args_has(&cli->args, "dry-run");

	*ret_apply = ts_args_has(&cli->args, "apply");
	if (*ret_apply && !policy)
		return ts_error_set(err, TS_INVALID, "--apply is for what --policy FILE lets go");
	if (*ret_apply && dry)
		return ts_error_set(err, TS_INVALID, "--apply and --dry-run contradict each other");
	request->dry_run = dry || (policy && !*ret_apply);
	if (ts_args_seconds(&cli->args, "lease", &request->has_lease, &request->lease_s, err))
		return err->status;
	return ts_args_seconds(&cli->args, "removed", &request->has_removed, &request->removed_s, err);
}

enum ts_status ts_verb_gc(struct ts_cli *cli, struct ts_error *err)
{
	struct ts_retain_reply retained = {.n = 0};
	struct ts_gc_request request = {.dry_run = false};
	bool apply, policy = ts_args_has(&cli->args, "policy");
	struct ts_gc_reply report;
	struct ts_span rules;
	struct ts_error why;
	enum ts_status status;

	if (read_options(cli, &request, &apply, err) || (policy && ts_retain_policy(cli, &rules, err)))
		return ts_error_prefix(err, "gc");
	if (ts_cli_open(cli, TS_USE_CHANGE, err) || (policy && ts_retain_ask(cli, rules, apply, &retained, err)))
		return err->status;
	status = ts_ask_gc(cli->target.channel, &request, &cli->arena, &report, &why);
	if (status && !apply) {
		*err = why;
		return status;
	}
	if (!status && request.has_removed && request.removed_s < retained.keep_removed_s)
		retained.keep_removed_s = request.removed_s;
	if (cli->target.absent)
		ts_cli_say(cli, "%s", cli->target.absent);
	if (status) { /* what went before it is said all the same */
		*err = why;
		return ts_error_prefix(err, "the policy let go %s; gc", ts_retain_amount(&retained, &cli->arena));
	}
	if (cli->json)
		return json(cli, &report, request.dry_run, policy ? &retained : NULL, err);
	if (policy && ts_retain_text(cli, &retained, apply, err))
		return err->status;
	text(cli, &report, request.dry_run);
	return TS_OK;
}
