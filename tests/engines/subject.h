/* subject.h - the engines that one suite is run on, each behind the same interface.
 *
 *	subject_make(&s, kind)			a fresh, empty place
 *	subject_open(&s, &err), subject_close(&s)	as often as wanted; what outlives the process is there again
 *	subject_remove(&s)
 *
 * Errors: what cannot fail in a sound system aborts the program with a text. Threads: a subject belongs to one; its engine does not.
 */
#ifndef TSCOPE_TESTS_ENGINES_SUBJECT_H
#define TSCOPE_TESTS_ENGINES_SUBJECT_H

#include "store/engine.h"

struct subject;
struct subject_kind {
	const char *name;
	bool outlives;	  /* it outlives its process */
	bool files;	  /* and lies on a disk of its own */
	bool database;	  /* it lies in a database, which must run (postgres_start), */
	bool bucket;	  /* and its packs in a bucket (subject_bucket_start) */
	bool over;	  /* it lies over a store, whose objects it has */
	bool names_below; /* and whose names */
	enum ts_status (*open)(struct subject *s, struct ts_error *err); /* sets e, and with over, below */
};
enum { SUBJECTS = 6 };
extern const struct subject_kind subject_kinds[SUBJECTS];

struct subject {
	const struct subject_kind *kind;
	char dir[256];
	struct ts_engine *e;	 /* what is asked; NULL: closed */
	struct ts_engine *below; /* what it lies over, else NULL */
	struct remote_parts *remote;
	void (*opened)(struct subject *s); /* called after each opening; NULL: nothing */
};

void subject_make(struct subject *s, const struct subject_kind *kind);
enum ts_status subject_open(struct subject *s, struct ts_error *err);
void subject_close(struct subject *s);
void subject_remove(struct subject *s);

/* Starts the server of S3 for tests; false: it does not start. */
bool subject_bucket_start(void);
void subject_bucket_stop(void);

/* Whether every disk says to this process that nothing is free. */
extern bool subject_disks_are_full;

#endif
