/* fault.h - runs that follow from a number, what acknowledges them, and the check that what was acknowledged is there. */
#ifndef TSCOPE_TESTS_FAULT_FAULT_H
#define TSCOPE_TESTS_FAULT_FAULT_H

#include "store/engine.h"

#include <sys/types.h>

enum { FAULT_ACK_FD = 3, FAULT_ACK = 8 + TS_ID_BYTES };

/* Pushes run `number` under its name p/NUMBER: a head, an index and some blocks, one of them shared by all runs. */
enum ts_status fault_push(struct ts_engine *e, uint64_t number, struct ts_arena *arena, struct ts_id *ret_id,
			  struct ts_error *err);

/* With each fourth number appends the run to a branch, and retires what is old there. */
enum ts_status fault_history(struct ts_engine *e, uint64_t number, const struct ts_id *id, struct ts_arena *arena,
			     struct ts_error *err);

/* Stores up to 200 small objects that no name reaches, others for each number. */
enum ts_status fault_litter(struct ts_engine *e, uint64_t number, size_t n, struct ts_arena *arena, struct ts_error *err);

/* Every acknowledgement of n bytes of them names a ref that is there, with that id, and a verify of the whole store is clean.
 * Returns NULL, or what is wrong. */
const char *fault_check(const char *dir, const uint8_t *acks, size_t n, struct ts_store_stats *ret_stats);

/* Starts a program; env NULL is ours. Its descriptor 3 is ack_fd. -1 on failure. */
pid_t fault_spawn(const char *const *argv, const char *const *env, int ack_fd);

#endif
