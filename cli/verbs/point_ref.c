/* point_ref.c - see point_ref.h. */
#include "cli/verbs/point_ref.h"

#include "base/text.h"
#include "cli/core/ask.h"
#include "cli/core/names.h"
#include "cli/json/json_parts.h"
#include "cli/view/show_value.h"

static void told(struct ts_cli *cli, const struct ts_ref_reply *reply)
{
	bool moved = reply->had_previous && !ts_id_eq(&reply->previous, &reply->ref.id);
	const char *before = moved ? ts_show_id(&reply->previous, &cli->arena) : NULL;

	ts_buf_printf(&cli->out, "%s ", ts_ref_word(reply->ref.kind));
	ts_escape(&cli->out, reply->ref.name);
	ts_buf_printf(&cli->out, " points at %s", ts_show_id(&reply->ref.id, &cli->arena));
	if (before)
		ts_buf_printf(&cli->out, "; it pointed at %s before", before);
	else if (reply->had_previous)
		ts_buf_str(&cli->out, " as before");
	ts_buf_char(&cli->out, '\n');
}

enum ts_status ts_point_ref(struct ts_cli *cli, enum ts_ref_kind kind, const char *run, const char *name,
			    struct ts_error *err)
{
	const char *message = ts_args_text(&cli->args, "message");
	struct ts_ref_request request = {
		.kind = kind,
		.force = ts_args_has(&cli->args, "force"),
		.message = message ? ts_span_str(message) : ts_span_of(NULL, 0),
	};
	struct ts_ref_reply reply;
	enum ts_status status = ts_cli_open(cli, TS_USE_CHANGE, err);

	if (!status)
		status = ts_cli_specs(cli, &run, 1, &request.target, err);
	if (!status)
		status = ts_cli_new_name(cli, name, &request.name, err);
	if (!status)
		status = ts_ask_ref(cli->target.channel, &request, &cli->arena, &reply, err);
	if (status)
		return status;
	if (cli->json)
		return ts_json_answer(cli, &ts_shape_ref_reply, &reply, err);
	told(cli, &reply);
	return TS_OK;
}
