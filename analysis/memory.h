/* memory.h - how much memory a run took. Group "memory": subject "peak_alloc"/"peak_reserved" (falling back to alloc/reserved, said
 * in the subject): peak_bytes, at_step; subject "alloc", "reserved": mean_bytes, last_bytes. Absent columns: unknown, with the reason. */
#ifndef TSCOPE_ANALYSIS_MEMORY_H
#define TSCOPE_ANALYSIS_MEMORY_H

#include "analysis/measure.h"
#include "analysis/series.h"

/* Any of the four may be NULL. Series are cut to steps >= first. */
enum ts_status ts_memory_summary(const struct ts_series *alloc, const struct ts_series *reserved,
				 const struct ts_series *peak_alloc, const struct ts_series *peak_reserved, int64_t first,
				 struct ts_arena *arena, struct ts_measures *measures, struct ts_error *err);

#endif
