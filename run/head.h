/* head.h - the root object of a run: its facts and the index of each rank.
 *
 * The id of the head is the id of the run. It holds what the source said, never what we inferred: the same input gives
 * the same id under every version of tscope that writes this format.
 */
#ifndef TSCOPE_RUN_HEAD_H
#define TSCOPE_RUN_HEAD_H

#include "run/fact.h"
#include "run/kind.h"

/* The rank of what belongs to the job and not to one rank (files beside the rank directories). */
enum { TS_RANK_JOB = -1 };

struct ts_rank_ref {
	int32_t rank; /* ascending, each once */
	struct ts_id index;
};

struct ts_head {
	struct ts_facts facts; /* sorted */
	struct ts_id groups
		[TS_GROUPS]; /* digest of the group's effective facts (path, type, value); all zero if it has none */
	struct ts_rank_ref *ranks;
	size_t n_ranks;
};

/* Fills head->groups from head->facts. */
void ts_head_digest_groups(struct ts_head *head);

/* TS_TOO_LARGE unless that many ranks, the job counted, have room in a head beside these facts; the text says how many have, and
 * which groups of facts are large. Without facts TS_RANKS_MAX have. */
enum ts_status ts_head_check_room(const struct ts_facts *facts, size_t n_ranks, struct ts_error *err);

/* Appends the whole object (frame included). TS_TOO_LARGE over TS_HEAD_MAX, as ts_head_check_room says it. Facts are sorted,
 * TS_FACT_LONG ones already have text_id. */
enum ts_status ts_head_encode(const struct ts_head *head, struct ts_buf *out, struct ts_error *err);

/* Everything that is not canonical (order, duplicate, unknown type, trailing bytes, wrong group digest) is TS_DAMAGED with
 * the byte offset. Spans point into object, which must outlive the head; arrays lie in the arena. */
enum ts_status ts_head_decode(struct ts_span object, struct ts_arena *arena, struct ts_head *ret_head,
			      struct ts_error *err);

/* The chunk object of a long text (or of part of a file). */
void ts_chunk_encode(struct ts_span bytes, struct ts_buf *out);

#endif
