/* tick.h - what a recording takes from outside: time, chance and the process. Tests link their own in its place.
 *
 * Threads: safe.
 */
#ifndef TSCOPE_RECORD_TICK_H
#define TSCOPE_RECORD_TICK_H

#include <stdint.h>

/* Nanoseconds of CLOCK_MONOTONIC, within some 100. Two calls may differ the wrong way by as much. */
int64_t ts_tick_ns(void);
/* Measures the processor's counter against the clock. It is called once before the first step; later ts_tick_ns does it itself. */
void ts_tick_follow(void);
/* The wall clock, Unix ns, and ts_tick_ns at the same moment. */
void ts_tick_wall(int64_t *ret_unix_ns, int64_t *ret_tick_ns);
/* 16 bytes that no other recording has. */
void ts_tick_token(uint8_t token[16]);
uint32_t ts_tick_process(void);

#endif
