/* analyze_columns.h - loads columns of a rank as series, with the keys of one table and the values of a few columns in memory.
 *
 *	ts_columns_init(&c, fetch)
 *	ts_columns_lend(&c, table, keys)			the keys of one table, if they are in memory already
 *	ts_columns_load(&c, table, column, &series, err)	keys are valid until a column of another table is loaded
 *	ts_columns_done(&c)					frees the values
 *	ts_columns_leave(&c)					frees the keys too, before the tables of another rank
 *	ts_columns_finish(&c)
 */
#ifndef TSCOPE_SERVICE_HANDLERS_ANALYZE_ANALYZE_COLUMNS_H
#define TSCOPE_SERVICE_HANDLERS_ANALYZE_ANALYZE_COLUMNS_H

#include "analysis/stats/series.h"
#include "service/handlers/core/read.h"

struct ts_columns {
	struct ts_fetch *fetch;
	struct ts_arena keys;	/* holds the keys of one table */
	struct ts_arena values; /* holds the values of the loaded columns */
	const struct ts_table *keys_of;
	const int64_t *table_keys;
	const struct ts_table *lent_of; /* a table whose keys are somebody else's */
	const int64_t *lent_keys;
};

void ts_columns_init(struct ts_columns *c, struct ts_fetch *fetch);
void ts_columns_finish(struct ts_columns *c);
/* The keys must outlive c, and may be lent to others too. */
void ts_columns_lend(struct ts_columns *c, const struct ts_table *table, const int64_t *keys);
enum ts_status ts_columns_load(struct ts_columns *c, const struct ts_table *table, const struct ts_column *column,
			       struct ts_series *ret_series, struct ts_error *err);
/* Loads several columns at once, mostly of one table: ret[i] is &series[i], or NULL if the rank has no such column. */
enum ts_status ts_columns_load_named(struct ts_columns *c, const struct ts_index *index, const char *const *names,
				     size_t n, struct ts_series *series, const struct ts_series **ret,
				     struct ts_error *err);
void ts_columns_done(struct ts_columns *c);
void ts_columns_leave(struct ts_columns *c);
/* The column of numbers with that name among the rank's tables of steps, or NULL. */
const struct ts_column *ts_columns_find(const struct ts_index *index, const char *name, const struct ts_table **ret_table);
/* The loss of the rank's training by the table of names (run/meaning.h): scalars.loss, else the only number that is called a loss,
 * else, where none is, the only one that stands for it. NULL: there is none, or there are several. */
const struct ts_column *ts_columns_find_loss(const struct ts_index *index, const struct ts_table **ret_table);

enum ts_digests_of { TS_DIGESTS_BATCH, TS_DIGESTS_PARAMS, TS_DIGESTS_GRADS };

/* The first column of digests of these, by the names that programs give them, or NULL. */
const struct ts_column *ts_columns_of_digests(const struct ts_index *index, enum ts_digests_of of, const struct ts_table **ret_table);

#endif
