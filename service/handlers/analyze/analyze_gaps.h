/* analyze_gaps.h - says which steps are missing in series that have a value at every step, or at every k-th.
 *
 * A series is looked at by the keys of its table, which are opened only where the block's ends say that some are missing. At most
 * TS_GAPS_TABLES tables are opened and TS_GAPS_SAID gaps said: those of the loss first, each range of steps once.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_ANALYZE_ANALYZE_GAPS_H
#define TSCOPE_SERVICE_HANDLERS_ANALYZE_ANALYZE_GAPS_H

#include "service/handlers/analyze/analyze_notes.h"
#include "service/handlers/core/read.h"

enum { TS_GAPS_TABLES = 32, TS_GAPS_SAID = 3 };

enum ts_status ts_gaps_of_rank(struct ts_fetch *f, const struct ts_index *index, const struct ts_facts *facts, struct ts_notes *notes,
			       struct ts_error *err);

#endif
