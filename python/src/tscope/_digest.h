/* _digest.h - the digest of a tensor's bytes (docs/digests.md): sums of its 64-bit words, which any order of adding gives. */
#ifndef TSCOPE_PYTHON_SRC_TSCOPE__DIGEST_H
#define TSCOPE_PYTHON_SRC_TSCOPE__DIGEST_H

#include <stddef.h>
#include <stdint.h>

/* One pass over the bytes, which need no alignment. */
uint64_t tscope_digest_bytes(const void *bytes, size_t len);

#endif
