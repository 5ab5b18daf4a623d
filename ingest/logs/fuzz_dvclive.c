/* Any bytes as the files of a dvclive folder, parted by bytes 0: params.yaml, metrics.json, two series. No crash, no leak. */
#include "ingest/core/fuzz_reader.h"
#include "ingest/logs/reader_dvclive.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ts_span rest = ts_span_of(data, size);

	(void)fuzz_folder_put("params.yaml", fuzz_part(&rest));
	(void)fuzz_folder_put("metrics.json", fuzz_part(&rest));
	(void)fuzz_folder_put("plots/metrics/lr.tsv", fuzz_part(&rest));
	(void)fuzz_folder_put("plots/metrics/train/loss.tsv", fuzz_part(&rest));
	fuzz_read(fuzz_folder(), ts_dvclive_read);
	return 0;
}
