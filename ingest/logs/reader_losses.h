/* reader_losses.h - reads two small formats of reference curves, which tests of trainings are compared with.
 *
 *	Megatron-LM's golden values	a file *.json: {"lm loss": {"start_step": 1, ..., "values": {"1": 10.85, ...}}, ...}
 *	torchtitan's losses		a file *.txt whose lines are "step loss"
 */
#ifndef TSCOPE_INGEST_LOGS_READER_LOSSES_H
#define TSCOPE_INGEST_LOGS_READER_LOSSES_H

#include "ingest/core/reader.h"

int ts_golden_sniff(const char *path);
enum ts_status ts_golden_read(const struct ts_ingest_options *options, ts_object_sink *sink, void *ctx, struct ts_arena *arena,
			      struct ts_ingest_result *ret_result, struct ts_error *err);
int ts_losses_sniff(const char *path);
enum ts_status ts_losses_read(const struct ts_ingest_options *options, ts_object_sink *sink, void *ctx, struct ts_arena *arena,
			      struct ts_ingest_result *ret_result, struct ts_error *err);

#endif
