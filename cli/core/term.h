/* term.h - what the output goes to: how wide it is, whether it takes colour, and a pager in front of it.
 *
 * The width is COLUMNS if that is a number, else the terminal's, else 0 = no limit (a file or a pipe gets whole lines).
 * --color always|never decides on colour; else NO_COLOR (not empty) switches it off, FORCE_COLOR (not empty, not 0) on; else there
 * is colour when stdout is a terminal whose TERM is not "dumb".
 * The locale is the first of LC_ALL, LC_CTYPE and LANG that is not empty.
 * The pager is TSCOPE_PAGER, else PAGER, else less with LESS=FRX; empty or "cat" means none. It is started before any thread.
 */
#ifndef TSCOPE_CLI_CORE_TERM_H
#define TSCOPE_CLI_CORE_TERM_H

#include "base/buf.h"

#include <sys/types.h>

struct ts_term {
	int width;	/* 0 = no limit */
	bool colour;
	bool page; /* the text is drawn as parts of a page (cli/view/html.h) */
	const char *links; /* on a page that is served: how the addresses of its project's pages begin, "/p/NAME/"; else NULL */
	bool utf8; /* the locale's encoding, so that characters beyond ASCII are shown */
	bool out_tty;
	bool err_tty;
	int err_width;	/* of stderr, for the progress bar; at least 20 */
};

/* A colour of its own, or the role of a text, which a colour may repeat. */
enum ts_style {
	TS_STYLE_PLAIN,
	TS_STYLE_BOLD,
	TS_STYLE_DIM,
	TS_STYLE_RED,
	TS_STYLE_GREEN,
	TS_STYLE_YELLOW,
	TS_STYLE_CYAN,
	TS_STYLE_MAGENTA,
	TS_STYLE_BLUE,
	TS_STYLE_A,    /* it belongs to run a, which is red */
	TS_STYLE_B,    /* or to b, which is green */
	TS_STYLE_MARK, /* what is to be seen first */
};

/* color is "auto", "always", "never" or NULL. */
void ts_term_init(struct ts_term *term, const char *color);

/* Text between on and off gets the style; without colour neither writes anything. */
void ts_style_on(struct ts_buf *out, const struct ts_term *term, enum ts_style style);
void ts_style_off(struct ts_buf *out, const struct ts_term *term, enum ts_style style);
void ts_styled(struct ts_buf *out, const struct ts_term *term, enum ts_style style, const char *text);

/* Appends text wrapped to width (0 = 80), each line indented. "\n\n" separates paragraphs, "\n" is a space. A paragraph that begins
 * with a space is kept as it is. */
void ts_wrap(struct ts_buf *out, const char *text, int width, int indent);

/* Sends stdout through a pager if stdout is a terminal; *ret_pid is 0 if no pager was started. ts_pager_wait closes stdout and
 * waits for the pager. */
void ts_pager_start(const struct ts_term *term, pid_t *ret_pid);
void ts_pager_wait(pid_t pid);

#endif
