/* verb_version.c - tscope version: of this program, and of the server when one is named. */
#include "base/version.h"
#include "cli/core/ask.h"
#include "cli/core/context.h"
#include "cli/json/json_parts.h"
#include "cli/text/text_parts.h"
#include "cli/verbs/verbs.h"
#include "run/kind.h"

/* A file of credentials that cannot be used names a server, too: the reason is then shown. */
static bool server_named(struct ts_cli *cli)
{
	struct ts_credentials credentials = {.n = 0};
	const char *server = NULL, *origin;
	struct ts_error ignored;

	return ts_target_server(ts_args_text(&cli->args, "store"), ts_args_text(&cli->args, "server"), &cli->arena, &credentials,
				&server, &origin, &ignored) ||
	       server;
}

static void capabilities(struct ts_json *j, struct ts_span names)
{
	ts_json_key(j, "capabilities");
	ts_json_array(j);
	while (names.len) {
		const uint8_t *blank = memchr(names.data, ' ', names.len);
		size_t n = blank ? (size_t)(blank - names.data) : names.len;

		ts_json_span(j, ts_span_of(names.data, n));
		n += blank ? 1 : 0;
		names = ts_span_of(names.data + n, names.len - n);
	}
	ts_json_end(j);
}

static void json(struct ts_cli *cli, const struct ts_info_reply *info, const struct ts_error *why)
{
	struct ts_json writer = ts_cli_json(cli), *j = &writer;

	ts_json_object(j);
	ts_json_key(j, "version");
	ts_json_string(j, ts_version());
	ts_json_key(j, "format_version");
	ts_json_i64(j, TS_FORMAT_VERSION);
	ts_json_key(j, "server");
	if (info) {
		ts_json_object(j);
		ts_json_key(j, "version");
		ts_json_span(j, info->version);
		ts_json_key(j, "format_version");
		ts_json_i64(j, info->format_version);
		ts_json_key(j, "store");
		ts_json_span(j, info->store);
		ts_json_time(j, "started", info->started_ns);
		ts_json_key(j, "read_only");
		ts_json_bool(j, info->read_only);
		ts_json_count(j, "object_count", info->stats.objects);
		ts_json_count(j, "stored_bytes", info->stats.stored_bytes);
		capabilities(j, info->capabilities);
		ts_json_end(j);
	} else {
		ts_json_null(j);
	}
	ts_json_key(j, "server_error");
	ts_json_string(j, why ? why->text : NULL);
	ts_json_end(j);
	ts_cli_json_end(cli, j);
}

static void text(struct ts_cli *cli, const struct ts_info_reply *info, const struct ts_error *why)
{
	ts_buf_printf(&cli->out, "tscope %s, format %d\n", ts_version(), TS_FORMAT_VERSION);
	if (info)
		ts_text_field(cli, "server", ts_arena_printf(&cli->arena, "tscoped %.*s, format %u, at %s",
							     TS_SPAN_ARG(info->version), info->format_version,
							     cli->target.where));
	else if (why)
		ts_text_field(cli, "server", ts_arena_printf(&cli->arena, "not reachable: %s", why->text));
}

enum ts_status ts_verb_version(struct ts_cli *cli, struct ts_error *err)
{
	struct ts_info_reply info;
	struct ts_error why;
	bool asked = server_named(cli), got = false;

	(void)err;
	if (asked)
		got = !ts_cli_open(cli, TS_USE_READ, &why) &&
		      !ts_ask_info(cli->target.channel, &cli->arena, &info, &why);
	(cli->json ? json : text)(cli, got ? &info : NULL, asked && !got ? &why : NULL);
	return TS_OK;
}
