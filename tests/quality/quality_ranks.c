#include "quality_parts.h"

void quality_ranks(struct quality *q)
{
	(void)q;
}
