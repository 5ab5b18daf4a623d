#include "service/handlers/core/cost.h"

#include "base/alloc.h"
#include "base/budget.h"

uint64_t ts_cost_rows(const struct ts_run *run, bool (*want)(const struct ts_table *table))
{
	uint64_t rows = 0;

	for (size_t i = 0; i < run->head.n_ranks; i++)
		for (size_t t = 0; t < run->indexes[i].n_tables; t++) {
			const struct ts_table *table = &run->indexes[i].tables[t];

			if (table->rows > rows && (!want || want(table)))
				rows = table->rows;
		}
	return rows;
}

enum ts_status ts_cost_check(const char *what, uint64_t rows, size_t columns, struct ts_error *err)
{
	const struct ts_budget *lacking;
	size_t cells, least;

	if (rows > SIZE_MAX || !ts_size_mul((size_t)rows, columns, &cells) || !ts_size_mul(cells, sizeof(double), &least))
		least = SIZE_MAX;
	lacking = ts_budget_lacks(ts_budget_current(), least);
	if (!lacking)
		return TS_OK;
	(void)ts_budget_error(lacking, err);
	return ts_error_prefix(err, "to %s %" PRIu64 " rows takes at least %zu bytes", what, rows, least);
}
