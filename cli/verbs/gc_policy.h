/* gc_policy.h - what gc --policy does before it frees: shows what a policy of retention lets go, and with --apply lets it go. */
#ifndef TSCOPE_CLI_VERBS_GC_POLICY_H
#define TSCOPE_CLI_VERBS_GC_POLICY_H

#include "cli/core/context.h"
#include "proto/wire.h"

/* Reads and checks the file of --policy. */
enum ts_status ts_retain_policy(struct ts_cli *cli, struct ts_span *ret_policy, struct ts_error *err);
/* Asks for the plan; with apply lets it go, and then the reply has the rows of the plan, what went, and the items that stay after
 * all. */
enum ts_status ts_retain_ask(struct ts_cli *cli, struct ts_span policy, bool apply, struct ts_retain_reply *ret, struct ts_error *err);
/* "40 entries of branches and 3 run names" */
const char *ts_retain_amount(const struct ts_retain_reply *reply, struct ts_arena *arena);
enum ts_status ts_retain_text(struct ts_cli *cli, const struct ts_retain_reply *reply, bool apply, struct ts_error *err);

#endif
