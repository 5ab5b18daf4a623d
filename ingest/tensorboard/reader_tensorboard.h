/* reader_tensorboard.h - TensorBoard's event files: those that lie in one directory are one run, as TensorBoard has it.
 *
 * Read are scalars, as simple_value (float32) and as tensors without dimensions of every numeric type, and the hparams plugin's
 * start of a session. Files are read in the order of their names, which begin with the time; where two have a value of one tag and
 * step the later file's counts. A session's START at step s takes back what was written before it at s and later (the purge of
 * TensorBoard).
 * Source: tensorflow/core/util/event.proto, framework/summary.proto, tensor.proto; tensorboard/plugins/hparams/plugin_data.proto.
 */
#ifndef TSCOPE_INGEST_TENSORBOARD_READER_TENSORBOARD_H
#define TSCOPE_INGEST_TENSORBOARD_READER_TENSORBOARD_H

#include "ingest/core/reader.h"

extern const char ts_tensorboard_loses[];
int ts_tensorboard_sniff(const char *path);
enum ts_status ts_tensorboard_read(const struct ts_ingest_options *options, ts_object_sink *sink, void *ctx, struct ts_arena *arena,
				   struct ts_ingest_result *ret_result, struct ts_error *err);

#endif
