#include "quality_parts.h"

void quality_convergence(struct quality *q)
{
	(void)q;
}
