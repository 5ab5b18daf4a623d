/* reached.h - places of objects of which it was found that a name of a project reaches them, so that they are not looked for again.
 *
 * It holds TS_REACHED_SLOTS of them at most, in memory of its own from the first one on, and may forget any. What it says is true as
 * long as the object lies there, and no other object ever lies in that place (store_known.c). That nothing reaches an object is not
 * remembered: so what another has goes on to cost what is not there. Threads: all functions are safe.
 */
#ifndef TSCOPE_STORE_REACHED_H
#define TSCOPE_STORE_REACHED_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum { TS_REACHED_LOG2 = 17, TS_REACHED_SLOTS = 1 << TS_REACHED_LOG2 };

struct ts_reached_place {
	uint64_t pack;
	uint64_t project; /* its key, as a number */
	uint32_t offset;
};

struct ts_reached {
	pthread_mutex_t lock;
	struct ts_reached_place *places; /* by hash; NULL: none yet */
};

void ts_reached_init(struct ts_reached *r);
void ts_reached_finish(struct ts_reached *r);
bool ts_reached_has(struct ts_reached *r, const struct ts_reached_place *place);
void ts_reached_add(struct ts_reached *r, const struct ts_reached_place *place);

#endif
