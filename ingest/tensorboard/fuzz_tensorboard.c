/* Any bytes as an event file: no crash, no leak. Checksums are made right first, or nothing but checksums would be tried. */
#include "ingest/core/fuzz_reader.h"
#include "ingest/tensorboard/reader_tensorboard.h"
#include "ingest/tensorboard/tfrecord.h"

#include <unistd.h>

/* The input is a list of records: one byte of length, then that many bytes. */
static void write_records(int fd, const uint8_t *data, size_t size)
{
	while (size > 0) {
		size_t n = data[0] < size ? data[0] : size - 1;
		uint8_t head[12] = {(uint8_t)n}, foot[4];
		uint32_t crc = ts_tfrecord_masked(ts_crc32c(0, head, 8));

		for (int i = 0; i < 4; i++)
			head[8 + i] = (uint8_t)(crc >> (8 * i));
		crc = ts_tfrecord_masked(ts_crc32c(0, data + 1, n));
		for (int i = 0; i < 4; i++)
			foot[i] = (uint8_t)(crc >> (8 * i));
		fuzz_write(fd, head, 12);
		fuzz_write(fd, data + 1, n);
		fuzz_write(fd, foot, 4);
		data += n + 1;
		size -= n + 1;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = fuzz_file("events.out.tfevents.1.h.1");

	if (size > 0 && data[0] & 1)
		write_records(fd, data + 1, size - 1);
	else if (size > 0)
		fuzz_write(fd, data + 1, size - 1);
	if (size > 0)
		fuzz_read(fuzz_file_path(fd), ts_tensorboard_read);
	(void)close(fd);
	return 0;
}
