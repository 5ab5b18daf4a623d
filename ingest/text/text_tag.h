/* text_tag.h - a line between steps that says what the training does besides: it saves a checkpoint, or evaluates. */
#ifndef TSCOPE_INGEST_TEXT_TEXT_TAG_H
#define TSCOPE_INGEST_TEXT_TEXT_TAG_H

#include "base/span.h"

/* "checkpoint", "evaluation", or NULL. A line that loads a checkpoint, or names one among settings, says neither. */
const char *ts_text_tag(struct ts_span line);

#endif
