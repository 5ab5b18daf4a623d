/* Any bytes as a table, as JSON Lines, golden values and losses; the first byte says which. No crash, no leak. */
#include "base/digest.h"
#include "base/file.h"
#include "ingest/reader_csv.h"
#include "ingest/reader_jsonl.h"
#include "ingest/reader_losses.h"

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
	int fd = memfd_create("log", MFD_CLOEXEC);
	char path[64];
	struct ts_ingest_options options = {.path = path};
	struct ts_ingest_result result;
	struct ts_arena arena;
	struct ts_error err;
	uint8_t which = size ? data[0] & 3 : 0;

	if (fd < 0 || ts_digest_init(&err) || (size && ts_write_full(fd, data + 1, size - 1, &err)))
		abort();
	(void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	ts_arena_init(&arena, 0);
	if (which == 0)
		(void)ts_csv_read(&options, drop, NULL, &arena, &result, &err);
	else if (which == 1)
		(void)ts_jsonl_read(&options, drop, NULL, &arena, &result, &err);
	else if (which == 2)
		(void)ts_golden_read(&options, drop, NULL, &arena, &result, &err);
	else
		(void)ts_losses_read(&options, drop, NULL, &arena, &result, &err);
	ts_arena_finish(&arena);
	(void)close(fd);
	return 0;
}
