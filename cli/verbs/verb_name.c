/* verb_name.c - tscope name: another name for a run. */
#include "cli/core/context.h"
#include "cli/verbs/point_ref.h"
#include "cli/verbs/verbs.h"

enum ts_status ts_verb_name(struct ts_cli *cli, struct ts_error *err)
{
	return ts_point_ref(cli, TS_REF_RUN, ts_cli_word(cli, 0), ts_cli_word(cli, 1), err);
}
