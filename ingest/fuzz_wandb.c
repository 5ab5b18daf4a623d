/* Any bytes as a W&B log: no crash, no leak. Checksums are made right first, or nothing but checksums would be tried. */
#include "base/digest.h"
#include "base/file.h"
#include "ingest/reader_wandb.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

static enum ts_status drop(void *ctx, const struct ts_id *id, struct ts_span object, struct ts_error *err)
{
	(void)ctx;
	(void)id;
	(void)object;
	(void)err;
	return TS_OK;
}

static void put(int fd, const void *data, size_t n)
{
	struct ts_error err;

	if (ts_write_full(fd, data, n, &err))
		abort();
}

/* Chunks of the input: a byte of type (of two bits), two of length, then so many bytes. They fill less than one block. */
static void write_chunks(int fd, const uint8_t *data, size_t size)
{
	put(fd, ":W&B\xe1\xbe", 7);
	while (size > 3) {
		size_t n = (size_t)data[1] | (size_t)data[2] << 8;
		uint8_t head[7] = {0}, type = (uint8_t)(1 + data[0] % 4);
		uint32_t crc;

		n = n < size - 3 ? n : size - 3;
		crc = (uint32_t)crc32(crc32(0, &type, 1), data + 3, (uInt)n);
		for (int i = 0; i < 4; i++)
			head[i] = (uint8_t)(crc >> (8 * i));
		head[4] = (uint8_t)n;
		head[5] = (uint8_t)(n >> 8);
		head[6] = type;
		put(fd, head, 7);
		put(fd, data + 3, n);
		data += n + 3;
		size -= n + 3;
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
	(void)ts_wandb_read(&options, drop, NULL, &arena, &result, &err);
	ts_arena_finish(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("run-x.wandb", MFD_CLOEXEC);
	struct ts_error err;

	if (fd < 0 || ts_digest_init(&err))
		abort();
	if (size > 0 && data[0] & 1) {
		write_chunks(fd, data + 1, size - 1);
		read_it(fd);
	} else if (size > 0) {
		put(fd, data + 1, size - 1);
		read_it(fd);
	}
	(void)close(fd);
	return 0;
}
