/* gate_outputs.c - see gate_outputs.h. */
#include "cli/gate/gate_outputs.h"

#include "base/file.h"
#include "base/system.h"
#include "base/text.h"
#include "cli/gate/gate_json.h"
#include "cli/gate/gate_render.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum { OUTPUT_MAX = 64 << 20 };

/* The words of this command without the options that name its outputs. A replay has no such words, because no runs can
 * be added to it. */
static enum ts_status words_of(struct ts_cli *cli, struct ts_gate_again *ret_again, struct ts_error *err)
{
	static const char *const left_out[] = {"junit", "markdown", "gitlab", "request", "verdict", "github", "json"};
	const char **words = ts_arena_array(&cli->arena, 2 + 2 * cli->args.n + cli->args.n_words, sizeof *words);
	size_t n = 0;

	if (!words)
		return ts_arena_error(&cli->arena, err);
	words[n++] = "tscope";
	words[n++] = "gate";
	for (size_t i = 0; i < cli->args.n_words; i++)
		words[n++] = cli->args.words[i];
	for (size_t i = 0; i < cli->args.n; i++) {
		const struct ts_arg *arg = &cli->args.items[i];
		bool out = false;

		for (size_t k = 0; k < sizeof left_out / sizeof left_out[0]; k++)
			out |= strcmp(arg->option->name, left_out[k]) == 0;
		if (out)
			continue;
		words[n] = ts_arena_printf(&cli->arena, "--%s", arg->option->name);
		if (!words[n++])
			return ts_arena_error(&cli->arena, err);
		if (arg->value)
			words[n++] = arg->value;
	}
	*ret_again = (struct ts_gate_again){words, ts_args_has(&cli->args, "replay") ? 0 : n};
	return TS_OK;
}

static enum ts_status junit(struct ts_cli *cli, const struct ts_verdict *v, struct ts_buf *out, struct ts_error *err)
{
	return ts_render_gate_junit(v, &cli->arena, out, err);
}

static enum ts_status markdown(struct ts_cli *cli, const struct ts_verdict *v, struct ts_buf *out, struct ts_error *err)
{
	struct ts_gate_again again;

	return words_of(cli, &again, err) ? err->status : ts_render_gate_markdown(v, &again, true, &cli->arena, out, err);
}

static enum ts_status summary(struct ts_cli *cli, const struct ts_verdict *v, struct ts_buf *out, struct ts_error *err)
{
	struct ts_gate_again again;

	return words_of(cli, &again, err) ? err->status : ts_render_gate_markdown(v, &again, false, &cli->arena, out, err);
}

static enum ts_status gitlab(struct ts_cli *cli, const struct ts_verdict *v, struct ts_buf *out, struct ts_error *err)
{
	return ts_render_gate_gitlab(v, &cli->arena, out, err);
}

static enum ts_status verdict(struct ts_cli *cli, const struct ts_verdict *v, struct ts_buf *out, struct ts_error *err)
{
	return ts_render_gate_json(v, &cli->arena, out, err);
}

static enum ts_status request(struct ts_cli *cli, const struct ts_verdict *v, struct ts_buf *out, struct ts_error *err)
{
	struct ts_gate_again again;

	return words_of(cli, &again, err) ? err->status : ts_render_gate_request(v, &again, &cli->arena, out, err);
}

static const struct output {
	const char *option;
	enum ts_status (*render)(struct ts_cli *cli, const struct ts_verdict *v, struct ts_buf *out, struct ts_error *err);
} outputs[] = {{"junit", junit}, {"markdown", markdown}, {"gitlab", gitlab}, {"request", request}, {"verdict", verdict}};

static enum ts_status write_file(struct ts_cli *cli, const struct ts_verdict *v, const struct output *o, const char *path,
				 struct ts_error *err)
{
	struct ts_buf text = TS_BUF_INIT(OUTPUT_MAX);
	enum ts_status status = o->render(cli, v, &text, err);

	if (!status)
		status = ts_file_replace(path, ts_buf_view(&text), 0644, err);
	ts_buf_finish(&text);
	if (status == TS_NOT_FOUND)
		err->status = TS_IO; /* TS_NOT_FOUND would mean that a run is missing, but here the folder of the file does not exist */
	return status ? ts_error_prefix(err, "--%s", o->option) : TS_OK;
}

/* --- GitHub --- */

static enum ts_status append(const char *path, struct ts_span text, struct ts_error *err)
{
	int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
	enum ts_status status;

	if (fd < 0)
		return ts_error_errno(err, errno, "GITHUB_STEP_SUMMARY: %s", path);
	status = ts_write_full(fd, text.data, text.len, err);
	close(fd);
	return status ? ts_error_prefix(err, "GITHUB_STEP_SUMMARY: %s", path) : TS_OK;
}

static enum ts_status append_summary(struct ts_cli *cli, const struct ts_verdict *v, struct ts_error *err)
{
	const char *path = getenv("GITHUB_STEP_SUMMARY");
	struct ts_buf text = TS_BUF_INIT(OUTPUT_MAX);
	enum ts_status status;

	if (!path || !*path)
		return TS_OK;
	status = summary(cli, v, &text, err);
	if (!status)
		status = append(path, ts_buf_view(&text), err);
	ts_buf_finish(&text);
	return status;
}

/* The runner takes no line as a command until it reads ::TOKEN::. The token is random, so no name in the answer can
 * contain it. */
static enum ts_status commands(struct ts_cli *cli, const struct ts_verdict *v, struct ts_error *err)
{
	struct ts_buf whole = TS_BUF_INIT(cli->out.ceiling), token = TS_BUF_INIT(64);
	uint8_t drawn[16];
	enum ts_status status;

	if (ts_system_random(drawn, sizeof drawn, err))
		return err->status;
	ts_print_hex(&token, ts_span_of(drawn, sizeof drawn));
	ts_buf_str(&whole, "::stop-commands::");
	ts_buf_span(&whole, ts_buf_view(&token));
	ts_buf_char(&whole, '\n');
	ts_buf_span(&whole, ts_buf_view(&cli->out));
	ts_buf_str(&whole, "::");
	ts_buf_span(&whole, ts_buf_view(&token));
	ts_buf_str(&whole, "::\n");
	ts_buf_finish(&token);
	status = ts_render_gate_github(v, &cli->arena, &whole, err);
	if (status) {
		ts_buf_finish(&whole);
		return status;
	}
	ts_buf_finish(&cli->out);
	cli->out = whole;
	return TS_OK;
}

enum ts_status ts_gate_outputs_check(const struct ts_cli *cli, struct ts_error *err)
{
	for (size_t i = 0; i < sizeof outputs / sizeof outputs[0]; i++) {
		const char *path = ts_args_text(&cli->args, outputs[i].option);

		if (path && (!*path || strcmp(path, "-") == 0))
			return ts_error_set(err, TS_INVALID, "--%s needs the path of a file to write", outputs[i].option);
	}
	if (cli->json && ts_args_has(&cli->args, "github"))
		return ts_error_set(err, TS_INVALID, "--github and --json cannot be combined: both write to stdout");
	return TS_OK;
}

enum ts_status ts_gate_outputs(struct ts_cli *cli, const struct ts_verdict *v, struct ts_error *err)
{
	for (size_t i = 0; i < sizeof outputs / sizeof outputs[0]; i++) {
		const char *path = ts_args_text(&cli->args, outputs[i].option);

		if (path && write_file(cli, v, &outputs[i], path, err))
			return err->status;
	}
	if (!ts_args_has(&cli->args, "github"))
		return TS_OK;
	return append_summary(cli, v, err) ? err->status : commands(cli, v, err);
}
