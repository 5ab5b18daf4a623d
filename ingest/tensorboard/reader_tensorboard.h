/* reader_tensorboard.h - reads TensorBoard's event files: the files in one directory are one run, as in TensorBoard.
 *
 * The reader takes scalars, as simple_value (float32) and as tensors without dimensions of every numeric type, and the session
 * start of the hparams plugin. Files are read in the order of their names, which begin with the time. If two files have a value
 * for one tag and step, that of the later file counts. A session's START at step s discards what was written before it at s and
 * later (the purge of TensorBoard). Source: tensorflow/core/util/event.proto, framework/summary.proto, tensor.proto;
 * tensorboard/plugins/hparams/plugin_data.proto.
 */
#ifndef TSCOPE_INGEST_TENSORBOARD_READER_TENSORBOARD_H
#define TSCOPE_INGEST_TENSORBOARD_READER_TENSORBOARD_H

#include "ingest/core/reader.h"

extern const char ts_tensorboard_loses[];
int ts_tensorboard_sniff(const char *path);
/* Whether the entry of a folder belongs to the run of that folder, and is no run itself: what add_hparams wrote (hparams_session.h). */
enum ts_status ts_tensorboard_passes_over(const char *directory, const char *entry, bool *ret_passes_over, struct ts_error *err);
enum ts_status ts_tensorboard_read(const struct ts_ingest_options *options, ts_object_sink *sink, void *ctx, struct ts_arena *arena,
				   struct ts_ingest_result *ret_result, struct ts_error *err);

#endif
