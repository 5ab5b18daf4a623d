#include "store/bucket/http.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/text.h"
#include "store/bucket/libcurl.h"

#include <pthread.h>

enum { CONNECT_MS = 5000, LOW_BYTES = 1, LOW_SECONDS = 30, POLL_MS = 1000, TRIES = 2 };

/* One of at most two tries of a request. */
struct
try {
	struct curl_handle *handle;
	struct ts_buf body;
	struct ts_http_answer about; /* its headers */
	bool runs;
};

/* What one thread asks by; it keeps its connections. */
struct line {
	struct line *next;
	struct curl_many *many;
	struct try tries[TRIES];
};

struct ts_http {
	const struct ts_libcurl *curl;
	pthread_mutex_t lock;
	struct line *idle;
};

/* ---- lines ---- */

static void free_line(const struct ts_libcurl *curl, struct line *line)
{
	for (int i = 0; i < TRIES; i++)
		if (line->tries[i].handle)
			curl->curl_easy_cleanup(line->tries[i].handle);
	if (line->many)
		(void)curl->curl_multi_cleanup(line->many);
	ts_free(line);
}

static struct line *make_line(const struct ts_libcurl *curl)
{
	struct line *line = ts_alloc_array(1, sizeof *line);

	if (!line)
		return NULL;
	line->many = curl->curl_multi_init();
	for (int i = 0; i < TRIES; i++)
		line->tries[i].handle = curl->curl_easy_init();
	if (line->many && line->tries[0].handle && line->tries[1].handle)
		return line;
	free_line(curl, line);
	return NULL;
}

static struct line *take(struct ts_http *http)
{
	struct line *line;

	pthread_mutex_lock(&http->lock);
	line = http->idle;
	if (line)
		http->idle = line->next;
	pthread_mutex_unlock(&http->lock);
	return line ? line : make_line(http->curl);
}

static void give(struct ts_http *http, struct line *line)
{
	pthread_mutex_lock(&http->lock);
	line->next = http->idle;
	http->idle = line;
	pthread_mutex_unlock(&http->lock);
}

enum ts_status ts_http_open(struct ts_http **ret, struct ts_error *err)
{
	const struct ts_libcurl *curl;
	struct ts_http *http;

	if (ts_libcurl_load(&curl, err))
		return err->status;
	http = ts_alloc_array(1, sizeof *http);
	if (!http)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for a client of HTTP");
	http->curl = curl;
	pthread_mutex_init(&http->lock, NULL);
	*ret = http;
	return TS_OK;
}

void ts_http_close(struct ts_http *http)
{
	if (!http)
		return;
	while (http->idle) {
		struct line *next = http->idle->next;

		free_line(http->curl, http->idle);
		http->idle = next;
	}
	pthread_mutex_destroy(&http->lock);
	ts_free(http);
}

/* ---- what comes ---- */

static size_t take_body(char *data, size_t size, size_t n, void *ctx)
{
	struct try *try = ctx;

	ts_buf_bytes(&try->body, data, size * n);
	return try->body.failed ? 0 : size * n;
}

static void copy_value(struct ts_span value, char out[TS_HTTP_TEXT])
{
	size_t n = value.len < TS_HTTP_TEXT - 1 ? value.len : TS_HTTP_TEXT - 1;

	for (size_t i = 0; i < n; i++)
		out[i] = value.data[i] >= ' ' && value.data[i] < 127 ? (char)value.data[i] : '?';
	out[n] = 0;
}

static bool is_header(struct ts_span name, const char *wanted)
{
	for (size_t i = 0; i < name.len; i++)
		if (!wanted[i] || (ts_is_alpha(name.data[i]) ? name.data[i] | 32 : name.data[i]) != (unsigned char)wanted[i])
			return false;
	return name.len > 0 && !wanted[name.len];
}

static size_t take_header(char *data, size_t size, size_t n, void *ctx)
{
	struct try *try = ctx;
	struct ts_span line = ts_span_of(data, size * n), name = ts_span_through(line, ':'), value;

	if (name.len == 0)
		return size * n;
	value = ts_trim(ts_span_from(line, name.len));
	name = ts_trim(ts_span_part(name, 0, name.len - 1));
	if (is_header(name, "content-length"))
		(void)ts_parse_u64(value, &try->about.length);
	else if (is_header(name, "x-amz-bucket-region"))
		copy_value(value, try->about.region);
	return size * n;
}

/* ---- asking ---- */

static void begin(struct ts_http *http, struct line *line, int i, const struct ts_http_request *request, struct curl_headers *headers,
		  int64_t left_ns)
{
	const struct ts_libcurl *curl = http->curl;
	struct try *try = &line->tries[i];
	struct curl_handle *h = try->handle;

	curl->curl_easy_reset(h); /* its connections stay */
	try->body = TS_BUF_INIT(request->most);
	try->about = (struct ts_http_answer){0};
	(void)curl->curl_easy_setopt(h, CURL_URL, request->url);
	(void)curl->curl_easy_setopt(h, CURL_METHOD, request->method);
	(void)curl->curl_easy_setopt(h, CURL_HEADERS, headers);
	(void)curl->curl_easy_setopt(h, CURL_NO_SIGNAL, 1L);
	(void)curl->curl_easy_setopt(h, CURL_NO_PROXY, "*");
	(void)curl->curl_easy_setopt(h, CURL_PROTOCOLS, (long)CURL_ONLY_HTTP);
	(void)curl->curl_easy_setopt(h, CURL_HTTP_VERSION, (long)CURL_HTTP_1_1);
	(void)curl->curl_easy_setopt(h, CURL_CONNECT_MS, (long)CONNECT_MS);
	(void)curl->curl_easy_setopt(h, CURL_TIMEOUT_MS, (long)(left_ns / 1000000 + 1));
	(void)curl->curl_easy_setopt(h, CURL_LOW_LIMIT, (long)LOW_BYTES);
	(void)curl->curl_easy_setopt(h, CURL_LOW_SECONDS, (long)LOW_SECONDS);
	(void)curl->curl_easy_setopt(h, CURL_WRITE, take_body);
	(void)curl->curl_easy_setopt(h, CURL_WRITE_TO, try);
	(void)curl->curl_easy_setopt(h, CURL_HEADER, take_header);
	(void)curl->curl_easy_setopt(h, CURL_HEADER_TO, try);
	if (request->no_body)
		(void)curl->curl_easy_setopt(h, CURL_NO_BODY, 1L);
	if (request->body.len) {
		(void)curl->curl_easy_setopt(h, CURL_BODY_BYTES, (int64_t)request->body.len);
		(void)curl->curl_easy_setopt(h, CURL_BODY, request->body.data);
	}
	try->runs = curl->curl_multi_add_handle(line->many, h) == CURL_FINE;
}

static void end(struct ts_http *http, struct line *line, int i)
{
	if (!line->tries[i].runs)
		return;
	(void)http->curl->curl_multi_remove_handle(line->many, line->tries[i].handle);
	line->tries[i].runs = false;
}

/* Takes the next try that ended; *ret_code is how. */
static struct try *ended(struct ts_http *http, struct line *line, int *ret_code)
{
	struct curl_message *message;
	int left;

	while ((message = http->curl->curl_multi_info_read(line->many, &left)))
		for (int i = 0; i < TRIES && message->kind == CURL_MESSAGE_DONE; i++)
			if (message->handle == line->tries[i].handle) {
				*ret_code = message->data.result;
				end(http, line, i);
				return &line->tries[i];
			}
	return NULL;
}

/* How long to wait before looking at the clock again. */
static int patience(const struct ts_http_request *request, int64_t took_ns, bool hedged)
{
	int64_t left_ns = request->hedge_ns && !hedged ? request->hedge_ns - took_ns : request->limit_ns - took_ns;

	left_ns = left_ns > 0 ? left_ns : 0;
	return left_ns / 1000000 < POLL_MS ? (int)(left_ns / 1000000) + 1 : POLL_MS;
}

/* Runs one try, or two, until one has a whole answer. */
static struct try *run(struct ts_http *http, struct line *line, const struct ts_http_request *request, struct curl_headers *headers,
		       bool *ret_hedged, int *ret_code)
{
	int64_t began_ns = ts_now_mono_ns(), took_ns = 0;
	int open, running;

	*ret_hedged = false;
	*ret_code = CURL_CUT_SHORT;
	begin(http, line, 0, request, headers, request->limit_ns);
	open = line->tries[0].runs;
	while (open && took_ns < request->limit_ns + INT64_C(1000000000) && !(request->give_up && atomic_load(request->give_up))) {
		struct try *try;

		(void)http->curl->curl_multi_perform(line->many, &running);
		while ((try = ended(http, line, ret_code))) {
			if (*ret_code == CURL_FINE)
				return try;
			open--;
		}
		took_ns = ts_now_mono_ns() - began_ns;
		if (open && request->hedge_ns && !*ret_hedged && took_ns >= request->hedge_ns && took_ns < request->limit_ns) {
			*ret_hedged = true;
			begin(http, line, 1, request, headers, request->limit_ns - took_ns);
			open += line->tries[1].runs;
			continue;
		}
		if (open)
			(void)http->curl->curl_multi_poll(line->many, NULL, 0, patience(request, took_ns, *ret_hedged), NULL);
	}
	return NULL;
}

static enum ts_status make_headers(const struct ts_libcurl *curl, const struct ts_http_request *request, struct curl_headers **ret,
				   struct ts_error *err)
{
	struct curl_headers *list = curl->curl_slist_append(NULL, "Expect:"); /* curl would wait for a 100 */

	for (size_t i = 0; i < request->n_headers && list; i++) {
		struct curl_headers *longer = curl->curl_slist_append(list, request->headers[i]);

		if (!longer)
			curl->curl_slist_free_all(list);
		list = longer;
	}
	if (!list)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for a request");
	*ret = list;
	return TS_OK;
}

static enum ts_status finish(const struct ts_libcurl *curl, const struct ts_http_request *request, struct line *line, struct try *good,
			     int code, struct ts_http_answer *ret_answer, struct ts_error *err)
{
	long status = 0;

	if (!good && (line->tries[0].body.failed || line->tries[1].body.failed))
		return ts_error_set(err, TS_TOO_LARGE, "an answer of more than %zu bytes", request->most);
	if (!good)
		return ts_error_set(err, TS_UNAVAILABLE, "%s", curl->curl_easy_strerror(code));
	(void)curl->curl_easy_getinfo(good->handle, CURL_INFO_STATUS, &status);
	*ret_answer = good->about;
	ret_answer->status = (int)status;
	ret_answer->body = good->body;
	good->body = TS_BUF_INIT(0);
	return TS_OK;
}

enum ts_status ts_http_ask(struct ts_http *http, const struct ts_http_request *request, struct ts_http_answer *ret_answer,
			   struct ts_error *err)
{
	struct curl_headers *headers = NULL;
	enum ts_status status;
	struct line *line;
	struct try *good;
	bool hedged;
	int code;

	if (make_headers(http->curl, request, &headers, err))
		return err->status;
	line = take(http);
	if (!line) {
		http->curl->curl_slist_free_all(headers);
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for a request");
	}
	good = run(http, line, request, headers, &hedged, &code);
	for (int i = 0; i < TRIES; i++)
		end(http, line, i);
	status = finish(http->curl, request, line, good, code, ret_answer, err);
	if (!status)
		ret_answer->hedged = hedged;
	for (int i = 0; i < TRIES; i++) {
		ts_buf_finish(&line->tries[i].body);
		line->tries[i].body = TS_BUF_INIT(0);
	}
	http->curl->curl_slist_free_all(headers);
	give(http, line);
	return status;
}
