#include "ingest/text/text_known.h"

#include "base/text.h"

/* Vowpal Wabbit: 9.10, vowpalwabbit/core/src/shared_data.cc, print_update_header. Holdout losses have an "h" behind the row.
 * Kaldi: egs of nnet3, src/nnet3/nnet-training.cc, PrintStatsForThisPhase. The objective of a phase is at its last minibatch.
 * nerfstudio: 1.1, nerfstudio/utils/writer.py, LocalWriter._print_stats. Which columns follow the first differs.
 * WeNet: 2.0, wenet/utils/executor.py, Executor.train.
 * CRF++: 0.58, encoder.cpp. Wapiti: 1.5, src/progress.c. MALLET: 2.0, ParallelTopicModel.estimate.
 * SentencePiece: 0.2, unigram_model_trainer.cc, Trainer::Train.
 * rl_games: 1.6, rl_games/common/a2c_common.py, print_statistics.
 * LIBLINEAR: 2.4, newton.cpp and tron.cpp.
 */
static const struct ts_text_known table[] = {
	{"average  since         example        example",
	 {"{average loss} {since last} {step} {example weight} {} {} {}",
	  "{average loss} {since last} {step} {example weight} {} {} {} h"}},
	{"Average objective function for 'output' for minibatches",
	 {"objective function for 'output' for minibatches {}-{step} is {objective} ",
	  "objective function for 'output-xent' for minibatches {}-{step} is {objective-xent} "}},
	{"Step (% Done)", {"{step} ({}%) {step_time_ms} ms ", "{step} ({}%) {step_time_ms} "}},
	{"DEBUG TRAIN Batch ", {"TRAIN Batch {epoch}/{step} {*}", NULL}},
	{"CRF++: Yet Another CRF Tool Kit", {"iter={step} terr={terr} {*}", NULL}},
	{"* Train the model with", {"[{step}] obj={obj} {*}", NULL}},
	{"> LL/token: ", {"<{step}> LL/token: {LL/token}", NULL}},
	{"LOG(INFO) EM sub_iter=", {"EM sub_iter={sub_iter} {*}", NULL}},
	{"fps step and policy inference: ", {"fps step: {fps step} {} fps total: {fps total} epoch: {step}/{}", NULL}},
	{" |g| ", {"iter {step} act {act} pre {pre} delta {delta} f {f} |g| {|g|} CG {CG}", NULL}},
};

const struct ts_text_known *ts_text_known_by(struct ts_span line)
{
	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
		if (ts_span_contains(line, table[i].mark))
			return &table[i];
	return NULL;
}
