#include "ingest/readers.h"

#include "base/path.h"
#include "ingest/export/reader_export.h"
#include "ingest/logs/reader_csv.h"
#include "ingest/logs/reader_dvclive.h"
#include "ingest/logs/reader_huggingface.h"
#include "ingest/logs/reader_jsonl.h"
#include "ingest/logs/reader_losses.h"
#include "ingest/mlflow/mlflow_db.h"
#include "ingest/mlflow/reader_mlflow.h"
#include "ingest/rundir/reader_trace.h"
#include "ingest/rundir/run_dir.h"
#include "ingest/tensorboard/reader_tensorboard.h"
#include "ingest/text/reader_text.h"
#include "ingest/traceml/reader_traceml.h"
#include "ingest/trackers/reader_clearml.h"
#include "ingest/trackers/reader_comet.h"
#include "ingest/trackers/reader_sacred.h"
#include "ingest/trackers/reader_swanlab.h"
#include "ingest/trackers/reader_trackio.h"
#include "ingest/wandb/reader_wandb.h"

static const struct ts_reader readers[] = {
	{"pytscope run directory", "", ts_run_dir_sniff, NULL, NULL, 0, ts_run_dir_read},
	{"PyTorch profiler trace", "", ts_trace_reader_sniff, NULL, NULL, TS_READER_KEPT, ts_trace_reader_read},
	{"PyTorch memory snapshot", "", ts_snapshot_reader_sniff, NULL, NULL, TS_READER_KEPT, ts_trace_reader_read},
	{"TensorBoard event files", ts_tensorboard_loses, ts_tensorboard_sniff, NULL, NULL, TS_READER_NESTS, ts_tensorboard_read},
	{"MLflow run", ts_mlflow_loses, ts_mlflow_sniff, NULL, ts_mlflow_about, 0, ts_mlflow_read},
	{"MLflow database", ts_mlflow_loses, ts_mlflow_db_sniff, ts_mlflow_db_parts, NULL, 0, ts_mlflow_db_read},
	{"ClearML offline task", ts_clearml_loses, ts_clearml_sniff, NULL, NULL, TS_READER_MAPS | TS_READER_KEEPS, ts_clearml_read},
	{"Comet offline archive", ts_comet_loses, ts_comet_sniff, NULL, NULL, TS_READER_MAPS | TS_READER_KEEPS, ts_comet_read},
	{"sacred run", ts_sacred_loses, ts_sacred_sniff, NULL, NULL, TS_READER_MAPS, ts_sacred_read},
	{"SwanLab log", ts_swanlab_loses, ts_swanlab_sniff, NULL, NULL, TS_READER_MAPS | TS_READER_KEEPS, ts_swanlab_read},
	{"trackio database", ts_trackio_loses, ts_trackio_sniff, ts_trackio_parts, NULL, TS_READER_MAPS, ts_trackio_read},
	{"TraceML final summary", ts_traceml_loses, ts_traceml_sniff, NULL, NULL, TS_READER_KEEPS, ts_traceml_read},
	{"W&B log", ts_wandb_loses, ts_wandb_sniff, NULL, ts_wandb_about, 0, ts_wandb_read},
	{"Hugging Face trainer state", ts_huggingface_loses, ts_huggingface_sniff, NULL, NULL, TS_READER_MAPS, ts_huggingface_read},
	{"dvclive folder", ts_dvclive_loses, ts_dvclive_sniff, NULL, NULL, TS_READER_MAPS, ts_dvclive_read},
	{"folder of a table each metric", "", ts_deepspeed_sniff, NULL, NULL, TS_READER_MAPS, ts_deepspeed_read},
	{"Megatron-LM golden values", "", ts_golden_sniff, NULL, NULL, TS_READER_MAPS | TS_READER_KEEPS, ts_golden_read},
	{"torchtitan losses", "", ts_losses_sniff, NULL, NULL, TS_READER_MAPS | TS_READER_KEEPS, ts_losses_read},
	{"tscope export", ts_export_loses, ts_export_sniff, NULL, NULL, 0, ts_export_read},
	{"CSV table", ts_csv_loses, ts_csv_sniff, NULL, NULL, TS_READER_MAPS | TS_READER_KEEPS, ts_csv_read},
	{"JSON Lines", ts_jsonl_loses, ts_jsonl_sniff, NULL, NULL, TS_READER_MAPS | TS_READER_KEEPS, ts_jsonl_read},
	{"text log", ts_text_loses, ts_text_sniff, NULL, NULL, TS_READER_LAST | TS_READER_MAPS | TS_READER_KEEPS, ts_text_read},
};

const struct ts_reader *ts_reader_of_text(void)
{
	return &readers[sizeof readers / sizeof readers[0] - 1];
}

const struct ts_reader *ts_reader_of_table(const char *path)
{
	bool csv = ts_file_ends(path, ".csv") || ts_file_ends(path, ".tsv");
	bool jsonl = ts_file_ends(path, ".jsonl") || ts_file_ends(path, ".ndjson");

	for (size_t i = 0; i < sizeof readers / sizeof readers[0]; i++)
		if ((csv && readers[i].read == ts_csv_read) || (jsonl && readers[i].read == ts_jsonl_read))
			return &readers[i];
	return NULL;
}

const struct ts_reader *ts_readers(size_t *ret_n)
{
	*ret_n = sizeof readers / sizeof readers[0];
	return readers;
}

enum ts_status ts_reader_of(const char *path, const struct ts_reader **ret_reader, struct ts_error *err)
{
	const struct ts_reader *best = NULL;
	int sure = 0;

	for (size_t i = 0; i < sizeof readers / sizeof readers[0]; i++) {
		int how = readers[i].sniff(path);

		if (how == TS_SNIFF_NO_MEMORY)
			return ts_error_set(err, TS_NO_MEMORY, "%s: there is not enough memory to find out what it is",
					    path);
		if (how > sure) {
			sure = how;
			best = &readers[i];
		}
	}
	*ret_reader = best;
	return TS_OK;
}
