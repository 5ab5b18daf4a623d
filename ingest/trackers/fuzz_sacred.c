/* Any bytes as the files of a run of sacred, parted by bytes 0: run.json, config.json, metrics.json. No crash, no leak. */
#include "ingest/core/fuzz_reader.h"
#include "ingest/trackers/reader_sacred.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ts_span rest = ts_span_of(data, size);

	(void)fuzz_folder_put("cout.txt", ts_span_str(""));
	(void)fuzz_folder_put("run.json", fuzz_part(&rest));
	(void)fuzz_folder_put("config.json", fuzz_part(&rest));
	(void)fuzz_folder_put("metrics.json", fuzz_part(&rest));
	(void)ts_sacred_sniff(fuzz_folder());
	fuzz_read(fuzz_folder(), ts_sacred_read);
	return 0;
}
