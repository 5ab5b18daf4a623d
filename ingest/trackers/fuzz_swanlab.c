/* Any bytes as SwanLab's log: no crash, no leak. */
#include "ingest/core/fuzz_reader.h"
#include "ingest/trackers/reader_swanlab.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *path = fuzz_folder_put("x.swanlab", ts_span_of(data ? data : (const uint8_t *)"", size));

	(void)ts_swanlab_sniff(path);
	fuzz_read(path, ts_swanlab_read);
	return 0;
}
