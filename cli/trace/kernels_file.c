#include "cli/trace/kernels_file.h"

#include "analysis/trace/device/kernel_table.h"
#include "base/file.h"

enum { TABLE_MAX = 1 << 20 };

enum ts_status ts_know_kernels(struct ts_cli *cli, struct ts_trace *io_trace, struct ts_arena *arena, struct ts_error *err)
{
	const char *path = ts_args_text(&cli->args, "kernels");
	struct ts_buf file = TS_BUF_INIT(TABLE_MAX);
	struct ts_kernel_rules rules;
	struct ts_span text;
	enum ts_status status;

	if (ts_args_has(&cli->args, "step-name"))
		io_trace->step_name = ts_span_str(ts_args_text(&cli->args, "step-name"));
	if (!path)
		return ts_kernel_table(io_trace, NULL, arena, err);
	status = ts_file_read(path, &file, err);
	text = status ? ts_span_of(NULL, 0) : ts_arena_span(arena, ts_buf_view(&file));
	ts_buf_finish(&file);
	if (status)
		return status;
	if (arena->failed)
		return ts_arena_error(arena, err);
	if (ts_kernel_rules_parse(text, arena, &rules, err))
		return ts_error_prefix(err, "%s", path);
	return ts_kernel_table(io_trace, &rules, arena, err);
}
