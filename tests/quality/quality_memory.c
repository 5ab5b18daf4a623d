#include "quality_parts.h"

void quality_memory(struct quality *q)
{
	(void)q;
}
