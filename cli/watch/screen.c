#include "cli/watch/screen.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { WIDTH_LEAST = 20, HEIGHT_LEAST = 5, PAINT_MAX = 4 << 20 };

#define BEGIN "\033[?1049h\033[?25l\033[2J"
#define END "\033[?25h\033[?1049l"

/* Whoever is not in the foreground is stopped when it changes a terminal, unless it blocks that. */
static void set(int fd, const struct termios *settings)
{
	sigset_t out, before;

	(void)sigemptyset(&out);
	(void)sigaddset(&out, SIGTTOU);
	(void)sigprocmask(SIG_BLOCK, &out, &before);
	(void)tcsetattr(fd, TCSADRAIN, settings);
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
}

static void write_text(const char *text)
{
	struct ts_error gone;

	(void)ts_write_full(STDOUT_FILENO, text, strlen(text), &gone);
}

void ts_screen_resize(struct ts_screen *s)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || !size.ws_col || !size.ws_row)
		return;
	s->width = size.ws_col < WIDTH_LEAST ? WIDTH_LEAST : size.ws_col;
	s->height = size.ws_row < HEIGHT_LEAST ? HEIGHT_LEAST : size.ws_row;
}

/* Keys come from stdin, or from the terminal itself where stdin is something else. */
static void take_keys(struct ts_screen *s)
{
	struct termios quiet;

	s->keys = isatty(STDIN_FILENO) ? STDIN_FILENO : open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NOCTTY);
	s->own = s->keys > STDERR_FILENO;
	if (s->keys < 0 || tcgetattr(s->keys, &s->before) < 0)
		return;
	s->known = true;
	quiet = s->before;
	quiet.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	quiet.c_cc[VMIN] = 1;
	quiet.c_cc[VTIME] = 0;
	set(s->keys, &quiet);
}

bool ts_screen_open(struct ts_screen *s)
{
	const char *term = getenv("TERM");

	*s = (struct ts_screen){.keys = -1, .width = 80, .height = 24};
	if (!isatty(STDOUT_FILENO) || !term || !*term || strcmp(term, "dumb") == 0)
		return false;
	ts_screen_resize(s);
	take_keys(s);
	write_text(BEGIN);
	s->open = true;
	return true;
}

void ts_screen_close(struct ts_screen *s)
{
	if (!s->open)
		return;
	write_text(END);
	if (s->known)
		set(s->keys, &s->before);
	if (s->own)
		(void)close(s->keys);
	s->keys = -1;
	s->own = s->open = s->known = false;
}

/* Each line is written over the one that was there; the last has no end, so that nothing moves up. */
enum ts_status ts_screen_paint(struct ts_screen *s, struct ts_span text, struct ts_error *err)
{
	struct ts_buf out = TS_BUF_INIT(PAINT_MAX);
	int line = 0;
	enum ts_status status;

	ts_buf_str(&out, "\033[H");
	while (text.len && line < s->height) {
		const uint8_t *end = memchr(text.data, '\n', text.len);
		size_t n = end ? (size_t)(end - text.data) : text.len;

		if (line++)
			ts_buf_str(&out, "\r\n");
		ts_buf_bytes(&out, text.data, n);
		ts_buf_str(&out, "\033[K");
		text = ts_span_from(text, end ? n + 1 : n);
	}
	ts_buf_str(&out, "\033[J");
	status = ts_buf_check(&out, err);
	if (!status)
		status = ts_write_full(STDOUT_FILENO, out.data, out.len, err);
	ts_buf_finish(&out);
	return status;
}

static bool is_ready(int fd)
{
	struct pollfd ready = {.fd = fd, .events = POLLIN};

	return poll(&ready, 1, 0) > 0 && ready.revents & POLLIN;
}

static bool next_byte(const struct ts_screen *s, unsigned char *ret)
{
	return s->keys >= 0 && is_ready(s->keys) && read(s->keys, ret, 1) == 1;
}

/* An arrow is ESC [ A to D, or ESC O A to D. */
static enum ts_watch_key arrow(const struct ts_screen *s)
{
	unsigned char c;

	if (!next_byte(s, &c) || (c != '[' && c != 'O') || !next_byte(s, &c))
		return TS_PRESSED_NOTHING;
	if (c == 'B' || c == 'C')
		return TS_PRESSED_NEXT;
	return c == 'A' || c == 'D' ? TS_PRESSED_BEFORE : TS_PRESSED_NOTHING;
}

enum ts_watch_key ts_screen_key(struct ts_screen *s)
{
	unsigned char c;

	while (next_byte(s, &c)) {
		enum ts_watch_key key = c == 033	       ? arrow(s)
					: c == 'q' || c == 'Q' ? TS_PRESSED_QUIT
					: c == '?' || c == 'h' ? TS_PRESSED_HELP
							       : TS_PRESSED_NOTHING;

		if (key)
			return key;
	}
	return TS_PRESSED_NOTHING;
}
