/* rank_name.h: names as people give them to the files of ranks. */
#include "run/rank_name.h"

#include "run/trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static void ranks_in_names(void **state)
{
	static const struct {
		const char *name;
		int64_t rank;
	} names[] = {{"rank0_snapshot.pickle", 0},
		     {"snapshot_rank_3.pickle", 3},
		     {"rank12_memory_snapshot.pickle", 12},
		     {"mem-rank-7.pickle.gz", 7},
		     {"rank2147483647.json", 2147483647},
		     {"rank2147483648.json", TS_TRACE_NONE},
		     {"rank99999999999999999999.json", TS_TRACE_NONE},
		     {"rank1_of_rank4.json", TS_TRACE_NONE},
		     {"rank1_again_rank1.json", 1},
		     {"local_rank2.json", TS_TRACE_NONE},
		     {"frank2.json", TS_TRACE_NONE},
		     {"rank2nd.json", TS_TRACE_NONE},
		     {"ranks8.json", TS_TRACE_NONE},
		     {"rank", TS_TRACE_NONE},
		     {"rank_", TS_TRACE_NONE},
		     {"", TS_TRACE_NONE}};

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (ts_rank_in_name(ts_span_str(names[i].name)) != names[i].rank)
			fail_msg("%s", names[i].name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranks_in_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
