#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif
#include "record/thread.h"

#include <signal.h>

int ts_thread_start(pthread_t *ret_thread, void *(*act)(void *), void *arg)
{
	sigset_t all, before;
	int error;

	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(ret_thread, NULL, act, arg);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	return error;
}
