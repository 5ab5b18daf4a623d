/* shape_repro.c - the tables of the gate of reproducibility and of golden records (analysis/determinism/repro.h), JSON alone. */
#include "analysis/determinism/repro.h"
#include "proto/shape/shape_rows.h"

static const char *proof_word(int proof)
{
	return ts_proof_word((enum ts_proof)proof);
}

static const struct ts_shape_words proofs = {TS_PROOF_GREEN, TS_PROOF_UNPROVED, TS_PROOF_GREEN, .word = proof_word};

#define TYPE struct ts_golden_pair
static const struct ts_shape_field pair_rows[] = {
	{NULL, "name", BYTES(name, 0)},
	{NULL, "value", BYTES(value, 0)},
};
static const struct ts_shape pair_shape = {JSON_SHAPE("fact_text", pair_rows)};
#undef TYPE

#define TYPE struct ts_golden_accepted
static const struct ts_shape_field accepted_rows[] = {
	{NULL, "by", BYTES(by, 0), OR_NULL},
	{NULL, "at", BYTES(at, 0), OR_NULL},
	{NULL, "why", BYTES(why, 0), OR_NULL},
	{NULL, "run", BYTES(run, 0), OR_NULL},
};
static const struct ts_shape accepted_shape = {JSON_SHAPE("acceptance", accepted_rows)};
#undef TYPE

#define TYPE struct ts_golden_series
static const struct ts_shape_field series_rows[] = {
	{NULL, "name", BYTES(name, 0)},
	{NULL, "is_digest", BOOL(digest)},
	{NULL, "value_count", SIZE(n)},
};
static const struct ts_shape series_shape = {JSON_SHAPE("golden_series", series_rows)};
#undef TYPE

#define TYPE struct ts_golden
static const struct ts_shape_field golden_rows[] = {
	{NULL, "accepted", MANY(accepted, n_accepted, accepted_shape, 0), ABOUT("the newest last")},
	{NULL, "facts", MANY(facts, n_facts, pair_shape, 0)},
	{NULL, "series", MANY(series, n, series_shape, 0)},
};
const struct ts_shape ts_shape_golden = {JSON_SHAPE("golden", golden_rows)};
#undef TYPE

#define TYPE struct ts_repro_gate
static const struct ts_shape_field gate_rows[] = {
	{NULL, "proof", ENUM(proof, proofs)},
	{NULL, "sentence", BYTES(sentence, 0)},
};
static const struct ts_shape gate_shape = {JSON_SHAPE("repro_gate", gate_rows)};
#undef TYPE

#define TYPE struct ts_profile
static const struct ts_shape_field profile_rows[] = {
	{NULL, "name", STRING(name)},
	{NULL, "holds", STRING(holds), ABOUT("what green means")},
	{NULL, "misses", STRING(misses), ABOUT("what it could miss")},
};
static const struct ts_shape profile_shape = {JSON_SHAPE("profile", profile_rows)};
#undef TYPE

#define TYPE struct ts_repro
static const struct ts_shape_field repro_rows[] = {
	{NULL, "proof", ENUM(proof, proofs)},
	{NULL, "sentence", BYTES(sentence, 0)},
	{NULL, "repeatability", ONE(gates[TS_REPRO_REPEATABILITY], gate_shape)},
	{NULL, "equivalence", ONE(gates[TS_REPRO_EQUIVALENCE], gate_shape)},
	{NULL, "replay", ONE(gates[TS_REPRO_REPLAY], gate_shape)},
	{NULL, "profile", PTR(profile, profile_shape)},
	{NULL, "run_count", U64(runs), ABOUT("runs of one recipe that were made here")},
	{NULL, "asked_step_count", U64(steps)},
	{NULL, "golden", BYTES(golden, 0), OR_NULL, ABOUT("the file")},
	{NULL, "accepted", ONE(accepted, accepted_shape), ABOUT("who accepted the golden record last, and why")},
	{NULL, "facts", MANY(facts, n_facts, pair_shape, 0), ABOUT("host, devices and libraries of the first run")},
	{NULL, "golden_facts", MANY(other, n_other, pair_shape, 0), ABOUT("those of the golden record that differ from these")},
	{NULL, "not_controlled", LIST(BYTES, open, n_open, 0), ABOUT("by the catalog of check-determinism")},
	{NULL, "directory", BYTES(directory, 0), OR_NULL, ABOUT("where the runs are")},
};
const struct ts_shape ts_shape_repro = {JSON_SHAPE("repro", repro_rows)};
#undef TYPE
