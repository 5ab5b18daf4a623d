/* shape_bisected.c - the tables of a search among versions (analysis/answer/bisected.h), JSON alone. */
#include "analysis/answer/bisected.h"
#include "proto/shape/shape_rows.h"

#define TYPE struct ts_bisected_run
static const struct ts_shape_field run_rows[] = {
	{NULL, "number", U64(number)},
	{NULL, "version", U64(version), ABOUT("1 is the first behind the good one")},
	{NULL, "name", BYTES(name, 0)},
	{NULL, "judged", BYTES(judged, 0), ABOUT("good, bad, skipped or unclear")},
	{NULL, "evidence", F64(evidence), ABOUT("of bad, as a logarithm of likelihoods")},
	{NULL, "value", F64(value), ABOUT("what the judge measured")},
	{NULL, "problem", BYTES(problem, 0), OR_NULL},
	{NULL, "folder", BYTES(folder, 0), OR_NULL},
	{NULL, "took_s", F64(seconds)},
};
static const struct ts_shape run_shape = {JSON_SHAPE("bisected_run", run_rows)};
#undef TYPE

#define TYPE struct ts_bisected
static const struct ts_shape_field bisected_rows[] = {
	{NULL, "sentence", BYTES(sentence, 0)},
	{NULL, "found", BOOL(found)},
	{NULL, "first", BYTES(first, 0), ABOUT("the first bad version is one from first to last")},
	{NULL, "last", BYTES(last, 0)},
	{NULL, "subject", BYTES(subject, 0), OR_NULL, ABOUT("of the commit")},
	{NULL, "chance_ratio", F64(chance), ABOUT("of this answer, by the posterior")},
	{NULL, "version_count", U64(versions)},
	{NULL, "judged", MANY(judged, n_judged, run_shape, 0)},
	{NULL, "run_count", U64(runs)},
	{NULL, "took_s", F64(seconds)},
};
const struct ts_shape ts_shape_bisected = {JSON_SHAPE("bisect", bisected_rows)};
#undef TYPE
