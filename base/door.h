/* door.h - assertions at the doors of functions: what a caller promises and a function gives back, as sorted, of equal length, finite.
 *
 *	TS_DOOR(n <= cap);
 *	TS_DOOR_ALL(i, n, keys[i] >= 0);
 *	TS_DOOR_SORTED(i, n, keys[i - 1] < keys[i]);
 *
 * They are on where TS_DOORS is defined, in builds with sanitizers and for fuzzing, and may take time that is linear in what they look
 * at; elsewhere they are compiled and never run. One that fails ends the program with its place. What comes from outside is parsed
 * before and answered by an error: no input may reach a door that it does not pass.
 */
#ifndef TSCOPE_BASE_DOOR_H
#define TSCOPE_BASE_DOOR_H

#include <assert.h>
#include <stddef.h>

#ifdef TS_DOORS
#define TS_DOOR(condition) assert(condition)
#define TS_DOORS_ON 1
#else
#define TS_DOOR(condition) ((void)(0 && (condition)))
#define TS_DOORS_ON 0
#endif

/* The condition on the place i holds for all n of them. */
#define TS_DOOR_ALL(i, n, condition)                                                                                                   \
	do {                                                                                                                           \
		for (size_t i = 0, doors = TS_DOORS_ON ? (size_t)(n) : 0; i < doors; i++)                                              \
			TS_DOOR(condition);                                                                                            \
	} while (0)
/* The condition on the places i - 1 and i holds for each but the first. */
#define TS_DOOR_SORTED(i, n, condition) TS_DOOR_ALL(i, n, i == 0 || (condition))

#endif
