#include "service/handlers/core/resolve.h"

#include "base/limits.h"
#include "base/text.h"
#include "run/kind.h"
#include "run/name.h"

enum {
	LEAST_HEX = 4,
	CANDIDATES = 8, /* listed when a spec is ambiguous */
	NEAREST = 3, /* names offered when there is none */
	LOOKED_AT = 1000, /* names that are compared to find the nearest */
	SHORT_HEX = 16,
};

static const struct {
	enum ts_ref_kind kind;
	const char *word;
} kinds[] = {{TS_REF_RUN, "run"}, {TS_REF_TAG, "tag"}, {TS_REF_BRANCH, "branch"}};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

struct ts_span ts_spec_project(struct ts_span spec)
{
	const uint8_t *mark = spec.len ? memchr(spec.data, ':', spec.len) : NULL, *slash;

	if (!mark && spec.len && spec.data[0] == '?')
		mark = spec.data;
	if (mark)
		spec = ts_span_of(mark + 1, spec.len - (size_t)(mark + 1 - spec.data));
	slash = spec.len ? memchr(spec.data, '/', spec.len) : NULL;
	return ts_span_of(spec.data, slash ? (size_t)(slash + 1 - spec.data) : 0);
}

enum ts_status ts_name_check(struct ts_span name, struct ts_error *err)
{
	bool start = true;
	size_t components = 1;

	if (name.len == 0 || name.len > TS_NAME_MAX)
		return ts_error_set(err, TS_INVALID, "a name must have 1 to %d bytes, and this one has %zu", TS_NAME_MAX,
				    name.len);
	for (size_t i = 0, n = 1; i < name.len; i += n) {
		n = ts_name_char(ts_span_of(name.data + i, name.len - i), start);
		if (n) {
			start = false;
		} else if (name.data[i] == '/' && !start) {
			components++;
			start = true;
			n = 1;
		} else {
			return ts_error_set(
				err, TS_INVALID,
				"byte %zu of a name is not allowed there: a name has components of letters, digits "
				"and ._+- that begin with a letter or digit, joined by /",
				i + 1);
		}
	}
	if (start || components < 2)
		return ts_error_set(err, TS_INVALID, "a name must have the form project/name, and this one is %.*s", TS_SPAN_ARG(name));
	return TS_OK;
}

static bool is_hex(struct ts_span s)
{
	for (size_t i = 0; i < s.len; i++)
		if (!ts_is_digit(s.data[i]) && ((s.data[i] | 32) < 'a' || (s.data[i] | 32) > 'f'))
			return false;
	return s.len >= LEAST_HEX && s.len <= TS_ID_HEX;
}

struct candidate {
	const char *word; /* "run", "tag", "branch", "id" */
	struct ts_resolved what;
};

struct search {
	struct ts_engine *engine;
	struct ts_arena *arena;
	struct candidate found[CANDIDATES];
	size_t n;
	bool more;
};

static void add(struct search *s, const struct candidate *c)
{
	if (s->n < CANDIDATES)
		s->found[s->n++] = *c;
	else
		s->more = true;
}

static enum ts_status search_kind(struct search *s, size_t kind, struct ts_span name, struct ts_error *err)
{
	struct candidate c = {.word = kinds[kind].word, .what.by_ref = true};
	struct ts_error mine;
	enum ts_status status =
		s->engine->ops->ref_get(s->engine, kinds[kind].kind, name, s->arena, &c.what.ref, &mine);

	if (status == TS_NOT_FOUND)
		return TS_OK;
	if (status) {
		*err = mine;
		return status;
	}
	c.what.id = c.what.ref.id;
	add(s, &c);
	return TS_OK;
}

static enum ts_status search_id(struct search *s, struct ts_span hex, struct ts_error *err)
{
	char lower[TS_ID_HEX];
	struct candidate c = {.word = "id"};
	struct ts_id *ids;
	size_t n;

	for (size_t i = 0; i < hex.len; i++)
		lower[i] = (char)(ts_is_digit(hex.data[i]) ? hex.data[i] : hex.data[i] | 32);
	if (s->engine->ops->find_prefix(s->engine, TS_KIND_HEAD, ts_span_of(lower, hex.len), CANDIDATES + 1, s->arena,
					&ids, &n, err))
		return err->status;
	for (size_t i = 0; i < n; i++) {
		c.what.id = ids[i];
		add(s, &c);
	}
	return TS_OK;
}

/* A text that breaks the rules for names matches no name. */
static enum ts_status search_names(struct search *s, struct ts_span name, struct ts_error *err)
{
	struct ts_error mine;

	if (ts_name_check(name, &mine))
		return TS_OK;
	for (size_t k = 0; k < KINDS; k++)
		if (search_kind(s, k, name, err))
			return err->status;
	return TS_OK;
}

/* A parsed spec: where to search, and for what. */
struct parsed {
	int kind; /* index into kinds, -1: all */
	struct ts_span name; /* the name to search for; empty: names are not searched */
	struct ts_span below; /* the name to search for if nothing has that name: "project/name" in this project */
	struct ts_span hex; /* the beginning of an id to search for; empty: ids are not searched */
};

static enum ts_status parse_id(struct ts_span hex, struct parsed *ret, struct ts_error *err)
{
	if (!is_hex(hex))
		return ts_error_set(err, TS_INVALID, "an id must be given by %d to %d hex digits", LEAST_HEX, TS_ID_HEX);
	ret->hex = hex;
	return TS_OK;
}

static enum ts_status parse(struct ts_span spec, struct parsed *ret, struct ts_error *err)
{
	struct ts_span rest = spec;

	*ret = (struct parsed){.kind = -1};
	if (ts_span_skip(&rest, "id:"))
		return parse_id(rest, ret, err);
	for (int k = 0; k < KINDS; k++) {
		if (!ts_span_skip(&rest, kinds[k].word) || !ts_span_skip(&rest, ":")) {
			rest = spec;
			continue;
		}
		ret->kind = k;
		ret->name = rest;
		return ts_name_check(rest, err);
	}
	if (ts_span_skip(&rest, "?")) {
		bool whole = ts_span_after(rest, '/').len != ts_span_after(ts_span_after(rest, '/'), '/').len;

		ret->name = whole ? ts_span_after(rest, '/') : rest;
		ret->below = whole ? rest : ts_span_of(NULL, 0);
		ret->hex = ts_span_after(rest, '/');
	} else {
		ret->name = rest;
		ret->hex = rest;
	}
	if (!is_hex(ret->hex))
		ret->hex.len = 0;
	return ret->hex.len ? TS_OK : ts_name_check(ret->name, err);
}

static const char *spell(const struct candidate *c, size_t digits, struct ts_arena *arena)
{
	char hex[TS_ID_HEX + 1];

	if (c->what.by_ref)
		return ts_arena_printf(arena, "%s:%.*s", c->word, TS_SPAN_ARG(c->what.ref.name));
	return ts_arena_printf(arena, "id:%.*s", (int)digits, ts_id_hex(&c->what.id, hex));
}

static enum ts_status ambiguous(const struct search *s, struct ts_span spec, struct ts_error *err)
{
	struct ts_buf text = TS_BUF_INIT(TS_ERROR_TEXT);
	size_t digits = spec.len < SHORT_HEX - LEAST_HEX ? SHORT_HEX : TS_ID_HEX;

	for (size_t i = 0; i < s->n; i++) {
		const char *word = spell(&s->found[i], digits, s->arena);

		ts_buf_str(&text, i ? ", " : "");
		ts_buf_str(&text, word ? word : "?");
	}
	if (s->more)
		ts_buf_str(&text, ", ...");
	if (spec.len && spec.data[0] == '?') /* the client adds this mark, the user did not type it */
		spec = ts_span_of(spec.data + 1, spec.len - 1);
	ts_error_set(err, TS_AMBIGUOUS, "%.*s is ambiguous; it may be %.*s", TS_SPAN_ARG(spec), TS_SPAN_ARG(ts_buf_view(&text)));
	ts_buf_finish(&text);
	return err->status;
}

/* The Levenshtein distance in bytes. If one text is too long to be a name, the result is larger than any name is long. */
static size_t distance(struct ts_span a, struct ts_span b)
{
	size_t row[TS_NAME_MAX + 1];

	if (a.len > TS_NAME_MAX || b.len > TS_NAME_MAX)
		return SIZE_MAX;
	for (size_t j = 0; j <= b.len; j++)
		row[j] = j;
	for (size_t i = 1; i <= a.len; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= b.len; j++) {
			size_t best = diagonal + (a.data[i - 1] != b.data[j - 1]);

			diagonal = row[j];
			best = row[j] + 1 < best ? row[j] + 1 : best;
			row[j] = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
		}
	}
	return row[b.len];
}

struct near {
	struct ts_span name;
	size_t distance;
};

static void offer(struct near *nearest, size_t *n, struct ts_span name, size_t d)
{
	size_t at = *n;

	while (at > 0 && d < nearest[at - 1].distance)
		at--;
	if (at == NEAREST)
		return;
	if (*n < NEAREST)
		(*n)++;
	for (size_t i = *n - 1; i > at; i--)
		nearest[i] = nearest[i - 1];
	nearest[at] = (struct near){name, d};
}

/* Finds names of the same project whose distance is at most half the length of the typed text. Finding none is no error. */
static size_t find_near(struct search *s, const struct parsed *p, struct near *nearest)
{
	struct ts_ref_query query = {.kind = p->kind < 0 ? TS_REF_RUN : kinds[p->kind].kind,
				     .prefix = ts_span_through(p->name, '/'),
				     .order = TS_ORDER_NAME,
				     .limit = LOOKED_AT};
	struct ts_error ignored;
	struct ts_ref *refs;
	struct ts_span next;
	size_t n_refs, n = 0;

	if (p->name.len == 0 || s->engine->ops->ref_list(s->engine, &query, s->arena, &refs, &n_refs, &next, &ignored))
		return 0;
	for (size_t i = 0; i < n_refs; i++) {
		size_t d = distance(ts_span_after(p->name, '/'), ts_span_after(refs[i].name, '/'));

		if (d <= (ts_span_after(p->name, '/').len + 1) / 2)
			offer(nearest, &n, refs[i].name, d);
	}
	return n;
}

static enum ts_status not_found(struct search *s, const struct parsed *p, struct ts_span spec, struct ts_error *err)
{
	struct near nearest[NEAREST];
	size_t n = find_near(s, p, nearest);
	struct ts_buf text = TS_BUF_INIT(TS_ERROR_TEXT);

	for (size_t i = 0; i < n; i++) {
		ts_buf_str(&text, i ? ", " : "; similar names: ");
		ts_buf_span(&text, nearest[i].name);
	}
	ts_error_set(err, TS_NOT_FOUND, "nothing is named %.*s%.*s", TS_SPAN_ARG(p->name.len ? p->name : spec),
		     TS_SPAN_ARG(ts_buf_view(&text)));
	ts_buf_finish(&text);
	return err->status;
}

enum ts_status ts_resolve(struct ts_engine *engine, struct ts_span spec, struct ts_arena *arena,
			  struct ts_resolved *ret_resolved, struct ts_error *err)
{
	struct search s = {.engine = engine, .arena = arena};
	struct parsed p;

	if (parse(spec, &p, err))
		return err->status;
	if (p.kind >= 0 && search_kind(&s, (size_t)p.kind, p.name, err))
		return err->status;
	if (p.kind < 0 && p.name.len && search_names(&s, p.name, err))
		return err->status;
	if (s.n == 0 && p.below.len && search_names(&s, p.below, err))
		return err->status;
	if (p.hex.len && search_id(&s, p.hex, err))
		return err->status;
	if (s.n == 0)
		return not_found(&s, &p, spec, err);
	if (s.n > 1)
		return ambiguous(&s, spec, err);
	*ret_resolved = s.found[0].what;
	return TS_OK;
}
