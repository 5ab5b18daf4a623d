/* term.c - see term.h. */
#include "cli/core/term.h"

#include "base/alloc.h"
#include "base/number.h"
#include "base/system.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { WIDTH_LEAST = 20, WIDTH_DEFAULT = 80 };

static int terminal_width(int fd)
{
	struct winsize size;

	if (isatty(fd) && ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		return size.ws_col < WIDTH_LEAST ? WIDTH_LEAST : size.ws_col;
	return 0;
}

static int columns_variable(void)
{
	const char *text = getenv("COLUMNS");
	uint64_t n;

	if (!text || !ts_parse_u64(ts_span_str(text), &n) || n == 0 || n > 100000)
		return 0;
	return n < WIDTH_LEAST ? WIDTH_LEAST : (int)n;
}

static bool wants_colour(const char *color, bool tty)
{
	const char *no = getenv("NO_COLOR"), *force = getenv("FORCE_COLOR"), *term = getenv("TERM");

	if (color && strcmp(color, "always") == 0)
		return true;
	if (color && strcmp(color, "never") == 0)
		return false;
	if (no && *no)
		return false;
	if (force && *force)
		return strcmp(force, "0") != 0;
	return tty && term && strcmp(term, "dumb") != 0;
}

/* The name of a locale ends in its encoding: en_US.UTF-8, C.utf8, de_DE.UTF-8@euro. */
static bool names_utf8(const char *locale)
{
	const char *encoding = strchr(locale, '.');

	return encoding && (strncasecmp(encoding + 1, "utf-8", 5) == 0 || strncasecmp(encoding + 1, "utf8", 4) == 0);
}

static bool is_utf8(void)
{
	static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		const char *value = getenv(names[i]);

		if (value && *value)
			return names_utf8(value);
	}
	return false;
}

void ts_term_init(struct ts_term *term, const char *color)
{
	int columns = columns_variable();

	term->out_tty = isatty(STDOUT_FILENO);
	term->err_tty = isatty(STDERR_FILENO);
	term->width = columns ? columns : terminal_width(STDOUT_FILENO);
	term->err_width = columns ? columns : terminal_width(STDERR_FILENO);
	if (term->err_width == 0)
		term->err_width = WIDTH_DEFAULT;
	term->utf8 = is_utf8();
	term->colour = wants_colour(color, term->out_tty);
}

static const char *style_code(enum ts_style style)
{
	switch (style) {
	case TS_STYLE_BOLD:
		return "\033[1m";
	case TS_STYLE_DIM:
		return "\033[2m";
	case TS_STYLE_RED:
	case TS_STYLE_A:
	case TS_STYLE_MARK:
		return "\033[31m";
	case TS_STYLE_GREEN:
	case TS_STYLE_B:
		return "\033[32m";
	case TS_STYLE_YELLOW:
		return "\033[33m";
	case TS_STYLE_CYAN:
		return "\033[36m";
	case TS_STYLE_MAGENTA:
		return "\033[35m";
	case TS_STYLE_BLUE:
		return "\033[34m";
	case TS_STYLE_PLAIN:
		break;
	}
	return "";
}

void ts_style_on(struct ts_buf *out, const struct ts_term *term, enum ts_style style)
{
	if (term->colour)
		ts_buf_str(out, style_code(style));
}

void ts_style_off(struct ts_buf *out, const struct ts_term *term, enum ts_style style)
{
	if (term->colour && style != TS_STYLE_PLAIN)
		ts_buf_str(out, "\033[0m");
}

void ts_styled(struct ts_buf *out, const struct ts_term *term, enum ts_style style, const char *text)
{
	ts_style_on(out, term, style);
	ts_buf_str(out, text);
	ts_style_off(out, term, style);
}

/* Wraps one paragraph, from text to end. */
static void wrap_paragraph(struct ts_buf *out, const char *text, const char *end, int width, int indent)
{
	int column = 0;

	while (text < end) {
		size_t len = strcspn(text, " \n");
		int wide;

		if (text + len > end)
			len = (size_t)(end - text);
		if (len == 0) {
			text++;
			continue;
		}
		wide = ts_text_width(ts_span_of(text, len));
		if (column && column + 1 + wide > width) {
			ts_buf_char(out, '\n');
			column = 0;
		}
		if (column) {
			ts_buf_char(out, ' ');
			column++;
		} else {
			ts_buf_spaces(out, indent);
			column = indent;
		}
		ts_buf_bytes(out, text, len);
		column += wide;
		text += len;
	}
	ts_buf_char(out, '\n');
}

void ts_wrap(struct ts_buf *out, const char *text, int width, int indent)
{
	if (width <= 0)
		width = WIDTH_DEFAULT;
	if (width > 100)
		width = 100;
	while (*text) {
		const char *end = strstr(text, "\n\n");
		const char *stop = end ? end : text + strlen(text);

		if (*text == ' ') {
			ts_buf_bytes(out, text, (size_t)(stop - text));
			ts_buf_char(out, '\n');
		} else {
			wrap_paragraph(out, text, stop, width, indent);
		}
		if (end)
			ts_buf_char(out, '\n');
		text = end ? end + 2 : stop;
	}
}

static const char *pager_command(void)
{
	const char *command = getenv("TSCOPE_PAGER");

	if (!command)
		command = getenv("PAGER");
	if (command && (!*command || strcmp(command, "cat") == 0))
		return NULL;
	return command ? command : "less";
}

static char *const *pager_environment(struct ts_buf *storage)
{
	/* git sets the same options: less quits if the text fits on the screen, keeps colours, and does not clear the
	 * screen. */
	static char less[] = "LESS=FRX";
	size_t n = 0;

	if (getenv("LESS"))
		return environ;
	for (char **at = environ; *at; at++)
		n++;
	ts_buf_bytes(storage, environ, n * sizeof *environ);
	ts_buf_bytes(storage, &(char *){less}, sizeof(char *));
	ts_buf_bytes(storage, &(char *){NULL}, sizeof(char *));
	return storage->failed ? environ : (char *const *)(void *)storage->data;
}

static int spawn_pager(const char *command, int in, int other, pid_t *ret_pid)
{
	struct ts_buf storage = TS_BUF_INIT(1 << 20);
	posix_spawn_file_actions_t actions;
	char sh[] = "sh", c[] = "-c", *copy = ts_alloc(strlen(command) + 1);
	char *const by_shell[] = {sh, c, copy, NULL};
	char *const direct[] = {copy, NULL};
	bool plain = strpbrk(command, " \t'\"$|;&<>") == NULL;
	int rc = copy ? posix_spawn_file_actions_init(&actions) : ENOMEM;

	if (rc == 0) {
		memcpy(copy, command, strlen(command) + 1);
		posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
		posix_spawn_file_actions_addclose(&actions, in);
		posix_spawn_file_actions_addclose(&actions, other);
		/* A single word is run without a shell, so that a program that is not installed is noticed here. */
		rc = posix_spawnp(ret_pid, plain ? copy : sh, &actions, NULL, plain ? direct : by_shell,
				  pager_environment(&storage));
		posix_spawn_file_actions_destroy(&actions);
	}
	ts_free(copy);
	ts_buf_finish(&storage);
	return rc;
}

static volatile sig_atomic_t pager_pid;

/* The pager keeps the terminal until its reader quits, so an interrupted command waits for the pager, as git does. */
static void wait_and_die(int signal_number)
{
	int status;

	close(STDOUT_FILENO);
	while (waitpid((pid_t)pager_pid, &status, 0) < 0 && errno == EINTR)
		;
	_exit(128 + signal_number);
}

static void on_signals(void (*handler)(int))
{
	struct sigaction action = {.sa_handler = handler};

	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
}

void ts_pager_start(const struct ts_term *term, pid_t *ret_pid)
{
	const char *command = pager_command();
	pid_t pid = 0;
	int ends[2];

	*ret_pid = 0;
	if (!term->out_tty || !command || ts_system_pipe(ends))
		return;
	if (spawn_pager(command, ends[0], ends[1], &pid) == 0 && dup2(ends[1], STDOUT_FILENO) >= 0) {
		*ret_pid = pid;
		pager_pid = pid;
		on_signals(wait_and_die);
	}
	close(ends[0]);
	close(ends[1]);
}

void ts_pager_wait(pid_t pid)
{
	int status;

	if (pid == 0)
		return;
	on_signals(SIG_IGN); /* from here on, ^C belongs to the pager */
	close(STDOUT_FILENO);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
}
