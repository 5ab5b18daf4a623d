#include "service/handlers/core/train_prefix.h"

const char *const ts_train_prefixes[TS_TRAIN_PREFIXES] = {"",	       "train/",    "train_",	 "train.",    "train\\.",
							  "training/", "training_", "training.", "training\\.",
							  "batch/",    "epoch/"};
