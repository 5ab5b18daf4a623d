/* Any bytes as a final_summary.json: no crash, no leak. */
#include "ingest/core/fuzz_reader.h"
#include "ingest/traceml/reader_traceml.h"

#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = fuzz_file("final_summary.json");

	fuzz_write(fd, data, size);
	(void)ts_traceml_sniff(fuzz_file_path(fd));
	fuzz_read(fuzz_file_path(fd), ts_traceml_read);
	(void)close(fd);
	return 0;
}
