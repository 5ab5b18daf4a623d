/* postgres.h - a PostgreSQL that a test starts for itself, in a folder of its own, where its programs are on this machine.
 *
 * It refuses to run as root, so root starts it as another user. It ends with the program. */
#ifndef TSCOPE_TESTS_ENGINES_POSTGRES_H
#define TSCOPE_TESTS_ENGINES_POSTGRES_H

#include <stdbool.h>
#include <stddef.h>

/* false, with why in text: there is none. */
bool postgres_start(char *text, size_t size);
void postgres_stop(void);
/* What "cluster:FILE" names. */
const char *postgres_file(void);
/* Removes every table from the database. */
void postgres_empty(void);
/* Ends every connection from the side of the database. */
void postgres_cut(void);
/* kill -9 of all its processes, and a start: it is ready again when this returns. */
void postgres_crash(void);

#endif
