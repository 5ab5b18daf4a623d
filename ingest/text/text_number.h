/* text_number.h - the number with which a text of a log begins. */
#ifndef TSCOPE_INGEST_TEXT_TEXT_NUMBER_H
#define TSCOPE_INGEST_TEXT_TEXT_NUMBER_H

#include "base/span.h"

/* Its bytes; 0: the text begins with none. "1,234.5e-3", "nan", "-inf". */
size_t ts_text_number_len(struct ts_span text);

#endif
