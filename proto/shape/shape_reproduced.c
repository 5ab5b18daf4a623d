/* shape_reproduced.c - the table of a training that was run again (analysis/answer/reproduced.h), JSON alone. */
#include "analysis/answer/reproduced.h"
#include "proto/shape/shape_rows.h"

#define TYPE struct ts_reproduced
static bool has_parted(const void *in)
{
	return ((const TYPE *)in)->parted;
}

static const struct ts_shape_field reproduced_rows[] = {
	{NULL, "run", ONE(run, ts_shape_run)},
	{NULL, "verdict", BYTES(verdict, 0), ABOUT("same, parted, not_known, or planned where nothing was executed")},
	{NULL, "sentence", BYTES(sentence, 0)},
	{NULL, "first_step", I64(step), WHEN(has_parted), ABOUT("that differs; null unless it parted")},
	{NULL, "same_step_count", U64(steps), ABOUT("bit for bit")},
	{NULL, "same_series_count", U64(series)},
	{NULL, "command", LIST(BYTES, command.items, command.n, 0), ABOUT("the words that are executed; none: not known")},
	{NULL, "commit", BYTES(commit, 0), OR_NULL},
	{NULL, "record_lacks", LIST(BYTES, lacks.items, lacks.n, 0), ABOUT("without which it cannot be run again")},
	{NULL, "missing_here", LIST(BYTES, gone.items, gone.n, 0), ABOUT("likewise, of this machine")},
	{NULL, "differs_here", LIST(BYTES, differs.items, differs.n, 0), ABOUT("from the record, and may act")},
	{NULL, "not_known", LIST(BYTES, unsure.items, unsure.n, 0), ABOUT("whether it is as it was")},
	{NULL, "folder", BYTES(folder, 0), OR_NULL, ABOUT("of the new run")},
};
const struct ts_shape ts_shape_reproduced = {JSON_SHAPE("reproduced", reproduced_rows)};
#undef TYPE
