#include "cli/core/policy_file.h"

#include "base/file.h"

enum { POLICY_MAX = 1 << 20 };

enum ts_status ts_policy_file(struct ts_cli *cli, struct ts_policy *ret_policy, struct ts_error *err)
{
	const char *path = ts_args_text(&cli->args, "policy");
	struct ts_buf file = TS_BUF_INIT(POLICY_MAX);
	struct ts_span text = {NULL, 0};
	enum ts_status status;

	*ret_policy = (struct ts_policy){.n = 0};
	if (!path)
		return TS_OK;
	status = ts_file_read(path, &file, err);
	if (!status) {
		text = ts_arena_span(&cli->arena, ts_buf_view(&file));
		status = text.data ? ts_policy_parse(text, path, &cli->arena, ret_policy, err)
				   : ts_arena_error(&cli->arena, err);
	}
	ts_buf_finish(&file);
	return status;
}
