/* context.c - see context.h. */
#include "cli/core/context.h"

#include "base/file.h"
#include "base/text.h"
#include "cli/core/project.h"
#include "cli/core/verb.h"

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
	if (!text.failed && !line.failed && cli->said) {
		ts_buf_span(cli->said, ts_buf_view(&line));
	} else if (!text.failed && !line.failed) {
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

/* Whether the command can be answered by what lies at its paths: whoever names a server by an option wants that one. */
static bool needs_no_server(const struct ts_cli *cli, enum ts_target_use use)
{
	if (!cli->verb->alone || use != TS_USE_READ || ts_args_text(&cli->args, "server"))
		return false;
	for (size_t i = cli->verb->first_word ? 1 : 0; i < cli->args.n_words; i++)
		if (!ts_is_path(cli->args.words[i]))
			return false;
	return true;
}

enum ts_status ts_cli_open(struct ts_cli *cli, enum ts_target_use use, struct ts_error *err)
{
	enum ts_status status;
	const char *absent;

	if (cli->target.channel)
		return TS_OK;
	status = ts_target_open(&cli->target, ts_args_text(&cli->args, "store"), ts_args_text(&cli->args, "server"), use,
				&cli->arena, err);
	if ((status != TS_UNAVAILABLE && status != TS_DEADLINE) || !needs_no_server(cli, use))
		return status;
	absent = ts_arena_printf(&cli->arena, "%s", err->text);
	if (!absent)
		return ts_arena_error(&cli->arena, err);
	ts_cli_say(cli, "%s", absent);
	ts_cli_say(cli, "this answer is about the paths alone, without the server");
	ts_target_close(&cli->target);
	return ts_target_open_nothing(&cli->target, absent, err);
}
