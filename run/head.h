/* head.h - the root object of a run: its facts and the index of each rank.
 *
 * The id of the head is the id of the run. The head holds what the source said and nothing that tscope inferred: the same
 * input gives the same id under every version of tscope that writes this format.
 */
#ifndef TSCOPE_RUN_HEAD_H
#define TSCOPE_RUN_HEAD_H

#include "run/fact.h"
#include "run/kind.h"

/* The rank number for what belongs to the whole job and not to one rank (files beside the rank directories). */
enum { TS_RANK_JOB = -1 };

struct ts_rank_ref {
	int32_t rank; /* ascending, each once */
	struct ts_id index;
};

struct ts_head {
	struct ts_facts facts; /* sorted */
	struct ts_id groups
		[TS_GROUPS]; /* digest of the group's effective facts (path, type, value); all zero if the group has none */
	struct ts_rank_ref *ranks;
	size_t n_ranks;
};

/* Fills head->groups from head->facts. */
enum ts_status ts_head_digest_groups(struct ts_head *head, struct ts_error *err);

/* TS_TOO_LARGE unless a head with these facts has room for n_ranks ranks, with the job as one of them. The text says how many
 * have room, and which groups of facts are large. No head has more than TS_RANKS_MAX. */
enum ts_status ts_head_check_room(const struct ts_facts *facts, size_t n_ranks, struct ts_error *err);

/* Appends the whole object (frame included). TS_TOO_LARGE for more than TS_HEAD_MAX bytes, as by ts_head_check_room. Facts
 * are sorted, and those of type TS_FACT_LONG already have their text_id. */
enum ts_status ts_head_encode(const struct ts_head *head, struct ts_buf *out, struct ts_error *err);

/* Decodes a head. Whatever is not canonical (order, duplicates, unknown types, trailing bytes, wrong group digests) is
 * TS_DAMAGED with the byte offset. Spans point into object, which must outlive the head; arrays lie in the arena. */
enum ts_status ts_head_decode(struct ts_span object, struct ts_arena *arena, struct ts_head *ret_head,
			      struct ts_error *err);

/* Appends the chunk object of a long text, or of a part of a file. */
void ts_chunk_encode(struct ts_span bytes, struct ts_buf *out);

#endif
