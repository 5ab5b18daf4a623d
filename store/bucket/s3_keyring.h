/* s3_keyring.h - by whom a bucket is asked: keys from a file, from the environment, or from the machine that a cloud gives its keys to.
 *
 * The first that is there counts: the file that was named; AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN; the metadata
 * of the instance (IMDSv2, at AWS_EC2_METADATA_SERVICE_ENDPOINT or 169.254.169.254). A file is read again when it has changed, and
 * keys of an instance are asked for again before they expire: keys are rotated without a restart.
 *
 * No text of an error has a part of a key. Threads: safe.
 */
#ifndef TSCOPE_STORE_BUCKET_S3_KEYRING_H
#define TSCOPE_STORE_BUCKET_S3_KEYRING_H

#include "store/bucket/http.h"
#include "store/bucket/s3_sign.h"

struct ts_s3_keyring;

/* file: NULL where none was named; must live as long. */
enum ts_status ts_s3_keyring_open(const char *file, struct ts_http *http, struct ts_s3_keyring **ret, struct ts_error *err);
void ts_s3_keyring_close(struct ts_s3_keyring *ring); /* NULL is allowed */
/* Gives the keys of now; `anew`: those before were refused. */
enum ts_status ts_s3_keyring_get(struct ts_s3_keyring *ring, bool anew, struct ts_s3_keys *ret, struct ts_error *err);

/* Reads a file as the tools of AWS have it: lines `aws_access_key_id = ...`, `aws_secret_access_key = ...` and `aws_session_token =
 * ...` of the section [default], or of none. */
enum ts_status ts_s3_keys_parse(struct ts_span text, struct ts_s3_keys *ret, struct ts_error *err);
/* Reads what an instance says; *ret_until_ns: when they expire, 0: never. */
enum ts_status ts_s3_keys_from_json(struct ts_span text, struct ts_s3_keys *ret, int64_t *ret_until_ns, struct ts_error *err);

#endif
