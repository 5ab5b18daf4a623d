/* Any bytes as a .tscope-map and, behind a byte 0, as the table that it maps: no crash, no leak. */
#include "ingest/core/fuzz_reader.h"
#include "ingest/logs/reader_csv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ts_span rest = ts_span_of(data, size);
	const char *table;

	(void)fuzz_folder_put(".tscope-map", fuzz_part(&rest));
	table = fuzz_folder_put("log.csv", rest.data ? rest : ts_span_str(""));
	(void)ts_csv_sniff(table);
	fuzz_read(table, ts_csv_read);
	return 0;
}
