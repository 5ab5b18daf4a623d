#include "ingest/ingest.h"

#include "base/digest.h"
#include "ingest/readers.h"

/* If no reader knows the path, the first reader reports what is missing. */
enum ts_status ts_ingest(const struct ts_ingest_options *options, ts_object_sink *sink, void *ctx,
			 struct ts_arena *arena, struct ts_ingest_result *ret_result, struct ts_error *err)
{
	const struct ts_reader *reader;
	size_t n;

	if (ts_digest_init(err))
		return err->status;
	if (options->n_patterns)
		reader = ts_reader_of_text();
	else if (ts_reader_of(options->path, &reader, err))
		return err->status;
	if (!reader && options->n_maps)
		reader = ts_reader_of_table(options->path);
	if (!reader)
		reader = ts_readers(&n);
	if (options->n_maps && !(reader->flags & TS_READER_MAPS))
		return ts_error_set(err, TS_INVALID, "%s: --map gives names to tables and text logs, and this is a %s", options->path,
				    reader->name);
	return reader->read(options, sink, ctx, arena, ret_result, err);
}
