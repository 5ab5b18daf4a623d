#include "ingest/core/sink_count.h"

enum ts_status ts_count_sink(void *ctx, const struct ts_id *id, struct ts_span object, struct ts_error *err)
{
	struct ts_sink_count *count = ctx;

	count->objects++;
	count->bytes += object.len;
	return count->sink(count->ctx, id, object, err);
}
