/* _digest.h - the digest of a tensor's bytes (docs/digests.md): sums of its 64-bit words, which any order of adding gives. */
#ifndef TSCOPE_PYTHON_SRC_TSCOPE__DIGEST_H
#define TSCOPE_PYTHON_SRC_TSCOPE__DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Before all others, once. */
void tscope_digest_begin(void);
/* One pass over the bytes, which need no alignment. */
uint64_t tscope_digest_bytes(const void *bytes, size_t len);
/* The last part of SplitMix64. */
uint64_t tscope_digest_mix(uint64_t z);
/* All numbers of IEEE's form with so many bytes each, 2, 4 or 8, are 0 or -0. It ends with the first that is not. */
bool tscope_is_zero(const void *bytes, size_t len, size_t size);

#endif
