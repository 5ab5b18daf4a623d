/* crc32c.h - CRC-32C (Castagnoli), the checksum of recordings and of TFRecord frames; by the processor's instruction if there is one.
 *
 * Debian 12 has no library for it that can be linked statically; zlib's crc32 has another polynomial. Threads: safe.
 * Source: RFC 3720 appendix B.4 (whose vectors test_crc32c uses).
 */
#ifndef TSCOPE_RECORD_CRC32C_H
#define TSCOPE_RECORD_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* Extends crc by the bytes; crc is 0 at the beginning, else the result for the bytes before. data may be NULL if len is 0. */
uint32_t ts_crc32c(uint32_t crc, const void *data, size_t len);
/* The same without the processor's instruction, for processors that have none. */
uint32_t ts_crc32c_portable(uint32_t crc, const void *data, size_t len);

#endif
