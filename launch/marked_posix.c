#include "launch/marked.h"

size_t ts_marked_kill(const char *mark)
{
	(void)mark;
	return 0;
}

void ts_marked_adopt(void)
{
}
