/* list_page.h - a list of runs as a page: the columns of the list, and a small curve of the loss beside each run. */
#ifndef TSCOPE_CLI_REPORT_LIST_PAGE_H
#define TSCOPE_CLI_REPORT_LIST_PAGE_H

#include "analysis/answer/chart.h"
#include "cli/core/listing.h"

enum { TS_SPARK_COLUMNS = 140 };

struct ts_list_page {
	const struct ts_listing *list;
	struct ts_chart *curves; /* of the first n_curves rows, one run each; without a line where a run records no loss */
	size_t n_curves;
	bool served; /* for web/: names lead to the pages of runs, heads to other orders, and forms to filters and comparisons */
	struct ts_span filter, sort; /* with served: what was asked for; may be empty */
};

/* The whole page; what is a struct ts_list_page. It fits ts_page_fn. */
enum ts_status ts_list_page(const void *what, struct ts_arena *arena, struct ts_buf *out, struct ts_error *err);

#endif
