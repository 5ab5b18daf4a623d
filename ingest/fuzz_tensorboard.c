/* Any bytes as an event file: no crash, no leak. Checksums are made right first, or nothing but checksums would be tried. */
#include "base/digest.h"
#include "base/file.h"
#include "ingest/crc32c.h"
#include "ingest/reader_tensorboard.h"

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

/* Records of the input: a byte of length, then so many bytes. */
static void write_records(int fd, const uint8_t *data, size_t size)
{
	struct ts_error err;

	while (size > 0) {
		size_t n = data[0] < size ? data[0] : size - 1;
		uint8_t head[12] = {(uint8_t)n}, foot[4];
		uint32_t crc = ts_crc32c_masked(ts_crc32c(0, ts_span_of(head, 8)));

		for (int i = 0; i < 4; i++)
			head[8 + i] = (uint8_t)(crc >> (8 * i));
		crc = ts_crc32c_masked(ts_crc32c(0, ts_span_of(data + 1, n)));
		for (int i = 0; i < 4; i++)
			foot[i] = (uint8_t)(crc >> (8 * i));
		if (ts_write_full(fd, head, 12, &err) || ts_write_full(fd, data + 1, n, &err) || ts_write_full(fd, foot, 4, &err))
			abort();
		data += n + 1;
		size -= n + 1;
	}
}

static void read_it(int fd)
{
	char path[64];
	struct ts_ingest_options options = {.path = path};
	struct ts_ingest_result result;
	struct ts_arena arena;
	struct ts_error err;

	(void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	ts_arena_init(&arena, 0);
	(void)ts_tensorboard_read(&options, drop, NULL, &arena, &result, &err);
	ts_arena_finish(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("events.out.tfevents.1.h.1", MFD_CLOEXEC);
	struct ts_error err;

	if (fd < 0 || ts_digest_init(&err))
		abort();
	if (size > 0 && data[0] & 1) {
		write_records(fd, data + 1, size - 1);
		read_it(fd);
	} else if (size > 0 && !ts_write_full(fd, data + 1, size - 1, &err)) {
		read_it(fd);
	}
	(void)close(fd);
	return 0;
}
