/* Any bytes as trackio's database: no crash, no leak. Only with libsqlite3 is anything of it read. */
#include "ingest/core/fuzz_reader.h"
#include "ingest/trackers/reader_trackio.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct ts_reader reader = {.sniff = ts_trackio_sniff, .parts = ts_trackio_parts, .read = ts_trackio_read};

	fuzz_runs(&reader, fuzz_folder_put("x.db", ts_span_of(data ? data : (const uint8_t *)"", size)));
	return 0;
}
