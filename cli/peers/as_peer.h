/* as_peer.h - `tscope analyze FILE --as axolotl`: the tables of another tool, with the right number beside each that is wrong. */
#ifndef TSCOPE_CLI_PEERS_AS_PEER_H
#define TSCOPE_CLI_PEERS_AS_PEER_H

#include "analysis/peers/peer_page.h"
#include "cli/core/context.h"
#include "cli/snapshot/stored_snapshot.h"

/* The trace at path by the tool that --as names. */
enum ts_status ts_trace_as_peer(struct ts_cli *cli, const char *path, struct ts_error *err);
/* The same of a trace that was pushed. */
enum ts_status ts_stored_trace_as_peer(struct ts_cli *cli, const struct ts_run_trace *stored, struct ts_error *err);
/* The memory snapshot at path, with --device-memory if it is given. */
enum ts_status ts_snapshot_as_peer(struct ts_cli *cli, const char *path, struct ts_error *err);
/* The same of one that was pushed with a run. */
enum ts_status ts_stored_snapshot_as_peer(struct ts_cli *cli, const struct ts_get_reply *run, const struct ts_snapshot_choice *choice,
					  struct ts_error *err);
/* `tscope diff A B --as axolotl`: what its script prints with --compare, of two traces or of two memory snapshots. */
enum ts_status ts_diff_as_axolotl(struct ts_cli *cli, struct ts_error *err);
/* Shows the answer as text or JSON. */
enum ts_status ts_render_peer(struct ts_cli *cli, const struct ts_peer_answer *answer, struct ts_error *err);

#endif
