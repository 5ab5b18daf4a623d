/* forks.c - runs commands of tscope, each in a fork of this process, since a start of the program takes longer than most commands do.
 *
 * stdin has requests: a store, a file for stdout, a file for stderr, the words of a command, and an empty word, each ended by a NUL.
 * stdout gets a line for each: the exit status, or the negative number of the signal that ended the command.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/command.h"

enum { WORDS_MAX = 1024, TEXT_BYTES = 1 << 17, LIMIT_S = 300 };
enum { STORE, OUT, ERR, VERB };

struct request {
	char text[TEXT_BYTES];
	char *words[WORDS_MAX + 1];
	int n;
};

/* Reads a request. Returns false at the end of stdin, and if it has no command or is too long. */
static bool next(struct request *request)
{
	size_t used = 0, begin = 0;

	request->n = 0;
	for (int c; used < TEXT_BYTES && request->n < WORDS_MAX && (c = getchar()) != EOF;) {
		request->text[used++] = (char)c;
		if (c)
			continue;
		if (used == begin + 1)
			return request->n > VERB;
		request->words[request->n++] = request->text + begin;
		begin = used;
	}
	return false;
}

static void onto(const char *path, int flags, int to)
{
	int fd = open(path, flags, 0600);

	if (fd < 0 || dup2(fd, to) < 0)
		abort();
	close(fd);
}

static void run(struct request *request)
{
	static char program[] = "tscope";
	char **argv = request->words + ERR;

	alarm(LIMIT_S);
	setenv("TSCOPE_STORE", request->words[STORE], 1);
	onto("/dev/null", O_RDONLY, STDIN_FILENO);
	onto(request->words[OUT], O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
	onto(request->words[ERR], O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO);
	argv[0] = program;
	argv[request->n - ERR] = NULL;
	exit(ts_command(request->n - ERR, argv));
}

int main(void)
{
	static struct request request;

	while (next(&request)) {
		pid_t child = fork();
		int status;

		if (child == 0)
			run(&request);
		if (child < 0 || waitpid(child, &status, 0) < 0)
			return 1;
		printf("%d\n", WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status));
		fflush(stdout);
	}
	return 0;
}
