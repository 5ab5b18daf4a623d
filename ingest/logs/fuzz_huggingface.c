/* Any bytes as trainer_state.json: no crash, no leak. */
#include "ingest/core/fuzz_reader.h"
#include "ingest/logs/reader_huggingface.h"

#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = fuzz_file("trainer_state.json");

	fuzz_write(fd, data, size);
	fuzz_read(fd, ts_huggingface_read);
	(void)close(fd);
	return 0;
}
