/* page.h - what every page begins and ends with: one file that needs nothing else, no font, no request, and no script but those of
 * flame graphs (cli/trace) and plots (chart_script.inc), without which it reads as well. It reads on a phone, in the dark, printed and
 * aloud; it is well-formed as XML, too. */
#ifndef TSCOPE_CLI_REPORT_PAGE_H
#define TSCOPE_CLI_REPORT_PAGE_H

#include "cli/core/context.h"

enum { TS_PAGE_MAX_BYTES = 256 << 20 };

/* A script of ours, in pieces. */
struct ts_page_script {
	const char *const *pieces;
	size_t n;
};

/* Writes everything up to the inside of the body. name: the title of the page; script: the only one that a browser may run there, which
 * the page's Content-Security-Policy names by its digest; NULL: none. Nothing is asked of any server. */
void ts_page_open(struct ts_buf *out, const char *name, const struct ts_page_script *script);
/* Appends the script that the page was opened with. */
void ts_page_run(struct ts_buf *out, const struct ts_page_script *script);
/* foot: what the foot of the page says behind the program's version. */
void ts_page_close(struct ts_buf *out, const char *foot);
/* Appends a whole page of what a verb drew as parts of one (struct ts_term, page). */
void ts_page_of_text(struct ts_buf *out, const char *title, struct ts_span parts);
/* The parts of a page that `say`, which writes text on a terminal, makes of what it is given. What it says goes through the command's
 * output, which is put back. ret is set in any case. */
typedef enum ts_status ts_say_fn(struct ts_cli *cli, const void *what, struct ts_error *err);
enum ts_status ts_page_said(struct ts_cli *cli, ts_say_fn *say, const void *what, struct ts_buf *ret, struct ts_error *err);
/* Appends a page as a server sends it: with links (HTML) in its place for them, and without its policy, since the server says one in a
 * header. What the page has in itself is named in that by 'sha256-...' in quotes: its style and its script; empty: it has none. */
enum { TS_PAGE_DIGEST = 64 };
void ts_page_serve(struct ts_buf *out, struct ts_span page, const char *links, char ret_style[TS_PAGE_DIGEST],
		   char ret_script[TS_PAGE_DIGEST]);
/* Appends open, the escaped text, and close. */
void ts_page_element(struct ts_buf *out, const char *open, const char *text, const char *close);

/* Puts the page where --html asks for it: into a file, which it replaces with --force only, or onto stdout, where it is then the whole
 * answer (*ret_answered). Does nothing without --html. It is called before anything else reaches stdout. */
typedef enum ts_status ts_page_fn(const void *what, struct ts_arena *arena, struct ts_buf *out, struct ts_error *err);
enum ts_status ts_page_write(struct ts_cli *cli, ts_page_fn *draw, const void *what, bool *ret_answered, struct ts_error *err);
/* The same of a page that has what `say` says (ts_page_said) and no more. foot: as above. */
struct ts_said_page {
	const char *title, *foot;
	ts_say_fn *say;
	const void *what;
};
/* "a.json and b.json" of what is compared: the last names of paths. NULL: no memory. */
const char *ts_page_title_of_two(const char *a, const char *b, struct ts_arena *arena);
enum ts_status ts_page_write_said(struct ts_cli *cli, const struct ts_said_page *page, bool *ret_answered, struct ts_error *err);

#endif
