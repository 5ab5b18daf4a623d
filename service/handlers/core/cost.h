/* cost.h - the least memory that a question takes, known from the index of a run before any block is opened: rows times columns.
 *
 *	ts_cost_check("analyze", ts_cost_rows(&run, NULL), 2, err)
 *
 * It is a lower bound: what is refused could not be answered, and whoever asked learns it at once, with the number, instead of when the
 * memory is used up. Without a budget nothing is refused. Threads: all functions are safe.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_CORE_COST_H
#define TSCOPE_SERVICE_HANDLERS_CORE_COST_H

#include "service/handlers/core/read.h"

/* The rows of the longest table, of any rank, that is wanted; want may be NULL: any table. */
uint64_t ts_cost_rows(const struct ts_run *run, bool (*want)(const struct ts_table *table));

/* TS_NO_MEMORY if the call has no room for so many columns of so many rows at once: "to analyze 5 rows takes at least 80 bytes". */
enum ts_status ts_cost_check(const char *what, uint64_t rows, size_t columns, struct ts_error *err);

#endif
