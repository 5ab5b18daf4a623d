/* crc32c.h - CRC-32C (Castagnoli), the checksum of TFRecord frames; it uses the processor's instruction if there is one.
 *
 * Debian 12 has no library for it that can be linked statically; zlib's crc32 has another polynomial. Threads: safe.
 * Source: RFC 3720 appendix B.4 (whose vectors test_crc32c uses).
 */
#ifndef TSCOPE_INGEST_FORMATS_CRC32C_H
#define TSCOPE_INGEST_FORMATS_CRC32C_H

#include "base/span.h"

#include <stdint.h>

/* Extends crc by bytes; crc is 0 at the beginning, else the result for the bytes before. */
uint32_t ts_crc32c(uint32_t crc, struct ts_span bytes);
/* The same without the processor's instruction, for tests. */
uint32_t ts_crc32c_portable(uint32_t crc, struct ts_span bytes);
/* The form that TFRecord stores: rotated, with an offset, so that a checksum over bytes that contain checksums works well. */
uint32_t ts_crc32c_masked(uint32_t crc);

#endif
