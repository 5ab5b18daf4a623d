/* promises.h - the promises P1 to P9 of store/engine.h as questions to any engine. */
#ifndef TSCOPE_TESTS_ENGINES_PROMISES_H
#define TSCOPE_TESTS_ENGINES_PROMISES_H

#include "tests/engines/subject.h"

enum { PROMISES = 9, PROMISE_TEXT = 240 };

struct promise {
	const char *what;	/* in a few words */
	bool outlives, files;	/* it is about what outlives its process, or about a disk of its own */
	const char *not_asked;	/* why the others are not asked; NULL: all are */
	/* Returns whether the promise holds of the subject, which is open and empty and may be closed and opened again. If not,
	 * text says what was found instead. */
	bool (*holds)(struct subject *s, char text[PROMISE_TEXT]);
};
extern const struct promise promises[PROMISES]; /* the first one is P1 */

#endif
