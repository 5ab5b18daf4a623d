/* show_machine.h - what the machine did while a run of tscope run went on, by the table that it was pushed with (run/machine.h).
 */
#ifndef TSCOPE_CLI_TEXT_SHOW_MACHINE_H
#define TSCOPE_CLI_TEXT_SHOW_MACHINE_H

#include "cli/core/context.h"
#include "proto/wire.h"

/* A column over the run. */
struct ts_machine_sum {
	const char *name;
	size_t n; /* observations in which it is known; the others mean nothing if there are none */
	double mean, median, least, most;
	double most_at; /* seconds since the run began */
};

struct ts_machine_about {
	int32_t rank; /* TS_RANK_JOB: of the job */
	size_t rows;
	double seconds; /* of the last observation */
	struct ts_machine_sum *sums;
	size_t n;
};

/* That of the run, or of the rank. TS_NOT_FOUND: it has none. All lies in the arena. */
enum ts_status ts_machine_about_run(struct ts_cli *cli, const struct ts_get_reply *run, bool has_rank, int32_t rank,
				    struct ts_machine_about *ret, struct ts_error *err);
enum ts_status ts_machine_show(struct ts_cli *cli, const struct ts_machine_about *about, struct ts_error *err);

#endif
