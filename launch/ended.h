/* ended.h - how a process ended, and which exit code a shell would give for that.
 */
#ifndef TSCOPE_LAUNCH_ENDED_H
#define TSCOPE_LAUNCH_ENDED_H

#include <stdbool.h>
#include <sys/types.h>

struct ts_ended {
	bool begun, over;
	pid_t pid;	 /* of a process that has begun */
	int cannot;	 /* the error number with which its program could not be started; 0: it was */
	int code;	 /* the exit code of a process that exited */
	int signal;	 /* which ended it; 0: none */
	bool dumped;	 /* and left its memory in a file */
	bool asked;	 /* the launcher had ended it, because another process had failed */
};

/* status: as waitpid gives it. */
void ts_ended_by(struct ts_ended *ended, int status);
/* 128 and the number of a signal; 127: there is no such program; 126: it cannot be executed. */
int ts_ended_code(const struct ts_ended *ended);
bool ts_ended_well(const struct ts_ended *ended);

#endif
