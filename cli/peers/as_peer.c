#include "cli/peers/as_peer.h"

#include "analysis/peers/axolotl_snapshot.h"
#include "analysis/peers/axolotl_trace.h"
#include "analysis/peers/kempner.h"
#include "cli/core/verb.h"
#include "cli/text/show_value.h"
#include "cli/trace/analyze_trace.h"
#include "cli/trace/stored_trace.h"
#include "ingest/snapshot/snapshot_read.h"

/* "." for a file of this folder. */
static const char *folder_of(struct ts_cli *cli, const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? ts_arena_printf(&cli->arena, "%.*s", (int)(slash - path), path) : ".";
}

static enum ts_status show_trace(struct ts_cli *cli, const char *path, const struct ts_trace *trace, struct ts_error *err)
{
	const char *tool = ts_args_text(&cli->args, "as"), *folder = folder_of(cli, path);
	struct ts_trace_answer answer;
	struct ts_peer_answer peer;
	enum ts_status status;

	if (!folder)
		return ts_arena_error(&cli->arena, err);
	if (ts_trace_answer(trace, NULL, &cli->arena, &answer, err))
		return err->status;
	if (tool && strcmp(tool, "kempner") == 0)
		status = ts_kempner(trace, &answer, folder, &cli->arena, &peer, err);
	else
		status = ts_axolotl_trace(trace, &answer, path, &cli->arena, &peer, err);
	peer.path = path;
	return status ? status : ts_render_peer(cli, &peer, err);
}

enum ts_status ts_trace_as_peer(struct ts_cli *cli, const char *path, struct ts_error *err)
{
	struct ts_notices notices = {.arena = &cli->arena};
	struct ts_trace_file file;
	struct ts_trace trace;
	enum ts_status status;

	if (ts_load_trace(cli, path, path, &notices, &trace, &file, err))
		return err->status;
	ts_say_notices(cli, path, &notices, false);
	status = show_trace(cli, path, &trace, err);
	ts_trace_finish(&trace);
	ts_trace_file_finish(&file);
	return status;
}

enum ts_status ts_stored_trace_as_peer(struct ts_cli *cli, const struct ts_run_trace *stored, struct ts_error *err)
{
	const char *name = ts_show_text(stored->name, &cli->arena);
	struct ts_trace_record record;
	struct ts_trace trace;
	enum ts_status status;

	if (!name)
		return ts_arena_error(&cli->arena, err);
	ts_trace_room(cli, stored->size);
	if (ts_stored_load(cli, stored, &cli->arena, &trace, &record, err))
		return err->status;
	status = show_trace(cli, name, &trace, err);
	ts_trace_finish(&trace);
	return status;
}

static enum ts_status show_snapshot(struct ts_cli *cli, const char *path, const struct ts_snapshot *snapshot, uint64_t bytes,
				    struct ts_error *err)
{
	struct ts_peer_answer answer;

	if (ts_axolotl_snapshot(snapshot, bytes, path, &cli->arena, &answer, err))
		return err->status;
	answer.path = path;
	return ts_render_peer(cli, &answer, err);
}

/* *ret_bytes: what --device-memory says; 0 without it. */
static enum ts_status snapshot_options(const struct ts_cli *cli, uint64_t *ret_bytes, struct ts_error *err)
{
	const char *tool = ts_args_text(&cli->args, "as");

	if (tool && strcmp(tool, "axolotl") != 0)
		return ts_error_set(err, TS_INVALID, "analyze: %s has no tables of memory snapshots", tool);
	return ts_capacity_option(&cli->args, ret_bytes, err) ? ts_error_prefix(err, "analyze") : TS_OK;
}

enum ts_status ts_snapshot_as_peer(struct ts_cli *cli, const char *path, struct ts_error *err)
{
	struct ts_snapshot snapshot;
	uint64_t bytes;

	if (snapshot_options(cli, &bytes, err) || ts_snapshot_load(path, &cli->arena, &snapshot, err))
		return err->status;
	return show_snapshot(cli, path, &snapshot, bytes, err);
}

enum ts_status ts_stored_snapshot_as_peer(struct ts_cli *cli, const struct ts_get_reply *run, const struct ts_snapshot_choice *choice,
					  struct ts_error *err)
{
	struct ts_stored_snapshot stored;
	uint64_t bytes;

	if (snapshot_options(cli, &bytes, err))
		return err->status;
	if (ts_stored_snapshot(cli, run, choice, &stored, err))
		return ts_error_prefix(err, "analyze");
	return show_snapshot(cli, stored.name, &stored.snapshot, bytes, err);
}

/* --- two --- */

static enum ts_status refuse_options(const struct ts_cli *cli, struct ts_error *err)
{
	for (const struct ts_option *own = cli->verb->options; own->name; own++)
		if (strcmp(own->name, "as") != 0 && ts_args_has(&cli->args, own->name))
			return ts_error_set(err, TS_INVALID, "diff: --as axolotl takes no --%s", own->name);
	return TS_OK;
}

struct pair {
	struct ts_trace traces[2];
	struct ts_trace_file files[2];
	struct ts_trace_answer answers[2];
	size_t n; /* that are loaded */
};

static enum ts_status load_pair(struct ts_cli *cli, struct pair *pair, struct ts_error *err)
{
	for (; pair->n < 2; pair->n++) {
		const char *path = ts_cli_word(cli, pair->n);
		struct ts_notices notices = {.arena = &cli->arena};

		if (ts_load_trace(cli, path, path, &notices, &pair->traces[pair->n], &pair->files[pair->n], err))
			return err->status;
		ts_say_notices(cli, path, &notices, false);
	}
	for (size_t i = 0; i < 2; i++)
		if (ts_trace_answer(&pair->traces[i], NULL, &cli->arena, &pair->answers[i], err))
			return err->status;
	return TS_OK;
}

static enum ts_status two_traces(struct ts_cli *cli, struct ts_peer_answer *ret, struct ts_error *err)
{
	struct pair pair = {.n = 0};
	const struct ts_trace *traces[] = {&pair.traces[0], &pair.traces[1]};
	const struct ts_trace_answer *answers[] = {&pair.answers[0], &pair.answers[1]};
	const char *labels[] = {ts_cli_word(cli, 0), ts_cli_word(cli, 1)};
	enum ts_status status = load_pair(cli, &pair, err);

	if (!status)
		status = ts_axolotl_compare(traces, answers, labels, &cli->arena, ret, err);
	for (size_t i = 0; i < pair.n; i++) {
		ts_trace_finish(&pair.traces[i]);
		ts_trace_file_finish(&pair.files[i]);
	}
	return status;
}

static enum ts_status two_snapshots(struct ts_cli *cli, struct ts_peer_answer *ret, struct ts_error *err)
{
	struct ts_snapshot *loaded = ts_arena_array(&cli->arena, 2, sizeof *loaded);
	const char *labels[] = {ts_cli_word(cli, 0), ts_cli_word(cli, 1)};
	const struct ts_snapshot *both[2];

	if (!loaded)
		return ts_arena_error(&cli->arena, err);
	for (size_t i = 0; i < 2; i++) {
		both[i] = &loaded[i];
		if (ts_snapshot_load(labels[i], &cli->arena, &loaded[i], err))
			return err->status;
	}
	return ts_axolotl_snapshots(both, 0, labels, &cli->arena, ret, err);
}

enum ts_status ts_diff_as_axolotl(struct ts_cli *cli, struct ts_error *err)
{
	struct ts_peer_answer answer;
	bool are[2] = {false, false}, snapshots[2];

	if (refuse_options(cli, err))
		return err->status;
	for (size_t i = 0; i < 2; i++) {
		snapshots[i] = ts_is_path(ts_cli_word(cli, i)) && ts_snapshot_sniff(ts_cli_word(cli, i));
		if (!snapshots[i] && ts_is_trace(ts_cli_word(cli, i), &are[i], err))
			return err->status;
	}
	if (!(are[0] && are[1]) && !(snapshots[0] && snapshots[1]))
		return ts_error_set(err, TS_INVALID,
				    "diff: --as axolotl compares the paths of two traces, or of two memory snapshots, and %s and %s "
				    "are not both of a kind",
				    ts_cli_word(cli, 0), ts_cli_word(cli, 1));
	if (are[0] ? two_traces(cli, &answer, err) : two_snapshots(cli, &answer, err))
		return err->status;
	answer.path = ts_cli_word(cli, 1);
	return ts_render_peer(cli, &answer, err);
}
