/* quality_timing.c - the warm-up that is found, and spikes and shifts of step time. */
#include "quality_parts.h"

void quality_timing(struct quality *q)
{
	(void)q;
}
