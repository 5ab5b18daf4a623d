/* Any bytes as the files of a dvclive folder, parted by bytes 0: params.yaml, metrics.json, two series; and a table as DeepSpeed writes
 * it. No crash, no leak. */
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
	(void)fuzz_folder_put("Train_Samples_lr.csv", fuzz_part(&rest));
	(void)ts_deepspeed_sniff(fuzz_folder());
	fuzz_read(fuzz_folder(), ts_dvclive_read);
	fuzz_read(fuzz_folder(), ts_deepspeed_read);
	return 0;
}
