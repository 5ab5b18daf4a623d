#include "cli/core/listing.h"

#include "base/text.h"

bool ts_fact_wanted(const struct ts_fact_listing *list, const struct ts_fact *fact)
{
	return list->glob.len == 0 || ts_glob(list->glob, fact->path);
}

void ts_facts_by_group(const struct ts_facts *facts, size_t ret_counts[TS_GROUPS])
{
	memset(ret_counts, 0, TS_GROUPS * sizeof ret_counts[0]);
	for (size_t i = 0; i < facts->n; i++) {
		enum ts_group group;

		if (ts_fact_counts(facts, i) && ts_group_of(facts->items[i].path, &group))
			ret_counts[group]++;
	}
}
