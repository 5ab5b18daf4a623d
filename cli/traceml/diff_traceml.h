/* diff_traceml.h - `tscope diff A B --as traceml`: the verdict of TraceML's compare on two of its summaries, and what its rule
 * ignores.
 *
 * The verdict is computed here, from the facts of the two heads, which every server and store returns unchanged. So the answer
 * is the same for both, and the protocol needs no method for it.
 */
#ifndef TSCOPE_CLI_TRACEML_DIFF_TRACEML_H
#define TSCOPE_CLI_TRACEML_DIFF_TRACEML_H

#include "analysis/answer/run_ref.h"
#include "analysis/traceml/traceml_compare.h"
#include "cli/core/context.h"

/* Compares the runs that the two words name. Exit status: 0 EQUIVALENT or IMPROVEMENT, 1 REGRESSION or MIXED, 3 INCONCLUSIVE. */
enum ts_status ts_diff_traceml(struct ts_cli *cli, struct ts_error *err);

struct ts_traceml_answer {
	struct ts_run_ref a, b;
	struct ts_traceml_comparison said;
};

enum ts_status ts_render_traceml_text(struct ts_cli *cli, const struct ts_traceml_answer *answer, struct ts_error *err);
void ts_render_traceml_json(struct ts_cli *cli, const struct ts_traceml_answer *answer);
/* our_verdict.c: the verdict of tscope beside TraceML's ("undecided", or "not_comparable" where the two runs are not the same job), and
 * the reason in one sentence. */
bool ts_traceml_is_comparable(const struct ts_traceml_comparison *said);
const char *ts_traceml_our_word(const struct ts_traceml_comparison *said);
const char *ts_traceml_our_sentence(const struct ts_traceml_comparison *said, struct ts_arena *arena);

#endif
