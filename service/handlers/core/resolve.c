#include "service/handlers/core/resolve.h"

#include "base/limits.h"
#include "base/text.h"
#include "run/kind.h"
#include "run/name.h"
#include "service/handlers/core/each_ref.h"

enum {
	LEAST_HEX = 4,
	CANDIDATES = 8, /* listed when a spec is ambiguous */
	NEAREST = 5, /* names offered when there is none */
	PAGE = 200, /* names read at once to find the nearest */
	WORK = 40000000, /* pairs of bytes that are compared for that at most, some 50 ms */
	EDIT = 2, /* the distance of a letter more, less or other; one in the other case is half as far */
	SHORT_HEX = 16,
	SHOWN_HEX = 12, /* digits of an id that list shows; a word of fewer is rather a name */
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

enum ts_status ts_name_new_check(struct ts_span name, struct ts_error *err)
{
	uint32_t point;
	size_t at;

	if (ts_name_check(name, err))
		return err->status;
	if (ts_name_is_visible(name, &at, &point))
		return TS_OK;
	return ts_error_set(err, TS_INVALID,
			    "byte %zu of a name begins the character U+%04X, which shows nothing: two names that differ by it would "
			    "look alike",
			    at + 1, (unsigned)point);
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

/* kind: as in struct parsed. A text that breaks the rules for names matches no name. */
static enum ts_status search_names(struct search *s, int kind, struct ts_span name, struct ts_error *err)
{
	struct ts_error mine;

	if (ts_name_check(name, &mine))
		return TS_OK;
	for (int k = 0; k < KINDS; k++)
		if ((kind < 0 || kind == k) && search_kind(s, (size_t)k, name, err))
			return err->status;
	return TS_OK;
}

/* A name may be in the project in which it was typed, or have its project in front. */
enum { PLACES = 2 };

/* A parsed spec: where to search, and for what. */
struct parsed {
	int kind; /* index into kinds, -1: all */
	struct ts_span names[PLACES]; /* the names to search for, the second one if nothing has the first */
	size_t n;
	struct ts_span typed; /* what a person typed as a name, for texts; empty: an id */
	struct ts_span hex; /* the beginning of an id to search for; empty: ids are not searched */
};

static enum ts_status parse_id(struct ts_span hex, struct parsed *ret, struct ts_error *err)
{
	if (!is_hex(hex))
		return ts_error_set(err, TS_INVALID, "an id must be given by %d to %d hex digits", LEAST_HEX, TS_ID_HEX);
	ret->hex = hex;
	return TS_OK;
}

/* Takes "tag:" off. Returns the index of the kind; -1: there is none. */
static int take_kind(struct ts_span *io)
{
	for (int k = 0; k < KINDS; k++) {
		struct ts_span rest = *io;

		if (ts_span_skip(&rest, kinds[k].word) && ts_span_skip(&rest, ":")) {
			*io = rest;
			return k;
		}
	}
	return -1;
}

static bool has_slash(struct ts_span text)
{
	return ts_span_through(text, '/').len > 0;
}

/* Parses a word that was typed in the project. */
static enum ts_status parse_word(struct ts_span project, struct ts_span word, struct ts_arena *arena, struct parsed *ret,
				 struct ts_error *err)
{
	struct ts_span rest = word;
	const char *below;

	*ret = (struct parsed){.kind = -1};
	if (ts_span_skip(&rest, "id:"))
		return parse_id(rest, ret, err);
	if (ts_span_skip(&rest, "project:")) {
		ret->names[ret->n++] = ret->typed = rest;
		return ts_name_check(rest, err);
	}
	ret->kind = take_kind(&rest);
	ret->typed = rest;
	below = ts_arena_printf(arena, "%.*s/%.*s", TS_SPAN_ARG(project), TS_SPAN_ARG(rest));
	if (!below)
		return ts_arena_error(arena, err);
	ret->names[ret->n++] = ts_span_str(below);
	if (has_slash(rest))
		ret->names[ret->n++] = rest;
	else if (ret->kind < 0 && is_hex(rest))
		ret->hex = rest;
	return ret->hex.len ? TS_OK : ts_name_check(ret->names[0], err);
}

static enum ts_status parse(struct ts_span spec, struct ts_arena *arena, struct parsed *ret, struct ts_error *err)
{
	struct ts_span rest = spec;

	if (ts_span_skip(&rest, "?"))
		return parse_word(ts_span_of(rest.data, has_slash(rest) ? ts_span_through(rest, '/').len - 1 : rest.len),
				  has_slash(rest) ? ts_span_after(rest, '/') : ts_span_of(NULL, 0), arena, ret, err);
	*ret = (struct parsed){.kind = -1};
	if (ts_span_skip(&rest, "id:"))
		return parse_id(rest, ret, err);
	ret->kind = take_kind(&rest);
	ret->names[ret->n++] = ret->typed = rest;
	if (ret->kind < 0 && is_hex(rest))
		ret->hex = rest;
	return ret->hex.len ? TS_OK : ts_name_check(rest, err);
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
	ts_error_set(err, TS_AMBIGUOUS, "%.*s is ambiguous; it may be %.*s", TS_SPAN_ARG(spec), TS_SPAN_ARG(ts_buf_view(&text)));
	ts_buf_finish(&text);
	return err->status;
}

static size_t other_letter(uint8_t a, uint8_t b)
{
	if (a == b)
		return 0;
	return ts_is_alpha(a) && (a ^ b) == 32 ? EDIT / 2 : EDIT;
}

/* The Levenshtein distance in bytes times EDIT, with two letters in the other order as one edit. If one text is too long to be a name,
 * the result is larger than any name is long. */
static size_t distance(struct ts_span a, struct ts_span b)
{
	size_t rows[3][TS_NAME_MAX + 1];

	if (a.len > TS_NAME_MAX || b.len > TS_NAME_MAX)
		return SIZE_MAX;
	for (size_t j = 0; j <= b.len; j++)
		rows[0][j] = j * EDIT;
	for (size_t i = 1; i <= a.len; i++) {
		size_t *row = rows[i % 3], *above = rows[(i - 1) % 3], *top = rows[(i + 1) % 3];

		row[0] = i * EDIT;
		for (size_t j = 1; j <= b.len; j++) {
			size_t best = above[j - 1] + other_letter(a.data[i - 1], b.data[j - 1]);

			best = above[j] + EDIT < best ? above[j] + EDIT : best;
			best = row[j - 1] + EDIT < best ? row[j - 1] + EDIT : best;
			if (i > 1 && j > 1 && a.data[i - 1] == b.data[j - 2] && a.data[i - 2] == b.data[j - 1] &&
			    top[j - 2] + EDIT < best)
				best = top[j - 2] + EDIT;
			row[j] = best;
		}
	}
	return rows[a.len % 3][b.len];
}

struct near {
	char text[TS_NAME_MAX];
	struct ts_span name; /* in text */
	size_t distance;
};

/* The nearest names so far, of runs, tags and branches: each once. */
struct nearest {
	struct near items[NEAREST];
	size_t n, left; /* left: of WORK */
};

static void offer(struct nearest *near, struct ts_span name, size_t d)
{
	size_t at = near->n;

	while (at > 0 && d < near->items[at - 1].distance)
		at--;
	if (at == NEAREST)
		return;
	if (near->n < NEAREST)
		near->n++;
	for (size_t i = near->n - 1; i > at; i--) {
		near->items[i] = near->items[i - 1];
		near->items[i].name.data = (const uint8_t *)near->items[i].text;
	}
	memcpy(near->items[at].text, name.data, name.len);
	near->items[at].name = ts_span_of(near->items[at].text, name.len);
	near->items[at].distance = d;
}

/* The last components of a name, as many as the text has. */
static struct ts_span same_depth(struct ts_span name, struct ts_span text)
{
	size_t n = 0, at = name.len;

	for (size_t i = 0; i < text.len; i++)
		n += text.data[i] == '/';
	while (at > 0 && (name.data[at - 1] != '/' || n-- > 0))
		at--;
	return ts_span_from(name, at);
}

static bool is_offered(const struct nearest *near, struct ts_span name)
{
	for (size_t i = 0; i < near->n; i++)
		if (ts_span_eq(near->items[i].name, name))
			return true;
	return false;
}

static size_t common_beginning(struct ts_span a, struct ts_span b)
{
	size_t n = 0;

	while (n < a.len && n < b.len && a.data[n] == b.data[n])
		n++;
	return n;
}

/* Offers a name that is at most half the length of the text away from it, or whose end is at most a third away: as many components of
 * both as the one has that has fewer, since a text may be a path. Of two that are as far, the one that begins more alike is nearer. */
static void weigh(struct nearest *near, struct ts_span text, struct ts_span name)
{
	struct ts_span other = ts_span_after(name, '/'), last = same_depth(other, text), typed = same_depth(text, other);
	size_t cost = text.len * other.len + typed.len * last.len, whole, end;
	bool ends;

	near->left -= cost < near->left ? cost : near->left;
	if (!near->left || name.len > TS_NAME_MAX || is_offered(near, name))
		return;
	whole = distance(text, other);
	end = distance(typed, last);
	ends = end <= typed.len / 3 * EDIT;
	if (whole <= (text.len + 1) / 2 * EDIT || ends) {
		bool by_end = ends && end < whole;

		offer(near, name,
		      (by_end ? end : whole) * (TS_NAME_MAX + 1) + TS_NAME_MAX -
			      common_beginning(by_end ? typed : text, by_end ? last : other));
	}
}

/* Finds names of the same project. Finding none is no error. */
static void find_near(struct search *s, enum ts_ref_kind kind, struct ts_span name, struct nearest *near)
{
	struct ts_ref_query query = {.kind = kind, .prefix = ts_span_through(name, '/'), .order = TS_ORDER_NAME, .limit = PAGE};
	struct ts_arena pages[2]; /* the token of one page is in its arena while the next is read */
	struct ts_error ignored;
	int turn = 0;
	bool more = name.len > 0;

	ts_arena_init(&pages[0], TS_CALL_ARENA);
	ts_arena_init(&pages[1], TS_CALL_ARENA);
	while (more) {
		struct ts_ref *refs;
		struct ts_span next = {0};
		size_t n = 0;

		turn = !turn;
		ts_arena_reset(&pages[turn]);
		if (s->engine->ops->ref_list(s->engine, &query, &pages[turn], &refs, &n, &next, &ignored))
			n = 0;
		for (size_t i = 0; i < n; i++)
			weigh(near, ts_span_after(name, '/'), refs[i].name);
		query.after = next;
		more = n && next.len && near->left;
	}
	ts_arena_finish(&pages[0]);
	ts_arena_finish(&pages[1]);
}

/* What was typed, with its project where it has no slash. */
static struct ts_span called(const struct parsed *p, struct ts_span spec)
{
	if (!p->n)
		return spec;
	return p->n == 1 ? p->names[0] : p->typed;
}

static enum ts_status not_found(struct search *s, const struct parsed *p, struct ts_span spec, struct ts_error *err)
{
	struct nearest near = {.n = 0, .left = WORK};
	struct ts_buf text = TS_BUF_INIT(TS_ERROR_TEXT);

	for (size_t i = 0; i < p->n && near.n == 0; i++)
		for (size_t k = 0; k < KINDS; k++)
			if (p->kind < 0 || (size_t)p->kind == k)
				find_near(s, kinds[k].kind, p->names[i], &near);
	for (size_t i = 0; i < near.n; i++) {
		ts_buf_str(&text, i ? ", " : "; similar names: ");
		ts_buf_span(&text, near.items[i].name);
	}
	ts_error_set(err, TS_NOT_FOUND, "nothing is named %.*s%.*s", TS_SPAN_ARG(called(p, spec)), TS_SPAN_ARG(ts_buf_view(&text)));
	ts_buf_finish(&text);
	return err->status;
}

/* Searches for what is called exactly so, or has such an id. */
static enum ts_status search_exact(struct search *s, const struct parsed *p, struct ts_error *err)
{
	for (size_t i = 0; i < p->n && s->n == 0; i++)
		if (search_names(s, p->kind, p->names[i], err))
			return err->status;
	/* What list shows is a name, even if an id of another run begins so; of as many digits as it shows of an id, nobody knows. */
	if (p->hex.len && (s->n == 0 || p->hex.len >= SHOWN_HEX) && search_id(s, p->hex, err))
		return err->status;
	return TS_OK;
}

enum ts_status ts_resolve(struct ts_engine *engine, struct ts_span spec, struct ts_arena *arena,
			  struct ts_resolved *ret_resolved, struct ts_error *err)
{
	struct ts_span typed = spec.len && spec.data[0] == '?' ? ts_span_after(spec, '/') : spec;
	struct search s = {.engine = engine, .arena = arena};
	struct parsed p;

	if (parse(spec, arena, &p, err) || search_exact(&s, &p, err))
		return err->status;
	if (s.n == 0)
		return not_found(&s, &p, typed, err);
	if (s.n > 1)
		return ambiguous(&s, called(&p, typed), err);
	*ret_resolved = s.found[0].what;
	return TS_OK;
}

/* --- words of people --- */

/* A word while it is looked for. */
struct word {
	struct ts_span typed;
	struct parsed p;
	struct search s;
	bool settled; /* nothing more is looked for */
	bool exact;   /* it was found as a name is, or by so many digits of its id that it is nothing else */
	struct ts_error why; /* why it is no word, or what else may be meant; no text: nothing */
};

/* The words of a question, and which names are visited for them. */
struct visit {
	struct word *words;
	size_t n, place, kind;
	struct ts_span project; /* "project/" */
};

/* A ts_ref_visit. */
static enum ts_status look_at_end(void *ctx, const struct ts_ref *ref, bool *ret_enough, struct ts_error *err)
{
	struct visit *v = ctx;

	(void)ret_enough;
	for (size_t i = 0; i < v->n; i++) {
		struct word *w = &v->words[i];
		struct candidate c = {.word = kinds[v->kind].word, .what = {.id = ref->id, .by_ref = true, .ref = *ref}};

		if (w->settled || v->place >= w->p.n || (w->p.kind >= 0 && (size_t)w->p.kind != v->kind) || w->s.more ||
		    !ts_span_starts(w->p.names[v->place], v->project) ||
		    !ts_name_ends(ts_span_from(ref->name, v->project.len), ts_span_from(w->p.names[v->place], v->project.len)))
			continue;
		c.what.ref.name = ts_arena_span(w->s.arena, ref->name);
		c.what.ref.who = c.what.ref.summary = ts_span_of(NULL, 0);
		if (!c.what.ref.name.data)
			return ts_arena_error(w->s.arena, err);
		add(&w->s, &c);
	}
	return TS_OK;
}

/* Whether the names of the project of words[at] were visited for a word before it. */
static bool was_visited(const struct visit *v, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (!v->words[i].settled && v->place < v->words[i].p.n && ts_span_starts(v->words[i].p.names[v->place], v->project))
			return true;
	return false;
}

/* Looks for names that end with words, in the project that each has at this place. */
static enum ts_status find_ends(const struct ts_call *call, struct word *words, size_t n, size_t place, struct ts_error *err)
{
	struct visit v = {.words = words, .n = n, .place = place};

	for (size_t i = 0; i < n; i++) {
		if (words[i].settled || place >= words[i].p.n)
			continue;
		v.project = ts_span_through(words[i].p.names[place], '/');
		for (v.kind = 0; v.kind < KINDS && !was_visited(&v, i); v.kind++)
			if (ts_each_ref(call, call->engine, kinds[v.kind].kind, v.project, TS_ORDER_NAME, look_at_end, &v, err))
				return err->status;
	}
	for (size_t i = 0; i < n; i++)
		words[i].settled |= words[i].s.n > 0;
	return TS_OK;
}

/* Says which name of another project is spelled as the word is. */
static enum ts_status tell_other(struct word *w, struct ts_error *err)
{
	struct search other = {.engine = w->s.engine, .arena = w->s.arena};

	if (w->p.n < PLACES || !w->s.n || !w->s.found[0].what.by_ref || !ts_span_eq(w->s.found[0].what.ref.name, w->p.names[0]))
		return TS_OK;
	if (search_names(&other, w->p.kind, w->p.names[1], err))
		return err->status;
	if (other.n)
		ts_error_set(&w->why, TS_OK, "project:%.*s is another one", TS_SPAN_ARG(w->p.names[1]));
	return TS_OK;
}

static enum ts_status find_exact(struct word *w, struct ts_span project, struct ts_error *err)
{
	struct ts_error mine;

	if (parse_word(project, w->typed, w->s.arena, &w->p, &mine)) {
		w->settled = true;
		w->why = mine;
		return mine.status == TS_INVALID ? TS_OK : ts_error_set(err, mine.status, "%s", mine.text);
	}
	if (search_exact(&w->s, &w->p, err) || tell_other(w, err))
		return err->status;
	w->exact = w->s.n && (w->s.found[0].what.by_ref || w->p.hex.len >= SHOWN_HEX || !w->p.n);
	w->settled = w->exact || !w->p.n || ts_name_check(w->p.names[0], &mine);
	return TS_OK;
}

/* Whether the server's configuration names the project: in a quota, or in a role that the caller has there and not everywhere. */
static bool is_configured(const struct ts_call *call, struct ts_span project)
{
	const struct ts_quotas *quotas = call->server ? call->server->quotas : NULL;
	enum ts_auth_role role = call->who ? ts_identity_role(call->who, project) : TS_AUTH_NONE;

	if (call->who && role > call->who->everywhere)
		return true;
	if (call->who && role < TS_AUTH_READ)
		return false;
	for (size_t i = 0; quotas && i < quotas->n; i++)
		if (quotas->lines[i].kind != TS_USE_UNNAMED && ts_span_eq(quotas->lines[i].whose, project))
			return true;
	return false;
}

static enum ts_status has_project(const struct ts_call *call, const struct word *w, bool *ret_has, struct ts_error *err)
{
	struct ts_ref_query query = {.order = TS_ORDER_NAME, .limit = 1};
	struct ts_span next;
	struct ts_ref *refs;
	size_t n = 0;

	if (w->p.n == PLACES)
		query.prefix = ts_span_through(w->p.names[1], '/');
	for (size_t k = 0; query.prefix.len && k < KINDS && n == 0; k++) {
		query.kind = kinds[k].kind;
		if (call->engine->ops->ref_list(call->engine, &query, call->arena, &refs, &n, &next, err))
			return err->status;
	}
	*ret_has = n > 0 || (query.prefix.len && is_configured(call, ts_span_of(query.prefix.data, query.prefix.len - 1)));
	return TS_OK;
}

/* Whoever only reads a run need not know which of its names is meant. */
static bool are_one_run(const struct search *s)
{
	for (size_t i = 1; i < s->n; i++)
		if (!ts_id_eq(&s->found[i].what.id, &s->found[0].what.id))
			return false;
	return !s->more;
}

static enum ts_status answer(const struct ts_call *call, struct word *w, struct ts_found_name *ret, struct ts_error *err)
{
	const struct ts_resolved *what = &w->s.found[0].what;
	const char *why;

	*ret = (struct ts_found_name){.kind = TS_REF_RUN};
	if (w->why.status == TS_INVALID) {
		ret->found = TS_FOUND_NO_WORD;
	} else if (w->s.n == 0) {
		ret->found = TS_FOUND_NOTHING;
		(void)not_found(&w->s, &w->p, w->typed, &w->why);
	} else if (w->s.n > 1) {
		ret->found = TS_FOUND_SEVERAL;
		ret->has_id = are_one_run(&w->s);
		ret->id = what->id;
		(void)ambiguous(&w->s, called(&w->p, w->typed), &w->why);
	} else {
		ret->found = !what->by_ref ? TS_FOUND_ID : w->exact ? TS_FOUND_NAME : TS_FOUND_END;
		ret->has_id = true;
		ret->id = what->id;
	}
	if (ret->found != TS_FOUND_SEVERAL && ret->has_id && what->by_ref) {
		ret->kind = what->ref.kind;
		ret->name = what->ref.name;
	}
	why = ts_arena_printf(call->arena, "%s", w->why.text);
	if (!why)
		return ts_arena_error(call->arena, err);
	ret->why = ts_span_str(why);
	return has_project(call, w, &ret->has_project, err);
}

enum ts_status ts_find_names(const struct ts_call *call, const struct ts_find_request *request, struct ts_found_name *ret_names,
			     struct ts_error *err)
{
	struct word *words = ts_arena_array(call->arena, request->n, sizeof *words);

	if (!words)
		return ts_arena_error(call->arena, err);
	for (size_t i = 0; i < request->n; i++) {
		words[i] = (struct word){.typed = request->words[i], .s = {.engine = call->engine, .arena = call->arena}};
		if (find_exact(&words[i], request->project, err))
			return err->status;
	}
	for (size_t place = 0; place < PLACES; place++)
		if (find_ends(call, words, request->n, place, err))
			return err->status;
	for (size_t i = 0; i < request->n; i++)
		if (answer(call, &words[i], &ret_names[i], err))
			return err->status;
	return TS_OK;
}
