/* recorded_ops.h - the names of the operations of which a run has digests, each once, over all of its ranks. */
#ifndef TSCOPE_CLI_VERBS_RECORDED_OPS_H
#define TSCOPE_CLI_VERBS_RECORDED_OPS_H

#include "cli/core/context.h"
#include "proto/wire.h"

struct ts_recorded_ops {
	struct ts_span *names; /* in order of first execution, rank by rank; in the command's arena */
	size_t n;
	bool more; /* there are others, beyond `most` */
};

/* n = 0: none were recorded. */
enum ts_status ts_recorded_ops_of(struct ts_cli *cli, const struct ts_get_reply *run, size_t most, struct ts_recorded_ops *ret,
				  struct ts_error *err);

#endif
