#include "run/role.h"

#include "base/buf.h"
#include "base/door.h"
#include "base/text.h"
#include "base/words.h"
#include "run/meaning.h"
#include "run/role_words.h"

enum { WHAT_MAX = 16 }; /* "role", "when" */

struct rule {
	const char *pattern; /* a glob pattern */
	enum ts_role role;
};

/* This is version 6 of the table. The first rule that matches decides; of other names, their words (role_words.h). A change here
 * requires a new TS_ROLE_TABLE_VERSION. */
static const struct rule column_rules[] = {
	{"timestamp", TS_ROLE_OBSERVATION}, {"segment", TS_ROLE_OBSERVATION}, /* records of how a run was restarted */
	{"phases.*", TS_ROLE_OBSERVATION},  {"regions.*", TS_ROLE_OBSERVATION},
	{"memory.*", TS_ROLE_OBSERVATION},  {"digests.*", TS_ROLE_TRAJECTORY},
	{"samples", TS_ROLE_TRAJECTORY},    {"tokens", TS_ROLE_TRAJECTORY},
	{"epoch", TS_ROLE_TRAJECTORY},	    {"tags", TS_ROLE_TRAJECTORY},
	{"tags.*", TS_ROLE_TRAJECTORY},	    {NULL, TS_ROLE_UNKNOWN},
};

/* Objects of a record beside "scalars" that an evaluation is written to, and how its scalars begin: eval.ema_loss is as
 * scalars.eval_ema_loss. */
static const char *const evaluations[] = {"eval.", "val.", "valid.", "validation.", "test."};
static const char *const evaluation_globs[] = {"eval_*", "val_*", "valid_*", "validation_*", "test_*"};

static enum ts_role match(const struct rule *rules, struct ts_span name)
{
	for (; rules->pattern; rules++)
		if (ts_glob(ts_span_str(rules->pattern), name))
			return rules->role;
	return TS_ROLE_UNKNOWN;
}

/* Returns the position at which the last key of an escaped path begins. */
static size_t last_key(struct ts_span path)
{
	size_t start = 0;

	for (size_t i = 0; i < path.len; i++) {
		if (path.data[i] == '\\')
			i++;
		else if (path.data[i] == '.')
			start = i + 1;
	}
	return start;
}

static struct ts_span fold(struct ts_span key, uint8_t *out)
{
	size_t n = 0;

	for (size_t i = 0; i < key.len; i++) {
		uint8_t c = key.data[i];

		if (c == '\\' && i + 1 < key.len)
			c = key.data[++i];
		if (c >= 'A' && c <= 'Z')
			c |= 32;
		out[n++] = c == '-' || c == '/' || c == '.' ? '_' : c;
	}
	return ts_span_of(out, n);
}

struct ts_span ts_column_leaf(struct ts_span column, uint8_t room[TS_PATH_MAX])
{
	size_t at = last_key(column);

	if (column.len - at > TS_PATH_MAX)
		return ts_span_of(room, 0);
	return fold(ts_span_of(column.data + at, column.len - at), room);
}

static bool is_evaluation(struct ts_span column)
{
	uint8_t room[TS_PATH_MAX];
	struct ts_span leaf = ts_column_leaf(column, room);

	for (size_t i = 0; i < sizeof evaluations / sizeof evaluations[0]; i++)
		if (ts_span_starts(column, ts_span_str(evaluations[i])) ||
		    (ts_span_starts(column, ts_span_str("scalars.")) && ts_glob(ts_span_str(evaluation_globs[i]), leaf)))
			return true;
	return false;
}

/* Whether the name says that the number is what the training minimizes. */
static bool is_minimized(struct ts_span column)
{
	enum ts_meaning meaning = ts_column_meaning(column);

	return meaning == TS_MEANS_LOSS || meaning == TS_MEANS_OBJECTIVE;
}

static enum ts_role role_by_name(struct ts_span column)
{
	enum ts_role role = match(column_rules, column);

	if (role == TS_ROLE_UNKNOWN)
		role = ts_role_by_words(ts_column_said(column));
	/* Whatever an evaluation measures is of the trajectory, and so is what is minimized; what it costs was found by its words. */
	if (role == TS_ROLE_UNKNOWN && (is_evaluation(column) || is_minimized(column)))
		role = TS_ROLE_TRAJECTORY;
	return role;
}

/* Finds "columns." <name> "." <what>. If escaped, the name is one key of the facts (as in {"scalars.loss": {"role":
 * ...}}); otherwise it is part of the path ({"scalars": {"loss": {"role": ...}}}). */
static const struct ts_fact *declared(struct ts_span column, bool escaped, const struct ts_facts *facts, const char *what)
{
	uint8_t path[2 * TS_PATH_MAX + 16 + WHAT_MAX];
	size_t n = strlen("columns.");

	if (column.len > TS_PATH_MAX)
		return NULL;
	memcpy(path, "columns.", n);
	for (size_t i = 0; i < column.len; i++) {
		if (escaped && memchr(".[]\\", column.data[i], 4))
			path[n++] = '\\';
		path[n++] = column.data[i];
	}
	path[n++] = '.';
	memcpy(path + n, what, strlen(what));
	return ts_facts_find(facts, ts_span_of(path, n + strlen(what)));
}

const struct ts_fact *ts_column_fact(const struct ts_facts *facts, struct ts_span column, const char *what)
{
	const struct ts_fact *fact;

	TS_DOOR(!facts || ts_facts_hold(facts));
	if (!facts || strlen(what) >= WHAT_MAX)
		return NULL;
	fact = declared(column, true, facts, what);
	return fact ? fact : declared(column, false, facts, what);
}

static bool parse_role(const struct ts_fact *fact, enum ts_role *ret_role)
{
	if (!fact || fact->type != TS_FACT_TEXT)
		return false;
	for (int i = TS_ROLE_UNKNOWN; i <= TS_ROLE_OBSERVATION; i++)
		if (ts_span_is(fact->text, ts_role_name((enum ts_role)i))) {
			*ret_role = (enum ts_role)i;
			return true;
		}
	return false;
}

enum ts_role ts_role_of(struct ts_span column, const struct ts_facts *facts)
{
	enum ts_role role;

	TS_DOOR(!facts || ts_facts_hold(facts));
	if (facts && (parse_role(declared(column, true, facts, "role"), &role) ||
		      parse_role(declared(column, false, facts, "role"), &role)))
		return role;
	return role_by_name(column);
}

TS_WORDS(ts_role_name, enum ts_role, "unknown", [TS_ROLE_UNKNOWN] = "unknown", [TS_ROLE_TRAJECTORY] = "trajectory",
	 [TS_ROLE_OBSERVATION] = "observation")

struct ts_span ts_column_said(struct ts_span column)
{
	struct ts_span name = column;

	return ts_span_skip(&name, "scalars.") && name.len ? name : column;
}

bool ts_column_is_loss_scale(struct ts_span column)
{
	return ts_words_name_loss_scale(ts_column_said(column));
}
