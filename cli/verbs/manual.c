/* manual.c - the help of the verbs for a terminal, as roff and as JSON; see manual.h. */
#include "cli/verbs/manual.h"

#include "base/text.h"

const struct ts_variable ts_variables[] = {
	{"TSCOPE_SERVER", "the server to talk to: unix:PATH, tls:HOST:PORT, HOST:PORT or ssh://HOST; several of one store are parted "
			  "by commas"},
	{"TSCOPE_STORE", "the local store, used when no server is named"},
	{"TSCOPE_PROJECT", "the project of names without one"},
	{"TSCOPE_PAGER, PAGER", "the pager for long output; an empty value or cat turns paging off"},
	{"NO_COLOR, FORCE_COLOR", "NO_COLOR turns colour off; FORCE_COLOR turns it on, also into a pipe"},
	{"COLUMNS", "the width in which tables have to fit"},
	{NULL, NULL},
};

static void heading(struct ts_buf *out, const struct ts_term *term, const char *text)
{
	ts_buf_char(out, '\n');
	ts_styled(out, term, TS_STYLE_BOLD, text);
	ts_buf_char(out, '\n');
}

/* Writes a term in the left column, and its meaning wrapped in the right column. The meaning begins on the next line if
 * the term is too long. */
static void entry(struct ts_buf *out, const struct ts_term *term, const char *left, const char *right, int column)
{
	int width = term->width ? term->width : 80;
	int used = (int)strlen(left) + 2;

	ts_buf_str(out, "  ");
	ts_buf_str(out, left);
	if (used + 2 > column) {
		ts_buf_char(out, '\n');
		used = 0;
	}
	for (; used < column; used++)
		ts_buf_char(out, ' ');
	/* ts_wrap also indents the first line; the left column is already there, so that indent is cut off. */
	if (!out->failed) {
		struct ts_buf text = TS_BUF_INIT((size_t)1 << 20);

		ts_wrap(&text, right, width, column);
		if (!text.failed && text.len >= (size_t)column)
			ts_buf_bytes(out, text.data + column, text.len - (size_t)column);
		ts_buf_lacks(out, &text);
		ts_buf_finish(&text);
	}
}

/* "-c, --columns A,B,..." */
static void option_name(struct ts_buf *out, const struct ts_option *option)
{
	if (option->letter)
		ts_buf_printf(out, "-%c, --%s", option->letter, option->name);
	else
		ts_buf_printf(out, "    --%s", option->name);
	if (option->argument)
		ts_buf_printf(out, ts_option_is_optional(option) ? "[%s]" : " %s", option->argument);
}

static void help_options(struct ts_buf *out, const struct ts_term *term, const struct ts_option *options)
{
	int column = term->width && term->width < 72 ? 8 : 26;

	for (; options && options->name; options++) {
		struct ts_buf left = TS_BUF_INIT(256);

		option_name(&left, options);
		ts_buf_char(&left, '\0');
		if (!left.failed)
			entry(out, term, (const char *)left.data, options->help, column);
		ts_buf_lacks(out, &left);
		ts_buf_finish(&left);
	}
}

static void help_exits(struct ts_buf *out, const struct ts_term *term, const char *exits)
{
	while (*exits) {
		size_t len = strcspn(exits, "\n");
		char code[8] = {exits[0]};
		struct ts_buf text = TS_BUF_INIT(4096);

		ts_buf_bytes(&text, exits + 2, len - 2);
		ts_buf_char(&text, '\0');
		if (!text.failed)
			entry(out, term, code, (const char *)text.data, 5);
		ts_buf_lacks(out, &text);
		ts_buf_finish(&text);
		exits += len;
		exits += *exits == '\n';
	}
}

/* Wraps a text made of four parts. */
static void wrapped(struct ts_buf *out, const struct ts_term *term, const char *a, const char *b, const char *c,
		    const char *d)
{
	struct ts_buf text = TS_BUF_INIT(4096);

	ts_buf_printf(&text, "%s%s%s%s", a, b, c, d);
	ts_buf_char(&text, '\0');
	if (!text.failed)
		ts_wrap(out, (const char *)text.data, term->width, 0);
	ts_buf_lacks(out, &text);
	ts_buf_finish(&text);
}

static void help_examples(struct ts_buf *out, const struct ts_term *term, const struct ts_example *examples, size_t most)
{
	for (const struct ts_example *e = examples; e->command && most--; e++) {
		ts_buf_printf(out, "  %s\n", e->command);
		ts_wrap(out, e->what, term->width, 6);
	}
}

static void help_head(const struct ts_verb *verb, const struct ts_term *term, struct ts_buf *out)
{
	wrapped(out, term, "tscope ", verb->name, " - ", verb->summary);
	ts_buf_char(out, '\n');
	wrapped(out, term, "Usage: tscope ", verb->name, verb->options ? " [OPTIONS] " : " ", verb->usage);
}

/* Whoever looks an option up finds it first; the prose comes last. */
static void help_verb(const struct ts_verb *verb, const struct ts_term *term, struct ts_buf *out)
{
	help_head(verb, term, out);
	if (verb->options) {
		heading(out, term, "Options");
		help_options(out, term, verb->options);
	}
	heading(out, term, "Options of every verb");
	help_options(out, term, ts_common_options);
	heading(out, term, "Examples");
	help_examples(out, term, verb->examples, SIZE_MAX);
	heading(out, term, "Exit status");
	help_exits(out, term, verb->exits);
	heading(out, term, "More");
	ts_wrap(out, verb->about, term->width, 0);
}

static void help_program(const struct ts_term *term, struct ts_buf *out)
{
	ts_buf_str(out, "tscope - git for training runs\n\nUsage: tscope VERB [OPTIONS] [ARGUMENTS]\n\n");
	ts_wrap(out,
		"tscope stores training runs and compares them. A run is pushed once, and its id is computed from its content. A diff "
		"of two runs finds the first step at which they differ, and what else differs between them. Runs are stored on a "
		"server (TSCOPE_SERVER) or, without a server, in a store in your home folder.",
		term->width, 0);
	heading(out, term, "Verbs");
	for (size_t i = 0; i < ts_verbs_n; i++)
		entry(out, term, ts_verbs[i].name, ts_verbs[i].summary, 16);
	heading(out, term, "Begin with");
	ts_buf_str(out, "  tscope push runs/exp1 runs/exp2\n"
			"  tscope list\n"
			"  tscope diff exp1 exp2\n"
			"  tscope diff ./runs/exp1 ./runs/exp2     stores nothing\n"
			"  tscope help diff                        shows the help of a verb\n");
	heading(out, term, "Environment");
	for (const struct ts_variable *v = ts_variables; v->name; v++)
		entry(out, term, v->name, v->what, term->width && term->width < 72 ? 8 : 25);
}

enum { BRIEF_OPTIONS = 10, BRIEF_EXAMPLES = 2, BRIEF_LEFT_MOST = 30, BRIEF_ROOM = 52 };

static const struct ts_option *own_option(const struct ts_verb *verb, struct ts_span name)
{
	for (const struct ts_option *o = verb->options; o && o->name; o++)
		if (ts_span_is(name, o->name))
			return o;
	return NULL;
}

/* Adds the verb's own options, those that it names first, and fills up with those of every verb. */
static size_t brief_options(const struct ts_verb *verb, const struct ts_option *ret_options[BRIEF_OPTIONS])
{
	size_t n = 0;

	for (const char *at = verb->first; at && *at && n < BRIEF_OPTIONS; at += strspn(at, " ")) {
		size_t len = strcspn(at, " ");
		const struct ts_option *o = own_option(verb, ts_span_of(at, len));

		if (o)
			ret_options[n++] = o;
		at += len;
	}
	for (const struct ts_option *o = verb->options; !verb->first && o && o->name && n < BRIEF_OPTIONS; o++)
		ret_options[n++] = o;
	for (const struct ts_option *o = ts_common_options; o->name && n < BRIEF_OPTIONS; o++)
		ret_options[n++] = o;
	return n;
}

/* Whether what stands behind a colon is a few words, which may be what is to be typed. */
static bool is_few(const char *list)
{
	return strcspn(list, ";") <= BRIEF_ROOM;
}

/* How much of a text is shown, at every width: up to the last end of a clause in BRIEF_ROOM, else up to the first one behind it. What
 * ends before the middle is too short to be a clause of its own: "of a memory snapshot: ...". */
static size_t brief_length(const char *text)
{
	size_t len = strlen(text), clause = 0, room = BRIEF_ROOM;
	bool lists = false; /* behind a colon commas stand between the things of a list, and in brackets is no end at all */

	if (len <= room)
		return len;
	for (size_t i = 1; i < len && (i <= room || !clause); i++) {
		bool bracket = text[i] == ' ' && text[i + 1] == '(';

		if (bracket || text[i] == ';' ||
		    (!lists && i >= room / 2 && (text[i] == ',' || (text[i] == ':' && !is_few(text + i)))))
			clause = i;
		lists = text[i] == ':' || (lists && text[i] != ';');
		if (bracket)
			i += strcspn(text + i, ")");
	}
	return clause ? clause : len;
}

/* An entry whose meaning is wrapped, and not cut: it may say what is to be typed. */
static void brief_entry(struct ts_buf *out, const struct ts_term *term, const char *left, const char *right, int column)
{
	struct ts_buf text = TS_BUF_INIT(4096);

	ts_buf_bytes(&text, right, brief_length(right));
	ts_buf_char(&text, '\0');
	if (!text.failed)
		entry(out, term, left, (const char *)text.data, column);
	ts_buf_lacks(out, &text);
	ts_buf_finish(&text);
}

static void brief_verb(const struct ts_verb *verb, const struct ts_term *term, struct ts_buf *out)
{
	const struct ts_option *options[BRIEF_OPTIONS];
	size_t n = brief_options(verb, options);
	struct ts_buf left[BRIEF_OPTIONS];
	int column = 0;

	for (size_t i = 0; i < n; i++) {
		int width;

		left[i] = TS_BUF_INIT(256);
		option_name(&left[i], options[i]);
		width = ts_text_width(ts_buf_view(&left[i])) + 4;
		column = width > column && width <= BRIEF_LEFT_MOST ? width : column;
	}
	help_head(verb, term, out);
	ts_buf_char(out, '\n');
	for (size_t i = 0; i < n; i++) {
		ts_buf_char(&left[i], '\0');
		if (!left[i].failed)
			brief_entry(out, term, (const char *)left[i].data, options[i]->help, column);
		ts_buf_lacks(out, &left[i]);
		ts_buf_finish(&left[i]);
	}
	ts_buf_char(out, '\n');
	help_examples(out, term, verb->examples, BRIEF_EXAMPLES);
	ts_buf_char(out, '\n');
	wrapped(out, term, "'tscope ", verb->name, " --help' shows all", " of the help.");
}

/* The verbs of the first hour, in its order. */
static void brief_program(const struct ts_term *term, struct ts_buf *out)
{
	static const char *const first[] = {"run",  "push", "list",	 "show", "analyze",
					    "diff", "plot", "check-resume", "gate", "web"};

	ts_buf_str(out, "tscope - git for training runs\n\nUsage: tscope VERB [OPTIONS] [ARGUMENTS]\n\n");
	for (size_t i = 0; i < sizeof first / sizeof first[0]; i++) {
		const struct ts_verb *verb = ts_verb_find(first[i]);

		if (verb)
			brief_entry(out, term, verb->name, verb->summary, 16);
	}
	ts_buf_str(out, "\n  tscope push runs/exp1 runs/exp2\n  tscope diff exp1 exp2\n\n");
	wrapped(out, term, "'tscope --help' shows all verbs, and ", "'tscope VERB -h' the usage", " of one.", "");
}

void ts_manual_brief(const struct ts_verb *verb, const struct ts_term *term, struct ts_buf *out)
{
	if (verb)
		brief_verb(verb, term, out);
	else
		brief_program(term, out);
}

void ts_manual_help(const struct ts_verb *verb, const struct ts_term *term, struct ts_buf *out)
{
	if (verb)
		help_verb(verb, term, out);
	else
		help_program(term, out);
}

/* Writes text for roff: it escapes backslashes, protects a dot or a quote at the start of a line, and keeps '-' as a character that can
 * be copied. */
static void roff_text(struct ts_buf *out, const char *text)
{
	bool start = true;

	for (const char *at = text; *at; at++) {
		if (start && (*at == '.' || *at == '\''))
			ts_buf_str(out, "\\&");
		if (*at == '\\')
			ts_buf_str(out, "\\e");
		else if (*at == '-')
			ts_buf_str(out, "\\-");
		else if (at[0] == '\n' && at[1] == '\n') {
			ts_buf_str(out, "\n.PP\n");
			at++;
		} else {
			ts_buf_char(out, *at);
		}
		start = *at == '\n';
	}
}

static void roff_options(struct ts_buf *out, const struct ts_option *options)
{
	for (; options && options->name; options++) {
		ts_buf_str(out, ".TP\n");
		if (options->letter)
			ts_buf_printf(out, "\\fB\\-%c\\fR, ", options->letter);
		ts_buf_str(out, "\\fB\\-\\-");
		roff_text(out, options->name);
		ts_buf_str(out, "\\fR");
		if (options->argument) {
			ts_buf_str(out, ts_option_is_optional(options) ? "[\\fI" : " \\fI");
			roff_text(out, options->argument);
			ts_buf_str(out, ts_option_is_optional(options) ? "\\fR]" : "\\fR");
		}
		ts_buf_char(out, '\n');
		roff_text(out, options->help);
		ts_buf_char(out, '\n');
	}
}

static void roff_term(struct ts_buf *out, const char *left, const char *right)
{
	ts_buf_str(out, ".TP\n\\fB");
	roff_text(out, left);
	ts_buf_str(out, "\\fR\n");
	roff_text(out, right);
	ts_buf_char(out, '\n');
}

static void roff_exits(struct ts_buf *out, const char *exits)
{
	while (*exits) {
		size_t len = strcspn(exits, "\n");

		ts_buf_printf(out, ".TP\n\\fB%c\\fR\n", exits[0]);
		for (const char *at = exits + 2; at < exits + len; at++)
			ts_buf_str(out, *at == '-' ? "\\-" : (char[]){*at, '\0'});
		ts_buf_char(out, '\n');
		exits += len;
		exits += *exits == '\n';
	}
}

static void roff_verb(const struct ts_verb *verb, struct ts_buf *out)
{
	ts_buf_printf(out, ".TH TSCOPE\\-%s 1 \"\" \"tscope\" \"tscope manual\"\n.SH NAME\ntscope\\-%s \\- ", verb->name,
		      verb->name);
	roff_text(out, verb->summary);
	ts_buf_printf(out, "\n.SH SYNOPSIS\n\\fBtscope %s\\fR%s%s", verb->name, verb->options ? " [OPTIONS]" : "",
		      *verb->usage ? " " : "");
	roff_text(out, verb->usage);
	ts_buf_str(out, "\n.SH DESCRIPTION\n");
	roff_text(out, verb->about);
	if (verb->options)
		ts_buf_str(out, "\n.SH OPTIONS");
	ts_buf_char(out, '\n');
	roff_options(out, verb->options);
	ts_buf_str(out, ".SH OPTIONS OF EVERY VERB\n");
	roff_options(out, ts_common_options);
	ts_buf_str(out, ".SH EXAMPLES\n");
	for (const struct ts_example *e = verb->examples; e->command; e++)
		roff_term(out, e->command, e->what);
	ts_buf_str(out, ".SH EXIT STATUS\n");
	roff_exits(out, verb->exits);
	ts_buf_str(out, ".SH SEE ALSO\n.BR tscope (1)\n");
}

static void roff_program(struct ts_buf *out)
{
	ts_buf_str(out,
		   ".TH TSCOPE 1 \"\" \"tscope\" \"tscope manual\"\n.SH NAME\ntscope \\- git for training runs\n"
		   ".SH SYNOPSIS\n\\fBtscope\\fR VERB [OPTIONS] [ARGUMENTS]\n.SH DESCRIPTION\n"
		   "tscope stores training runs and compares them. A run is pushed once, and its id is computed from its content.\n"
		   ".SH VERBS\n");
	for (size_t i = 0; i < ts_verbs_n; i++)
		roff_term(out, ts_verbs[i].name, ts_verbs[i].summary);
	ts_buf_str(out, ".SH OPTIONS\n");
	roff_options(out, ts_common_options);
	ts_buf_str(out, ".SH ENVIRONMENT\n");
	for (const struct ts_variable *v = ts_variables; v->name; v++)
		roff_term(out, v->name, v->what);
	ts_buf_str(out, ".SH FILES\n");
	roff_term(out, ".tscope", "a file in this folder or in one above it, with the line 'project = NAME'");
	roff_term(out, "~/.local/share/tscope/store", "the local store (XDG_DATA_HOME is respected)");
	ts_buf_str(out, ".SH EXIT STATUS\n");
	roff_exits(out, "0 success: the runs are the same, the store is sound, the command is done\n"
			"1 the answer is no: runs differ, a run has regressed, an object is damaged\n"
			"2 the command failed, or the answer could not be determined\n3 inconclusive\n"
			"4 the gate needs pairs of runs to decide");
	ts_buf_str(out, ".SH SEE ALSO\n");
	for (size_t i = 0; i < ts_verbs_n; i++)
		ts_buf_printf(out, ".BR tscope\\-%s (1)%s\n", ts_verbs[i].name, i + 1 < ts_verbs_n ? "," : "");
}

void ts_manual_roff(const struct ts_verb *verb, struct ts_buf *out)
{
	if (verb)
		roff_verb(verb, out);
	else
		roff_program(out);
}

static void json_options(struct ts_json *j, const struct ts_option *options)
{
	ts_json_array(j);
	for (; options && options->name; options++) {
		ts_json_object(j);
		ts_json_key(j, "name");
		ts_json_string(j, options->name);
		ts_json_key(j, "letter");
		ts_json_string(j, options->letter ? (char[]){options->letter, '\0'} : NULL);
		ts_json_key(j, "argument");
		ts_json_string(j, options->argument);
		ts_json_key(j, "help");
		ts_json_string(j, options->help);
		ts_json_end(j);
	}
	ts_json_end(j);
}

void ts_manual_json(const struct ts_verb *verb, struct ts_json *j)
{
	ts_json_object(j);
	ts_json_key(j, "common_options");
	json_options(j, ts_common_options);
	ts_json_key(j, "verbs");
	ts_json_array(j);
	for (size_t i = 0; i < ts_verbs_n; i++) {
		if (verb && verb != &ts_verbs[i])
			continue;
		ts_json_object(j);
		ts_json_key(j, "name");
		ts_json_string(j, ts_verbs[i].name);
		ts_json_key(j, "summary");
		ts_json_string(j, ts_verbs[i].summary);
		ts_json_key(j, "usage");
		ts_json_string(j, ts_verbs[i].usage);
		ts_json_key(j, "options");
		json_options(j, ts_verbs[i].options);
		ts_json_end(j);
	}
	ts_json_end(j);
	ts_json_end(j);
}
