/* A part of the key is the digest of its rows in the order of their paths: path, 0, value as a person reads it, 0. A number has one
 * spelling, so that 32 and 32.0 are the same work. Two runs are compared by the same rows.
 */
#include "analysis/gate/workload.h"

#include "base/door.h"
#include "base/grow.h"
#include "base/limits.h"
#include "base/number.h"
#include "base/text.h"
#include "base/words.h"

#include <math.h>

static const char *const words[TS_WORKLOAD_PARTS] = {
	[TS_WORKLOAD_CONFIG] = "config",
	[TS_WORKLOAD_HARDWARE] = "hardware",
	[TS_WORKLOAD_PARALLELISM] = "parallelism",
	[TS_WORKLOAD_LIBRARIES] = "libraries",
};

static const char NAME[] = "work.workload";

const char *ts_workload_part_word(enum ts_workload_part part)
{
	return (size_t)part < TS_WORKLOAD_PARTS ? words[part] : TS_NEWER_WORD;
}

bool ts_workload_part_parse(struct ts_span word, enum ts_workload_part *ret_part)
{
	for (size_t i = 0; i < TS_WORKLOAD_PARTS; i++)
		if (ts_span_is(word, words[i])) {
			*ret_part = (enum ts_workload_part)i;
			return true;
		}
	return false;
}

/* --- which facts --- */

static bool says_something(const struct ts_fact *fact)
{
	return fact->type != TS_FACT_NULL && fact->type != TS_FACT_ABSENT && (fact->type != TS_FACT_TEXT || fact->text.len);
}

static bool is_gpu(struct ts_span path)
{
	return ts_span_is(path, "hardware.gpu") || ts_span_is(path, "hardware.gpu_count") ||
	       ts_glob(ts_span_str("hardware.gpus[*].name"), path) || ts_glob(ts_span_str("hardware.gpus[*].memory"), path) ||
	       ts_glob(ts_span_str("hardware.ranks[*].*"), path);
}

static bool is_processor(struct ts_span path)
{
	return ts_span_is(path, "hardware.processor") || ts_span_is(path, "hardware.machine") ||
	       ts_span_is(path, "hardware.cpu_count");
}

/* In a job without GPUs the processors are its devices. */
static bool has_gpu(const struct ts_facts *facts)
{
	for (size_t i = 0; i < facts->n; i++) {
		const struct ts_fact *fact = &facts->items[i];

		if (ts_fact_counts(facts, i) && is_gpu(fact->path) && says_something(fact) &&
		    (fact->type != TS_FACT_INT || fact->integer != 0))
			return true;
	}
	return false;
}

struct selection {
	const struct ts_facts *facts;
	struct ts_ignore ignore;
	bool gpu;
};

static struct selection select_from(const struct ts_facts *facts, struct ts_ignore ignore)
{
	return (struct selection){.facts = facts, .ignore = ignore, .gpu = has_gpu(facts)};
}

static bool is_of(const struct selection *s, enum ts_workload_part part, const struct ts_fact *fact)
{
	enum ts_group group;

	if (!ts_group_of(fact->path, &group))
		return false;
	switch (part) {
	case TS_WORKLOAD_CONFIG:
		return (group == TS_GROUP_CONFIG || group == TS_GROUP_DATA || group == TS_GROUP_WORK) && !ts_span_is(fact->path, NAME);
	case TS_WORKLOAD_HARDWARE:
		return s->gpu ? is_gpu(fact->path) : is_processor(fact->path);
	case TS_WORKLOAD_PARALLELISM:
		return group == TS_GROUP_PARALLELISM && !ts_span_is(fact->path, "parallelism.rank");
	case TS_WORKLOAD_LIBRARIES:
		return group == TS_GROUP_LIBRARIES || ts_span_is(fact->path, "hardware.gpus[0].driver");
	case TS_WORKLOAD_PARTS:
		break;
	}
	return false;
}

static bool counts(const struct selection *s, enum ts_workload_part part, size_t i)
{
	const struct ts_fact *fact = &s->facts->items[i];

	if (!ts_fact_counts(s->facts, i) || !is_of(s, part, fact) || !says_something(fact))
		return false;
	for (size_t k = 0; k < s->ignore.n; k++)
		if (ts_glob(s->ignore.globs[k], fact->path))
			return false;
	return true;
}

/* --- values --- */

/* Shortens "2.3.1+cu121" to 2, "0.4.1" to 0.4 and "v12" to 12; a text without a digit stays as it is. */
static struct ts_span major(struct ts_span text)
{
	size_t from = 0, to;

	while (from < text.len && !ts_is_digit(text.data[from]))
		from++;
	for (to = from; to < text.len && ts_is_digit(text.data[to]);)
		to++;
	if (from == to)
		return text;
	if (to == from + 1 && text.data[from] == '0' && to + 1 < text.len && text.data[to] == '.' && ts_is_digit(text.data[to + 1]))
		for (to++; to < text.len && ts_is_digit(text.data[to]);)
			to++;
	return ts_span_of(text.data + from, to - from);
}

static void print_value(enum ts_workload_part part, const struct ts_fact *fact, struct ts_buf *out)
{
	char hex[TS_ID_HEX + 1];
	size_t from = out->len;
	struct ts_span shorter;

	if (fact->type == TS_FACT_LONG)
		ts_buf_str(out, ts_id_hex(&fact->text_id, hex));
	else if (fact->type == TS_FACT_FLOAT && fact->real == floor(fact->real) && fabs(fact->real) < 1e15)
		ts_buf_printf(out, "%.0f", fact->real == 0 ? 0.0 : fact->real);
	else
		ts_fact_print(fact, out);
	if (part != TS_WORKLOAD_LIBRARIES || out->failed)
		return;
	shorter = major(ts_span_of(out->data + from, out->len - from));
	memmove(out->data + from, shorter.data, shorter.len);
	out->len = from + shorter.len;
}

/* --- the key --- */

static enum ts_status key_of(const struct selection *s, enum ts_workload_part part, struct ts_id *ret_key, struct ts_error *err)
{
	struct ts_buf rows = TS_BUF_INIT(TS_MESSAGE_MAX);
	enum ts_status status;

	*ret_key = (struct ts_id){{0}};
	for (size_t i = 0; i < s->facts->n; i++) {
		if (!counts(s, part, i))
			continue;
		ts_buf_span(&rows, s->facts->items[i].path);
		ts_buf_char(&rows, 0);
		print_value(part, &s->facts->items[i], &rows);
		ts_buf_char(&rows, 0);
	}
	status = ts_buf_check(&rows, err);
	if (!status && rows.len)
		ts_digest(ts_buf_view(&rows), ret_key);
	ts_buf_finish(&rows);
	return status;
}

/* True for facts that separate one allocation from the next: another job id on the same hosts is another allocation. */
static bool is_session(struct ts_span path)
{
	static const char *const jobs[] = {"slurm.SLURM_JOB_ID",	  "slurm.SLURM_ARRAY_JOB_ID", "slurm.SLURM_ARRAY_TASK_ID",
					   "slurm.SLURM_RESTART_COUNT",	  "slurm.SLURM_JOB_NODELIST", "ci.GITHUB_REPOSITORY",
					   "ci.GITHUB_RUN_ID",		  "ci.GITHUB_RUN_ATTEMPT",    "ci.GITHUB_JOB",
					   "ci.CI_PROJECT_PATH",	  "ci.CI_JOB_ID",	      "ci.BUILD_ID",
					   "ci.BUILD_NUMBER",		  "ci.JOB_NAME",	      "ci.BUILDKITE_BUILD_ID",
					   "ci.CIRCLE_BUILD_NUM"};
	struct ts_span prefix = ts_span_str("session."), rest;

	if (!ts_span_starts(path, prefix))
		return ts_glob(ts_span_str("hardware.gpus[*].uuid"), path);
	rest = ts_span_of(path.data + prefix.len, path.len - prefix.len);
	if (ts_span_is(rest, "host") || ts_glob(ts_span_str("hosts[*]"), rest) || ts_span_is(rest, "boot_id"))
		return true;
	for (size_t i = 0; i < sizeof jobs / sizeof jobs[0]; i++)
		if (ts_span_is(rest, jobs[i]))
			return true;
	return false;
}

static bool is_host(struct ts_span path)
{
	return ts_span_is(path, "session.host") || ts_span_is(path, "session.boot_id") ||
	       ts_glob(ts_span_str("session.hosts[*]"), path);
}

static enum ts_status session_of(const struct ts_facts *facts, struct ts_arena *arena, struct ts_span *ret, struct ts_error *err)
{
	struct ts_buf rows = TS_BUF_INIT(TS_MESSAGE_MAX);
	enum ts_status status;
	bool host = false;

	for (size_t i = 0; i < facts->n; i++) {
		const struct ts_fact *fact = &facts->items[i];

		if (!ts_fact_counts(facts, i) || !says_something(fact) || !is_session(fact->path))
			continue;
		host |= is_host(fact->path);
		ts_buf_span(&rows, fact->path);
		ts_buf_char(&rows, 0);
		print_value(TS_WORKLOAD_CONFIG, fact, &rows);
		ts_buf_char(&rows, 0);
	}
	status = ts_buf_check(&rows, err);
	*ret = ts_span_of(NULL, 0);
	if (!status && host) {
		char hex[TS_ID_HEX + 1];
		struct ts_id id;

		ts_digest(ts_buf_view(&rows), &id);
		*ret = ts_arena_span(arena, ts_span_str(ts_id_hex(&id, hex)));
		status = ret->data ? TS_OK : ts_arena_error(arena, err);
	}
	ts_buf_finish(&rows);
	return status;
}

/* --- labels --- */

enum { LABELS_MAX = 2048, LABEL_MAX = 255 /* bytes of a value: a host's name may have so many */ };

static bool names_host(struct ts_span path)
{
	return ts_span_is(path, "session.host") || ts_span_is(path, "session.hosts[0]");
}

/* Facts of the machine of the whole job, and of its first device, that can explain why it is slow. */
static bool is_label(struct ts_span path)
{
	static const char *const other[] = {"*.uuid", "*[*].uuid", "hardware.gpu_topology", "hardware.ranks*"};

	for (size_t i = 0; i < sizeof other / sizeof other[0]; i++)
		if (ts_glob(ts_span_str(other[i]), path))
			return false;
	if (names_host(path) || ts_span_is(path, "work.dtype"))
		return true;
	return ts_span_starts(path, ts_span_str("hardware.")) &&
	       (!ts_glob(ts_span_str("*[*"), path) || ts_span_starts(path, ts_span_str("hardware.gpus[0].")));
}

static bool one_line(struct ts_span value)
{
	for (size_t i = 0; i < value.len; i++)
		if (value.data[i] < ' ' || value.data[i] == 0x7f)
			return false;
	return value.len <= LABEL_MAX;
}

static void add_label(const struct ts_fact *fact, struct ts_buf *rows)
{
	size_t from = rows->len, value;

	ts_buf_span(rows, fact->path);
	ts_buf_char(rows, '=');
	value = rows->len;
	print_value(TS_WORKLOAD_CONFIG, fact, rows);
	if (rows->failed)
		return;
	if (one_line(ts_span_of(rows->data + value, rows->len - value)) && rows->len < LABELS_MAX)
		ts_buf_char(rows, '\n');
	else
		rows->len = from;
}

/* Hosts come first, so that many facts of a device leave room for them. */
static enum ts_status labels_of(const struct ts_facts *facts, struct ts_arena *arena, struct ts_span *ret, struct ts_error *err)
{
	struct ts_buf rows = TS_BUF_INIT(TS_MESSAGE_MAX);
	enum ts_status status;

	for (int hosts = 1; hosts >= 0; hosts--)
		for (size_t i = 0; i < facts->n; i++) {
			const struct ts_fact *fact = &facts->items[i];

			if (ts_fact_counts(facts, i) && says_something(fact) && is_label(fact->path) &&
			    names_host(fact->path) == (hosts == 1) && fact->type != TS_FACT_LONG)
				add_label(fact, &rows);
		}
	status = ts_buf_check(&rows, err);
	if (!status) {
		*ret = ts_arena_span(arena, ts_buf_view(&rows));
		status = ret->data ? TS_OK : ts_arena_error(arena, err);
	}
	ts_buf_finish(&rows);
	return status;
}

bool ts_workload_label(struct ts_span *rest, struct ts_span *ret_path, struct ts_span *ret_value)
{
	const uint8_t *end = rest->len ? memchr(rest->data, '\n', rest->len) : NULL, *equal;
	size_t len = end ? (size_t)(end - rest->data) : rest->len, path;

	if (!len)
		return false;
	equal = memchr(rest->data, '=', len);
	path = equal ? (size_t)(equal - rest->data) : len;
	*ret_path = ts_span_of(rest->data, path);
	*ret_value = ts_span_of(rest->data + path + (equal != NULL), len - path - (equal != NULL));
	*rest = ts_span_of(rest->data + len + (end != NULL), rest->len - len - (end != NULL));
	return true;
}

struct ts_span ts_workload_label_of(const struct ts_workload *w, struct ts_span path)
{
	struct ts_span rest = w->labels, at, value;

	while (ts_workload_label(&rest, &at, &value))
		if (ts_span_eq(at, path))
			return value;
	return ts_span_of(NULL, 0);
}

static struct ts_span text_of(const struct ts_facts *facts, const char *path)
{
	const struct ts_fact *fact = ts_facts_find(facts, ts_span_str(path));

	return fact && fact->type == TS_FACT_TEXT && fact->text.len <= TS_PATH_MAX ? fact->text : ts_span_of(NULL, 0);
}

/* Returns the start in nanoseconds since 1970, from seconds; 0 if it is not recorded. */
static int64_t started_of(const struct ts_facts *facts)
{
	const struct ts_fact *fact = ts_facts_find(facts, ts_span_str("session.started"));
	double seconds = 0;

	if (fact && fact->type == TS_FACT_FLOAT)
		seconds = fact->real;
	else if (fact && fact->type == TS_FACT_INT)
		seconds = (double)fact->integer;
	return seconds > 0 && seconds < 9e9 ? (int64_t)seconds * 1000000000 + (int64_t)((seconds - floor(seconds)) * 1e9) : 0;
}

enum ts_status ts_workload_of(const struct ts_facts *facts, struct ts_ignore ignore, struct ts_arena *arena,
			      struct ts_workload *ret_workload, struct ts_error *err)
{
	struct selection s = select_from(facts, ignore);
	const struct ts_fact *dirty = ts_facts_find(facts, ts_span_str("code.dirty"));
	struct ts_workload w = {
		.name = text_of(facts, NAME),
		.commit = text_of(facts, "code.commit"),
		.branch = text_of(facts, "code.branch"),
		.dirty = dirty && dirty->type == TS_FACT_BOOL && dirty->boolean,
		.started_ns = started_of(facts),
	};

	TS_DOOR(ts_facts_hold(facts));
	for (size_t i = 0; i < TS_WORKLOAD_PARTS; i++)
		if (key_of(&s, (enum ts_workload_part)i, &w.key[i], err))
			return err->status;
	if (session_of(facts, arena, &w.session, err) || labels_of(facts, arena, &w.labels, err))
		return err->status;
	*ret_workload = w;
	return TS_OK;
}

/* --- two of them --- */

struct differences {
	struct ts_workload_difference *rows;
	size_t n, cap;
	struct ts_arena *arena;
};

static enum ts_status add_row(struct differences *d, enum ts_workload_part part, struct ts_span path, struct ts_span a,
			      struct ts_span b, struct ts_error *err)
{
	if (!TS_GROW_IN(d->arena, d->rows, d->cap, d->n + 1, 16))
		return ts_arena_error(d->arena, err);
	d->rows[d->n++] = (struct ts_workload_difference){.part = part, .path = path, .a = a, .b = b};
	return TS_OK;
}

/* Returns a copy in the arena; data == NULL means that there is no memory. */
static struct ts_span value_of(enum ts_workload_part part, const struct ts_fact *fact, struct ts_arena *arena)
{
	struct ts_buf text = TS_BUF_INIT(TS_FACT_TEXT_MAX + 64);
	struct ts_span copy = {NULL, 0};

	print_value(part, fact, &text);
	if (!text.failed)
		copy = ts_arena_span(arena, ts_buf_view(&text));
	ts_buf_finish(&text);
	return copy;
}

static size_t next_of(const struct selection *s, enum ts_workload_part part, size_t i)
{
	while (i < s->facts->n && !counts(s, part, i))
		i++;
	return i;
}

/* Compares a path that one of the runs has, or both. */
static enum ts_status compare_fact(struct differences *d, enum ts_workload_part part, struct ts_span path, const struct ts_fact *a,
				   const struct ts_fact *b, struct ts_error *err)
{
	struct ts_span none = {NULL, 0};
	struct ts_span x = a ? value_of(part, a, d->arena) : none, y = b ? value_of(part, b, d->arena) : none;

	if ((a && !x.data) || (b && !y.data))
		return ts_arena_error(d->arena, err);
	if (a && b && ts_span_eq(x, y))
		return TS_OK;
	return add_row(d, part, path, x, y, err);
}

static enum ts_status compare_part(struct differences *d, enum ts_workload_part part, const struct selection *a,
				   const struct selection *b, struct ts_error *err)
{
	size_t i = next_of(a, part, 0), j = next_of(b, part, 0);

	while (i < a->facts->n || j < b->facts->n) {
		const struct ts_fact *x = i < a->facts->n ? &a->facts->items[i] : NULL;
		const struct ts_fact *y = j < b->facts->n ? &b->facts->items[j] : NULL;
		int order = !x ? 1 : !y ? -1 : ts_span_cmp(x->path, y->path);

		if (compare_fact(d, part, x && order <= 0 ? x->path : y->path, order <= 0 ? x : NULL, order >= 0 ? y : NULL, err))
			return err->status;
		if (order <= 0)
			i = next_of(a, part, i + 1);
		if (order >= 0)
			j = next_of(b, part, j + 1);
	}
	return TS_OK;
}

enum ts_status ts_workload_compare(const struct ts_facts *a, const struct ts_facts *b, struct ts_ignore ignore, struct ts_arena *arena,
				   struct ts_workload_difference **ret_rows, size_t *ret_n, struct ts_error *err)
{
	struct selection x = select_from(a, ignore), y = select_from(b, ignore);
	struct ts_span name_a = text_of(a, NAME), name_b = text_of(b, NAME);
	struct differences d = {.arena = arena};

	TS_DOOR(ts_facts_hold(a));
	if (!ts_span_eq(name_a, name_b) && add_row(&d, TS_WORKLOAD_CONFIG, ts_span_str(NAME), name_a, name_b, err))
		return err->status;
	for (size_t i = 0; i < TS_WORKLOAD_PARTS; i++) {
		if (i == TS_WORKLOAD_CONFIG && (name_a.len || name_b.len))
			continue;
		if (compare_part(&d, (enum ts_workload_part)i, &x, &y, err))
			return err->status;
	}
	*ret_rows = d.rows;
	*ret_n = d.n;
	return TS_OK;
}
