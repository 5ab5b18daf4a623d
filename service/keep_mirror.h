/* keep_mirror.h - keeps a read-only copy of a store, or of a part of it, elsewhere: tscoped mirror FROM TO.
 *
 * Each run brings the copy to what the other one is now, and ends; one that was stopped goes on where it was, since it asks only for
 * what the copy lacks. The copy says of itself what it is (struct ts_mirrored), and nobody else writes to it.
 *
 * All of a store is copied record by record, as a server that follows another one does it, which needs the role admin where the other
 * one is a server. A part of it is some names, with all that they reach: they are asked for as tscope asks for them, and the objects by
 * have and want, so that whoever may read a project may have a mirror of it (keep_mirror_part.h).
 */
#ifndef TSCOPE_SERVICE_KEEP_MIRROR_H
#define TSCOPE_SERVICE_KEEP_MIRROR_H

#include "store/engine.h"

struct ts_mirror_options {
	const char *from; /* a folder, cluster:FILE, or the address of a server or of several (service/rpc/routed.h; no bare path) */
	const char *to;	  /* a folder, or cluster:FILE: empty, or a mirror of the same store */
	const char *token_file, *ca; /* of a server; NULL: none, and the CAs of the system */
	/* The part; NULL: not said. */
	const char *project;
	const char *branch; /* "project/name": it and its log, and the names of runs and tags that point at what is in the log */
	const char *filter; /* of runs (service/handlers/runs/filter.h), and the tags that point at such a run */
};

struct ts_mirror_report {
	uint64_t names, objects, records, bytes; /* that came; names and objects of a part, records of all */
	uint64_t removed;			 /* names that the other one has no more */
};

enum ts_status ts_mirror_run(const struct ts_mirror_options *options, struct ts_mirror_report *ret_report, struct ts_error *err);
/* Makes a mirror a store of its own, to which everybody may write. TS_NOT_FOUND where it is none. */
enum ts_status ts_mirror_end(const char *store, struct ts_error *err);

#endif
