#include "cli/why/why_record.h"

#include "base/grow.h"
#include "base/order.h"
#include "base/text.h"
#include "cli/core/ask.h"
#include "cli/view/show_value.h"

enum { FIRST_THINGS = 16, LINES_MOST = 4096 };

static const char *const lists[] = {"session.environment", "session.packages.list", "session.files_read.list", "session.command"};

/* One line of a list: the name by which lines are matched, and all else of it. */
struct line {
	struct ts_span name, value;
};

struct comparing {
	const struct ts_facts *facts[2];
	struct ts_arena *arena;
	struct ts_why_things things;
	size_t cap;
	bool failed;
};

static struct ts_span text_at(const struct ts_facts *facts, const char *path)
{
	const struct ts_fact *fact = ts_facts_find(facts, ts_span_str(path));

	return fact && (fact->type == TS_FACT_TEXT || fact->type == TS_FACT_LONG) ? fact->text : ts_span_of(NULL, 0);
}

enum ts_status ts_why_record_load(struct ts_cli *cli, struct ts_facts *facts, struct ts_error *err)
{
	for (size_t i = 0; i < facts->n; i++)
		for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
			if (facts->items[i].type == TS_FACT_LONG && ts_span_is(facts->items[i].path, lists[k]) &&
			    ts_ask_long_text(cli->target.channel, &facts->items[i], &cli->arena, &facts->items[i].text, err))
				return err->status;
	return TS_OK;
}

static bool is_long(struct ts_span list)
{
	size_t n = 0;

	for (size_t i = 0; i < list.len; i++)
		n += list.data[i] == '\n';
	return n >= LINES_MOST;
}

static bool has_group(const struct ts_facts *facts, const char *prefix)
{
	for (size_t i = 0; i < facts->n; i++)
		if (ts_span_starts(facts->items[i].path, ts_span_str(prefix)))
			return true;
	return false;
}

const char *ts_why_record_lacks(const struct ts_facts *facts)
{
	const struct ts_fact *out = ts_facts_find(facts, ts_span_str("session.files_read.left_out"));

	if (!text_at(facts, "session.environment").len)
		return "the digests of all variables (session.environment)";
	if (!ts_facts_find(facts, ts_span_str("session.files_read.count")))
		return "the files that it read (session.files_read)";
	if (out && !(out->type == TS_FACT_INT && out->integer == 0))
		return "the digests of some files that it read (session.files_read.left_out)";
	if (!text_at(facts, "session.packages.list").len)
		return "its packages (session.packages)";
	if (!text_at(facts, "code.commit").len)
		return "the commit of its code (code.commit)";
	if (!has_group(facts, "hardware."))
		return "the machine (hardware)";
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
		if (is_long(text_at(facts, lists[i])))
			return "lists that are short enough to be compared";
	return NULL;
}

/* --- lists --- */

static void add(struct comparing *c, enum ts_why_part part, struct ts_span name, bool a, bool b)
{
	if (c->failed || !TS_GROW_IN(c->arena, c->things.items, c->cap, c->things.n + 1, FIRST_THINGS)) {
		c->failed = true;
		return;
	}
	c->things.items[c->things.n++] = (struct ts_why_thing){part, name, {a, b}};
}

/* The next "NAME VALUE" or "NAME==VALUE"; false: there is none. */
static bool next_named(struct ts_span *rest, char ends_name, struct line *ret)
{
	struct ts_span whole = ts_span_next_line(rest), line = ts_trim(whole);
	size_t n;

	if (!whole.len)
		return false;
	for (n = 0; n < line.len && line.data[n] != ends_name;)
		n++;
	*ret = (struct line){ts_span_part(line, 0, n), ts_span_from(line, n)};
	return true;
}

/* The path of a file below the top of its repository, since a rerun has a worktree of its own; else the path. */
static struct ts_span below_top(const struct ts_facts *facts, struct ts_span path)
{
	struct ts_span top = text_at(facts, "session.working_directory"), below = text_at(facts, "session.directory");

	if (below.len && top.len > below.len + 1 && ts_span_eq(ts_span_from(top, top.len - below.len), below))
		top.len -= below.len + 1;
	return top.len > 1 && path.len > top.len + 1 && ts_span_starts(path, top) && path.data[top.len] == '/'
		       ? ts_span_from(path, top.len + 1)
		       : path;
}

/* "DIGEST SIZE PATH": the path is the name. */
static bool next_file(const struct ts_facts *facts, struct ts_span *rest, struct line *ret)
{
	struct line line;
	size_t n;

	if (!next_named(rest, ' ', &line))
		return false;
	for (n = line.value.len ? 1 : 0; n < line.value.len && line.value.data[n] != ' ';)
		n++;
	*ret = (struct line){below_top(facts, n < line.value.len ? ts_span_from(line.value, n + 1) : line.value), line.name};
	return true;
}

/* A file that the command of a run names is its argument. */
static bool is_argument(const struct comparing *c, enum ts_why_part part, size_t side, struct ts_span name)
{
	return part == TS_WHY_FILE && ts_span_has(text_at(c->facts[side], "session.command"), name);
}

TS_ORDER(by_name, struct line, TS_TEXT(name))

/* The lines of a list, sorted by name. */
static struct line *lines_of(struct comparing *c, enum ts_why_part part, size_t side, const char *list, size_t *ret_n)
{
	struct line *lines = ts_arena_array(c->arena, LINES_MOST, sizeof *lines);
	struct ts_span rest = text_at(c->facts[side], list);

	*ret_n = 0;
	while (lines && *ret_n < LINES_MOST &&
	       (part == TS_WHY_FILE ? next_file(c->facts[side], &rest, &lines[*ret_n])
				    : next_named(&rest, part == TS_WHY_PACKAGE ? '=' : ' ', &lines[*ret_n])))
		++*ret_n;
	c->failed |= !lines;
	if (lines)
		TS_SORT(lines, *ret_n, by_name);
	return lines;
}

/* The recorder acts on no number. */
static bool is_recorder(enum ts_why_part part, struct ts_span name)
{
	return part == TS_WHY_PACKAGE && (ts_span_is(name, "tscope_ml") || ts_span_is(name, "tscope-ml"));
}

static void compare_lists(struct comparing *c, enum ts_why_part part, const char *list)
{
	size_t n[2], i = 0, k = 0;
	struct line *a = lines_of(c, part, 0, list, &n[0]), *b = lines_of(c, part, 1, list, &n[1]);

	while (!c->failed && (i < n[0] || k < n[1])) {
		int order = i == n[0] ? 1 : k == n[1] ? -1 : ts_span_cmp(a[i].name, b[k].name);

		if (order < 0 && !is_argument(c, part, 0, a[i].name))
			add(c, part, a[i].name, true, false);
		if (order > 0 && !is_argument(c, part, 1, b[k].name))
			add(c, part, b[k].name, false, true);
		if (!order && !ts_span_eq(a[i].value, b[k].value) && !is_recorder(part, a[i].name))
			add(c, part, a[i].name, true, true);
		i += order <= 0;
		k += order >= 0;
	}
}

/* --- the machine --- */

/* Facts of the machine; libraries are packages, and what a variable sets is compared as that. */
static void compare_places(struct comparing *c)
{
	static const char *const prefixes[] = {"hardware.", "parallelism.", "session.container", "session.image.", "session.topology."};

	for (size_t side = 0; side < 2; side++)
		for (size_t i = 0; i < c->facts[side]->n; i++) {
			const struct ts_fact *fact = &c->facts[side]->items[i], *other;
			bool wanted = false;

			for (size_t k = 0; k < sizeof prefixes / sizeof *prefixes; k++)
				wanted |= ts_span_starts(fact->path, ts_span_str(prefixes[k]));
			if (!wanted || !ts_fact_counts(c->facts[side], i))
				continue;
			other = ts_facts_find(c->facts[!side], fact->path);
			if (!other)
				add(c, TS_WHY_PLACE, fact->path, !side, side);
			else if (!side && !ts_fact_same(fact, other))
				add(c, TS_WHY_PLACE, fact->path, true, true);
		}
}

bool ts_why_comparable(const struct ts_facts *a, const struct ts_facts *b)
{
	return ts_span_eq(text_at(a, "session.environment_key"), text_at(b, "session.environment_key"));
}

enum ts_status ts_why_apart(const struct ts_facts *a, const struct ts_facts *b, struct ts_arena *arena, struct ts_why_things *ret,
			    struct ts_error *err)
{
	struct comparing c = {.facts = {a, b}, .arena = arena};

	if (ts_why_comparable(a, b))
		compare_lists(&c, TS_WHY_VARIABLE, "session.environment");
	if (ts_facts_find(a, ts_span_str("session.files_read.count")) && ts_facts_find(b, ts_span_str("session.files_read.count")))
		compare_lists(&c, TS_WHY_FILE, "session.files_read.list");
	if (text_at(a, "session.packages.list").len && text_at(b, "session.packages.list").len)
		compare_lists(&c, TS_WHY_PACKAGE, "session.packages.list");
	if (has_group(a, "hardware.") && has_group(b, "hardware."))
		compare_places(&c);
	if (c.failed)
		return ts_arena_error(arena, err);
	*ret = c.things;
	return TS_OK;
}

const char *ts_why_thing_text(const struct ts_why_thing *thing, struct ts_arena *arena)
{
	static const char *const called[TS_WHY_PARTS] = {"the variable ", "the file ", "the package ", ""};

	return ts_arena_phrase(arena, "%s%s", called[thing->part], ts_show_text(thing->name, arena));
}

struct ts_span ts_why_digest_of(struct ts_span list, struct ts_span name)
{
	struct line line;

	while (next_named(&list, ' ', &line))
		if (ts_span_eq(line.name, name))
			return line.value;
	return ts_span_of(NULL, 0);
}
