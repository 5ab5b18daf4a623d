/* test_roundtrip.h - decode any object of this room and, if that works, encode it again: the bytes must be the same.
 *
 * For the fuzzer and for the tests that damage objects. Needs no test framework: a difference aborts.
 */
#ifndef TSCOPE_RUN_TEST_ROUNDTRIP_H
#define TSCOPE_RUN_TEST_ROUNDTRIP_H

#include "base/arena.h"

/* The decoder's status. Of an index object that has a successor only decoding is tried. */
enum ts_status test_roundtrip(struct ts_span object, struct ts_error *err);

/* Every truncation and `flips` single-bit changes (of all bits, evenly spread) of a good object: each is refused as
 * TS_DAMAGED, TS_UNSUPPORTED or TS_TOO_LARGE, or comes back as it is; a byte behind it is refused. Returns how many
 * were refused. */
size_t test_damage(struct ts_span object, size_t flips);

#endif
