/* fuzz_tracking.c - any bytes as the body, the query, a key and a filter of a call of MLflow's interface: the first byte says which.
 * What is read lies within its limits; a key that holds is the same after its way through the name of a file, which has no slash. */
#include "tests/fuzz/fuzz_hold.h"
#include "web/mlflow/tracking_body.h"
#include "web/mlflow/tracking_filter.h"
#include "web/mlflow/tracking_key.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_key(struct ts_span key, struct ts_arena *arena)
{
	struct ts_error err;
	const char *file;

	if (ts_tracking_key_check(key, "metric", &err))
		return;
	file = ts_tracking_key_file(key, arena);
	hold(file && strlen(file) <= TS_TRACKING_FILE_MAX && !strchr(file, '/') && strcmp(file, ".") != 0 && strcmp(file, "..") != 0);
	hold(ts_span_eq(ts_tracking_key_of(file, arena), key));
}

static void check_body(const struct ts_tracking_body *b, struct ts_arena *arena)
{
	hold(b->n_metrics <= TS_TRACKING_METRICS && b->n_params <= TS_TRACKING_PAIRS && b->n_tags <= TS_TRACKING_PAIRS);
	for (size_t i = 0; i < b->n_metrics; i++)
		check_key(b->metrics[i].key, arena);
	for (size_t i = 0; i < b->n_tags; i++)
		hold(b->tags[i].value.data != NULL);
	check_key(b->key, arena);
}

static void check_filter(struct ts_span text, struct ts_arena *arena)
{
	static struct ts_tracking_metric metric = {.value = 0.5};
	static struct ts_tracking_pair pair;
	struct ts_tracking_view view = {.metrics = &metric, .params = &pair, .tags = &pair, .n_metrics = 1, .n_params = 1, .n_tags = 1};
	struct ts_tracking_filter filter;
	struct ts_tracking_order order;
	struct ts_error err;

	metric.key = ts_span_str("loss");
	pair = (struct ts_tracking_pair){ts_span_str("a"), ts_span_str("value")};
	view.run = (struct ts_spool_run){.id = "1", .name = ts_span_str("name"), .status = TS_SPOOL_RUNNING};
	for (int subject = TS_TRACKING_RUNS; subject <= TS_TRACKING_EXPERIMENTS; subject++) {
		if (!ts_tracking_filter_read(text, (enum ts_tracking_subject)subject, arena, &filter, &err)) {
			hold(filter.n <= TS_TRACKING_CONDITIONS);
			(void)ts_tracking_filter_holds(&filter, &view);
		}
		if (!ts_tracking_order_read(text, (enum ts_tracking_subject)subject, &order, &err))
			hold(ts_tracking_order_cmp(&order, &view, &view) == 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ts_span rest = size ? ts_span_of(data + 1, size - 1) : ts_span_of("", 0);
	struct ts_tracking_body body;
	struct ts_arena arena;
	struct ts_error err;

	if (!size)
		return 0;
	ts_arena_init(&arena, 64 << 20);
	switch (data[0] % 4) {
	case 0:
		if (!ts_tracking_body_read(rest, &arena, &body, &err))
			check_body(&body, &arena);
		break;
	case 1:
		if (!ts_tracking_query_read(rest, &arena, &body, &err))
			check_body(&body, &arena);
		break;
	case 2:
		check_key(rest, &arena);
		break;
	default:
		check_filter(rest, &arena);
	}
	ts_arena_finish(&arena);
	return 0;
}
