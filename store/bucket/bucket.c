#include "store/bucket/bucket.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/order.h"
#include "base/system.h"
#include "base/text.h"
#include "store/bucket/s3_keyring.h"

#include <pthread.h>
#include <stdio.h>
#include <time.h>

enum {
	URL_MOST = 512,
	NAME_ROOM = 128,
	HEADERS = 8,
	LINE_ROOM = 1024,
	TRIES_MOST = 5,
	BUDGET_MOST = 16, /* tries again that may go on at once after quiet times, */
	BUDGET_SHARE = 8, /* and what so many successes earn: one more */
	TIMES = 128,	  /* of the last reads, by which it is known what is slow */
	TIMES_LEAST = 20,
	ANSWER_MOST = 64 << 10, /* beside what is read */
	CODE_ROOM = 64,
};
static const int64_t PAUSE_NS = 100000000, PAUSE_MOST_NS = 3 * INT64_C(1000000000);
/* How long a request may take, and with all that it is tried again; somebody waits for a read, who gives up after a minute. */
static const int64_t CALL_NS = 60 * INT64_C(1000000000), ALL_NS = 90 * INT64_C(1000000000);
static const int64_t READ_NS = 20 * INT64_C(1000000000), READ_ALL_NS = 40 * INT64_C(1000000000);
static const int64_t HEDGE_LEAST_NS = 20000000;
static const char probe_bytes[] = "tscope\n";

struct took {
	int64_t ns;
};

struct ts_bucket {
	char url[URL_MOST]; /* of the server: scheme, host, port */
	char host[NAME_ROOM];
	char path[URL_MOST]; /* "/bucket/prefix/" */
	char bucket[NAME_ROOM];
	char where[URL_MOST];
	char region[NAME_ROOM];
	char *keys_file;
	bool keeps_no_versions;
	atomic_bool ending;
	struct ts_http *http;
	struct ts_s3_keyring *ring;
	pthread_mutex_t lock;
	struct ts_bucket_stats stats;
	int budget; /* of tries again, in shares of one */
	struct took times[TIMES];
	size_t n_times;
};

/* ---- addresses ---- */

static bool is_plain(struct ts_span text, const char *others)
{
	for (size_t i = 0; i < text.len; i++)
		if (!ts_is_alnum(text.data[i]) && !(text.data[i] && strchr(others, text.data[i])))
			return false;
	return text.len > 0;
}

static enum ts_status bad_address(struct ts_error *err)
{
	return ts_error_set(err, TS_INVALID,
			    "a bucket is named by an address such as https://s3.example.org/bucket or "
			    "https://s3.example.org/bucket/folder");
}

static void copy(char *out, size_t room, struct ts_span text)
{
	(void)snprintf(out, room, "%.*s", TS_SPAN_ARG(text));
}

static enum ts_status set_address(struct ts_bucket *b, struct ts_span url, struct ts_error *err)
{
	struct ts_span rest = url, host, bucket, prefix;
	bool secret = ts_span_skip(&rest, "https://");

	if (url.len >= URL_MOST / 2 || (!secret && !ts_span_skip(&rest, "http://")))
		return bad_address(err);
	while (rest.len && rest.data[rest.len - 1] == '/')
		rest.len--;
	host = ts_span_through(rest, '/');
	rest = ts_span_from(rest, host.len);
	if (host.len < 2 || host.len >= NAME_ROOM)
		return bad_address(err);
	host.len--;
	bucket = ts_span_through(rest, '/');
	prefix = ts_span_from(rest, bucket.len);
	if (bucket.len)
		bucket.len--;
	else
		bucket = rest, prefix = ts_span_of(NULL, 0);
	if (!is_plain(host, ".-:[]") || !is_plain(bucket, ".-_") || bucket.len >= NAME_ROOM ||
	    (prefix.len && !is_plain(prefix, "/.-_")) || ts_span_contains(prefix, "..") || ts_span_contains(prefix, "//"))
		return bad_address(err);
	copy(b->host, sizeof b->host, ts_s3_host(host, secret));
	copy(b->bucket, sizeof b->bucket, bucket);
	copy(b->where, sizeof b->where, url);
	(void)snprintf(b->url, sizeof b->url, "%s://%s", secret ? "https" : "http", b->host);
	(void)snprintf(b->path, sizeof b->path, "/%s/%.*s%s", b->bucket, TS_SPAN_ARG(prefix), prefix.len ? "/" : "");
	return TS_OK;
}

static enum ts_status set_region(struct ts_bucket *b, const char *region, struct ts_error *err)
{
	struct ts_span text = ts_span_str(region ? region : "us-east-1");

	if (!is_plain(text, "-") || text.len >= NAME_ROOM)
		return ts_error_set(err, TS_INVALID, "a region has letters, digits and '-', as eu-central-1");
	copy(b->region, sizeof b->region, text);
	return TS_OK;
}

static enum ts_status open_parts(struct ts_bucket *b, const struct ts_bucket_options *options, struct ts_error *err)
{
	if (set_address(b, ts_span_str(options->url), err) || set_region(b, options->region, err))
		return err->status;
	b->keeps_no_versions = options->keeps_no_versions;
	if (options->keys_file) {
		size_t size = strlen(options->keys_file) + 1;

		b->keys_file = ts_alloc(size);
		if (!b->keys_file)
			return ts_error_set(err, TS_NO_MEMORY, "out of memory for a bucket");
		memcpy(b->keys_file, options->keys_file, size);
	}
	return ts_http_open(&b->http, err) ? err->status : ts_s3_keyring_open(b->keys_file, b->http, &b->ring, err);
}

enum ts_status ts_bucket_open(const struct ts_bucket_options *options, struct ts_bucket **ret, struct ts_error *err)
{
	struct ts_bucket *b = ts_alloc_array(1, sizeof *b);

	if (!b)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for a bucket");
	pthread_mutex_init(&b->lock, NULL);
	b->budget = BUDGET_MOST * BUDGET_SHARE;
	if (open_parts(b, options, err)) {
		ts_bucket_close(b);
		return err->status;
	}
	*ret = b;
	return TS_OK;
}

void ts_bucket_close(struct ts_bucket *b)
{
	if (!b)
		return;
	ts_s3_keyring_close(b->ring);
	ts_http_close(b->http);
	pthread_mutex_destroy(&b->lock);
	ts_free(b->keys_file);
	ts_free(b);
}

void ts_bucket_stop(struct ts_bucket *b)
{
	atomic_store(&b->ending, true);
}

const char *ts_bucket_where(const struct ts_bucket *b)
{
	return b->where;
}

void ts_bucket_stats(struct ts_bucket *b, struct ts_bucket_stats *ret)
{
	pthread_mutex_lock(&b->lock);
	*ret = b->stats;
	pthread_mutex_unlock(&b->lock);
}

/* ---- what is slow, and how often it is tried again ---- */

TS_ORDER(by_time, struct took, TS_UP(ns))

/* After how long a read is slower than nineteen of twenty; 0: too few were seen. */
static int64_t slow_after(struct ts_bucket *b)
{
	struct took sorted[TIMES];
	int64_t slow_ns = 0;
	size_t n;

	pthread_mutex_lock(&b->lock);
	n = b->n_times < TIMES ? b->n_times : TIMES;
	memcpy(sorted, b->times, n * sizeof *sorted);
	pthread_mutex_unlock(&b->lock);
	if (n >= TIMES_LEAST) {
		TS_SORT(sorted, n, by_time);
		slow_ns = sorted[n * 95 / 100].ns;
	}
	return slow_ns && slow_ns < HEDGE_LEAST_NS ? HEDGE_LEAST_NS : slow_ns;
}

static void note_time(struct ts_bucket *b, int64_t ns)
{
	pthread_mutex_lock(&b->lock);
	b->times[b->n_times++ % TIMES].ns = ns;
	pthread_mutex_unlock(&b->lock);
}

static void note_done(struct ts_bucket *b)
{
	pthread_mutex_lock(&b->lock);
	if (b->budget < BUDGET_MOST * BUDGET_SHARE)
		b->budget++;
	pthread_mutex_unlock(&b->lock);
}

static bool may_try_again(struct ts_bucket *b)
{
	bool may;

	pthread_mutex_lock(&b->lock);
	may = b->budget >= BUDGET_SHARE;
	if (may) {
		b->budget -= BUDGET_SHARE;
		b->stats.retries++;
	}
	pthread_mutex_unlock(&b->lock);
	return may;
}

/* Twice as long each time, and half of it by chance, so that many do not come back at once. */
static void pause_before(int tries)
{
	int64_t ns = PAUSE_NS << (tries < 10 ? tries : 10);
	struct ts_error ignored;
	uint32_t chance = 0;

	ns = ns < PAUSE_MOST_NS ? ns : PAUSE_MOST_NS;
	(void)ts_system_random(&chance, sizeof chance, &ignored);
	ns = ns / 2 + (int64_t)((double)chance / UINT32_MAX * (double)(ns / 2));
	(void)nanosleep(&(struct timespec){.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000}, NULL);
}

/* ---- a request ---- */

struct call {
	const char *method, *name; /* name: below the prefix; NULL: the bucket itself, */
	const char *about;	   /* and what of it is asked for */
	const char *range;		   /* NULL: all */
	bool if_absent;
	bool absent; /* it is asked for because it is not there */
	struct ts_span body;
	const char *payload; /* SHA-256 of the body; NULL: of nothing */
	size_t most;
	int64_t hedge_ns;
};

static const char empty_payload[] = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

static void make_path(const struct ts_bucket *b, const struct call *call, char out[URL_MOST])
{
	if (call->name)
		(void)snprintf(out, URL_MOST, "%s%s", b->path, call->name);
	else
		(void)snprintf(out, URL_MOST, "/%s", b->bucket);
}

struct lines {
	char room[HEADERS][LINE_ROOM];
	char token[TS_S3_TOKEN_MAX + 64];
	const char *all[HEADERS + 1];
	size_t n;
};

static void add_line(struct lines *lines, const char *name, const char *value)
{
	char *room = lines->room[lines->n];

	(void)snprintf(room, LINE_ROOM, "%s: %s", name, value);
	lines->all[lines->n++] = room;
}

/* The headers with their signature. */
static enum ts_status sign(const struct ts_bucket *b, const struct ts_s3_keys *keys, const struct call *call, const char *path,
			   struct lines *lines, struct ts_error *err)
{
	struct ts_buf authorization = TS_BUF_INIT(LINE_ROOM - 32);
	struct ts_s3_header headers[HEADERS];
	char date[TS_S3_DATE], query[NAME_ROOM];
	struct ts_s3_request request = {.method = call->method,
					.path = path,
					.query = query,
					.headers = headers,
					.payload = call->payload ? call->payload : empty_payload,
					.date = date};

	ts_s3_date(ts_now_real_ns(), date);
	(void)snprintf(query, sizeof query, "%s%s", call->about ? call->about : "", call->about ? "=" : "");
	headers[request.n_headers++] = (struct ts_s3_header){"host", b->host};
	if (call->if_absent)
		headers[request.n_headers++] = (struct ts_s3_header){"if-none-match", "*"};
	if (call->range)
		headers[request.n_headers++] = (struct ts_s3_header){"range", call->range};
	headers[request.n_headers++] = (struct ts_s3_header){"x-amz-content-sha256", request.payload};
	headers[request.n_headers++] = (struct ts_s3_header){"x-amz-date", date};
	if (keys->token[0])
		headers[request.n_headers++] = (struct ts_s3_header){"x-amz-security-token", keys->token};
	ts_s3_sign(keys, b->region, &request, &authorization);
	ts_buf_char(&authorization, 0);
	if (ts_buf_check(&authorization, err)) {
		ts_buf_finish(&authorization);
		return err->status;
	}
	lines->n = 0;
	for (size_t i = 1; i < request.n_headers - (keys->token[0] ? 1 : 0); i++)
		add_line(lines, headers[i].name, headers[i].value);
	add_line(lines, "authorization", (const char *)authorization.data);
	add_line(lines, "content-type", "application/octet-stream"); /* else curl says that it is a form */
	if (keys->token[0]) {
		(void)snprintf(lines->token, sizeof lines->token, "x-amz-security-token: %s", keys->token);
		lines->all[lines->n++] = lines->token;
	}
	ts_buf_finish(&authorization);
	return TS_OK;
}

static enum ts_status ask_once(struct ts_bucket *b, const struct call *call, bool new_keys, int64_t limit_ns,
			       struct ts_http_answer *ret_answer, struct ts_error *err)
{
	char path[URL_MOST], url[2 * URL_MOST];
	struct ts_s3_keys keys;
	struct lines lines;
	struct ts_http_request request = {.method = call->method,
					  .url = url,
					  .headers = lines.all,
					  .body = call->body,
					  .no_body = strcmp(call->method, "HEAD") == 0,
					  .most = call->most + ANSWER_MOST,
					  .limit_ns = limit_ns,
					  .give_up = &b->ending,
					  .hedge_ns = call->hedge_ns};
	int64_t began_ns = ts_now_mono_ns();

	make_path(b, call, path);
	(void)snprintf(url, sizeof url, "%s%s%s%s", b->url, path, call->about ? "?" : "", call->about ? call->about : "");
	if (ts_s3_keyring_get(b->ring, new_keys, &keys, err) || sign(b, &keys, call, path, &lines, err))
		return err->status;
	request.n_headers = lines.n;
	if (ts_http_ask(b->http, &request, ret_answer, err))
		return ts_error_prefix(err, "%s: its bucket does not answer, and may be asked again", b->where);
	pthread_mutex_lock(&b->lock);
	b->stats.requests += ret_answer->hedged ? 2 : 1;
	b->stats.hedged += ret_answer->hedged;
	b->stats.sent_bytes += call->body.len;
	b->stats.received_bytes += ret_answer->body.len;
	pthread_mutex_unlock(&b->lock);
	if (call->range && ret_answer->status / 100 == 2)
		note_time(b, ts_now_mono_ns() - began_ns);
	return TS_OK;
}

/* ---- what it says ---- */

/* The text of <Code>, if it is one word. */
static void code_of(const struct ts_http_answer *answer, char out[CODE_ROOM])
{
	struct ts_span body = ts_buf_view(&answer->body), code;

	out[0] = 0;
	while (body.len && !ts_span_starts(body, ts_span_str("<Code>")))
		body = ts_span_from(body, 1);
	if (!ts_span_skip(&body, "<Code>"))
		return;
	code = ts_span_through(body, '<');
	if (code.len && code.len <= CODE_ROOM && is_plain(ts_span_part(code, 0, code.len - 1), ""))
		copy(out, CODE_ROOM, ts_span_part(code, 0, code.len - 1));
}

struct word {
	const char *code;
	enum ts_status status;
	const char *say;
};

/* What each code means to somebody who sets a server up. */
static const struct word words[] = {
	{"NoSuchBucket", TS_INVALID, "there is no such bucket: make it, or correct bucket="},
	{"InvalidAccessKeyId", TS_DENIED,
	 "it does not know the key of credentials= or AWS_ACCESS_KEY_ID: give a key that is valid there"},
	{"SignatureDoesNotMatch", TS_DENIED, "the secret does not belong to the key: correct credentials= or AWS_SECRET_ACCESS_KEY"},
	{"ExpiredToken", TS_DENIED, "the session of the keys has expired: give new ones"},
	{"InvalidToken", TS_DENIED, "the token of the session is not valid: give new keys, or leave aws_session_token out"},
	{"RequestTimeTooSkewed", TS_DENIED,
	 "the clock of this machine differs from that of the bucket by more than a quarter of an hour: "
	 "set it, by NTP"},
	{"AuthorizationHeaderMalformed", TS_INVALID, "it is of another region than region= says"},
	{"PermanentRedirect", TS_INVALID, "it is of another region than region= says"},
	{"IllegalLocationConstraintException", TS_INVALID, "it is of another region than region= says"},
	{"QuotaExceeded", TS_FULL, "its quota is used up"},
	{"EntityTooLarge", TS_TOO_LARGE, "it takes no object of this size"},
};

static const char *what_of(const struct call *call)
{
	if (call->about)
		return "ask for its versioning";
	if (call->body.len)
		return "put";
	if (strcmp(call->method, "DELETE") == 0)
		return "delete";
	return call->absent ? "read, or are not told which objects are absent" : "read";
}

static enum ts_status refuse(const struct ts_bucket *b, const struct call *call, const struct ts_http_answer *answer,
			     struct ts_error *err)
{
	char code[CODE_ROOM];

	code_of(answer, code);
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strcmp(code, words[i].code) == 0)
			return ts_error_set(err, words[i].status, "%s: %s%s%s", b->where, words[i].say,
					    words[i].status == TS_INVALID && answer->region[0] ? "; it says " : "",
					    words[i].status == TS_INVALID ? answer->region : "");
	if (answer->status == 404)
		return ts_error_set(err, TS_NOT_FOUND, "%s has no object %s", b->where, call->name ? call->name : "");
	if (answer->status == 401 || answer->status == 403)
		return ts_error_set(
			err, TS_DENIED,
			"%s: its keys may not %s: allow s3:GetObject, PutObject, DeleteObject, ListBucket and GetBucketVersioning "
			"there",
			b->where, what_of(call));
	if (answer->status == 507)
		return ts_error_set(err, TS_FULL, "%s: it is full", b->where);
	if (answer->status == 416)
		return ts_error_set(err, TS_DAMAGED, "%s: its object %s is shorter than it was", b->where, call->name);
	if (answer->status / 100 == 3)
		return ts_error_set(err, TS_INVALID, "%s: the bucket is at another address%s%s", b->where,
				    answer->region[0] ? ", in the region " : "", answer->region);
	return ts_error_set(err, answer->status >= 500 ? TS_UNAVAILABLE : TS_IO, "%s: its bucket answers %d%s%s", b->where,
			    answer->status, code[0] ? ", " : "", code);
}

/* 409: another request of the same name goes on. */
static bool is_passing(const struct ts_http_answer *answer)
{
	return answer->status == 409 || answer->status == 429 || answer->status == 408 ||
	       (answer->status >= 500 && answer->status != 501 && answer->status != 507);
}

/* Whether other keys may help. */
static bool is_about_keys(const struct ts_http_answer *answer)
{
	return answer->status == 401 || answer->status == 403 || answer->status == 400;
}

/* Asks until there is an answer that stays as it is: of success, or one of `also`. */
static enum ts_status ask(struct ts_bucket *b, const struct call *call, int also, struct ts_http_answer *ret_answer,
			  struct ts_error *err)
{
	const int64_t one_ns = call->range ? READ_NS : CALL_NS, all_ns = call->range ? READ_ALL_NS : ALL_NS;
	int64_t began_ns = ts_now_mono_ns(), left_ns = all_ns;
	bool new_keys = false, asked_keys = false;

	for (int tries = 0;; tries++) {
		bool came = ask_once(b, call, new_keys, left_ns < one_ns ? left_ns : one_ns, ret_answer, err) == TS_OK;

		if (came && (ret_answer->status / 100 == 2 || ret_answer->status == also)) {
			note_done(b);
			return TS_OK;
		}
		new_keys = came && !asked_keys && is_about_keys(ret_answer);
		if (came)
			(void)refuse(b, call, ret_answer, err);
		left_ns = all_ns - (ts_now_mono_ns() - began_ns);
		if ((came ? !is_passing(ret_answer) && !new_keys : err->status != TS_UNAVAILABLE) || left_ns <= 0 ||
		    tries == TRIES_MOST || atomic_load(&b->ending) || (!new_keys && !may_try_again(b))) {
			if (came)
				ts_buf_finish(&ret_answer->body);
			return err->status;
		}
		if (came)
			ts_buf_finish(&ret_answer->body);
		asked_keys = asked_keys || new_keys;
		if (!new_keys)
			pause_before(tries);
	}
}

/* ---- what is asked ---- */

enum ts_status ts_bucket_size(struct ts_bucket *b, const char *name, uint64_t *ret_bytes, struct ts_error *err)
{
	const struct call call = {.method = "HEAD", .name = name};
	struct ts_http_answer answer;

	if (ask(b, &call, 0, &answer, err))
		return err->status;
	*ret_bytes = answer.length;
	ts_buf_finish(&answer.body);
	return TS_OK;
}

enum ts_status ts_bucket_put(struct ts_bucket *b, const char *name, struct ts_span bytes, const struct ts_id *digest,
			     struct ts_error *err)
{
	char hex[TS_ID_HEX + 1];
	const struct call call = {.method = "PUT", .name = name, .if_absent = true, .body = bytes, .payload = ts_id_hex(digest, hex)};
	struct ts_http_answer answer;
	uint64_t there = 0;

	if (ask(b, &call, 412, &answer, err))
		return err->status;
	ts_buf_finish(&answer.body);
	if (answer.status != 412)
		return TS_OK;
	/* Also after a try whose answer was lost. */
	if (ts_bucket_size(b, name, &there, err))
		return err->status;
	return there == bytes.len ? TS_OK
				  : ts_error_set(err, TS_DAMAGED, "%s: its object %s has %" PRIu64 " bytes in place of %zu", b->where,
						 name, there, bytes.len);
}

enum ts_status ts_bucket_get(struct ts_bucket *b, const char *name, uint64_t offset, size_t len, uint8_t *out, struct ts_error *err)
{
	char range[64];
	const struct call call = {.method = "GET", .name = name, .range = range, .most = len, .hedge_ns = slow_after(b)};
	struct ts_http_answer answer;
	enum ts_status status = TS_OK;

	(void)snprintf(range, sizeof range, "bytes=%" PRIu64 "-%" PRIu64, offset, offset + len - 1);
	if (ask(b, &call, 0, &answer, err))
		return err->status;
	if (answer.body.len == len)
		memcpy(out, answer.body.data, len);
	else
		status = ts_error_set(err, TS_DAMAGED, "%s: its object %s gives %zu bytes in place of %zu", b->where, name,
				      answer.body.len, len);
	ts_buf_finish(&answer.body);
	return status;
}

enum ts_status ts_bucket_delete(struct ts_bucket *b, const char *name, struct ts_error *err)
{
	const struct call call = {.method = "DELETE", .name = name};
	struct ts_http_answer answer;
	enum ts_status status = TS_OK;

	if (ask(b, &call, 404, &answer, err))
		return err->status;
	if (answer.status == 404) /* no such object, or no such bucket */
		status = refuse(b, &call, &answer, err);
	ts_buf_finish(&answer.body);
	return status == TS_NOT_FOUND ? TS_OK : status;
}

static enum ts_status check_versions(struct ts_bucket *b, struct ts_error *err)
{
	const struct call call = {.method = "GET", .about = "versioning", .most = ANSWER_MOST};
	struct ts_http_answer answer;
	bool keeps;

	if (b->keeps_no_versions)
		return TS_OK;
	if (ask(b, &call, 0, &answer, err))
		return err->status;
	keeps = ts_span_contains(ts_buf_view(&answer.body), "<Status>Enabled</Status>");
	ts_buf_finish(&answer.body);
	return keeps ? TS_OK
		     : ts_error_set(
			       err, TS_DENIED,
			       "%s: the bucket keeps no versions, so a backup of the database could not be restored beside it: turn "
			       "versioning on, or write versions = no",
			       b->where);
}

/* A name that nobody else has, so that servers which start at the same time do not take each other's. */
static enum ts_status name_probe(char out[NAME_ROOM], struct ts_error *err)
{
	uint64_t chance;

	if (ts_system_random(&chance, sizeof chance, err))
		return err->status;
	(void)snprintf(out, NAME_ROOM, "tscope-probe-%016" PRIx64, chance);
	return TS_OK;
}

/* Who may not list a bucket is not told that an object is absent, but that it is denied: what is lost would not be known. */
static enum ts_status check_absent(struct ts_bucket *b, const char *name, struct ts_error *err)
{
	/* No HEAD, whose answer does not say that it is the bucket that is absent. */
	const struct call call = {.method = "GET", .name = name, .absent = true};
	struct ts_http_answer answer;

	if (ask(b, &call, 0, &answer, err))
		return err->status == TS_NOT_FOUND ? TS_OK : err->status;
	ts_buf_finish(&answer.body);
	return TS_OK;
}

enum ts_status ts_bucket_look(struct ts_bucket *b, struct ts_error *err)
{
	char name[NAME_ROOM];

	return name_probe(name, err) || check_versions(b, err) ? err->status : check_absent(b, name, err);
}

enum ts_status ts_bucket_check(struct ts_bucket *b, struct ts_error *err)
{
	const struct ts_span probe = ts_span_str(probe_bytes);
	uint8_t read[sizeof probe_bytes];
	char name[NAME_ROOM];
	struct ts_id digest;

	ts_digest(probe, &digest);
	if (name_probe(name, err) || check_versions(b, err) || ts_bucket_delete(b, name, err) || check_absent(b, name, err) ||
	    ts_bucket_put(b, name, probe, &digest, err) || ts_bucket_get(b, name, 0, probe.len, read, err))
		return err->status;
	if (memcmp(read, probe_bytes, probe.len) != 0)
		return ts_error_set(err, TS_DAMAGED, "%s gives other bytes than it was given", b->where);
	return ts_bucket_delete(b, name, err);
}
