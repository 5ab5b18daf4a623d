/* crc32c.h - CRC-32C (Castagnoli), as TFRecord frames have it; by the processor's own instruction where it has one.
 *
 * Bookworm has no library of it that links statically; zlib's crc32 is another polynomial. Threads: safe.
 * Source: RFC 3720 appendix B.4 (whose vectors test_crc32c uses).
 */
#ifndef TSCOPE_INGEST_FORMATS_CRC32C_H
#define TSCOPE_INGEST_FORMATS_CRC32C_H

#include "base/span.h"

#include <stdint.h>

/* crc: 0 at the beginning, else what the bytes before gave. */
uint32_t ts_crc32c(uint32_t crc, struct ts_span bytes);
/* The same without that instruction, for tests. */
uint32_t ts_crc32c_portable(uint32_t crc, struct ts_span bytes);
/* As TFRecord stores it: rotated and offset, so that a checksum of bytes that hold checksums is none of them. */
uint32_t ts_crc32c_masked(uint32_t crc);

#endif
