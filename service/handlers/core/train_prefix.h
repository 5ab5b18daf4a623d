/* train_prefix.h - what loggers put before the name of a series of the training, as in "train/loss" for "loss".
 *
 * W&B's callback for Keras writes "batch/loss", the mean since the epoch began, and "epoch/loss", that of the whole epoch. Either may
 * be what another run calls "loss", but the two are not the same.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_CORE_TRAIN_PREFIX_H
#define TSCOPE_SERVICE_HANDLERS_CORE_TRAIN_PREFIX_H

enum { TS_TRAIN_BATCH = 9, TS_TRAIN_EPOCH = 10, TS_TRAIN_PREFIXES = 11 };

/* The first is none. They stand as in an escaped path: the key "train.loss" has an escaped dot, the object {"train": {"loss": ...}} a
 * plain one. */
extern const char *const ts_train_prefixes[TS_TRAIN_PREFIXES];

#endif
