#include "launch/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

void ts_terminal_init(struct ts_terminal *terminal, int fd, bool keys)
{
	*terminal = (struct ts_terminal){.fd = fd, .keys = keys};
	terminal->known = fd >= 0 && tcgetattr(fd, &terminal->before) == 0;
}

bool ts_terminal_is_ours(const struct ts_terminal *terminal)
{
	return terminal->fd >= 0 && tcgetpgrp(terminal->fd) == getpgrp();
}

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

void ts_terminal_raw(struct ts_terminal *terminal)
{
	struct termios raw;

	if (terminal->raw || !terminal->keys || !ts_terminal_is_ours(terminal) || tcgetattr(terminal->fd, &terminal->before) < 0)
		return;
	raw = terminal->before;
	raw.c_iflag &= ~(tcflag_t)(IGNBRK | BRKINT | PARMRK | ISTRIP | INLCR | IGNCR | ICRNL | IXON);
	raw.c_oflag &= ~(tcflag_t)OPOST;
	raw.c_lflag &= ~(tcflag_t)(ECHO | ECHONL | ICANON | ISIG | IEXTEN);
	raw.c_cflag &= ~(tcflag_t)(CSIZE | PARENB);
	raw.c_cflag |= CS8;
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	set(terminal->fd, &raw);
	terminal->raw = true;
}

void ts_terminal_back(struct ts_terminal *terminal)
{
	if (terminal->raw)
		set(terminal->fd, &terminal->before);
	terminal->raw = false;
}

void ts_terminal_take(int fd, pid_t group)
{
	sigset_t out, before;

	(void)sigemptyset(&out);
	(void)sigaddset(&out, SIGTTOU);
	(void)sigprocmask(SIG_BLOCK, &out, &before);
	(void)tcsetpgrp(fd, group);
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
}

static int open_theirs(int ours)
{
	const char *name = grantpt(ours) == 0 && unlockpt(ours) == 0 ? ptsname(ours) : NULL;

	return name ? open(name, O_RDWR | O_NOCTTY | O_CLOEXEC) : -1;
}

enum ts_status ts_terminal_pair(const struct ts_terminal *terminal, int *ret_ours, int *ret_theirs, struct ts_error *err)
{
	int ours = posix_openpt(O_RDWR | O_NOCTTY), theirs = ours < 0 ? -1 : open_theirs(ours);
	struct termios settings = terminal->before;

	if (theirs < 0) {
		int error = errno;

		if (ours >= 0)
			(void)close(ours);
		return ts_error_errno(err, error, "a terminal for the command");
	}
	(void)fcntl(ours, F_SETFD, FD_CLOEXEC);
	if (!terminal->keys) /* ours stays as it is, and ends lines itself */
		settings.c_oflag &= ~(tcflag_t)OPOST;
	if (terminal->known)
		(void)tcsetattr(theirs, TCSANOW, &settings);
	ts_terminal_resize(terminal, ours);
	*ret_ours = ours;
	*ret_theirs = theirs;
	return TS_OK;
}

void ts_terminal_resize(const struct ts_terminal *terminal, int ours)
{
	struct winsize size;

	if (terminal->fd >= 0 && ioctl(terminal->fd, TIOCGWINSZ, &size) == 0)
		(void)ioctl(ours, TIOCSWINSZ, &size);
}

void ts_terminal_own(int theirs)
{
#ifdef TIOCSCTTY
	(void)ioctl(theirs, TIOCSCTTY, 0);
#else
	(void)theirs; /* the first terminal that a session opens is its own there */
#endif
}
