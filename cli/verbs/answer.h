/* answer.h - runs one verb for somebody who asks by another door than a shell, such as a page: the answer comes back in memory.
 *
 *	const char *words[] = {"diff", "--json", "--project", "p", "--", "a", "b"};
 *	ts_answer(&(struct ts_asked){.words = words, .n = 7, .target = &target}, &arena, &answer);
 *
 * The words are those of a command line, and the answer is what the command prints, with its exit code. Where a stranger asks, a word
 * never stands for a path of this machine, and options that name files must not be passed on, but for --html -.
 * Threads: any number at once, each with a target of its own.
 */
#ifndef TSCOPE_CLI_VERBS_ANSWER_H
#define TSCOPE_CLI_VERBS_ANSWER_H

#include "cli/core/context.h"

enum { TS_ANSWER_MAX = 256 << 20 };

struct ts_asked {
	const char *const *words; /* the verb first */
	size_t n;
	struct ts_target *target; /* open, and left open; what it keeps of one command is forgotten */
	bool page;		  /* text is drawn as parts of a page (cli/view/html.h) */
	bool local;		  /* a program of this user asks: paths are runs, and pages stand alone */
	enum ts_status (*instead)(struct ts_cli *cli, void *ctx, struct ts_error *err); /* runs with the verb's words; NULL: the verb */
	void *ctx;		  /* for instead */
};

struct ts_answer {
	enum ts_status status; /* with err, if there is no answer */
	struct ts_error err;
	struct ts_buf out;  /* empty without an answer; freed by the caller, whatever the status */
	struct ts_buf said; /* remarks, a line each; freed by the caller */
	int exit_code;
};

void ts_answer(const struct ts_asked *asked, struct ts_answer *ret_answer);

/* Appends the document that stands for an answer where there is none: {"error": {"status": ..., "message": ...}}. */
void ts_answer_error(struct ts_buf *out, const struct ts_error *err);

#endif
