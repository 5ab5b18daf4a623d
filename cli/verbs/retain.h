/* retain.h - what gc --policy does before it frees: shows what a policy of retention lets go, and with --apply lets it go. */
#ifndef TSCOPE_CLI_VERBS_RETAIN_H
#define TSCOPE_CLI_VERBS_RETAIN_H

#include "cli/core/context.h"
#include "proto/wire.h"

/* Reads and checks the file of --policy. */
enum ts_status ts_retain_read(struct ts_cli *cli, struct ts_span *ret_policy, struct ts_error *err);
/* Asks for the plan; with apply lets it go, and then the reply has the rows of the plan, what went, and the items that stay after
 * all. */
enum ts_status ts_retain_ask(struct ts_cli *cli, struct ts_span policy, bool apply, struct ts_retain_reply *ret, struct ts_error *err);
enum ts_status ts_retain_text(struct ts_cli *cli, const struct ts_retain_reply *reply, bool apply, struct ts_error *err);

#endif
