/* Any bytes as a W&B log: no crash, no leak. Checksums are made right first, or nothing but checksums would be tried. */
#include "ingest/core/fuzz_reader.h"
#include "ingest/wandb/reader_wandb.h"

#include <unistd.h>
#include <zlib.h>

/* Chunks of the input: a byte of type (of two bits), two of length, then so many bytes. They fill less than one block. */
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = fuzz_file("run-x.wandb");

	if (size > 0 && data[0] & 1)
		write_chunks(fd, data + 1, size - 1);
	else if (size > 0)
		fuzz_write(fd, data + 1, size - 1);
	if (size > 0)
		fuzz_read(fd, ts_wandb_read);
	(void)close(fd);
	return 0;
}
