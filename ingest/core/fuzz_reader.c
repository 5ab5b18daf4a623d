#include "ingest/core/fuzz_reader.h"

#include "base/digest.h"
#include "base/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum ts_status fuzz_drop(void *ctx, const struct ts_id *id, struct ts_span object, struct ts_error *err)
{
	(void)ctx;
	(void)id;
	(void)object;
	(void)err;
	return TS_OK;
}

int fuzz_file(const char *name)
{
	int fd = memfd_create(name, MFD_CLOEXEC);
	struct ts_error err;

	if (fd < 0 || ts_digest_init(&err))
		abort();
	return fd;
}

void fuzz_write(int fd, const void *data, size_t n)
{
	struct ts_error err;

	if (n && ts_write_full(fd, data, n, &err))
		abort();
}

void fuzz_read(int fd, fuzz_read_fn *read)
{
	char path[64];
	struct ts_ingest_options options = {.path = path};
	struct ts_ingest_result result;
	struct ts_arena arena;
	struct ts_error err;

	(void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	ts_arena_init(&arena, 0);
	(void)read(&options, fuzz_drop, NULL, &arena, &result, &err);
	ts_arena_finish(&arena);
}
