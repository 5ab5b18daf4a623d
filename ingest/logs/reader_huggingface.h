/* reader_huggingface.h - reads the output folder of transformers' Trainer: trainer_state.json, in the folder or in checkpoint-N.
 *
 * Of the states in a folder the one with the highest step is read, since its log_history contains the others. The files beside it
 * (config.json, weights, states of the optimizer and of random number generators) become facts: their sizes and SHA-256. Nothing is
 * unpickled.
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
