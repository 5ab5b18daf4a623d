/* gate_request.h - turns the words of gate and baseline into a request: candidates, baselines, pairs, policy.
 *
 * A baseline is a branch, a run, a tag, a glob of names (* or ?), a directory or a glob of directories, or a bundle, which is the
 * path of a file. Options that set a setting become items of the policy, after those of its file. A candidate that is only on
 * this machine is reduced here, and ts_gate_ask asks the server for its baselines.
 */
#ifndef TSCOPE_CLI_GATE_GATE_REQUEST_H
#define TSCOPE_CLI_GATE_GATE_REQUEST_H

#include "cli/core/context.h"
#include "proto/wire.h"

/* Makes the policy from the defaults, --policy and the options that override it; *ret_items is the same as items for a request. */
enum ts_status ts_gate_options(struct ts_cli *cli, struct ts_policy *ret_items, struct ts_gate_policy *ret_policy,
			       struct ts_error *err);

/* Makes the request from the words of the candidates, the values of --baseline and --paired, and a bundle to read (NULL: none).
 * Opens the target. */
enum ts_status ts_gate_request_of(struct ts_cli *cli, const char *const *candidates, size_t n_candidates,
				  const char *bundle, const struct ts_policy *items,
				  struct ts_gate_request *ret_request, struct ts_error *err);

/* Both send the request to the server or to the local store, whichever has the runs. ts_baseline_ask takes one candidate at
 * most. */
enum ts_status ts_gate_ask(struct ts_cli *cli, const struct ts_gate_request *request, struct ts_verdict *ret_verdict,
			   struct ts_error *err);
enum ts_status ts_baseline_ask(struct ts_cli *cli, const struct ts_gate_request *request,
			       struct ts_gate_input *ret_input, struct ts_error *err);

#endif
