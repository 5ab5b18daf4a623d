/* keep_to.h - what a server does by itself with a policy of retention: plans as of now and lets all of it go. */
#ifndef TSCOPE_SERVICE_HANDLERS_STORE_KEEP_TO_H
#define TSCOPE_SERVICE_HANDLERS_STORE_KEEP_TO_H

#include "store/engine.h"

struct ts_kept_to {
	uint64_t names, entries; /* that went, also where a failure came later */
};

/* text is that of a policy file, which errors call `name`. */
enum ts_status ts_keep_to(struct ts_engine *engine, struct ts_span text, const char *name, struct ts_kept_to *ret,
			  struct ts_error *err);
/* TS_INVALID if the text is no policy, or has no rule of retention. */
enum ts_status ts_keep_to_check(struct ts_span text, const char *name, struct ts_error *err);

#endif
