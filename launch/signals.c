#include "launch/signals.h"

#include "base/system.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

static const int kinds[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGPIPE, SIGTERM,  SIGUSR1, SIGUSR2, SIGCHLD,
			    SIGTSTP, SIGCONT, SIGTTIN, SIGTTOU, SIGWINCH, SIGALRM};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

static struct sigaction before[KINDS];
static bool kept;
static int ends[2] = {-1, -1};

static void keep(void)
{
	for (size_t i = 0; !kept && i < KINDS; i++)
		(void)sigaction(kinds[i], NULL, &before[i]);
	kept = true;
}

static void on_signal(int number, siginfo_t *info, void *context)
{
	struct ts_signal word = {.number = number};
	int error = errno;

	(void)context;
	if (info && (info->si_code == SI_USER || info->si_code == SI_QUEUE))
		word.from = info->si_pid;
	while (write(ends[1], &word, sizeof word) < 0 && errno == EINTR)
		;
	errno = error;
}

static bool is_ignored(int number)
{
	for (size_t i = 0; i < KINDS; i++)
		if (kinds[i] == number)
			return before[i].sa_handler == SIG_IGN && number != SIGCHLD && number != SIGCONT && number != SIGPIPE;
	return false;
}

enum ts_status ts_signals_catch(const int *numbers, int *ret_fd, struct ts_error *err)
{
	struct sigaction action = {.sa_flags = SA_SIGINFO | SA_RESTART, .sa_sigaction = on_signal};

	keep();
	if (ts_system_pipe(ends) < 0)
		return ts_error_errno(err, errno, "pipe");
	for (int i = 0; i < 2; i++)
		(void)fcntl(ends[i], F_SETFL, O_NONBLOCK);
	(void)sigemptyset(&action.sa_mask);
	(void)signal(SIGPIPE, SIG_IGN);
	for (; *numbers; numbers++)
		if (!is_ignored(*numbers))
			(void)sigaction(*numbers, &action, NULL);
	*ret_fd = ends[0];
	return TS_OK;
}

bool ts_signals_next(int fd, struct ts_signal *ret_signal)
{
	return read(fd, ret_signal, sizeof *ret_signal) == (ssize_t)sizeof *ret_signal;
}

void ts_signals_ignore(void)
{
	keep();
	for (size_t i = 0; i < KINDS; i++)
		if (kinds[i] != SIGCHLD && kinds[i] != SIGCONT && kinds[i] != SIGALRM)
			(void)signal(kinds[i], SIG_IGN);
}

void ts_signals_give_back(void)
{
	sigset_t none;

	for (size_t i = 0; kept && i < KINDS; i++)
		(void)sigaction(kinds[i], &before[i], NULL);
	(void)signal(SIGXFSZ, SIG_DFL); /* which this program ignores */
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
}
