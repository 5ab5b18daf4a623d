/* device_capacity.h - the memory of a device, by --device-memory or by the facts of a run, and what else these say that advice on
 * memory depends on. */
#ifndef TSCOPE_CLI_SNAPSHOT_DEVICE_CAPACITY_H
#define TSCOPE_CLI_SNAPSHOT_DEVICE_CAPACITY_H

#include "cli/core/context.h"
#include "analysis/answer/measure.h"
#include "run/fact.h"

struct ts_device_capacity {
	uint64_t bytes;	    /* of one device; 0: not known */
	const char *source; /* "facts.json", static; NULL where it is not known, or an option says it */
	struct ts_measures setup; /* rows of group "setup" (analysis/rank/setup.h), in the arena */
};

/* What --device-memory says; 0 without it. */
enum ts_status ts_capacity_option(const struct ts_args *args, uint64_t *ret_bytes, struct ts_error *err);
enum ts_status ts_capacity_of_facts(const struct ts_facts *facts, struct ts_arena *arena, struct ts_device_capacity *ret,
				    struct ts_error *err);
/* By the facts of the run in whose directory the file lies, if it lies in one. Facts that cannot be read are said to stderr. */
enum ts_status ts_capacity_around(struct ts_cli *cli, const char *file, struct ts_device_capacity *ret, struct ts_error *err);

#endif
