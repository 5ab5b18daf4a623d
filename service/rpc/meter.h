/* meter.h - counts the calls of a server: by method, status and who called, with their durations; printed as Prometheus reads it.
 *
 *	ts_meter_create(names, n, &meter, err)	names of the methods; the last counts calls of methods that do not exist
 *	ts_meter_count(meter, &call)		once a call, when it ends
 *	ts_meter_print(meter, &out), ts_meter_print_callers(meter, &out)
 *
 * Counters only rise, from 0 at the start of the process. Callers are counted by name, the first TS_METER_CALLERS of them, and the
 * rest as "other": a metric must not grow with whoever connects.
 * Source of the form: Prometheus text exposition format 0.0.4; seconds and bytes are its base units.
 * Threads: all functions but create and destroy are safe. Counting is a few atomic additions and one short lock.
 */
#ifndef TSCOPE_SERVICE_RPC_METER_H
#define TSCOPE_SERVICE_RPC_METER_H

#include "base/buf.h"

enum { TS_METER_CALLERS = 200 };

struct ts_metered_call {
	size_t method; /* index of its name */
	enum ts_status status;
	const char *caller;
	int64_t duration_ns; /* from its arrival to its end */
	int64_t waited_ns;   /* of these, in the queue of the pool */
	uint64_t bytes_in, bytes_out;
};

struct ts_meter;

enum ts_status ts_meter_create(const char *const *names, size_t n, struct ts_meter **ret_meter, struct ts_error *err);
void ts_meter_destroy(struct ts_meter *meter); /* NULL is allowed */
void ts_meter_count(struct ts_meter *meter, const struct ts_metered_call *call);
/* How many calls have ended with a status, of all methods. */
uint64_t ts_meter_ended(struct ts_meter *meter, enum ts_status status);
void ts_meter_print(struct ts_meter *meter, struct ts_buf *out);
void ts_meter_print_callers(struct ts_meter *meter, struct ts_buf *out); /* the same by who called, with their names */

/* The value of a label: a backslash stands before backslash and quote, \n for a newline, and other control bytes are left out. */
void ts_meter_label(struct ts_buf *out, const char *value);

#endif
