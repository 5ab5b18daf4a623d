/* test_again.h - for tests and the fuzzer: every message, unpacked and packed again. */
#ifndef TSCOPE_PROTO_TEST_AGAIN_H
#define TSCOPE_PROTO_TEST_AGAIN_H

#include "proto/wire.h"

struct test_message {
	const char *name;
	/* Unpacks in, packs what came of it to out. */
	enum ts_status (*again)(struct ts_span in, struct ts_arena *arena, struct ts_buf *out, struct ts_error *err);
	struct ts_span vector; /* of test_vectors.h */
};

extern const struct test_message test_messages[];
extern const size_t test_n_messages;

#endif
