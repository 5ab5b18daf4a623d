/* shape_bound.c - of an analysis: what the run is bound by, and what to try. */
#include "analysis/rules/bound.h"
#include "proto/shape/shape_rows.h"
#include "proto/shape/shape_wire.h"

WORD_OF(bound_word, enum ts_bound_kind, ts_bound_word);
static const struct ts_shape_words bounds = {TS_BOUND_UNKNOWN, TS_BOUND_STALLS, TS_BOUND_UNKNOWN, .word = bound_word, .newer = true};

#define TYPE struct ts_bound_share
static bool is_unknown(const void *in)
{
	return !((const TYPE *)in)->known;
}

static const struct ts_shape_field share_rows[] = {
	{"kind", "kind", ENUM(kind, bounds)},
	{"share", "share_ratio", F64(share), HAS(known)},
	{"reason", "reason", BYTES(reason, TS_WIRE_TEXT_MAX), OR_NULL, WHEN(is_unknown)},
};
static const struct ts_shape share_shape = {SHAPE("share", bound_share, share_rows)};
#undef TYPE

#define TYPE struct ts_fix
static const struct ts_shape_field fix_rows[] = {
	{"name", "name", BYTES(name, TS_WIRE_TEXT_MAX)},
	{"how", "how", BYTES(how, TS_WIRE_TEXT_MAX)},
	{"of", "of", ENUM(of, bounds)},
	{"wins_most_ratio", "wins_most_ratio", F64(wins_most_ratio)},
	{"effort", "effort", U32(effort), BOUNDS(1, 3)},
	{"costs", "costs", BYTES(costs, TS_WIRE_TEXT_MAX), OR_NULL},
	{"source", "source", BYTES(source, TS_WIRE_TEXT_MAX), OR_NULL, ABOUT("a paper or a document")},
};
static const struct ts_shape fix_shape = {SHAPE("fix", fix, fix_rows)};
#undef TYPE

#define TYPE struct ts_to_check
static const struct ts_shape_field to_check_rows[] = {
	{"name", "name", BYTES(name, TS_WIRE_TEXT_MAX)},
	{"how", "how", BYTES(how, TS_WIRE_TEXT_MAX)},
	{"check", "check", BYTES(check, TS_WIRE_TEXT_MAX), ABOUT("what would tell whether it helps, in one line")},
	{"of", "of", ENUM(of, bounds)},
	{"effort", "effort", U32(effort), BOUNDS(1, 3)},
	{"costs", "costs", BYTES(costs, TS_WIRE_TEXT_MAX), OR_NULL},
	{"source", "source", BYTES(source, TS_WIRE_TEXT_MAX), OR_NULL, ABOUT("a paper or a document")},
};
static const struct ts_shape to_check_shape = {SHAPE("to_check", to_check, to_check_rows)};
#undef TYPE

#define TYPE struct ts_memory_fix
static const struct ts_shape_field memory_fix_rows[] = {
	{"name", "name", BYTES(name, TS_WIRE_TEXT_MAX)},
	{"how", "how", BYTES(how, TS_WIRE_TEXT_MAX)},
	{"costs", "costs", BYTES(costs, TS_WIRE_TEXT_MAX), OR_NULL},
	{"source", "source", BYTES(source, TS_WIRE_TEXT_MAX), OR_NULL, ABOUT("a paper or a document")},
	{"saves_most", "saves_most_bytes", F64(saves_most), ABOUT("at the peak")},
	{"effort", "effort", U32(effort), BOUNDS(1, 3)},
};
const struct ts_shape ts_shape_memory_fix = {SHAPE("memory_fix", memory_fix, memory_fix_rows)};
#undef TYPE

#define TYPE struct ts_bound
/* Writes the shares of one kind; without timing there are none. */
static void json_shares(struct ts_shape_writer *w, const void *in)
{
	const TYPE *bound = in;

	ts_json_array(w->json);
	for (size_t i = 0; i < sizeof bound->shares / sizeof bound->shares[0]; i++)
		if (bound->shares[i].kind != TS_BOUND_UNKNOWN)
			w->status = ts_shape_json(&share_shape, &bound->shares[i], w->json, w->arena, w->err);
	ts_json_end(w->json);
}

static const struct ts_shape_own shares_own = {
	.json = json_shares,
	.schema =
		"{\"type\": \"array\", \"description\": \"of wall time; empty where there is no timing; reason: why one is not "
		"known\", \"items\": {\"type\": \"object\", \"properties\": {\"kind\": {\"enum\": [\"input\", \"compute\", "
		"\"communication\", \"wait\", \"host\"]}, \"share_ratio\": {\"anyOf\": [{\"$ref\": \"#/$defs/real\"}, {\"type\": "
		"\"null\"}]}, \"reason\": {\"anyOf\": [{\"type\": \"string\"}, {\"type\": \"null\"}]}}, \"required\": [\"kind\", "
		"\"share_ratio\", \"reason\"], \"additionalProperties\": false}}",
};
static const struct ts_shape shares_shape = {OWN_JSON("shares", shares_own)};

static const struct ts_shape_field bound_rows[] = {
	{"kind", "kind", ENUM(kind, bounds)},
	{"sentence", "sentence", BYTES(sentence, TS_WIRE_TEXT_MAX), OR_NULL},
	{"shares", NULL, FIXED(ONE, shares), OF(share_shape)},
	{NULL, "shares", HERE(shares_shape)},
	{"fixes", "fixes", MANY(fixes, n_fixes, fix_shape, ENTRIES(2)),
	 ABOUT("in the order in which to try them; wins_most_ratio: of wall time, as something measured bounds it; effort: 1 a flag, 2 "
	       "a few lines, "
	       "3 a change of the model or the job")},
	{"worth_checking", "worth_checking", MANY(to_check, n_to_check, to_check_shape, ENTRIES(2)),
	 ABOUT("fixes of which the record does not show whether they help, or how much, in the same order")},
	{"unknowns", "unknowns", LIST(BYTES, unknowns, n_unknowns, ENTRIES(2)), MAX(TS_WIRE_TEXT_MAX),
	 ABOUT("what cannot be told from this run")},
	{"memory", "memory", BYTES(memory.sentence, TS_WIRE_TEXT_MAX), OR_NULL,
	 ABOUT("whether memory limits the run, by a memory snapshot; null: not known")},
	{"memory_fixes", "memory_fixes", MANY(memory.fixes, memory.n_fixes, ts_shape_memory_fix, ENTRIES(2)),
	 ABOUT("what saves most at the peak first")},
};
const struct ts_shape ts_shape_bound = {SHAPE("bound", bound_verdict, bound_rows), .about = "what the run is bound by"};
#undef TYPE
