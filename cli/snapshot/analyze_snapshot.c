#include "cli/snapshot/analyze_snapshot.h"

#include "cli/core/path_run.h"
#include "cli/json/json_parts.h"
#include "cli/report/render_report.h"
#include "cli/snapshot/report_memory.h"
#include "ingest/snapshot/snapshot_read.h"

bool ts_is_snapshot(const char *word)
{
	return word && ts_is_path(word) && ts_snapshot_sniff(word);
}

static enum ts_status device_memory(const struct ts_cli *cli, uint64_t *ret_capacity, struct ts_error *err)
{
	double bytes = 0;
	bool given;

	if (ts_args_bytes(&cli->args, "device-memory", &given, &bytes, err))
		return ts_error_prefix(err, "analyze");
	if (given && bytes >= 0x1p62)
		return ts_error_set(err, TS_INVALID, "analyze: --device-memory %g bytes cannot be the memory of a device", bytes);
	*ret_capacity = (uint64_t)bytes;
	return TS_OK;
}

enum ts_status ts_analyze_snapshot(struct ts_cli *cli, const char *path, struct ts_error *err)
{
	const char *slash = strrchr(path, '/');
	struct ts_memory_answer answer;
	struct ts_snapshot snapshot;
	struct ts_report report;
	uint64_t capacity = 0;

	if (device_memory(cli, &capacity, err) || ts_snapshot_load(path, &cli->arena, &snapshot, err) ||
	    ts_memory_of(&snapshot, capacity, &cli->arena, &answer, err))
		return err->status;
	if (cli->json)
		return ts_json_answer(cli, &ts_shape_memory, &answer, err);
	if (ts_report_of_memory(&answer, slash ? slash + 1 : path, &cli->arena, &report, err))
		return err->status;
	return ts_render_report_text(cli, &report, err);
}
