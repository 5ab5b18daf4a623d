/* quota.h - how much projects, and whoever sends objects, may use of a store: the lines of the configuration that say it, and the
 * sentence for who would use more.
 *
 *	quota = speed sealed 200GiB	what the objects of a project take, as stored; raw: before compression
 *	quota = speed names 10000	its names, tags and branches; notes: those of its runs
 *	quota = speed rows 50000000	of each of its runs
 *	quota = * sealed 50GiB		each project that has no such line of its own
 *	quota = user:ada unnamed 20GiB	what ada sent that has no name yet; also cert:NAME, token:NAME, an address, * for each
 *
 * A size has a unit (KiB, MiB, GiB, TiB) or is in bytes; `none` is no limit. Of two lines about the same, the last holds. What counts
 * is said in store/engine.h (enum ts_use). Pure; thread-safe.
 */
#ifndef TSCOPE_SERVICE_AUTH_QUOTA_H
#define TSCOPE_SERVICE_AUTH_QUOTA_H

#include "store/engine.h"

#include <stdatomic.h>

enum { TS_QUOTA_ROWS = TS_USES, TS_QUOTA_KINDS, TS_QUOTA_LINES_MAX = 1024 };

struct ts_quota {
	int kind; /* an enum ts_use, or TS_QUOTA_ROWS */
	struct ts_span whose; /* a project, or a sender for TS_USE_UNNAMED; "*": each. A part of the parsed text */
	uint64_t limit; /* UINT64_MAX: none */
};

struct ts_quotas {
	const struct ts_quota *lines;
	size_t n;
	atomic_uint_fast64_t refused[TS_QUOTA_KINDS]; /* by these quotas so far */
};

/* "sealed", "raw", "names", "notes", "unnamed", "rows". */
const char *ts_quota_word(int kind);
/* Parses the text after "quota =". */
enum ts_status ts_quota_parse(struct ts_span text, struct ts_quota *ret_quota, struct ts_error *err);
/* UINT64_MAX: none. quotas may be NULL. */
uint64_t ts_quota_limit(const struct ts_quotas *quotas, int kind, struct ts_span whose);
/* TS_TOO_LARGE if a run may not have so many rows in the project of this name. quotas may be NULL. */
enum ts_status ts_quota_check_rows(struct ts_quotas *quotas, struct ts_span name, uint64_t rows, struct ts_error *err);
/* What an engine asks (struct ts_lmdb_options), as these quotas, which must outlive it, answer. */
struct ts_spending ts_quota_spending(struct ts_quotas *quotas);

#endif
