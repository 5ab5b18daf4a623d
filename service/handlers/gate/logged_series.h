/* logged_series.h - what the series that a policy names came to in a run: the mean of the last tenth of its values, as of a loss.
 *
 * A series is found as a chart finds it (chart_series.h): by its name, below scalars., or under a name that loggers give the same of a
 * training; it is that of the lowest rank that has it. Each series of each run is kept in the cache on its own, below the run's id,
 * the version of the analysis and the name, so that no answer of one name is ever that of another.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_GATE_LOGGED_SERIES_H
#define TSCOPE_SERVICE_HANDLERS_GATE_LOGGED_SERIES_H

#include "service/handlers/analyze/reduce.h"

/* ts_reduce_run, and the series of the policy. A run that does not log one has a value that is not known, with the reason. */
enum ts_status ts_logged_reduce(struct ts_fetch *f, const struct ts_id *id, const struct ts_gate_policy *policy, struct ts_arena *arena,
				struct ts_gate_run *ret_run, struct ts_error *err);

/* TS_INVALID: nobody has this series, and this run, to which the message looks for names that are near, logs others. */
enum ts_status ts_logged_missing(struct ts_fetch *f, const struct ts_id *run, const char *series, struct ts_error *err);

/* The same for each series of the policy that none of the runs has, where there are runs. `here`: one of them that can be read; NULL:
 * there is none. */
enum ts_status ts_logged_check(struct ts_fetch *f, const struct ts_gate_policy *policy, const struct ts_gate_run *runs, size_t n,
			       const struct ts_id *here, struct ts_error *err);

#endif
