#include "ingest/ingest.h"

#include "ingest/reader.h"

/* The surest reader; when none knows the path the first one says what is missing. */
enum ts_status ts_ingest(const struct ts_ingest_options *options, ts_object_sink *sink, void *ctx,
			 struct ts_arena *arena, struct ts_ingest_result *ret_result, struct ts_error *err)
{
	size_t n;
	const struct ts_reader *readers = ts_readers(&n);
	const struct ts_reader *best = &readers[0];
	int sure = 0;

	for (size_t i = 0; i < n; i++) {
		int how = readers[i].sniff(options->path);

		if (how > sure) {
			sure = how;
			best = &readers[i];
		}
	}
	return best->read(options, sink, ctx, arena, ret_result, err);
}
