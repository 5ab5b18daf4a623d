/* why_record.h - what goes into a run beside its settings and its code, as its record has it: variables of the environment and files by
 * their digests, packages, the machine. What of it is another in a second record, and what a record lacks for telling.
 *
 *	ts_why_record_lacks(&facts)			what it lacks, or NULL
 *	ts_why_apart(&recorded, &rerun, ..., &things)	what B had and its rerun has not
 *
 * Pure: long texts are loaded before (ts_why_record_load).
 */
#ifndef TSCOPE_CLI_WHY_WHY_RECORD_H
#define TSCOPE_CLI_WHY_WHY_RECORD_H

#include "cli/core/context.h"
#include "run/fact.h"

enum ts_why_part { TS_WHY_VARIABLE, TS_WHY_FILE, TS_WHY_PACKAGE, TS_WHY_PLACE, TS_WHY_PARTS };

struct ts_why_thing {
	enum ts_why_part part;
	struct ts_span name;
	bool in[2]; /* the first record has it, the second has it; both: with another value or digest */
};

struct ts_why_things {
	struct ts_why_thing *items;
	size_t n;
};

/* Loads the lists that are so long that they are objects of their own. */
enum ts_status ts_why_record_load(struct ts_cli *cli, struct ts_facts *facts, struct ts_error *err);

/* What a record lacks for knowing all that goes into the run: "the environment", ...; NULL: nothing that tscope records. */
const char *ts_why_record_lacks(const struct ts_facts *facts);

/* What differs between two records. Files that only one of both read are named where they are not words of its command, since
 * the command of a rerun names its own. Environments under two keys are not compared, and neither is what one of both lacks. */
enum ts_status ts_why_apart(const struct ts_facts *a, const struct ts_facts *b, struct ts_arena *arena, struct ts_why_things *ret,
			    struct ts_error *err);

/* Are digests of both environments made with one key? */
bool ts_why_comparable(const struct ts_facts *a, const struct ts_facts *b);

/* "the variable LAB_GAIN", for people. */
const char *ts_why_thing_text(const struct ts_why_thing *thing, struct ts_arena *arena);

/* The line of a sorted list of "NAME DIGEST\n" that has this name, without the name; empty: none has. */
struct ts_span ts_why_digest_of(struct ts_span list, struct ts_span name);

#endif
