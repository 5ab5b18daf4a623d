/* original_frame.h - of a frame of code that torch.compile generated, where that code came from.
 *
 * torch.cuda.memory._snapshot(augment_with_fx_traces=True) writes it beside such a frame as Python prints a stack, the outermost call
 * first: `File "net.py", line 12, in forward`, then a line of code. The text is foreign. Pure; any thread.
 */
#ifndef TSCOPE_INGEST_SNAPSHOT_ORIGINAL_FRAME_H
#define TSCOPE_INGEST_SNAPSHOT_ORIGINAL_FRAME_H

#include "base/span.h"

#include <stdint.h>

struct ts_original_frame {
	struct ts_span file, function; /* of the text */
	int32_t line;
};

/* The innermost call of the stack. False: the text has none. */
bool ts_original_frame(struct ts_span stack, struct ts_original_frame *ret);

#endif
