/* s3_server.h - the server of S3 for tests (s3.py), which a test starts for itself; it ends with the program.
 *
 * Errors: what cannot fail in a sound system aborts. Threads: one. */
#ifndef TSCOPE_TESTS_ENGINES_S3_SERVER_H
#define TSCOPE_TESTS_ENGINES_S3_SERVER_H

#include "base/buf.h"

#include <stdbool.h>

struct s3_server {
	int stop; /* it ends when this is closed */
	int pid;
	unsigned port;
};

/* words: of its command line, at most two, NULL: none. False: it does not start (there is no Python). */
bool s3_start(struct s3_server *s, const char *word, const char *value);
void s3_stop(struct s3_server *s);
/* Asks what stands below /-/ there, such as "fault?kind=500&times=2"; the answer, if wanted, is finished by the caller. */
void s3_control(const struct s3_server *s, const char *what, struct ts_buf *ret_answer);
/* The address of a bucket or a folder in one. */
const char *s3_url(const struct s3_server *s, const char *path, char room[128]);

#endif
