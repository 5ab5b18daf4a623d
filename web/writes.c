/* writes.c - see writes.h. */
#include "web/writes.h"

#include "base/escape.h"
#include "base/text.h"
#include "base/uri.h"

enum { WORDS_MAX = 8, PAGE_MAX = 256 << 10 };

const struct ts_write ts_writes[] = {
	{"tag", "tag", "tag message", "r", "Pins the run under a tag."},
	{"note", "note", "key value", "r", "Writes a note beside the run; an empty value removes it."},
	{"rm", "rm", "sure", "runs", "Removes the name; restore brings it back. sure=1 is needed."},
	{"restore", "restore", "as", "r", "Brings a removed name back, as another one if as is given."},
	{"accept", "baseline", "commit reason", "b", "Accepts a change of the branch NAME at a commit."},
};
const size_t ts_writes_n = sizeof ts_writes / sizeof ts_writes[0];

/* -- addresses -- */

/* "/p/PROJECT/WORD/NAME"; the word is not decoded, and empty for another form. */
static enum ts_status split(struct ts_span path, struct ts_arena *arena, struct ts_span *ret_project, struct ts_span *ret_word,
			    struct ts_span *ret_name, struct ts_error *err)
{
	struct ts_span project, word;

	*ret_word = ts_span_of("", 0);
	if (!ts_span_skip(&path, "/p/"))
		return TS_OK;
	project = ts_span_through(path, '/');
	path = ts_span_from(path, project.len);
	word = ts_span_through(path, '/');
	path = ts_span_from(path, word.len);
	if (project.len < 2 || word.len < 2 || !path.len)
		return TS_OK;
	*ret_word = ts_span_part(word, 0, word.len - 1);
	return ts_uri_decode(ts_span_part(project, 0, project.len - 1), false, arena, ret_project, err) ||
			       ts_uri_decode(path, false, arena, ret_name, err)
		       ? err->status
		       : TS_OK;
}

static const struct ts_write *find(struct ts_span word)
{
	for (size_t i = 0; i < ts_writes_n; i++)
		if (ts_span_is(word, ts_writes[i].path))
			return &ts_writes[i];
	return NULL;
}

/* -- a form that was sent -- */

struct fields {
	const char *tag, *message, *key, *value, *sure, *as, *commit, *reason;
};

static bool has_field(const struct ts_write *write, const char *name)
{
	struct ts_span rest = ts_span_str(write->fields);

	while (rest.len)
		if (ts_span_is(ts_next_word(&rest), name))
			return true;
	return false;
}

static enum ts_status read_fields(const struct ts_write *write, struct ts_span body, struct ts_arena *arena, struct fields *f,
				  struct ts_error *err)
{
	const struct {
		const char *name;
		const char **to;
	} all[] = {{"tag", &f->tag},   {"message", &f->message}, {"key", &f->key},	  {"value", &f->value},
		   {"sure", &f->sure}, {"as", &f->as},		 {"commit", &f->commit}, {"reason", &f->reason}};
	struct ts_span name, value;

	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		*all[i].to = "";
	while (ts_uri_field(&body, &name, &value)) {
		bool known = false;

		if (ts_uri_decode(value, true, arena, &value, err))
			return err->status;
		for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
			if (ts_span_is(name, all[i].name) && has_field(write, all[i].name)) {
				*all[i].to = (const char *)value.data;
				known = true;
			}
		if (!known)
			return ts_error_set(err, TS_INVALID, "the form %s has no field %s", write->path, ts_show(name).text);
	}
	return TS_OK;
}

static enum ts_status option(struct ts_written *w, const char *name, const char *value, struct ts_arena *arena, struct ts_error *err)
{
	if (!*value)
		return TS_OK;
	w->words[w->n] = ts_arena_printf(arena, "--%s=%s", name, value);
	return w->words[w->n++] ? TS_OK : ts_arena_error(arena, err);
}

static enum ts_status wants(const char *value, const char *what, struct ts_error *err)
{
	return *value ? TS_OK : ts_error_set(err, TS_INVALID, "the form has no %s", what);
}

static enum ts_status make_words(struct ts_written *w, const struct fields *f, struct ts_arena *arena, struct ts_error *err)
{
	const char *path = w->write->path, *name = (const char *)w->name.data, *last = NULL;
	bool is_tag = strcmp(path, "tag") == 0, is_note = strcmp(path, "note") == 0, is_accept = strcmp(path, "accept") == 0;

	w->words[w->n++] = w->write->verb;
	if (option(w, "project", (const char *)w->project.data, arena, err) || option(w, "message", f->message, arena, err) ||
	    option(w, "as", f->as, arena, err) || option(w, "reason", f->reason, arena, err) ||
	    (is_accept && option(w, "branch", name, arena, err)))
		return err->status;
	w->words[w->n++] = "--";
	w->words[w->n++] = is_accept ? "accept" : name;
	if (is_tag && wants(f->tag, "tag", err))
		return err->status;
	if (is_note && (wants(f->key, "key", err) || strchr(f->key, '=')))
		return strchr(f->key, '=') ? ts_error_set(err, TS_INVALID, "the key of a note has no '='") : err->status;
	if (is_accept && (wants(f->commit, "commit", err) || wants(f->reason, "reason", err)))
		return err->status;
	if (strcmp(path, "rm") == 0 && wants(f->sure, "sign that you are sure", err))
		return err->status;
	last = is_tag ? f->tag : is_note ? ts_arena_printf(arena, "%s=%s", f->key, f->value) : is_accept ? f->commit : NULL;
	if (is_note && !last)
		return ts_arena_error(arena, err);
	if (last)
		w->words[w->n++] = last;
	return TS_OK;
}

bool ts_write_find(const struct ts_http_request *request, struct ts_arena *arena, struct ts_written *ret, struct ts_error *err)
{
	static const char form[] = "application/x-www-form-urlencoded";
	struct ts_span word;
	struct fields fields;
	enum ts_status status;

	*ret = (struct ts_written){.words = ts_arena_array(arena, WORDS_MAX, sizeof *ret->words)};
	status = ret->words ? split(request->path, arena, &ret->project, &word, &ret->name, err) : ts_arena_error(arena, err);
	if (!status && !(ret->write = find(word)))
		return false;
	if (!status && !ts_span_starts(request->type, ts_span_str(form)))
		status = ts_error_set(err, TS_INVALID, "the fields of a form come as %s", form);
	if (!status)
		status = read_fields(ret->write, request->body, arena, &fields, err);
	if (!status)
		status = make_words(ret, &fields, arena, err);
	if (status)
		ret->n = 0;
	return true;
}

/* -- pages of forms -- */

bool ts_write_page(struct ts_span path, struct ts_arena *arena, struct ts_span *ret_project, struct ts_span *ret_name, bool *ret_branch,
		   struct ts_error *err)
{
	struct ts_span word;

	if (split(path, arena, ret_project, &word, ret_name, err))
		return false;
	*ret_branch = ts_span_is(word, "change-branch");
	return *ret_branch || ts_span_is(word, "change");
}

struct field {
	const char *name, *label;
	bool required;
};

struct form {
	const char *path, *title, *button;
	const struct field *fields;
	size_t n;
};

static const struct field tag_fields[] = {{"tag", "Tag", true}, {"message", "Line for its log", false}},
			  note_fields[] = {{"key", "Key", true}, {"value", "Value (empty: remove the note)", false}},
			  rm_fields[] = {{"sure", "I want to remove this name", true}},
			  restore_fields[] = {{"as", "Under another name (empty: its own)", false}},
			  accept_fields[] = {{"commit", "Commit", true}, {"reason", "Reason", true}};
static const struct form tag_form = {"tag", "Pin it under a tag", "Tag", tag_fields, 2},
			 note_form = {"note", "Write a note", "Note", note_fields, 2},
			 rm_form = {"rm", "Remove the name", "Remove", rm_fields, 1},
			 restore_form = {"restore", "Bring a removed name back", "Restore", restore_fields, 1},
			 accept_form = {"accept", "Accept a change", "Accept", accept_fields, 2};

/* k tells the ids of one page apart. */
static void put_form(struct ts_buf *out, struct ts_span project, struct ts_span name, const struct form *form, size_t k)
{
	const char *path = form->path;

	ts_buf_str(out, "<form method=\"post\" class=\"filter\" action=\"/p/");
	ts_uri_encode(out, project, false);
	ts_buf_printf(out, "/%s/", path);
	ts_uri_encode(out, name, true);
	ts_buf_str(out, "\">\n");
	for (size_t i = 0; i < form->n; i++) {
		const struct field *f = &form->fields[i];

		ts_buf_printf(out, "<label for=\"%s-%s-%zu\">%s</label> <input id=\"%s-%s-%zu\" name=\"%s\"%s%s/>\n", path, f->name, k,
			      f->label, path, f->name, k, f->name,
			      strcmp(f->name, "sure") == 0 ? " type=\"checkbox\" value=\"1\"" : "",
			      f->required ? " required=\"required\"" : "");
	}
	ts_buf_printf(out, "<button>%s</button>\n</form>\n", form->button);
}

static const char *text_of(struct ts_buf *out, struct ts_arena *arena)
{
	const char *text = out->failed ? NULL : ts_arena_printf(arena, "%.*s", (int)out->len, (const char *)out->data);

	ts_buf_finish(out);
	return text;
}

const char *ts_write_forms(struct ts_span project, struct ts_span name, bool branch, struct ts_arena *arena)
{
	static const struct form *const of_run[] = {&tag_form, &note_form, &rm_form, &restore_form};
	static const struct form *const of_branch[] = {&accept_form};
	const struct form *const *forms = branch ? of_branch : of_run;
	size_t n = branch ? 1 : sizeof of_run / sizeof of_run[0];
	struct ts_buf out = TS_BUF_INIT(PAGE_MAX);

	ts_buf_str(&out, "<p><a href=\"/p/");
	ts_uri_encode(&out, project, false);
	ts_buf_str(&out, branch ? "/b/" : "/r/");
	ts_uri_encode(&out, name, true);
	ts_buf_str(&out, "\">Back</a>. What you may change, the server decides.</p>\n");
	for (size_t i = 0; i < n; i++) {
		ts_buf_printf(&out, "<section><h2>%s</h2>\n", forms[i]->title);
		put_form(&out, project, name, forms[i], 0);
		ts_buf_str(&out, "</section>\n");
	}
	return text_of(&out, arena);
}

const char *ts_write_forms_of(struct ts_span project, struct ts_span query, struct ts_arena *arena)
{
	struct ts_buf out = TS_BUF_INIT(PAGE_MAX);
	struct ts_span field, value;
	struct ts_error err;
	size_t k = 0;

	ts_buf_str(&out, "<p><a href=\"/p/");
	ts_uri_encode(&out, project, false);
	ts_buf_str(&out, "/runs\">Back</a>. What you may change, the server decides.</p>\n");
	for (; k < TS_WRITE_RUNS && ts_uri_field(&query, &field, &value); k++) {
		if (ts_uri_decode(value, true, arena, &value, &err))
			break;
		ts_buf_str(&out, "<section><h2>");
		ts_html_escape(&out, value);
		ts_buf_str(&out, "</h2>\n");
		put_form(&out, project, value, &tag_form, k);
		put_form(&out, project, value, &note_form, k);
		ts_buf_str(&out, "</section>\n");
	}
	if (query.len)
		ts_buf_printf(&out, "<p>These are the first %zu of the chosen runs.</p>\n", k);
	return text_of(&out, arena);
}
