/* process_posix.c - no process of its own for the keeper: POSIX has no memory that could be handed to it. */
#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif
#include "record/process.h"

#include <errno.h>
#include <unistd.h>

int ts_process_start(const char *program, const char *title, const int *descriptors, int n)
{
	(void)program;
	(void)title;
	(void)descriptors;
	(void)n;
	return ENOSYS;
}

/* The keeper is a thread, whose end of the link is open for as long as this one. */
bool ts_process_wake(int link)
{
	return write(link, "", 1) == 1;
}

void ts_process_detach(int n)
{
	(void)n;
}

int ts_process_watch(uint32_t process)
{
	(void)process;
	return -1;
}

bool ts_process_lives(uint32_t process)
{
	(void)process;
	return true;
}

bool ts_process_has_memory(uint32_t process)
{
	(void)process;
	return true;
}
