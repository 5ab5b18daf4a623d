/* test_roundtrip.h - decodes any object of this room and, if that works, encodes it again: the bytes must be the same.
 *
 * It serves the fuzzer and the tests that damage objects. It needs no test framework: a difference aborts.
 */
#ifndef TSCOPE_RUN_TEST_ROUNDTRIP_H
#define TSCOPE_RUN_TEST_ROUNDTRIP_H

#include "base/arena.h"

/* Returns the status of the decoder. An index object that has a successor is only decoded. */
enum ts_status test_roundtrip(struct ts_span object, struct ts_error *err);

/* Tries every truncation and `flips` single-bit changes, evenly spread, of a good object: each must be refused as TS_DAMAGED,
 * TS_UNSUPPORTED or TS_TOO_LARGE, or encode to the same bytes again. An added byte must be refused. Returns how many were
 * refused. */
size_t test_damage(struct ts_span object, size_t flips);

#endif
