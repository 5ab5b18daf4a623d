/* held.h - doors of threads: a lock that whoever comes through has taken.
 *
 *	TS_DOOR_HELD(&call->mutex);
 *
 * As the other doors (door.h) it is on in builds with sanitizers and for fuzzing alone. It sees that the mutex is taken, and not by
 * whom: so it finds who forgot to take it, unless another thread has it at that moment.
 */
#ifndef TSCOPE_BASE_HELD_H
#define TSCOPE_BASE_HELD_H

#include "base/door.h"

#include <pthread.h>
#include <stdbool.h>

static inline bool ts_mutex_is_held(pthread_mutex_t *mutex)
{
	if (pthread_mutex_trylock(mutex) != 0)
		return true;
	(void)pthread_mutex_unlock(mutex);
	return false;
}

#define TS_DOOR_HELD(mutex) TS_DOOR(ts_mutex_is_held(mutex))

#endif
