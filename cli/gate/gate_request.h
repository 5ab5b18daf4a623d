/* gate_request.h - from the words of gate and baseline to a request: candidates, baselines, pairs, policy.
 *
 * A baseline is a branch, a run, a tag, a glob of names (* or ?), a directory or a glob of those, or a bundle, which is a path to
 * a file. Options that say something about the test become items of the policy behind those of its file. A candidate that only
 * this machine has is reduced here, and the server is asked which of its runs it is held against: ts_gate_ask does so.
 */
#ifndef TSCOPE_CLI_GATE_REQUEST_H
#define TSCOPE_CLI_GATE_REQUEST_H

#include "cli/core/context.h"
#include "proto/wire.h"

/* --policy and the options that override it, onto defaults; and as items for a request. */
enum ts_status ts_gate_options(struct ts_cli *cli, struct ts_policy *ret_items, struct ts_gate_policy *ret_policy,
			       struct ts_error *err);

/* Words of candidates, what --baseline and --paired name, and a bundle to read (NULL: none). Opens the target. */
enum ts_status ts_gate_request_of(struct ts_cli *cli, const char *const *candidates, size_t n_candidates,
				  const char *bundle, const struct ts_policy *items,
				  struct ts_gate_request *ret_request, struct ts_error *err);

/* Asks whoever knows the runs. ts_baseline_ask: request has at most one candidate. */
enum ts_status ts_gate_ask(struct ts_cli *cli, const struct ts_gate_request *request, struct ts_verdict *ret_verdict,
			   struct ts_error *err);
enum ts_status ts_baseline_ask(struct ts_cli *cli, const struct ts_gate_request *request,
			       struct ts_gate_input *ret_input, struct ts_error *err);

#endif
