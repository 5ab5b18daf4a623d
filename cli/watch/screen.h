/* screen.h - the terminal that frames are repainted on: another screen, no cursor, keys without Enter; all of it put back at the end.
 *
 *	ts_screen_open(&s)		false: stdout is no terminal that can be repainted
 *	ts_screen_paint(&s, text)	lines that fit; what does not fit the window is left out
 *	while ((key = ts_screen_key(&s)) ...)
 *	ts_screen_close(&s)
 *
 * A process that is stopped closes it first and opens it again when it goes on. Threads: one at a time.
 */
#ifndef TSCOPE_CLI_WATCH_SCREEN_H
#define TSCOPE_CLI_WATCH_SCREEN_H

#include "base/buf.h"

#include <termios.h>

enum ts_watch_key { TS_PRESSED_NOTHING, TS_PRESSED_QUIT, TS_PRESSED_HELP, TS_PRESSED_NEXT, TS_PRESSED_BEFORE };

struct ts_screen {
	bool open;
	int keys; /* where keys come from; -1: nowhere */
	bool own; /* and it is to be closed */
	struct termios before;
	bool known; /* before is set */
	int width, height;
};

bool ts_screen_open(struct ts_screen *s);
void ts_screen_close(struct ts_screen *s);
/* Asks for the size again, after SIGWINCH. */
void ts_screen_resize(struct ts_screen *s);
enum ts_status ts_screen_paint(struct ts_screen *s, struct ts_span text, struct ts_error *err);
/* The next key that was pressed; it does not wait. */
enum ts_watch_key ts_screen_key(struct ts_screen *s);

#endif
