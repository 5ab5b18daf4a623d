/* train_prefix.h - what loggers put before the name of a series of the training, as in "train/loss" for "loss". */
#ifndef TSCOPE_SERVICE_HANDLERS_CORE_TRAIN_PREFIX_H
#define TSCOPE_SERVICE_HANDLERS_CORE_TRAIN_PREFIX_H

enum { TS_TRAIN_PREFIXES = 9 };

/* The first is none. They stand as in an escaped path: the key "train.loss" has an escaped dot, the object {"train": {"loss": ...}} a
 * plain one. */
extern const char *const ts_train_prefixes[TS_TRAIN_PREFIXES];

#endif
