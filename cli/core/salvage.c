#include "cli/core/salvage.h"

#include "base/digest.h"

enum ts_status ts_salvage(const char *from, const char *to, struct ts_arena *arena, struct ts_salvage_report *ret_report,
			  struct ts_error *err)
{
	return ts_digest_init(err) ? err->status : ts_lmdb_salvage(from, to, arena, ret_report, err);
}
