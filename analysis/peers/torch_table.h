/* torch_table.h - the table() of key_averages() as torch's profiler prints it.
 *
 *	struct ts_torch_rows rows;
 *	ts_torch_rows(trace, busy_ns, arena, &rows, err)	torch_rows.h
 *	ts_torch_table(&page, &rows, TS_TORCH_BY_DEVICE, 30)	the 30 rows with most time on devices
 */
#ifndef TSCOPE_ANALYSIS_PEERS_TORCH_TABLE_H
#define TSCOPE_ANALYSIS_PEERS_TORCH_TABLE_H

#include "analysis/peers/peer_page.h"
#include "analysis/peers/torch_rows.h"

enum ts_torch_by { TS_TORCH_BY_DEVICE, TS_TORCH_BY_FLOPS };

/* At most `limit` rows, and the totals of all. No memory: page->failed. */
void ts_torch_table(struct ts_peer_page *page, const struct ts_torch_rows *rows, enum ts_torch_by by, size_t limit);

#endif
