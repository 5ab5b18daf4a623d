/* thread.h - a thread of the recorder's own in a program of others. Threads: safe. */
#ifndef TSCOPE_RECORD_THREAD_H
#define TSCOPE_RECORD_THREAD_H

#include <pthread.h>

/* All signals are blocked in it, so that the program's handlers never run there, and what it does ends nobody. Returns 0 or errno. */
int ts_thread_start(pthread_t *ret_thread, void *(*act)(void *), void *arg);

#endif
