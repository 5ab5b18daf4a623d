/* cluster.h - an engine whose records lie in PostgreSQL, so that any number of servers on any machines serve one store.
 *
 *	ts_cluster_open(&options, &engine, &err)
 *
 * Keeps P1 to P4, P6, P7 and P9 of engine.h. What is about a disk of its own is PostgreSQL's: `backup` is TS_UNSUPPORTED (pg_dump,
 * pg_basebackup), and a full disk of the database is TS_FULL. While the database is away, every call says TS_UNAVAILABLE, and may be
 * tried again: nothing of it was done, or, where a commit was cut, the database was asked whether it was.
 */
#ifndef TSCOPE_STORE_CLUSTER_CLUSTER_H
#define TSCOPE_STORE_CLUSTER_CLUSTER_H

#include "store/engine.h"

/* What a file says of a cluster, a line `key = value` each:
 *	postgresql	the connection, as in PostgreSQL's manual, 34.1.1: host=... dbname=... user=... passfile=...
 *	connections	the most at once for reading, besides one for writing; 8 if nothing is said
 * and, where packs of objects lie in a bucket of S3:
 *	bucket		https://host[:port]/bucket[/folder]
 *	cache		a folder of this server for packs that were read
 *	cache_mib	how much may lie there; 10240 if nothing is said
 *	bundle_mib	how much makes an object of the bucket, 1 to 32; 8 if nothing is said
 *	region		us-east-1 if nothing is said
 *	credentials	a file as the tools of AWS have it; else the environment, or the role of the machine
 *	versions	no: the bucket need not keep versions of what is deleted */
struct ts_cluster_options {
	const char *file;
	const struct ts_spending *spending; /* lives as long as the engine; NULL: everybody may use everything */
	bool read_only;			    /* changes nothing, and makes no tables */
	bool looks;			    /* somebody looks whether it can be used; no cache is opened */
	size_t bundle_bytes;		    /* in place of bundle_mib; 0: as the file says */
};
/* The file that a store "cluster:FILE" names; NULL: it is none. */
const char *ts_cluster_file(const char *store);
/* TS_INVALID for a file with a key that is not known, TS_CONFLICT for a database that holds what is not a store, TS_UNSUPPORTED for
 * one that a newer tscope made, TS_DENIED for a database that may lose what it acknowledged, or a bucket that does not
 * permit what is needed; nothing is changed then. */
enum ts_status ts_cluster_open(const struct ts_cluster_options *options, struct ts_engine **ret_engine, struct ts_error *err);

#endif
