/* analyze_trace.c - see analyze_trace.h. */
#include "cli/trace/analyze_trace.h"

#include "base/below.h"
#include "base/limits.h"
#include "base/system.h"
#include "cli/core/policy_file.h"
#include "cli/core/progress.h"
#include "cli/core/verb.h"
#include "cli/json/json_parts.h"
#include "cli/trace/kernels_file.h"
#include "cli/trace/overlay.h"
#include "cli/trace/page_trace.h"
#include "ingest/nsys/nsys_read.h"
#include "ingest/trace/trace_sniff.h"

#include <unistd.h>

enum ts_status ts_is_trace(const char *word, bool *ret, struct ts_error *err)
{
	*ret = false;
	if (!ts_is_path(word))
		return TS_OK;
	*ret = ts_nsys_is(word);
	return *ret ? TS_OK : ts_trace_sniff(word, ret, err);
}

void ts_trace_room(struct ts_cli *cli, uint64_t size)
{
	uint64_t most = UINT64_C(1) << TS_TRACE_ARENA_SHIFT, part = ts_system_memory() / 3, wanted;

	most = part && part < most ? part : most;
	wanted = cli->arena.ceiling + (size < most / TS_TRACE_BYTES_A_BYTE ? size * TS_TRACE_BYTES_A_BYTE : most);
	wanted = wanted < most ? wanted : most;
	if (cli->arena.ceiling < wanted)
		cli->arena.ceiling = (size_t)wanted;
}

/* What the columns take is not left for what is said of them. */
static void count_columns(struct ts_cli *cli, const struct ts_trace *trace, size_t before)
{
	uint64_t columns = ts_trace_rows_bytes(&trace->rows), room = cli->arena.ceiling;

	cli->arena.ceiling = room > before + columns ? (size_t)(room - columns) : before;
}

enum ts_status ts_load_trace(struct ts_cli *cli, const char *top, const char *path, struct ts_notices *notices,
			     struct ts_trace *trace, struct ts_trace_file *file, struct ts_error *err)
{
	struct ts_progress bar;
	struct ts_read_progress progress = {.tell = ts_progress_step, .ctx = &bar};
	struct ts_source source = {.path = ts_span_str(path), .name = ts_span_str(""), .progress = &progress};
	struct ts_trace_reading reading = {.notices = notices};
	size_t before = cli->arena.ceiling;
	enum ts_status status;

	if (ts_below_open(top, path, &source.fd, &source.size, err))
		return err->status;
	ts_trace_room(cli, source.size);
	progress.total = source.size;
	ts_progress_begin(&bar, cli, "reading", path);
	reading.columns_most = cli->arena.ceiling;
	if (ts_nsys_is(path))
		status = ts_nsys_load(path, &reading, trace, file, err);
	else
		status = ts_trace_load(&source, &reading, trace, file, err);
	ts_progress_end(&bar);
	(void)close(source.fd);
	if (status)
		return status;
	count_columns(cli, trace, before);
	if (!ts_know_kernels(cli, trace, &cli->arena, err))
		return TS_OK;
	ts_trace_finish(trace);
	ts_trace_file_finish(file);
	return err->status;
}

enum ts_status ts_warmup_option(const struct ts_cli *cli, struct ts_warmup_asked *ret, struct ts_error *err)
{
	if (ts_args_uint(&cli->args, "warmup", INT64_MAX, &ret->given, &ret->steps, err))
		return ts_error_prefix(err, "%s", cli->verb->name);
	return TS_OK;
}

enum ts_status ts_cut_trace(const struct ts_cli *cli, const char *name, struct ts_trace *io, struct ts_error *err)
{
	struct ts_warmup_asked asked = {.given = false};
	struct ts_arena scratch;
	enum ts_status status;

	if (ts_warmup_option(cli, &asked, err))
		return err->status;
	ts_arena_init(&scratch, 0);
	status = ts_warmup_leave_out(io, &asked, name, &scratch, err);
	ts_arena_finish(&scratch);
	return status ? ts_error_prefix(err, "%s", cli->verb->name) : TS_OK;
}

/* The critical path of the steps that --warmup leaves, or of --step alone if that is given. What bound a step may be of the one before,
 * so the trace must be whole. */
static enum ts_status path_asked(struct ts_cli *cli, const char *name, const struct ts_trace *trace, struct ts_critical_path *path,
				 struct ts_error *err)
{
	struct ts_path_asked asked = {.has_step = false};
	struct ts_warmup_asked warmup = {.given = false};
	struct ts_nest nest;
	uint64_t step = 0;

	if (ts_args_uint(&cli->args, "step", INT64_MAX, &asked.has_step, &step, err) || ts_warmup_option(cli, &warmup, err))
		return err->status;
	if (ts_warmup_check(trace, &warmup, name, err))
		return ts_error_prefix(err, "analyze");
	asked.has_warmup = warmup.given;
	asked.warmup = warmup.steps;
	asked.step = (int64_t)step;
	if (ts_nest(trace, &cli->arena, &nest, err) || ts_critical_path(trace, &nest, &asked, &cli->arena, path, err))
		return ts_error_prefix(err, "the critical path");
	return TS_OK;
}

/* The trace that --capture names: open until the answer is shown, which has texts of it. */
struct capture {
	bool open;
	struct ts_trace trace;
	struct ts_trace_file file;
};

static void capture_finish(struct capture *c)
{
	if (!c->open)
		return;
	ts_trace_finish(&c->trace);
	ts_trace_file_finish(&c->file);
}

static enum ts_status look_at_capture(struct ts_cli *cli, const struct ts_trace *replay, struct capture *c, struct ts_trace_answer *io,
				      struct ts_error *err)
{
	const char *path = ts_args_text(&cli->args, "capture");
	struct ts_notices notices = {.arena = &cli->arena};

	if (!path)
		return TS_OK;
	if (ts_load_trace(cli, path, path, &notices, &c->trace, &c->file, err))
		return ts_error_prefix(err, "--capture");
	c->open = true;
	ts_say_notices(cli, path, &notices, false);
	if (ts_graph_work(replay, &c->trace, &cli->arena, &io->graphs, err))
		return ts_error_prefix(err, "--capture %s", path);
	io->has_graphs = true;
	return TS_OK;
}

static enum ts_status render(struct ts_cli *cli, const struct ts_trace *trace, const struct ts_trace_answer *answer,
			     struct ts_error *err)
{
	bool answered = false;

	if (ts_trace_page(cli, trace, answer, &answered, err))
		return err->status;
	if (answered)
		return TS_OK;
	return cli->json ? ts_json_answer(cli, &ts_shape_trace, answer, err) : ts_render_trace_text(cli, answer, err);
}

/* critical: NULL: that of the trace as it is. */
static enum ts_status show(struct ts_cli *cli, const char *path, struct ts_trace *trace, const struct ts_trace_record *record,
			   const struct ts_critical_path *critical, struct ts_error *err)
{
	struct ts_trace_answer answer;
	struct capture capture = {.open = false};
	struct ts_policy policy;
	enum ts_status status;

	if (ts_policy_file(cli, &policy, err))
		return ts_error_prefix(err, "analyze");
	if (ts_cut_trace(cli, path, trace, err) || ts_trace_answer(trace, critical, &cli->arena, &answer, err) ||
	    ts_trace_judge(&answer, &policy, &cli->arena, err))
		return err->status;
	cli->exit_code = ts_fails_on(cli, &answer.verdict.findings) ? TS_EXIT_NO : TS_EXIT_YES;
	answer.path = path;
	answer.events = record->events;
	answer.cut = record->cut;
	answer.notices = record->notices;
	answer.n_notices = record->n_notices;
	status = look_at_capture(cli, trace, &capture, &answer, err);
	if (!status)
		status = render(cli, trace, &answer, err);
	capture_finish(&capture);
	return status;
}

/* Shows it with the path that --step, --warmup or --overlay asks for; writes the overlay of a trace that is a file. */
static enum ts_status show_asked(struct ts_cli *cli, const char *path, struct ts_trace *trace, const struct ts_trace_record *record,
				 const struct ts_trace_file *file, struct ts_error *err)
{
	const char *overlay = file ? ts_args_text(&cli->args, "overlay") : NULL;
	struct ts_critical_path critical;

	if (!overlay && !ts_args_has(&cli->args, "step") && !ts_args_has(&cli->args, "warmup"))
		return show(cli, path, trace, record, NULL, err);
	if (path_asked(cli, path, trace, &critical, err))
		return err->status;
	if (overlay && ts_nsys_is(path))
		return ts_error_set(err, TS_UNSUPPORTED, "analyze: --overlay copies a JSON trace, and %s is an export of nsys",
				    path);
	if (overlay) {
		if (ts_write_overlay(path, trace, file, &critical, overlay, err))
			return err->status;
		ts_cli_say(cli, "wrote the trace with its critical path to %s", overlay);
	}
	return show(cli, path, trace, record, &critical, err);
}

enum ts_status ts_show_trace(struct ts_cli *cli, const char *path, struct ts_trace *trace, const struct ts_trace_record *record,
			     struct ts_error *err)
{
	return show_asked(cli, path, trace, record, NULL, err);
}

static enum ts_status answer_of(struct ts_cli *cli, const char *path, const struct ts_notices *notices, struct ts_trace *trace,
				const struct ts_trace_file *file, struct ts_error *err)
{
	struct ts_trace_record record;

	if (ts_trace_file_record(file, notices, &cli->arena, &record, err))
		return err->status;
	return show_asked(cli, path, trace, &record, file, err);
}

enum ts_status ts_analyze_trace(struct ts_cli *cli, const char *path, struct ts_error *err)
{
	struct ts_notices notices = {.arena = &cli->arena};
	struct ts_trace_file file;
	struct ts_trace trace;
	enum ts_status status;

	if (ts_load_trace(cli, path, path, &notices, &trace, &file, err))
		return err->status;
	ts_say_notices(cli, path, &notices, false);
	status = answer_of(cli, path, &notices, &trace, &file, err);
	ts_trace_finish(&trace);
	ts_trace_file_finish(&file);
	return status;
}
