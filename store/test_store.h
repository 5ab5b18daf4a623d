/* test_store.h - objects to push and engines to push them to, for the tests of store/. */
#ifndef TSCOPE_STORE_TEST_STORE_H
#define TSCOPE_STORE_TEST_STORE_H

#include "store/engine.h"
#include "store/test_lease.h"

enum { TEST_HEAD = 1, TEST_INDEX = 2, TEST_BLOCK = 4, TEST_LATER = 1000 };

/* A block of n words that depend on seed; noisy ones do not compress. */
struct ts_sealed test_block(struct ts_arena *arena, uint64_t seed, size_t n, bool noisy);
/* An object of bytes that refers to others; objects with different tags differ. */
struct ts_sealed test_node(struct ts_arena *arena, uint8_t kind, const struct ts_sealed *children, size_t n, uint64_t tag);
/* A head, an index under it and n_blocks blocks: objects[0] is the head; returns how many there are (n_blocks + 2). */
size_t test_run(struct ts_arena *arena, uint64_t seed, size_t n_blocks, struct ts_sealed *objects);

struct ts_ref_update test_update(enum ts_ref_kind kind, const char *name, const struct ts_id *id, int64_t now_ns);
enum ts_status test_commit(struct ts_engine *e, const struct ts_ref_update *update);
enum ts_status test_extract(struct ts_engine *e, const struct ts_id *id, const struct ts_extract *extract, struct ts_error *err);
/* Puts the objects and commits the first under the name; asserts that it works. */
void test_push(struct ts_engine *e, const char *name, const struct ts_sealed *objects, size_t n, int64_t now_ns);

/* The first makes a fresh directory; the second removes a directory with all files in it. */
void test_make_dir(char *out, size_t size);
void test_remove_dir(const char *path);
/* Makes of a closed store one of an older format, without a superblock, after `change` (NULL: none) has taken from it what that
 * lacked. */
struct MDB_txn;
void test_make_old(const char *dir, uint64_t format, int (*change)(struct MDB_txn *txn));
/* Verifies as whoever knows what the objects mean, and finds them sound or not. */
enum ts_status test_verify(struct ts_engine *e, bool only_new, bool sound, struct ts_arena *arena, struct ts_verify_report *ret_report,
			   struct ts_error *err);
/* Sweeps with these members of struct ts_sweep_options; those that are not given are 0. */
#define TEST_SWEEP(e, ret_report, err, ...) (e)->ops->sweep((e), &(struct ts_sweep_options){__VA_ARGS__}, (ret_report), (err))
/* Deletes all objects that no ref reaches: sweeps with leases of no length, at a time just after now. */
enum ts_status test_sweep_now(struct ts_engine *e, struct ts_sweep_report *ret_report);

#endif
