/* Any bytes as an archive of Comet and of ClearML, or, if the first is 'f', as the files of ClearML's folder, parted by a byte 0. No
 * crash, no leak. */
#include "ingest/core/fuzz_reader.h"
#include "ingest/trackers/reader_clearml.h"
#include "ingest/trackers/reader_comet.h"

#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ts_span rest = ts_span_of(data ? data : (const uint8_t *)"", size);
	char path[256];

	if (size && data[0] == 'f') {
		rest = ts_span_from(rest, 1);
		(void)fuzz_folder_put("task.json", fuzz_part(&rest));
		(void)fuzz_folder_put("metrics.jsonl", fuzz_part(&rest));
		(void)ts_clearml_sniff(fuzz_folder());
		fuzz_read(fuzz_folder(), ts_clearml_read);
		return 0;
	}
	(void)snprintf(path, sizeof path, "%s", fuzz_folder_put("x.zip", rest));
	(void)ts_clearml_sniff(path);
	(void)ts_comet_sniff(path);
	fuzz_read(path, ts_clearml_read);
	fuzz_read(path, ts_comet_read);
	return 0;
}
