#include "run/role.h"

#include "base/buf.h"
#include "base/text.h"

enum { WHAT_MAX = 16 }; /* "role", "when" */

struct rule {
	const char *pattern; /* a glob pattern that is matched against the name as fold() returns it */
	enum ts_role role;
};

/* This is version 5 of the table. The first rule that matches decides. Rules for a cost at the end of a name come
 * before rules for what the name measures (loss_ms is a time). A change here requires a new TS_ROLE_TABLE_VERSION. */
static const struct rule column_rules[] = {
	{"timestamp", TS_ROLE_OBSERVATION}, {"segment", TS_ROLE_OBSERVATION}, /* records of how a run was restarted */
	{"phases.*", TS_ROLE_OBSERVATION},  {"regions.*", TS_ROLE_OBSERVATION},
	{"memory.*", TS_ROLE_OBSERVATION},  {"digests.*", TS_ROLE_TRAJECTORY},
	{"samples", TS_ROLE_TRAJECTORY},    {"tokens", TS_ROLE_TRAJECTORY},
	{"epoch", TS_ROLE_TRAJECTORY},	    {"tags", TS_ROLE_TRAJECTORY},
	{"tags.*", TS_ROLE_TRAJECTORY},	    {NULL, TS_ROLE_UNKNOWN},
};

/* These rules match the last component of scalars.*, in lower case, with '-', '/' and '.' as '_'. */
static const struct rule scalar_rules[] = {
	{"step_time", TS_ROLE_OBSERVATION},
	{"*_time", TS_ROLE_OBSERVATION},
	{"*_ms", TS_ROLE_OBSERVATION},
	{"runtime", TS_ROLE_OBSERVATION},
	{"*_runtime", TS_ROLE_OBSERVATION}, /* train_runtime of Hugging Face */
	{"*_seconds", TS_ROLE_OBSERVATION},
	{"throughput", TS_ROLE_OBSERVATION},
	{"*_throughput", TS_ROLE_OBSERVATION},
	{"tokens_per_sec*", TS_ROLE_OBSERVATION},
	{"*_tokens_per_sec*", TS_ROLE_OBSERVATION},
	{"samples_per_sec*", TS_ROLE_OBSERVATION},
	{"*_samples_per_sec*", TS_ROLE_OBSERVATION},
	{"steps_per_sec*", TS_ROLE_OBSERVATION},
	{"*_steps_per_sec*", TS_ROLE_OBSERVATION},
	{"tps", TS_ROLE_OBSERVATION},
	{"mfu", TS_ROLE_OBSERVATION},
	{"hfu", TS_ROLE_OBSERVATION},
	{"tflops", TS_ROLE_OBSERVATION},
	{"gpu_util*", TS_ROLE_OBSERVATION},
	{"*_memory", TS_ROLE_OBSERVATION},
	{"eta", TS_ROLE_OBSERVATION},
	{"eta_*", TS_ROLE_OBSERVATION}, /* eta_seconds, eta_min */
	{"it_s", TS_ROLE_OBSERVATION},
	{"*_it_s", TS_ROLE_OBSERVATION},
	{"iter_s", TS_ROLE_OBSERVATION},
	{"its_per_sec*", TS_ROLE_OBSERVATION},
	{"*_per_sec", TS_ROLE_OBSERVATION},
	{"*_per_second", TS_ROLE_OBSERVATION},
	{"data_wait*", TS_ROLE_OBSERVATION},
	{"*_wait", TS_ROLE_OBSERVATION},
	{"wait_*", TS_ROLE_OBSERVATION},
	{"elapsed*", TS_ROLE_OBSERVATION},
	{"wall", TS_ROLE_OBSERVATION},
	{"wall_*", TS_ROLE_OBSERVATION},
	{"sec_per_*", TS_ROLE_OBSERVATION}, /* sec_per_it */
	{"*_per_s", TS_ROLE_OBSERVATION},
	{"tok_s", TS_ROLE_OBSERVATION},
	{"tokens_s", TS_ROLE_OBSERVATION},
	{"samples_s", TS_ROLE_OBSERVATION},
	{"images_s", TS_ROLE_OBSERVATION},
	{"loss", TS_ROLE_TRAJECTORY},
	{"*_loss", TS_ROLE_TRAJECTORY},
	{"loss_*", TS_ROLE_TRAJECTORY},
	{"grad_norm", TS_ROLE_TRAJECTORY},
	{"*_grad_norm", TS_ROLE_TRAJECTORY},
	{"gradient_norm", TS_ROLE_TRAJECTORY},
	{"*_gradient_norm", TS_ROLE_TRAJECTORY},
	{"lr", TS_ROLE_TRAJECTORY},
	{"*_lr", TS_ROLE_TRAJECTORY},
	{"learning_rate", TS_ROLE_TRAJECTORY},
	{"*_learning_rate", TS_ROLE_TRAJECTORY},
	{"accuracy", TS_ROLE_TRAJECTORY},
	{"*_accuracy", TS_ROLE_TRAJECTORY},
	{"acc", TS_ROLE_TRAJECTORY},
	{"acc_*", TS_ROLE_TRAJECTORY},
	{"*_acc", TS_ROLE_TRAJECTORY},
	{"*_acc_*", TS_ROLE_TRAJECTORY},
	{"perplexity", TS_ROLE_TRAJECTORY},
	{"*_perplexity", TS_ROLE_TRAJECTORY},
	{"ppl", TS_ROLE_TRAJECTORY},
	{"epoch", TS_ROLE_TRAJECTORY},
	{"samples", TS_ROLE_TRAJECTORY},
	{"tokens", TS_ROLE_TRAJECTORY},
	{"eval_*", TS_ROLE_TRAJECTORY}, /* of an evaluation, whatever it is called there: what it cost stands above */
	{"val_*", TS_ROLE_TRAJECTORY},
	{"valid_*", TS_ROLE_TRAJECTORY},
	{"validation_*", TS_ROLE_TRAJECTORY},
	{"test_*", TS_ROLE_TRAJECTORY},
	{NULL, TS_ROLE_UNKNOWN},
};

/* Objects of a record beside "scalars" that an evaluation is written to: eval.ema_loss is as scalars.eval_ema_loss. */
static const char *const evaluations[] = {"eval.", "val.", "valid.", "validation.", "test."};

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
	for (size_t i = 0; i < sizeof evaluations / sizeof evaluations[0]; i++)
		if (ts_span_starts(column, ts_span_str(evaluations[i])))
			return true;
	return false;
}

static enum ts_role role_by_name(struct ts_span column)
{
	uint8_t folded[TS_PATH_MAX];
	enum ts_role role;

	if (ts_span_starts(column, ts_span_str("scalars.")))
		return match(scalar_rules, ts_column_leaf(column, folded));
	if (!is_evaluation(column))
		return match(column_rules, column);
	role = match(scalar_rules, ts_column_leaf(column, folded));
	return role == TS_ROLE_UNKNOWN ? TS_ROLE_TRAJECTORY : role;
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

	if (facts && (parse_role(declared(column, true, facts, "role"), &role) ||
		      parse_role(declared(column, false, facts, "role"), &role)))
		return role;
	return role_by_name(column);
}

const char *ts_role_name(enum ts_role role)
{
	switch (role) {
	case TS_ROLE_TRAJECTORY:
		return "trajectory";
	case TS_ROLE_OBSERVATION:
		return "observation";
	case TS_ROLE_UNKNOWN:
		break;
	}
	return "unknown";
}

struct ts_span ts_column_said(struct ts_span column)
{
	struct ts_span name = column;

	return ts_span_skip(&name, "scalars.") && name.len ? name : column;
}
