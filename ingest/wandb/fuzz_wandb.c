/* Any bytes as a W&B log, as records of one, and as the files beside it; the first byte says which. No crash, no leak. The checksums
 * of records are made right first, or nothing but checksums would be tried. */
#include "ingest/core/fuzz_reader.h"
#include "ingest/wandb/reader_wandb.h"
#include "ingest/wandb/wandb_facts.h"

#include <unistd.h>
#include <zlib.h>

/* The input is a list of chunks: one byte of type (two bits), two bytes of length, then that many bytes. All chunks
 * fill less than one block. */
static void write_chunks(int fd, const uint8_t *data, size_t size)
{
	fuzz_write(fd, ":W&B\xe1\xbe", 7);
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
		fuzz_write(fd, head, 7);
		fuzz_write(fd, data + 3, n);
		data += n + 3;
		size -= n + 3;
	}
}

static void read_side_file(struct ts_span bytes,
			   enum ts_status (*take)(struct ts_fact_tree *, struct ts_span, struct ts_error *))
{
	struct ts_fact_tree tree;
	struct ts_buf json = TS_BUF_INIT(64 << 20);
	struct ts_json j = ts_json_of(&json);
	struct ts_error err;

	ts_fact_tree_init(&tree);
	(void)take(&tree, bytes, &err);
	ts_fact_tree_write(&tree, &j);
	ts_fact_tree_finish(&tree);
	ts_buf_finish(&json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd;

	if (size == 0)
		return 0;
	if (data[0] & 2) {
		read_side_file(ts_span_of(data + 1, size - 1), data[0] & 1 ? ts_wandb_metadata : ts_wandb_requirements);
		return 0;
	}
	fd = fuzz_file("run-x.wandb");
	if (data[0] & 1)
		write_chunks(fd, data + 1, size - 1);
	else
		fuzz_write(fd, data + 1, size - 1);
	fuzz_read(fuzz_file_path(fd), ts_wandb_read);
	(void)close(fd);
	return 0;
}
