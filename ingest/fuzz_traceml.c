/* Any bytes as a final_summary.json: no crash, no leak. */
#include "base/digest.h"
#include "base/file.h"
#include "ingest/reader_traceml.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static enum ts_status drop(void *ctx, const struct ts_id *id, struct ts_span object, struct ts_error *err)
{
	(void)ctx;
	(void)id;
	(void)object;
	(void)err;
	return TS_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("final_summary.json", MFD_CLOEXEC);
	char path[64];
	struct ts_ingest_options options = {.path = path};
	struct ts_ingest_result result;
	struct ts_arena arena;
	struct ts_error err;

	if (fd < 0 || ts_digest_init(&err))
		abort();
	if (!ts_write_full(fd, data, size, &err)) {
		(void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
		ts_arena_init(&arena, 0);
		(void)ts_traceml_sniff(path);
		(void)ts_traceml_read(&options, drop, NULL, &arena, &result, &err);
		ts_arena_finish(&arena);
	}
	(void)close(fd);
	return 0;
}
