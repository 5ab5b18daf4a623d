#include "run/snapshot.h"

const char *const ts_snapshot_actions[TS_ACTIONS] = {
	[TS_ACTION_ALLOC] = "alloc",
	[TS_ACTION_FREE_REQUESTED] = "free_requested",
	[TS_ACTION_FREE_COMPLETED] = "free_completed",
	[TS_ACTION_SEGMENT_ALLOC] = "segment_alloc",
	[TS_ACTION_SEGMENT_FREE] = "segment_free",
	[TS_ACTION_SEGMENT_MAP] = "segment_map",
	[TS_ACTION_SEGMENT_UNMAP] = "segment_unmap",
	[TS_ACTION_SNAPSHOT] = "snapshot",
	[TS_ACTION_OOM] = "oom",
};
