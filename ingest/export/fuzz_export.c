/* Any bytes as an export, in JSON Lines if they begin with '{' and else in CSV. No crash, no leak. */
#include "ingest/core/fuzz_reader.h"
#include "ingest/export/reader_export.h"

#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = fuzz_file("log");

	fuzz_write(fd, data, size);
	fuzz_read(fuzz_file_path(fd), ts_export_read);
	(void)close(fd);
	return 0;
}
