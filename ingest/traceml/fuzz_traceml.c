/* Any bytes as a final_summary.json: no crash, no leak. */
#include "ingest/core/fuzz_reader.h"
#include "ingest/traceml/reader_traceml.h"

#include <stdio.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = fuzz_file("final_summary.json");
	char path[64];

	fuzz_write(fd, data, size);
	(void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	(void)ts_traceml_sniff(path);
	fuzz_read(fd, ts_traceml_read);
	(void)close(fd);
	return 0;
}
