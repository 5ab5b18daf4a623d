#include "launch/waiting.h"

#include <inttypes.h>
#include <stdio.h>

void ts_waiting_of(int64_t pid, char ret_text[TS_WAITING_TEXT])
{
	(void)snprintf(ret_text, TS_WAITING_TEXT, "process %" PRId64, pid);
}
