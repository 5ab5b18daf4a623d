/* salvage.h - saves what is sound of a store on this machine, without a server. */
#ifndef TSCOPE_CLI_CORE_SALVAGE_H
#define TSCOPE_CLI_CORE_SALVAGE_H

#include "store/engine.h"

/* As ts_lmdb_salvage, whose texts lie in the arena. */
enum ts_status ts_salvage(const char *from, const char *to, struct ts_arena *arena, struct ts_salvage_report *ret_report,
			  struct ts_error *err);

#endif
