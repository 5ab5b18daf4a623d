/* setup.h - how a run is set up, as answers to the questions of analysis/answer/setting.h: what advice reads.
 *
 * Facts answer by a table of the names under which programs and trackers record a setting (Hugging Face, Lightning, Megatron,
 * DeepSpeed, torchtitan, timm, nanoGPT and their like), and by what is known of devices: the version of their compute capability,
 * recorded or by the name (peaks.h). Options of a recorded command count as settings of its configuration. Where several facts
 * answer, yes counts, because what is on somewhere need not be advised; the loader's workers alone are unknown where loaders differ.
 * A value that the table does not know answers nothing. Names of recorded series tell of attention and convolutions in the model, and
 * of a loss scale.
 *
 *	setup/<setting>/is	"yes" or "no"; no row: not known
 *	setup/<setting>/by	what says it: "config.bf16 is true", "compute capability 7.5 of Tesla T4"
 *	setup/torch/version	the version of PyTorch, as it is recorded
 */
#ifndef TSCOPE_ANALYSIS_RANK_SETUP_H
#define TSCOPE_ANALYSIS_RANK_SETUP_H

#include "analysis/answer/setting.h"
#include "analysis/rank/work.h"
#include "run/index.h"

/* facts are sorted and are all facts of the rank that work is of; index holds its columns, NULL: none. Texts of the rows lie in the
 * arena or point into facts. */
enum ts_status ts_setup(const struct ts_facts *facts, const struct ts_work *work, const struct ts_index *index, struct ts_arena *arena,
			struct ts_measures *io_rows, struct ts_error *err);

#endif
