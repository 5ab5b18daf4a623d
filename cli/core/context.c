/* context.c - see context.h. */
#include "cli/core/context.h"

#include "base/file.h"
#include "base/text.h"
#include "cli/core/ask.h"
#include "cli/core/path_run.h"
#include "cli/core/project.h"
#include "service/handlers/core/resolve.h"

#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

void ts_cli_say(const struct ts_cli *cli, const char *format, ...)
{
	struct ts_buf text = TS_BUF_INIT(1 << 16), line = TS_BUF_INIT(1 << 18);
	va_list args;

	if (cli->quiet)
		return;
	va_start(args, format);
	ts_buf_vprintf(&text, format, args);
	va_end(args);
	ts_buf_str(&line, "tscope: ");
	ts_escape(&line, ts_buf_view(&text));
	ts_buf_char(&line, '\n');
	if (!text.failed && !line.failed) {
		struct ts_error unused;

		ts_write_full(STDERR_FILENO, line.data, line.len, &unused);
	}
	ts_buf_finish(&text);
	ts_buf_finish(&line);
}

const char *ts_cli_word(const struct ts_cli *cli, size_t i)
{
	return i < cli->args.n_words ? cli->args.words[i] : NULL;
}

struct ts_json ts_cli_json(struct ts_cli *cli)
{
	struct ts_json j = ts_json_of(&cli->out);

	j.indent = 2;
	j.shown = true;
	return j;
}

void ts_cli_json_end(struct ts_cli *cli, struct ts_json *j)
{
	(void)j;
	ts_buf_char(&cli->out, '\n');
}

enum ts_status ts_cli_project(struct ts_cli *cli, const char **ret_project, struct ts_error *err)
{
	const char *given = ts_args_text(&cli->args, "project");
	enum ts_status status;

	if (!given)
		return ts_project_here(&cli->arena, ret_project, err);
	status = ts_project_check(given, "--project", err);
	if (!status)
		*ret_project = given;
	return status;
}

static enum ts_status joined(struct ts_cli *cli, const char *prefix, const char *typed, struct ts_span *ret,
			     struct ts_error *err)
{
	const char *project, *text;
	enum ts_status status = ts_cli_project(cli, &project, err);

	if (status)
		return status;
	text = ts_arena_printf(&cli->arena, "%s%s/%s", prefix, project, typed);
	if (!text)
		return ts_arena_error(&cli->arena, err);
	*ret = ts_span_str(text);
	return TS_OK;
}

enum ts_status ts_cli_name(struct ts_cli *cli, const char *typed, struct ts_span *ret_name, struct ts_error *err)
{
	struct ts_span name = ts_span_str(typed);
	enum ts_status status = TS_OK;

	if (!strchr(typed, '/'))
		status = joined(cli, "", typed, &name, err);
	if (status)
		return status;
	if (ts_name_check(name, err))
		return ts_error_prefix(err, "'%.*s'", TS_SPAN_ARG(name));
	*ret_name = name;
	return TS_OK;
}

enum ts_status ts_cli_spec(struct ts_cli *cli, const char *typed, struct ts_span *ret_spec, struct ts_error *err)
{
	static const char *const kinds[] = {"run:", "tag:", "branch:"};

	if (!*typed)
		return ts_error_set(err, TS_INVALID, "the name of a run is empty");
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
		const char *rest = typed + strlen(kinds[i]);

		if (strncmp(typed, kinds[i], strlen(kinds[i])) == 0 && !strchr(rest, '/'))
			return joined(cli, kinds[i], rest, ret_spec, err);
	}
	if (strchr(typed, ':')) {
		*ret_spec = ts_span_str(typed);
		return TS_OK;
	}
	return joined(cli, "?", typed, ret_spec, err);
}

enum ts_status ts_cli_open(struct ts_cli *cli, enum ts_target_use use, struct ts_error *err)
{
	if (cli->target.channel)
		return TS_OK;
	return ts_target_open(&cli->target, ts_args_text(&cli->args, "store"), ts_args_text(&cli->args, "server"), use,
			      &cli->arena, err);
}

/* Even if a local overlay is used, the server resolves names to ids. */
static enum ts_status resolve_on_server(struct ts_cli *cli, struct ts_span *io_spec, struct ts_error *err)
{
	struct ts_get_reply run;
	char hex[TS_ID_HEX + 1];
	const char *text;
	enum ts_status status = ts_ask_get(cli->target.server, *io_spec, &cli->arena, &run, err);

	if (status)
		return status;
	text = ts_arena_printf(&cli->arena, "id:%s", ts_id_hex(&run.run.id, hex));
	if (!text)
		return ts_arena_error(&cli->arena, err);
	*io_spec = ts_span_str(text);
	return TS_OK;
}

/* If the server has every run that was given as a path, the request goes to the server, which also knows their names. */
static enum ts_status ask_server_if_there(struct ts_cli *cli, const struct ts_span *specs, size_t n, struct ts_error *err)
{
	struct ts_id *ids = ts_arena_array(&cli->arena, n, sizeof *ids);
	struct ts_has_request request = {.ids = ids};
	struct ts_has_reply missing;

	if (!ids)
		return ts_arena_error(&cli->arena, err);
	for (size_t i = 0; i < n; i++)
		if (ts_id_parse(ts_span_of(specs[i].data + 3, specs[i].len - 3), &ids[request.n]))
			request.n++;
	if (ts_ask_has(cli->target.server, &request, &cli->arena, &missing, err))
		return err->status;
	if (missing.n == 0)
		ts_target_drop_overlay(&cli->target);
	return TS_OK;
}

enum ts_status ts_cli_runs(struct ts_cli *cli, const char *const *typed, size_t n, struct ts_span *ret_specs,
			   struct ts_error *err)
{
	enum ts_status status = ts_cli_open(cli, TS_USE_READ, err);
	bool paths = false;

	for (size_t i = 0; i < n; i++)
		paths |= ts_is_path(typed[i]);
	/* Names are resolved first, so that a mistyped name is found before a directory is read. */
	for (size_t i = 0; !status && i < n; i++) {
		if (ts_is_path(typed[i]))
			continue;
		if (!cli->meant_path && (ts_file_kind(typed[i]) == TS_FILE_DIRECTORY || ts_file_kind(typed[i]) == TS_FILE_REGULAR))
			cli->meant_path = typed[i];
		status = ts_cli_spec(cli, typed[i], &ret_specs[i], err);
		if (!status && paths && cli->target.server)
			status = resolve_on_server(cli, &ret_specs[i], err);
	}
	for (size_t i = 0; !status && i < n; i++)
		if (ts_is_path(typed[i]))
			status = ts_path_run(cli, typed[i], &ret_specs[i], err);
	if (!status && paths && cli->target.server)
		status = ask_server_if_there(cli, ret_specs, n, err);
	return status;
}

void ts_cli_call_run(const struct ts_cli *cli, const char *typed, struct ts_run_ref *run)
{
	char hex[TS_ID_HEX + 1];

	if (!cli->json && strncmp(typed, ts_id_hex(&run->id, hex), strlen(typed)) != 0)
		run->own_name = ts_span_str(typed);
}

enum ts_status ts_cli_run(struct ts_cli *cli, const char *typed, struct ts_span *ret_spec, struct ts_error *err)
{
	return ts_cli_runs(cli, &typed, 1, ret_spec, err);
}
