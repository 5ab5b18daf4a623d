/* s3_sign.h - signatures of requests to S3: AWS Signature Version 4, over a text of the request that both sides make for themselves.
 *
 * Source: Amazon S3 API Reference, "Authenticating Requests: Using the Authorization Header"; the examples there are the test.
 * Pure. Threads: safe.
 */
#ifndef TSCOPE_STORE_BUCKET_S3_SIGN_H
#define TSCOPE_STORE_BUCKET_S3_SIGN_H

#include "base/buf.h"
#include "base/digest.h"

enum { TS_S3_KEY_MAX = 128, TS_S3_TOKEN_MAX = 4096, TS_S3_DATE = 20 };

/* What somebody shows himself by. Never in a text for people. */
struct ts_s3_keys {
	char id[TS_S3_KEY_MAX + 1];
	char secret[TS_S3_KEY_MAX + 1];
	char token[TS_S3_TOKEN_MAX + 1]; /* of a session; empty: none */
};

struct ts_s3_header {
	const char *name; /* in lower case */
	const char *value;
};

struct ts_s3_request {
	const char *method, *path, *query;  /* as they are sent, encoded; the query by name, without '?' */
	const struct ts_s3_header *headers; /* by name; among them host, x-amz-date and x-amz-content-sha256 */
	size_t n_headers;
	const char *payload; /* SHA-256 of the body in hex digits */
	const char *date;    /* as x-amz-date has it */
};

/* The time as x-amz-date has it: 20261130T101500Z. */
void ts_s3_date(int64_t real_ns, char out[TS_S3_DATE]);
/* The host of an address as the header Host has it: without a port that its scheme has anyway, http or (secret) https. */
struct ts_span ts_s3_host(struct ts_span host, bool secret);
/* Appends the value of the header Authorization. */
void ts_s3_sign(const struct ts_s3_keys *keys, const char *region, const struct ts_s3_request *request, struct ts_buf *out);

#endif
