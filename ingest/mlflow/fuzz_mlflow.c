/* Any bytes as meta.yaml and, behind a byte 0, as a metric of MLflow's file store: no crash, no leak. */
#include "ingest/core/fuzz_reader.h"
#include "ingest/formats/flat_yaml.h"
#include "ingest/mlflow/reader_mlflow.h"

#include <stdlib.h>

/* What a pair says lies in the text it was read from: a value is never longer than what it was written as. */
static void read_pairs(struct ts_span text)
{
	struct ts_flat_yaml y = ts_flat_yaml_of(text);
	struct ts_buf value = TS_BUF_INIT(1 << 20);
	struct ts_yaml_pair pair;

	while (ts_flat_yaml_next(&y, &value, &pair))
		if (pair.value.len > text.len || pair.key.len > text.len)
			abort();
	ts_buf_finish(&value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ts_span rest = ts_span_of(data, size), meta = fuzz_part(&rest);

	(void)fuzz_folder_put("meta.yaml", meta);
	(void)fuzz_folder_put("metrics/loss", rest.data ? rest : ts_span_str(""));
	read_pairs(meta);
	(void)ts_mlflow_sniff(fuzz_folder());
	fuzz_read(fuzz_folder(), ts_mlflow_read);
	return 0;
}
