/* beside.h - which of several paths are directories of ranks that lie beside another of them: NAME_rank3 beside NAME.
 *
 * Only the reading of NAME knows whether it takes them as ranks (ts_ingest_result.beside).
 */
#ifndef TSCOPE_CLI_CORE_BESIDE_H
#define TSCOPE_CLI_CORE_BESIDE_H

#include "base/arena.h"

struct ts_beside {
	bool found;
	size_t at;    /* the place of NAME among the paths */
	int32_t rank;
};

/* *ret_beside has one entry for each path, in the arena. A path may end in slashes. */
enum ts_status ts_beside_find(const char *const *paths, size_t n, struct ts_arena *arena, struct ts_beside **ret_beside,
			      struct ts_error *err);

#endif
