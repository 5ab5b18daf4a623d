#include "launch/ended.h"

#include <errno.h>
#include <sys/wait.h>

enum { BY_SIGNAL = 128, NOT_FOUND = 127, NOT_EXECUTED = 126 };

void ts_ended_by(struct ts_ended *ended, int status)
{
	ended->over = true;
	ended->code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
	ended->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
#ifdef WCOREDUMP
	ended->dumped = ended->signal && WCOREDUMP(status);
#endif
}

int ts_ended_code(const struct ts_ended *ended)
{
	if (ended->cannot)
		return ended->cannot == ENOENT || ended->cannot == ENOTDIR ? NOT_FOUND : NOT_EXECUTED;
	return ended->signal ? BY_SIGNAL + ended->signal : ended->code;
}

bool ts_ended_well(const struct ts_ended *ended)
{
	return ended->over && ts_ended_code(ended) == 0;
}
