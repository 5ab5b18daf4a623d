/* axolotl_snapshot.h - what Axolotl's analyze_profile.py (067b021c) prints of a memory snapshot, computed as it computes, and what is
 * right.
 *
 * It adds the segments of all devices, and replays the events of the first one: alloc adds, free_requested of an address that it
 * knows subtracts, and what was there before is guessed from the end. It asks blocks for `history`, which they do not have, so nobody
 * holds memory. Right are the replay of docs/memory.md, of the device with the highest peak, and free memory that empty_cache would
 * not return. docs/peers.md has the words that say why.
 */
#ifndef TSCOPE_ANALYSIS_PEERS_AXOLOTL_SNAPSHOT_H
#define TSCOPE_ANALYSIS_PEERS_AXOLOTL_SNAPSHOT_H

#include "analysis/peers/peer_page.h"
#include "run/snapshot.h"

/* label is what its headings name. capacity: bytes of the device, as its option --gpu-gb; 0: not given. */
enum ts_status ts_axolotl_snapshot(const struct ts_snapshot *s, uint64_t capacity, const char *label, struct ts_arena *arena,
				   struct ts_peer_answer *ret, struct ts_error *err);
/* Two, and the comparison that --compare prints, with the largest tensor of each category in both. */
enum ts_status ts_axolotl_snapshots(const struct ts_snapshot *const snapshots[2], uint64_t capacity, const char *const labels[2],
				    struct ts_arena *arena, struct ts_peer_answer *ret, struct ts_error *err);

#endif
