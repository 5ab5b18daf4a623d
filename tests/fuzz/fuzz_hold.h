/* fuzz_hold.h - what must be true of every input. */
#ifndef TSCOPE_TESTS_FUZZ_FUZZ_HOLD_H
#define TSCOPE_TESTS_FUZZ_FUZZ_HOLD_H

#include <stdbool.h>
#include <stdlib.h>

static inline void hold(bool condition)
{
	if (!condition)
		abort();
}

#endif
