#include "cli/core/policy_file.h"

#include "base/file.h"

enum { POLICY_MAX = 1 << 20 };

enum ts_status ts_policy_text(struct ts_cli *cli, struct ts_span *ret_text, struct ts_error *err)
{
	const char *path = ts_args_text(&cli->args, "policy");
	struct ts_buf file = TS_BUF_INIT(POLICY_MAX);
	enum ts_status status;

	*ret_text = ts_span_of(NULL, 0);
	if (!path)
		return TS_OK;
	status = ts_file_read(path, &file, err);
	if (!status) {
		*ret_text = ts_arena_span(&cli->arena, ts_buf_view(&file));
		status = ret_text->data ? TS_OK : ts_arena_error(&cli->arena, err);
	}
	ts_buf_finish(&file);
	return status;
}

enum ts_status ts_policy_file(struct ts_cli *cli, struct ts_policy *ret_policy, struct ts_error *err)
{
	const char *path = ts_args_text(&cli->args, "policy");
	struct ts_span text;

	*ret_policy = (struct ts_policy){.n = 0};
	if (ts_policy_text(cli, &text, err))
		return err->status;
	return path ? ts_policy_parse(text, path, &cli->arena, ret_policy, err) : TS_OK;
}

bool ts_fails_on(const struct ts_cli *cli, const struct ts_findings *findings)
{
	const char *word = ts_args_text(&cli->args, "fail-on");
	enum ts_severity least;

	if (!word || !ts_severity_parse(ts_span_str(word), &least))
		return false;
	for (size_t i = 0; i < findings->n; i++)
		if (findings->items[i].severity >= least)
			return true;
	return false;
}
