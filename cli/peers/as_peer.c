#include "cli/peers/as_peer.h"

#include "analysis/peers/axolotl_snapshot.h"
#include "analysis/peers/axolotl_trace.h"
#include "analysis/peers/kempner.h"
#include "cli/trace/analyze_trace.h"
#include "ingest/snapshot/snapshot_read.h"

/* "." for a file of this folder. */
static const char *folder_of(struct ts_cli *cli, const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? ts_arena_printf(&cli->arena, "%.*s", (int)(slash - path), path) : ".";
}

static enum ts_status answer_of(struct ts_cli *cli, const char *path, const struct ts_trace *trace, struct ts_peer_answer *ret,
				struct ts_error *err)
{
	const char *tool = ts_args_text(&cli->args, "as"), *folder = folder_of(cli, path);
	struct ts_trace_answer answer;

	if (!folder)
		return ts_arena_error(&cli->arena, err);
	if (ts_trace_answer(trace, &cli->arena, &answer, err))
		return err->status;
	if (tool && strcmp(tool, "kempner") == 0)
		return ts_kempner(trace, &answer, folder, &cli->arena, ret, err);
	return ts_axolotl_trace(trace, &answer, path, &cli->arena, ret, err);
}

enum ts_status ts_trace_as_peer(struct ts_cli *cli, const char *path, struct ts_error *err)
{
	struct ts_notices notices = {.arena = &cli->arena};
	struct ts_peer_answer answer;
	struct ts_trace_file file;
	struct ts_trace trace;
	enum ts_status status;

	if (ts_load_trace(cli, path, &notices, &trace, &file, err))
		return err->status;
	ts_say_notices(cli, path, &notices, false);
	status = answer_of(cli, path, &trace, &answer, err);
	answer.path = path;
	if (!status)
		status = ts_render_peer(cli, &answer, err);
	ts_trace_finish(&trace);
	ts_trace_file_finish(&file);
	return status;
}

enum ts_status ts_snapshot_as_peer(struct ts_cli *cli, const char *path, struct ts_error *err)
{
	const char *tool = ts_args_text(&cli->args, "as");
	struct ts_peer_answer answer;
	struct ts_snapshot snapshot;
	double bytes = 0;
	bool given;

	if (tool && strcmp(tool, "axolotl") != 0)
		return ts_error_set(err, TS_INVALID, "analyze: %s has no tables of memory snapshots", tool);
	if (ts_args_bytes(&cli->args, "device-memory", &given, &bytes, err))
		return ts_error_prefix(err, "analyze");
	if (given && bytes >= 0x1p62)
		return ts_error_set(err, TS_INVALID, "analyze: --device-memory %g bytes cannot be the memory of a device", bytes);
	if (ts_snapshot_load(path, &cli->arena, &snapshot, err) ||
	    ts_axolotl_snapshot(&snapshot, (uint64_t)bytes, path, &cli->arena, &answer, err))
		return err->status;
	answer.path = path;
	return ts_render_peer(cli, &answer, err);
}
