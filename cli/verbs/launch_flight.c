#include "cli/verbs/launch_flight.h"

#include "base/file.h"
#include "ingest/flight/flight_read.h"

#include <fcntl.h>
#include <stdlib.h>
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

/* *ret_read: there is one of this run, and it was read. */
static enum ts_status read_dump(const struct ts_launch_folder *f, const char *path, int32_t rank, struct ts_flight_dump *ret,
				bool *ret_read, struct ts_error *err)
{
	struct ts_source source = {.name = ts_span_str(path), .path = ts_span_str(path)};
	struct ts_error unread;
	enum ts_status status;
	struct stat st;

	*ret_read = false;
	source.fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (source.fd < 0)
		return TS_OK;
	if (fstat(source.fd, &st) < 0 || !S_ISREG(st.st_mode) || (int64_t)st.st_mtime < f->began_ns / 1000000000) {
		(void)close(source.fd);
		return TS_OK;
	}
	source.size = (uint64_t)st.st_size;
	status = ts_flight_read(&source, rank, &f->cli->arena, ret, &unread);
	(void)close(source.fd);
	*ret_read = status == TS_OK;
	return status == TS_NO_MEMORY ? ts_error_set(err, status, "%s", unread.text) : TS_OK;
}

enum ts_status ts_launch_flight(const struct ts_launch_folder *folder, size_t world, struct ts_flight_behind *ret, struct ts_error *err)
{
	size_t most = world && world < TS_FLIGHT_RANKS_MAX ? world : TS_FLIGHT_RANKS_MAX, n = 0;
	struct ts_arena *arena = &folder->cli->arena;
	struct ts_flight_dump *dumps = ts_arena_array(arena, most, sizeof *dumps);
	const char *before = place(folder);

	*ret = (struct ts_flight_behind){.said = false};
	if (!dumps)
		return ts_arena_error(arena, err);
	for (size_t rank = 0; before && rank < most; rank++) {
		const char *path = ts_arena_printf(arena, "%s%zu", before, rank);
		bool read = false;

		if (!path)
			return ts_arena_error(arena, err);
		if (read_dump(folder, path, (int32_t)rank, &dumps[n], &read, err))
			return err->status;
		n += read;
	}
	return n ? ts_flight_judge(dumps, n, world, arena, ret, err) : TS_OK;
}
