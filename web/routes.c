/* routes.c - see routes.h. */
#include "web/routes.h"

#include "base/text.h"
#include "base/uri.h"

enum { WORDS_MAX = 256 };

/* The stretch, the axis and the columns of the curves on a page. */
#define VIEW "columns x smooth log from to"

const struct ts_route ts_routes[] = {
	{"runs", "/p/PROJECT/runs?q=FILTER", "list", NULL, TS_ROUTE_FILTER, "sort columns by limit page", NULL, TS_ROUTE_DRAWN,
	 "The runs of a project, newest push first. q is a filter or a part of a name."},
	{"groups", "/p/PROJECT/groups?by=FACT&q=FILTER", "list", NULL, TS_ROUTE_FILTER, "by sort columns limit", NULL, TS_ROUTE_TEXT,
	 "The runs of a project in groups, one for each value of a fact: what they came to, with mean, deviation, least and greatest."},
	{"tags", "/p/PROJECT/tags", "list", "--tags", TS_ROUTE_FILTER, "sort columns limit page", NULL, TS_ROUTE_DRAWN, "Its tags."},
	{"branches", "/p/PROJECT/branches", "list", "--branches", TS_ROUTE_FILTER, "sort columns limit page", NULL, TS_ROUTE_DRAWN,
	 "Its branches."},
	{"r", "/p/PROJECT/r/NAME", "analyze", NULL, TS_ROUTE_NAME, "warmup rank", VIEW, TS_ROUTE_DRAWN,
	 "What limits a run, and what is wrong with it."},
	{"show", "/p/PROJECT/show/NAME", "show", NULL, TS_ROUTE_NAME, "", NULL, TS_ROUTE_TEXT, "What a run holds."},
	{"file", "/p/PROJECT/file/NAME?file=FILE", "export", NULL, TS_ROUTE_NAME, "file rank", NULL, TS_ROUTE_FILE,
	 "The bytes of a file of the run, of at most 64 MiB. It has no document."},
	{"facts", "/p/PROJECT/facts/NAME", "facts", NULL, TS_ROUTE_NAME, "", NULL, TS_ROUTE_TEXT,
	 "The facts of a run."},
	{"log", "/p/PROJECT/log/NAME", "log", NULL, TS_ROUTE_NAME, "", NULL, TS_ROUTE_TEXT, "The runs that a name has pointed at."},
	{"plot", "/p/PROJECT/plot/COLUMN?run=A&run=B", "plot", NULL, TS_ROUTE_RUNS,
	 "x smooth log logx bands by highlight rank cells from to", NULL, TS_ROUTE_DRAWN,
	 "A column of several runs in one picture."},
	{"timeline", "/p/PROJECT/timeline/NAME?trace=FILE&rank=N", "timeline", NULL, TS_ROUTE_NAME, "trace rank from to at cells", NULL,
	 TS_ROUTE_DRAWN, "What each stream and thread of a trace of the run did from one time to another, in cells."},
	{"diff", "/p/PROJECT/diff/A..B", "diff", NULL, TS_ROUTE_PAIR, "all", VIEW, TS_ROUTE_DRAWN,
	 "The first step at which two runs differ, and why."},
	{"matrix", "/p/PROJECT/matrix?run=A&run=B", "diff", NULL, TS_ROUTE_LIST, "", NULL, TS_ROUTE_TEXT,
	 "For each two of several runs, the first step at which they differ."},
	{"check-resume", "/p/PROJECT/check-resume/RESUMED..PARENT", "check-resume", NULL, TS_ROUTE_PAIR, "", NULL, TS_ROUTE_TEXT,
	 "Whether a run resumed correctly."},
	{"b", "/p/PROJECT/b/BRANCH", "trend", NULL, TS_ROUTE_NAME, "metric better limit like workload across exclude", NULL,
	 TS_ROUTE_DRAWN, "Where the step time of a branch changed."},
	{"gate", "/p/PROJECT/gate/NAME?baseline=BRANCH", "gate", NULL, TS_ROUTE_NAME, "baseline metric workload across exclude", NULL,
	 TS_ROUTE_TEXT, "Whether a run is slower than its baselines: the runs of a branch, or what else baseline names."},
	{"/projects", "/projects", "projects", NULL, TS_ROUTE_NONE, "", NULL, TS_ROUTE_TEXT, "What each project uses."},
};
const size_t ts_routes_n = sizeof ts_routes / sizeof ts_routes[0];

struct words {
	const char **list;
	size_t n;
};

static enum ts_status add(struct words *w, const char *word, struct ts_error *err)
{
	if (w->n == WORDS_MAX)
		return ts_error_set(err, TS_INVALID, "an address names more than %d things", WORDS_MAX);
	w->list[w->n++] = word;
	return TS_OK;
}

static struct ts_span next_part(struct ts_span *io_path)
{
	struct ts_span path = *io_path;
	const uint8_t *slash = path.len ? memchr(path.data, '/', path.len) : NULL;
	size_t n = slash ? (size_t)(slash - path.data) : path.len;

	*io_path = ts_span_from(path, slash ? n + 1 : n);
	return ts_span_part(path, 0, n);
}

static const struct ts_route *find(struct ts_span word)
{
	for (size_t i = 0; i < ts_routes_n; i++)
		if (ts_span_is(word, ts_routes[i].path))
			return &ts_routes[i];
	return NULL;
}

/* Whether .json stands at the end, which is then cut off. */
static bool cut_json(struct ts_span *io_path)
{
	static const char end[] = ".json";

	if (!ts_span_ends(*io_path, end))
		return false;
	io_path->len -= sizeof end - 1;
	return true;
}

/* Whether JSON is asked for before HTML, as by a program. */
static bool accepts_json(struct ts_span accept)
{
	return ts_span_has(accept, ts_span_str("application/json")) && !ts_span_has(accept, ts_span_str("text/html"));
}

static bool has_field(const char *fields, struct ts_span name)
{
	const char *at = fields ? fields : "";

	while (*at) {
		size_t n = strcspn(at, " ");

		if (ts_span_eq(name, ts_span_of(at, n)))
			return true;
		at += n + (at[n] == ' ');
	}
	return false;
}

/* A switch such as log has the value 1 or none; other fields have the value that their option gets. */
static bool is_switch(struct ts_span name)
{
	static const char *const switches[] = {"all", "log", "logx", "bands"};

	for (size_t i = 0; i < sizeof switches / sizeof switches[0]; i++)
		if (ts_span_is(name, switches[i]))
			return true;
	return false;
}

struct fields {
	struct words options;
	const char *filter, *a, *b, *runs[WORDS_MAX];
	size_t n_runs;
};

static enum ts_status take_field(const struct ts_route *route, struct ts_span name, struct ts_span value, struct ts_arena *arena,
				 struct fields *f, struct ts_error *err)
{
	const char *text = (const char *)value.data;

	if (route->words == TS_ROUTE_FILTER && ts_span_is(name, "q")) {
		f->filter = value.len ? text : NULL;
		return TS_OK;
	}
	if (route->words == TS_ROUTE_PAIR && (ts_span_is(name, "a") || ts_span_is(name, "b"))) {
		*(name.data[0] == 'a' ? &f->a : &f->b) = text;
		return TS_OK;
	}
	if ((route->words == TS_ROUTE_RUNS || route->words == TS_ROUTE_LIST) && ts_span_is(name, "run")) {
		if (f->n_runs == WORDS_MAX)
			return ts_error_set(err, TS_INVALID, "an address names more than %d runs", WORDS_MAX);
		f->runs[f->n_runs++] = text;
		return TS_OK;
	}
	if (has_field(route->view, name))
		return TS_OK;
	if (!has_field(route->fields, name))
		return ts_error_set(err, TS_INVALID, "%s has no field %s", route->shown, ts_show(name).text);
	if (value.len == 0) /* a form sends the fields that were left empty */
		return TS_OK;
	if (is_switch(name))
		text = ts_arena_printf(arena, "--%.*s", TS_SPAN_ARG(name));
	else
		text = ts_arena_printf(arena, "--%.*s=%s", TS_SPAN_ARG(name), text);
	return text ? add(&f->options, text, err) : ts_arena_error(arena, err);
}

static enum ts_status take_fields(const struct ts_route *route, struct ts_span query, struct ts_arena *arena, struct fields *f,
				  struct ts_error *err)
{
	struct ts_span name, value;

	while (ts_uri_field(&query, &name, &value))
		if (ts_uri_decode(name, true, arena, &name, err) || ts_uri_decode(value, true, arena, &value, err) ||
		    take_field(route, name, value, arena, f, err))
			return err->status;
	return TS_OK;
}

/* "A..B", of which the first ".." parts the names. */
static enum ts_status take_pair(struct ts_span pair, struct ts_arena *arena, struct fields *f, struct ts_error *err)
{
	for (size_t i = 0; i + 1 < pair.len; i++)
		if (pair.data[i] == '.' && pair.data[i + 1] == '.') {
			f->a = ts_arena_printf(arena, "%.*s", (int)i, (const char *)pair.data);
			f->b = (const char *)pair.data + i + 2;
			return f->a ? TS_OK : ts_arena_error(arena, err);
		}
	return TS_OK;
}

static enum ts_status add_names(const struct ts_routed *r, struct fields *f, struct words *w, struct ts_error *err)
{
	switch (r->route->words) {
	case TS_ROUTE_NONE:
		return TS_OK;
	case TS_ROUTE_FILTER:
		return f->filter ? add(w, f->filter, err) : TS_OK;
	case TS_ROUTE_NAME:
		return r->name.len ? add(w, (const char *)r->name.data, err) : ts_error_set(err, TS_NOT_FOUND, "which run?");
	case TS_ROUTE_PAIR:
		if (!f->a || !f->b || !*f->a)
			return ts_error_set(err, TS_INVALID, "which two runs? %s", r->route->shown);
		return add(w, f->a, err) || (*f->b && add(w, f->b, err)) ? err->status : TS_OK;
	case TS_ROUTE_RUNS:
		if (!r->name.len || !f->n_runs)
			return ts_error_set(err, TS_INVALID, "which column, and which runs? %s", r->route->shown);
		if (add(w, (const char *)r->name.data, err))
			return err->status;
		break;
	case TS_ROUTE_LIST:
		if (f->n_runs < 2)
			return ts_error_set(err, TS_INVALID, "which runs? %s", r->route->shown);
		break;
	}
	for (size_t i = 0; i < f->n_runs; i++)
		if (add(w, f->runs[i], err))
			return err->status;
	return TS_OK;
}

static enum ts_status make_words(struct ts_routed *r, struct fields *f, struct ts_arena *arena, struct ts_error *err)
{
	struct words w = {.list = ts_arena_array(arena, WORDS_MAX, sizeof *w.list)};
	const char *project = r->project.len ? ts_arena_printf(arena, "--project=%.*s", TS_SPAN_ARG(r->project)) : "";

	if (!w.list || !project)
		return ts_arena_error(arena, err);
	if (add(&w, r->route->verb, err) || (*project && add(&w, project, err)) || (r->route->option && add(&w, r->route->option, err)))
		return err->status;
	for (size_t i = 0; i < f->options.n; i++)
		if (add(&w, f->options.list[i], err))
			return err->status;
	if (add(&w, "--", err) || add_names(r, f, &w, err))
		return err->status;
	r->words = w.list;
	r->n = w.n;
	return TS_OK;
}

const char *ts_route_title(const struct ts_routed *r, struct ts_arena *arena)
{
	static const struct {
		const char *path, *begin; /* a name follows where there is one */
	} titles[] = {{"groups", "Runs in groups"},
		      {"show", "Content of "},
		      {"facts", "Facts of "},
		      {"log", "Log of "},
		      {"matrix", "Where runs differ first"},
		      {"check-resume", "Resume of "},
		      {"gate", "Gate of "},
		      {"/projects", "Projects"}};
	const char *begin = r->name.len ? "" : r->route->path;

	for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++)
		if (strcmp(r->route->path, titles[i].path) == 0)
			begin = titles[i].begin;
	return ts_arena_printf(arena, "%s%.*s", begin, TS_SPAN_ARG(r->name));
}

static enum ts_status no_page(struct ts_error *err)
{
	return ts_error_set(err, TS_NOT_FOUND, "there is no such page");
}

/* The project, the route and the rest of a path. */
static enum ts_status split(struct ts_span path, struct ts_arena *arena, struct ts_routed *r, struct ts_error *err)
{
	if (path.len < 2 || path.data[0] != '/')
		return no_page(err);
	r->json |= cut_json(&path);
	if ((r->route = find(path)) && r->route->path[0] == '/')
		return TS_OK;
	path = ts_span_from(path, 1);
	if (!ts_span_is(next_part(&path), "p"))
		return no_page(err);
	if (ts_uri_decode(next_part(&path), false, arena, &r->project, err))
		return err->status;
	r->route = find(next_part(&path));
	if (!r->route || !r->project.len)
		return no_page(err);
	return ts_uri_decode(path, false, arena, &r->name, err);
}

enum ts_status ts_route_find(const struct ts_http_request *request, struct ts_arena *arena, struct ts_routed *ret, struct ts_error *err)
{
	struct fields f = {.filter = NULL};

	*ret = (struct ts_routed){.json = accepts_json(request->accept)};
	f.options.list = ts_arena_array(arena, WORDS_MAX, sizeof *f.options.list);
	if (!f.options.list)
		return ts_arena_error(arena, err);
	if (split(request->path, arena, ret, err) || take_fields(ret->route, request->query, arena, &f, err))
		return err->status;
	if (ret->route->words == TS_ROUTE_PAIR && take_pair(ret->name, arena, &f, err))
		return err->status;
	return make_words(ret, &f, arena, err);
}
