#include "quality_parts.h"

void quality_efficiency(struct quality *q)
{
	(void)q;
}
