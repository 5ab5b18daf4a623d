/* Any bytes as a table, as JSON Lines, golden values and losses; the first byte says which. No crash, no leak. */
#include "ingest/core/fuzz_reader.h"
#include "ingest/logs/reader_csv.h"
#include "ingest/logs/reader_jsonl.h"
#include "ingest/logs/reader_losses.h"

#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static fuzz_read_fn *const readers[] = {ts_csv_read, ts_jsonl_read, ts_golden_read, ts_losses_read};
	int fd = fuzz_file("log");

	if (size)
		fuzz_write(fd, data + 1, size - 1);
	fuzz_read(fuzz_file_path(fd), readers[size ? data[0] & 3 : 0]);
	(void)close(fd);
	return 0;
}
