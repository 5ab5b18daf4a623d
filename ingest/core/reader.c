/* reader.c - what every reader does for who asked it: tell how far it is. */
#include "ingest/core/reader.h"

enum { TELL_BYTES = 4 << 20 };

enum ts_status ts_ingest_tell(const struct ts_ingest_options *options, uint64_t *told, uint64_t at, uint64_t total,
			      struct ts_error *err)
{
	if (!options->progress || at - *told < TELL_BYTES)
		return TS_OK;
	*told = at;
	return options->progress(options->progress_ctx, at, total) ? TS_OK : ts_error_set(err, TS_CANCELLED, "stopped");
}
