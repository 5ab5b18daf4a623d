#include "ingest/ingest.h"

#include "base/digest.h"
#include "ingest/readers.h"

/* If no reader knows the path, the first reader reports what is missing. */
enum ts_status ts_ingest(const struct ts_ingest_options *options, ts_object_sink *sink, void *ctx,
			 struct ts_arena *arena, struct ts_ingest_result *ret_result, struct ts_error *err)
{
	const struct ts_reader *reader;
	size_t n;

	if (ts_digest_init(err) || ts_reader_of(options->path, &reader, err))
		return err->status;
	if (!reader)
		reader = ts_readers(&n);
	return reader->read(options, sink, ctx, arena, ret_result, err);
}
