/* sigbus.c - the handler of SIGBUS that sigbus.h describes. */
#include "base/sigbus.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static void (*say_it)(void);
static int exit_with;

static void caught(int number, siginfo_t *info, void *context)
{
	(void)context;
	if (info->si_code != BUS_ADRERR && info->si_code != BUS_OBJERR && info->si_code != BUS_MCEERR_AR) {
		(void)signal(number, SIG_DFL);
		(void)raise(number);
		return;
	}
	say_it();
	_exit(exit_with);
}

void ts_sigbus_catch(void (*say)(void), int exit_code)
{
	struct sigaction action = {.sa_sigaction = caught, .sa_flags = (int)(SA_SIGINFO | SA_RESETHAND)};

	say_it = say;
	exit_with = exit_code;
	sigemptyset(&action.sa_mask);
	(void)sigaction(SIGBUS, &action, NULL);
}
