/* analyze_moves.h - asks of each series that a rank logged whether it moved (analysis/rank/move.h).
 *
 * Asked of are the scalars that are part of what the run computes or of which nobody knows, the loss among them: not times, rates,
 * memory, learning rates, counters, scales of mixed precision, norms of gradients and other settings, by their names (move_names in the
 * source). Of norms of gradients, but for that of all, is asked whether they are NaN or infinite to the end. At most TS_MOVES_SERIES of
 * them are asked, of at most TS_MOVES_ROWS rows, as several copies of one lie in memory.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_ANALYZE_ANALYZE_MOVES_H
#define TSCOPE_SERVICE_HANDLERS_ANALYZE_ANALYZE_MOVES_H

#include "analysis/answer/measure.h"
#include "service/handlers/analyze/analyze_columns.h"

enum { TS_MOVES_SERIES = 256, TS_MOVES_ROWS = 1 << 20 };

/* Whether a column is such a series; facts may say its role. */
bool ts_moves_asks(const struct ts_column *column, const struct ts_facts *facts);
/* Appends rows of the series that moved, by their values from step `first` on, and how many were asked. facts may be NULL: they may say
 * the role of a column. Rows lie in the arena. */
enum ts_status ts_analyze_moves(struct ts_columns *columns, const struct ts_index *index, const struct ts_facts *facts, int64_t first,
				struct ts_arena *arena, struct ts_measures *measures, struct ts_error *err);

#endif
