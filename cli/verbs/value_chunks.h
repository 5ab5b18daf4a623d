/* value_chunks.h - numbers and texts for the Python package, through a descriptor of their own: chunks, each a number of bytes (uint32)
 * and so many bytes; the number 0xFFFFFFFF stands for an error in the midst, whose length and text follow. Little-endian.
 */
#ifndef TSCOPE_CLI_VERBS_VALUE_CHUNKS_H
#define TSCOPE_CLI_VERBS_VALUE_CHUNKS_H

#include "base/arena.h"
#include "base/buf.h"

#include <pthread.h>

/* Where values go, and who says what they are: say takes the JSON. */
struct ts_value_stream {
	int fd;
	pthread_mutex_t *lock; /* held from the JSON to the last byte, so that the order of both is the same */
	void (*say)(void *ctx, const struct ts_buf *json);
	void *ctx;
};

/* n: below UINT32_MAX. */
enum ts_status ts_value_chunk(int fd, const void *data, size_t n, struct ts_error *err);
/* A chunk of their lengths (uint64) and one of their bytes; arena: for both. */
enum ts_status ts_value_texts(int fd, const struct ts_span *texts, size_t n, struct ts_arena *arena, struct ts_error *err);
/* Where nobody reads any more, there is nobody to be told. */
void ts_value_error(int fd, const struct ts_error *error);

#endif
