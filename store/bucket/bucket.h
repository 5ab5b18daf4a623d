/* bucket.h - objects in a bucket of S3 (a cloud's, Ceph's radosgw, MinIO): put if absent, read in part, deleted.
 *
 *	ts_bucket_open(&options, &bucket, &err)		nothing is asked yet
 *	ts_bucket_check(bucket, &err)			whether it can be used, in one sentence
 *	ts_bucket_put(bucket, name, bytes, &digest, &err)
 *	ts_bucket_get(bucket, name, offset, len, out, &err)
 *
 * Nothing is used that S3 does not promise: no order of listings, no renaming. What fails for a moment (500, 503, 429, a connection
 * that is cut) is tried again, with longer and longer pauses, out of a budget that successes fill: a bucket that is down is not
 * flooded. A read that takes longer than most is asked a second time.
 *
 * Errors: TS_UNAVAILABLE (it may be asked again), TS_NOT_FOUND, TS_DENIED, TS_FULL, TS_INVALID (there is no such bucket, or it is of
 * another region), TS_DAMAGED (an object is shorter than what is read of it). Threads: safe.
 */
#ifndef TSCOPE_STORE_BUCKET_BUCKET_H
#define TSCOPE_STORE_BUCKET_BUCKET_H

#include "base/digest.h"

struct ts_bucket;

struct ts_bucket_options {
	const char *url;	/* https://host[:port]/bucket[/prefix] */
	const char *region;	/* NULL: us-east-1, which Ceph and MinIO take */
	const char *keys_file;	/* NULL: the environment, or the instance; see s3_keyring.h */
	bool keeps_no_versions; /* it need not keep what is deleted */
};

/* Counters since it was opened. */
struct ts_bucket_stats {
	uint64_t requests, sent_bytes, received_bytes;
	uint64_t retries, hedged;
};

/* Copies the options. TS_INVALID for an address that is none. */
enum ts_status ts_bucket_open(const struct ts_bucket_options *options, struct ts_bucket **ret, struct ts_error *err);
void ts_bucket_stop(struct ts_bucket *bucket);		     /* what is asked now and later ends soon */
void ts_bucket_close(struct ts_bucket *bucket);		     /* NULL is allowed */
const char *ts_bucket_where(const struct ts_bucket *bucket); /* its address, for texts */
void ts_bucket_stats(struct ts_bucket *bucket, struct ts_bucket_stats *ret);

/* The first changes nothing: it asks whether the bucket is there, keeps versions, and lets its user read. The second asks whether it is
 * there, keeps versions, and lets its user put, read and delete; what it puts it deletes. Where it may not delete, nothing was put. */
enum ts_status ts_bucket_look(struct ts_bucket *bucket, struct ts_error *err);
enum ts_status ts_bucket_check(struct ts_bucket *bucket, struct ts_error *err);

/* A name has letters, digits and "/.-_" only, and lies below the prefix. */

/* Puts an object, unless there is one of its name. The digest is that of the bytes, by which the other side checks what came. */
enum ts_status ts_bucket_put(struct ts_bucket *bucket, const char *name, struct ts_span bytes, const struct ts_id *digest,
			     struct ts_error *err);
/* Reads len bytes from offset on into out. */
enum ts_status ts_bucket_get(struct ts_bucket *bucket, const char *name, uint64_t offset, size_t len, uint8_t *out,
			     struct ts_error *err);
enum ts_status ts_bucket_size(struct ts_bucket *bucket, const char *name, uint64_t *ret_bytes, struct ts_error *err);
/* TS_OK also if there is none. */
enum ts_status ts_bucket_delete(struct ts_bucket *bucket, const char *name, struct ts_error *err);

#endif
