#include "launch/observe.h"

const char ts_observe_head[] = "seconds\n";

void ts_observe_begin(struct ts_observer *machine)
{
	*machine = (struct ts_observer){.began_ns = 0};
}

size_t ts_observe_row(struct ts_observer *machine, char *to, size_t room)
{
	(void)machine;
	(void)to;
	(void)room;
	return 0;
}
