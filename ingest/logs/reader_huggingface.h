/* reader_huggingface.h - what transformers' Trainer leaves in its output folder: trainer_state.json, there or in checkpoint-N.
 *
 * Of a folder the state that went farthest is read, whose log_history has all that came before it. What lies beside it
 * (config.json, weights, states of the optimizer and of random numbers) becomes facts: sizes and SHA-256, nothing is unpickled.
 * Source: transformers, trainer_callback.py (TrainerState), trainer.py (log, save_model).
 */
#ifndef TSCOPE_INGEST_LOGS_READER_HUGGINGFACE_H
#define TSCOPE_INGEST_LOGS_READER_HUGGINGFACE_H

#include "ingest/core/reader.h"

extern const char ts_huggingface_loses[];
int ts_huggingface_sniff(const char *path);
enum ts_status ts_huggingface_read(const struct ts_ingest_options *options, ts_object_sink *sink, void *ctx,
				   struct ts_arena *arena, struct ts_ingest_result *ret_result, struct ts_error *err);

#endif
