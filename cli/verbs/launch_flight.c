#include "cli/verbs/launch_flight.h"

#include "base/file.h"
#include "base/limits.h"
#include "ingest/flight/flight_read.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The place of the dumps without the rank; NULL: nothing tells. */
static const char *place(const struct ts_launch_folder *f)
{
	static const char *const names[] = {"TORCH_FR_DUMP_TEMP_FILE", "TORCH_NCCL_DEBUG_INFO_TEMP_FILE"};
	const char *home = getenv("HOME");

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		const char *said = getenv(names[i]);

		if (said && *said)
			return said;
	}
	return home && *home ? ts_arena_printf(&f->cli->arena, "%s/.cache/torch/comm_lib_trace_rank_", home) : NULL;
}

/* Whether there is one of this run, and it was read. */
static bool read_dump(const struct ts_launch_folder *f, const char *path, int32_t rank, struct ts_arena *arena,
		      struct ts_flight_dump *ret)
{
	struct ts_source source = {.name = ts_span_str(path), .path = ts_span_str(path)};
	struct ts_error unread;
	enum ts_status status;
	struct stat st;

	source.fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (source.fd < 0)
		return false;
	if (fstat(source.fd, &st) < 0 || !S_ISREG(st.st_mode) || (int64_t)st.st_mtime < f->began_ns / 1000000000) {
		(void)close(source.fd);
		return false;
	}
	source.size = (uint64_t)st.st_size;
	status = ts_flight_read(&source, rank, arena, ret, &unread);
	(void)close(source.fd);
	return status == TS_OK;
}

/* What lies in the arena is judged, or nothing is said. */
static enum ts_status judge(const struct ts_launch_folder *f, const char *before, size_t world, struct ts_arena *arena,
			    struct ts_flight_behind *ret, struct ts_error *err)
{
	size_t most = world && world < TS_FLIGHT_RANKS_MAX ? world : TS_FLIGHT_RANKS_MAX, n = 0;
	struct ts_flight_dump *dumps = ts_arena_array(arena, most, sizeof *dumps);

	for (size_t rank = 0; dumps && rank < most; rank++) {
		const char *path = ts_arena_printf(arena, "%s%zu", before, rank);

		n += path && read_dump(f, path, (int32_t)rank, arena, &dumps[n]);
	}
	if (ts_arena_check(arena, err))
		return err->status;
	return n ? ts_flight_judge(dumps, n, world, arena, ret, err) : TS_OK;
}

enum ts_status ts_launch_flight(const struct ts_launch_folder *folder, size_t world, struct ts_flight_behind *ret, struct ts_error *err)
{
	struct ts_arena work, *arena = &folder->cli->arena;
	struct ts_flight_behind behind = {.said = false}, kept = behind;
	const char *before = place(folder);
	struct ts_error unsaid;

	ts_arena_init(&work, TS_ANALYSIS_ARENA); /* how a run ended is kept, however large its dumps are */
	if (before && judge(folder, before, world, &work, &behind, &unsaid))
		behind = kept;
	if (behind.said) {
		kept = behind;
		kept.sentence = ts_arena_span(arena, behind.sentence);
		kept.ranks = ts_arena_array(arena, behind.n_ranks, sizeof *kept.ranks);
		if (kept.ranks)
			memcpy(kept.ranks, behind.ranks, behind.n_ranks * sizeof *kept.ranks);
	}
	ts_arena_finish(&work);
	if (ts_arena_check(arena, err))
		return err->status;
	*ret = kept;
	return TS_OK;
}
