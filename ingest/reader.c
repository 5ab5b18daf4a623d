#include "ingest/reader.h"

#include "ingest/reader_huggingface.h"
#include "ingest/reader_tensorboard.h"
#include "ingest/reader_traceml.h"
#include "ingest/reader_wandb.h"
#include "ingest/run_dir.h"

static const struct ts_reader readers[] = {
	{"pytscope run directory", "", ts_run_dir_sniff, NULL, false, ts_run_dir_read},
	{"TensorBoard event files", ts_tensorboard_loses, ts_tensorboard_sniff, NULL, true, ts_tensorboard_read},
	{"TraceML final summary", ts_traceml_loses, ts_traceml_sniff, NULL, false, ts_traceml_read},
	{"W&B log", ts_wandb_loses, ts_wandb_sniff, NULL, false, ts_wandb_read},
	{"Hugging Face trainer state", ts_huggingface_loses, ts_huggingface_sniff, NULL, false, ts_huggingface_read},
};

const struct ts_reader *ts_readers(size_t *ret_n)
{
	*ret_n = sizeof readers / sizeof readers[0];
	return readers;
}

const struct ts_reader *ts_reader_of(const char *path)
{
	const struct ts_reader *best = NULL;
	int sure = 0;

	for (size_t i = 0; i < sizeof readers / sizeof readers[0]; i++) {
		int how = readers[i].sniff(path);

		if (how > sure) {
			sure = how;
			best = &readers[i];
		}
	}
	return best;
}
