/* Any bytes as meta.yaml and, behind a byte 0, as a metric of MLflow's file store: no crash, no leak. */
#include "ingest/core/fuzz_reader.h"
#include "ingest/formats/flat_yaml.h"
#include "ingest/mlflow/reader_mlflow.h"
#include "tests/fuzz/fuzz_hold.h"

/* Line numbers must increase, and the line that could not be read must lie behind all pairs. */
static void read_pairs(struct ts_span text)
{
	struct ts_flat_yaml yaml = {NULL, 0};
	struct ts_arena arena;
	struct ts_error err;
	uint64_t line = 1;

	ts_arena_init(&arena, 0);
	(void)ts_flat_yaml_read(text, &arena, &yaml, &err);
	for (const struct ts_yaml_pair *pair = yaml.first; pair; line = pair->line, pair = pair->next)
		hold(pair->line >= line && (pair->kind == TS_YAML_TEXT || !pair->value.len));
	hold(!yaml.bad_line || yaml.bad_line >= line);
	ts_arena_finish(&arena);
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
