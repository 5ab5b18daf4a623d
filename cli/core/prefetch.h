/* prefetch.h - objects that a command is about to read one after the other, asked for at once.
 *
 * A server far away answers a question in some milliseconds, and the columns of a trace are hundreds of objects. What came ahead is
 * kept as it was sent until the next are asked for; ts_stored_object (ask.h) looks here first. It is a hint: what is not kept, as
 * it would be more than TS_REMOTE_CACHE bytes, is asked for by itself. Threads: one.
 */
#ifndef TSCOPE_CLI_CORE_PREFETCH_H
#define TSCOPE_CLI_CORE_PREFETCH_H

#include "service/handlers/channel.h"
#include "store/sealed.h"

/* Zeroed, it is empty. */
struct ts_prefetch {
	struct ts_arena arena;
	struct ts_sealed *objects; /* by id */
	size_t n;
};

/* Forgets what is kept and asks for these; of more than TS_IDS_MAX for the first. TS_NOT_FOUND: the server lacks one. */
enum ts_status ts_prefetch_ask(struct ts_prefetch *prefetch, struct ts_channel *ch, const struct ts_id *ids, size_t n,
			       struct ts_error *err);
/* One that is kept, unsealed into the arena and verified; *ret_object has no data if it is not. */
enum ts_status ts_prefetch_get(const struct ts_prefetch *prefetch, const struct ts_id *id, struct ts_arena *arena,
			       struct ts_span *ret_object, struct ts_error *err);
void ts_prefetch_finish(struct ts_prefetch *prefetch);

#endif
