/* diff_trace.c - see diff_trace.h. */
#include "cli/trace/diff_trace.h"

#include "cli/core/verb.h"
#include "cli/json/json_parts.h"
#include "cli/report/render_report.h"
#include "cli/trace/analyze_trace.h"
#include "cli/trace/diff_ranks.h"
#include "cli/trace/page_trace.h"

struct opened {
	struct ts_notices notices;
	struct ts_trace_file file;
	struct ts_trace trace;
};

enum ts_status ts_diff_pair(const struct ts_cli *cli, const struct ts_trace *a, const char *name_a, const struct ts_trace *b,
			    const char *name_b, struct ts_arena *arena, struct ts_trace_diff *ret, struct ts_error *err)
{
	struct ts_warmup_asked asked = {.given = false};

	if (ts_warmup_option(cli, &asked, err))
		return err->status;
	if (ts_warmup_check(a, &asked, name_a, err) || ts_warmup_check(b, &asked, name_b, err))
		return ts_error_prefix(err, "%s", cli->verb->name);
	arena->ceiling = cli->arena.ceiling; /* that of these traces (ts_trace_room) */
	return ts_trace_diff(a, b, &asked, arena, ret, err);
}

static enum ts_status answer(struct ts_cli *cli, const char *path_a, const char *path_b, const struct opened sides[2],
			     struct ts_error *err)
{
	struct ts_trace_diff diff;
	bool answered = false;

	if (ts_diff_pair(cli, &sides[0].trace, path_a, &sides[1].trace, path_b, &cli->arena, &diff, err))
		return err->status;
	diff.path_a = path_a;
	diff.path_b = path_b;
	cli->exit_code = ts_trace_diff_exit(diff.verdict);
	if (ts_trace_diff_page(cli, &diff, &answered, err))
		return err->status;
	if (answered)
		return TS_OK;
	return cli->json ? ts_json_answer(cli, &ts_shape_trace_diff, &diff, err)
			 : ts_render_trace_diff_text(cli, &diff, ts_args_has(&cli->args, "all"), err);
}

enum ts_status ts_diff_traces(struct ts_cli *cli, const char *path_a, const char *path_b, struct ts_error *err)
{
	const char *paths[2] = {path_a, path_b};
	struct opened sides[2] = {{.notices = {.arena = &cli->arena}}, {.notices = {.arena = &cli->arena}}};
	enum ts_status status = TS_OK;
	int n = 0;

	if (ts_check_page_option(cli, "json", err))
		return ts_error_prefix(err, "diff");
	while (n < 2 && !status) {
		status = ts_load_trace(cli, paths[n], paths[n], &sides[n].notices, &sides[n].trace, &sides[n].file, err);
		if (!status)
			ts_say_notices(cli, paths[n], &sides[n].notices, false);
		n += !status;
	}
	if (!status)
		status = answer(cli, path_a, path_b, sides, err);
	while (n-- > 0) {
		ts_trace_finish(&sides[n].trace);
		ts_trace_file_finish(&sides[n].file);
	}
	return status;
}
