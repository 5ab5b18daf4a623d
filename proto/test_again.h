/* test_again.h - unpacks every message and packs it again, for tests and the fuzzer. */
#ifndef TSCOPE_PROTO_TEST_AGAIN_H
#define TSCOPE_PROTO_TEST_AGAIN_H

#include "proto/wire.h"

struct test_message {
	const char *name;
	/* Unpacks in, and packs the result to out. */
	enum ts_status (*again)(struct ts_span in, struct ts_arena *arena, struct ts_buf *out, struct ts_error *err);
	struct ts_span vector; /* a message in test_vectors.h */
};

extern const struct test_message test_messages[];
extern const size_t test_n_messages;

#endif
