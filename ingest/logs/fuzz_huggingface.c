/* Any bytes as trainer_state.json, config.json and a model card, one behind the other with a byte 0 between: no crash, no leak. */
#include "ingest/core/fuzz_reader.h"
#include "ingest/logs/reader_huggingface.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ts_span rest = ts_span_of(data, size);

	(void)fuzz_folder_put("trainer_state.json", fuzz_part(&rest));
	(void)fuzz_folder_put("config.json", fuzz_part(&rest));
	(void)ts_huggingface_sniff(fuzz_folder());
	fuzz_read(fuzz_folder(), ts_huggingface_read);
	return 0;
}
