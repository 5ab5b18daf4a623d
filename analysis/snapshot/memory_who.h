/* memory_who.h - holders in words: whose code holds memory, and for what.
 *
 * Texts are the snapshot's, and foreign. All memory is the arena's. Pure; any thread.
 */
#ifndef TSCOPE_ANALYSIS_SNAPSHOT_MEMORY_WHO_H
#define TSCOPE_ANALYSIS_SNAPSHOT_MEMORY_WHO_H

#include "analysis/snapshot/holders.h"
#include "base/buf.h"

enum { TS_MEMORY_HOLDERS = 15, TS_MEMORY_CALLS = 12 };
enum {
	TS_MEMORY_NAME_SAID = 400,  /* bytes of a function or a file in a sentence */
	TS_MEMORY_NAME_MOST = 4096, /* and in a list of calls: foreign names may have a MiB */
};

struct ts_memory_who {
	struct ts_span function, file, module; /* empty: not known where from */
	int64_t line;			       /* of the frame of most bytes; 0: not known */
	enum ts_memory_kind kind;
	uint64_t bytes, largest, count;
	uint64_t size;	      /* in a list by size: of each; else 0 */
	struct ts_span calls; /* in a list by stack: its Python frames, the innermost first, "f (a.py:3) < g (b.py:9)"; else empty */
};

struct ts_memory_whos {
	struct ts_memory_who *items;
	size_t n, more;
};

/* The source of a stack; nothing for TS_SNAPSHOT_NONE. */
struct ts_memory_who ts_memory_who_of(const struct ts_memory *m, uint32_t stack, struct ts_arena *arena);
/* The last two names of a function of C++, without its type and arguments: "MmBackward0::apply". Any other is as it is. */
struct ts_span ts_memory_short_function(struct ts_span function);
/* A name of more bytes than `most` without its middle, "begin...end". */
void ts_memory_put_name(struct ts_buf *out, struct ts_span name, size_t most);
/* "forward (net.py:41)", or that no stack names it. */
void ts_memory_who_say(struct ts_buf *out, const struct ts_memory_who *who);
/* The Python frames of a stack, as `calls` above has them. */
struct ts_span ts_memory_calls(const struct ts_memory *m, uint32_t stack, struct ts_arena *arena);
/* The largest TS_MEMORY_HOLDERS of the holders. */
enum ts_status ts_memory_whos_of(const struct ts_memory *m, const struct ts_holders *h, enum ts_holder_by by, struct ts_arena *arena,
				 struct ts_memory_whos *ret_whos, struct ts_error *err);
/* Those of the lives that are there after an event. */
enum ts_status ts_memory_held_at(const struct ts_memory *m, uint32_t event, enum ts_holder_by by, struct ts_arena *arena,
				 struct ts_memory_whos *ret_whos, struct ts_error *err);

#endif
