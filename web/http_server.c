/* http_server.c - see http_server.h. One thread runs libevent and touches its objects; the others take requests out of a queue and give
 * answers back. */
#include "web/http_server.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/order.h"
#include "base/system.h"

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/keyvalq_struct.h>
#include <event2/listener.h>
#include <event2/thread.h>

#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>

enum {
	REQUEST_SECONDS = 20,  /* from the first byte of a request, or the last answer, to its last byte */
	READING_SECONDS = 120, /* for a client to take an answer */
	SILENT_SECONDS = 15,   /* after which an open stream gets a sign that it is open */
	ASKED_ARENA = 4 << 20,
	CUT_AT_ONCE = 32,
	ROOM_FROM = TS_HTTP_CONNECTIONS - 256, /* connections from which on idle ones are cut */
	IDLE_SECONDS = 1,      /* what a client has in any case, from its connection or its last answer, to ask */
};

static const int64_t second_ns = 1000000000;

/* A connection. libevent does not say when it frees one; so each is looked at every second, and held until then. */
struct link {
	struct link *next;
	struct bufferevent *bev;
	struct ts_http *server;
	struct evbuffer_cb_entry *counter;
	size_t came;	  /* bytes of a request that is not whole yet */
	bool is_cut;
	int64_t since_ns; /* when it began to do what it does */
	enum { WAITS, IS_ANSWERED, READS, STREAMS } does;
};

/* A request on its way: from the loop to a thread, and back. */
struct job {
	struct job *next;
	struct evhttp_request *raw;
	struct ts_http_request request;
	struct ts_http_reply reply;
	struct ts_arena arena;
};

struct queue {
	struct job *first, **end;
};

struct stream {
	struct stream *next;
	struct evhttp_request *raw;
	struct ts_http *server;
	int64_t told_ns;
	uint64_t seen; /* written by the loop's thread alone, under the lock */
	char topic[];
};

struct news {
	struct news *next;
	char *topic, *text;
	uint64_t now;
};

struct ts_http {
	struct event_base *base;
	struct evhttp *http;
	struct event *tick, *wake, *interrupted, *ended, *again;
	struct evconnlistener *listener; /* of http */
	struct ts_http_wanted wanted;
	uint16_t port;
	/* of the loop's thread alone */
	struct link *links;
	size_t n_links, coming; /* coming: the bytes that came of requests that are not whole yet */
	/* of all threads, under the lock */
	pthread_mutex_t lock;
	pthread_cond_t come;
	struct queue asked, answered;
	struct stream *streams;
	struct news *news, **news_end;
	bool stops;
	pthread_t *threads;
	size_t n_threads;
};

static void put(struct queue *q, struct job *job)
{
	job->next = NULL;
	*q->end = job;
	q->end = &job->next;
}

static struct job *take(struct queue *q)
{
	struct job *job = q->first;

	if (job) {
		q->first = job->next;
		if (!q->first)
			q->end = &q->first;
	}
	return job;
}

static void free_job(struct job *job)
{
	ts_buf_finish(&job->reply.body);
	ts_arena_finish(&job->arena);
	ts_free(job);
}

/* -- connections -- */

static bool is_closed(const struct link *link)
{
	bufferevent_data_cb read, write;
	bufferevent_event_cb event;
	void *ctx;

	bufferevent_getcb(link->bev, &read, &write, &event, &ctx);
	return !read && !write && !event; /* evhttp took its functions away, as it does before it frees one */
}

static void cut(struct link *link)
{
	evutil_socket_t fd = bufferevent_getfd(link->bev);

	link->is_cut = true;
	if (fd >= 0)
		(void)shutdown(fd, SHUT_RDWR);
}

static void drop_link(struct link *link)
{
	link->server->n_links--;
	link->server->coming -= link->came;
	(void)evbuffer_remove_cb_entry(bufferevent_get_input(link->bev), link->counter);
	bufferevent_decref(link->bev);
	ts_free(link);
}

/* Requests that are not whole have no more memory than TS_HTTP_COMING_MAX, all together. */
static void bytes_came(struct evbuffer *in, const struct evbuffer_cb_info *info, void *ctx)
{
	struct link *link = ctx, *most = link;

	(void)in;
	link->came += info->n_added;
	link->server->coming += info->n_added;
	if (link->server->coming <= TS_HTTP_COMING_MAX)
		return;
	for (struct link *l = link->server->links; l; l = l->next)
		if (l->came > most->came)
			most = l;
	cut(most);
	link->server->coming -= most->came; /* the loop frees it when it sees the end */
	most->came = 0;
}

static bool is_late(const struct link *link, int64_t now)
{
	static const int64_t limits[] = {
		[WAITS] = REQUEST_SECONDS, [IS_ANSWERED] = INT64_MAX, [READS] = READING_SECONDS, [STREAMS] = INT64_MAX};

	return limits[link->does] != INT64_MAX && now - link->since_ns > limits[link->does] * second_ns;
}

static void look_at_links(struct ts_http *s)
{
	int64_t now = ts_now_mono_ns();

	for (struct link **at = &s->links; *at;) {
		struct link *link = *at;

		if (!is_closed(link)) {
			if (is_late(link, now))
				cut(link);
			at = &link->next;
			continue;
		}
		*at = link->next;
		drop_link(link);
	}
}

static struct link *link_of(struct ts_http *s, struct evhttp_request *raw)
{
	struct evhttp_connection *connection = evhttp_request_get_connection(raw);
	struct bufferevent *bev = connection ? evhttp_connection_get_bufferevent(connection) : NULL;
	struct link *link = s->links;

	while (link && link->bev != bev)
		link = link->next;
	return link;
}

static void does(struct ts_http *s, struct evhttp_request *raw, int what)
{
	struct link *link = link_of(s, raw);

	if (link) {
		link->does = what;
		link->since_ns = ts_now_mono_ns();
		s->coming -= link->came;
		link->came = 0;
	}
}

/* Puts the link among the oldest, of which there are n, if it is older than one of them or there is room. */
static size_t add_older(struct link **oldest, size_t n, struct link *link)
{
	size_t youngest = 0;

	if (n < CUT_AT_ONCE) {
		oldest[n] = link;
		return n + 1;
	}
	for (size_t i = 1; i < n; i++)
		if (oldest[i]->since_ns > oldest[youngest]->since_ns)
			youngest = i;
	if (link->since_ns < oldest[youngest]->since_ns)
		oldest[youngest] = link;
	return n;
}

/* Those that have asked nothing for the longest make room for who comes next, before there is no more: one that is cut is gone only
 * when the loop has seen its end. */
static void make_room(struct ts_http *s)
{
	int64_t now = ts_now_mono_ns();
	struct link *oldest[CUT_AT_ONCE];
	size_t n = 0;

	for (struct link *l = s->links; l; l = l->next)
		if (l->does == WAITS && !l->is_cut && now - l->since_ns > IDLE_SECONDS * second_ns)
			n = add_older(oldest, n, l);
	for (size_t i = 0; i < n; i++)
		cut(oldest[i]);
}

/* Who comes next waits in the system's queue until the loop has read what those sent that are here: in one turn it would take in all
 * who wait there, and cut for the last of them the first ones, whose requests lie unread. */
static void rest(struct ts_http *s)
{
	static const struct timeval at_once = {0}, soon = {.tv_usec = 20000};

	(void)evconnlistener_disable(s->listener);
	(void)event_add(s->again, s->n_links < TS_HTTP_CONNECTIONS ? &at_once : &soon);
}

static void accept_again(evutil_socket_t fd, short what, void *ctx)
{
	struct ts_http *s = ctx;

	(void)fd;
	(void)what;
	look_at_links(s);
	if (s->n_links >= ROOM_FROM)
		make_room(s);
	if (s->n_links < TS_HTTP_CONNECTIONS)
		(void)evconnlistener_enable(s->listener);
	else
		rest(s);
}

/* Gives libevent the buffers of a new connection. */
static struct bufferevent *begin_link(struct event_base *base, void *ctx)
{
	struct ts_http *s = ctx;
	struct bufferevent *bev = bufferevent_socket_new(base, -1, 0);
	struct link *link = ts_alloc(sizeof *link);

	if (!bev || !link) {
		if (bev)
			bufferevent_free(bev);
		ts_free(link);
		return NULL;
	}
	bufferevent_incref(bev);
	*link = (struct link){.next = s->links, .server = s, .bev = bev, .since_ns = ts_now_mono_ns(), .does = WAITS};
	link->counter = evbuffer_add_cb(bufferevent_get_input(bev), bytes_came, link);
	if (!link->counter) {
		bufferevent_decref(bev);
		bufferevent_free(bev);
		ts_free(link);
		return NULL;
	}
	s->links = link;
	if (++s->n_links >= ROOM_FROM && s->n_links % CUT_AT_ONCE == 0)
		rest(s);
	return bev;
}

/* -- requests come -- */

static struct ts_span copy(struct job *job, const char *text)
{
	struct ts_span copied = text ? ts_arena_span(&job->arena, ts_span_str(text)) : ts_span_of(NULL, 0);

	return copied.data ? copied : ts_span_of("", 0);
}

static void copy_target(struct job *job)
{
	const char *uri = evhttp_request_get_uri(job->raw), *mark = strchr(uri, '?');
	struct ts_span all = copy(job, uri);

	job->request.path = mark ? ts_span_part(all, 0, (size_t)(mark - uri)) : all;
	job->request.query = mark ? ts_span_from(all, (size_t)(mark - uri) + 1) : ts_span_of("", 0);
}

static void copy_body(struct job *job)
{
	struct evbuffer *in = evhttp_request_get_input_buffer(job->raw);
	size_t n = in ? evbuffer_get_length(in) : 0;
	uint8_t *body = n ? ts_arena_alloc(&job->arena, n) : NULL;

	if (body && evbuffer_copyout(in, body, n) == (ev_ssize_t)n)
		job->request.body = ts_span_of(body, n);
}

static void copy_ends(struct job *job)
{
	struct evhttp_connection *connection = evhttp_request_get_connection(job->raw);
	struct bufferevent *bev = connection ? evhttp_connection_get_bufferevent(connection) : NULL;

	if (bev)
		ts_ends_of(bufferevent_getfd(bev), &job->request.ends);
}

static enum ts_http_method method_of(struct evhttp_request *raw)
{
	enum evhttp_cmd_type command = evhttp_request_get_command(raw); /* no other one is allowed (make_loop) */

	return command == EVHTTP_REQ_POST    ? TS_HTTP_POST
	       : command == EVHTTP_REQ_PUT   ? TS_HTTP_PUT
	       : command == EVHTTP_REQ_PATCH ? TS_HTTP_PATCH
					     : TS_HTTP_GET;
}

static void copy_request(struct job *job)
{
	static const char *const forwards[] = {"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP", "Via"};
	struct evkeyvalq *headers = evhttp_request_get_input_headers(job->raw);
	struct ts_http_request *r = &job->request;
	const struct {
		const char *name;
		struct ts_span *to;
	} kept[] = {{"Host", &r->host}, {"Origin", &r->origin}, {"Cookie", &r->cookie}, {"Accept", &r->accept},
		    {"Authorization", &r->authorization}, {"Sec-Fetch-Site", &r->fetch_site}, {"Content-Type", &r->type}};

	r->method = method_of(job->raw);
	for (size_t i = 0; i < sizeof forwards / sizeof forwards[0]; i++)
		r->forwarded |= evhttp_find_header(headers, forwards[i]) != NULL;
	copy_ends(job);
	copy_target(job);
	for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++)
		*kept[i].to = copy(job, evhttp_find_header(headers, kept[i].name));
	if (!r->too_large)
		copy_body(job);
}

/* Whether a proxy in front may have seen another end of this request than libevent did: two lengths, a length that is no number, a
 * length beside chunks, or a name that only looks like one. What stands behind would be somebody else's request. */
static bool is_ambiguous(struct evhttp_request *raw)
{
	const struct evkeyval *h;
	size_t lengths = 0, codings = 0;

	for (h = evhttp_request_get_input_headers(raw)->tqh_first; h; h = h->next.tqe_next) {
		if (!*h->key || strpbrk(h->key, " \t\r\n\v\f") || strpbrk(h->value, "\r\n"))
			return true;
		if (evutil_ascii_strcasecmp(h->key, "Content-Length") == 0) {
			lengths++;
			if (strspn(h->value, "0123456789") != strlen(h->value))
				return true;
		}
		if (evutil_ascii_strcasecmp(h->key, "Transfer-Encoding") == 0)
			codings += evutil_ascii_strcasecmp(h->value, "chunked") == 0 ? 1 : 2;
	}
	return lengths + codings > 1;
}

static void request_came(struct evhttp_request *raw, void *ctx)
{
	struct ts_http *s = ctx;
	size_t body = evbuffer_get_length(evhttp_request_get_input_buffer(raw));
	struct job *job;
	bool too_large;

	if (is_ambiguous(raw)) {
		does(s, raw, READS);
		evhttp_send_error(raw, 400, "Bad Request"); /* which closes the connection */
		return;
	}
	too_large = body > (evhttp_request_get_command(raw) == EVHTTP_REQ_PUT ? TS_HTTP_FILE_MAX : TS_HTTP_BODY_MAX);
	job = ts_alloc(sizeof *job);

	if (!job) {
		evhttp_send_error(raw, 503, "Service Unavailable");
		return;
	}
	*job = (struct job){.raw = raw, .request.too_large = too_large, .reply.body = TS_BUF_INIT(TS_HTTP_REPLY_MAX)};
	ts_arena_init(&job->arena, ASKED_ARENA + (too_large ? 0 : body));
	copy_request(job);
	if (job->arena.failed) {
		free_job(job);
		evhttp_send_error(raw, 503, "Service Unavailable");
		return;
	}
	does(s, raw, IS_ANSWERED);
	pthread_mutex_lock(&s->lock);
	put(&s->asked, job);
	pthread_cond_signal(&s->come);
	pthread_mutex_unlock(&s->lock);
}

/* -- threads that answer -- */

static void *answer_requests(void *ctx)
{
	struct ts_http *s = ctx;

	pthread_mutex_lock(&s->lock);
	for (;;) {
		struct job *job;

		while (!s->asked.first && !s->stops)
			pthread_cond_wait(&s->come, &s->lock);
		if (s->stops) /* what was not begun is not answered */
			break;
		job = take(&s->asked);
		pthread_mutex_unlock(&s->lock);
		s->wanted.answer(s->wanted.ctx, &job->request, &job->arena, &job->reply);
		pthread_mutex_lock(&s->lock);
		put(&s->answered, job);
		event_active(s->wake, EV_READ, 0);
	}
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

/* -- answers go -- */

static void was_read(struct evhttp_request *raw, void *ctx)
{
	does(ctx, raw, WAITS);
}

/* A value with a line break would begin a header of its own; it is left out. */
static bool is_one_line(const char *value)
{
	return !strpbrk(value, "\r\n");
}

static void set_headers(const struct job *job)
{
	struct evkeyvalq *out = evhttp_request_get_output_headers(job->raw);
	const struct ts_http_reply *r = &job->reply;

	evhttp_add_header(out, "Content-Type", r->topic ? "text/event-stream" : r->type ? r->type : "text/plain; charset=utf-8");
	evhttp_add_header(out, "X-Content-Type-Options", "nosniff");
	for (size_t i = 0; i < r->n_headers; i++)
		if (is_one_line(r->headers[i].value))
			evhttp_add_header(out, r->headers[i].name, r->headers[i].value);
}

static const char *reason(int status)
{
	static const struct {
		int status;
		const char *text;
	} reasons[] = {{200, "OK"}, {302, "Found"}, {303, "See Other"}, {400, "Bad Request"}, {401, "Unauthorized"}, {403, "Forbidden"},
		       {404, "Not Found"}, {405, "Method Not Allowed"}, {409, "Conflict"}, {413, "Payload Too Large"},
		       {421, "Misdirected Request"}, {500, "Internal Server Error"}, {503, "Service Unavailable"}};

	for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
		if (reasons[i].status == status)
			return reasons[i].text;
	return "Answer";
}

static void stream_closed(struct evhttp_connection *connection, void *ctx)
{
	struct stream *gone = ctx;
	struct ts_http *s = gone->server;

	(void)connection;
	pthread_mutex_lock(&s->lock);
	for (struct stream **at = &s->streams; *at; at = &(*at)->next)
		if (*at == gone) {
			*at = gone->next;
			break;
		}
	pthread_mutex_unlock(&s->lock);
	if (!evhttp_request_get_connection(gone->raw)) /* libevent left the request to us: its end frees it */
		evhttp_send_reply_end(gone->raw);
	ts_free(gone);
}

static bool begin_stream(struct ts_http *s, struct job *job)
{
	struct evhttp_connection *connection = evhttp_request_get_connection(job->raw);
	size_t n = strlen(job->reply.topic) + 1;
	struct stream *stream = connection ? ts_alloc(sizeof *stream + n) : NULL;

	if (!stream)
		return false;
	*stream = (struct stream){.raw = job->raw, .server = s, .told_ns = ts_now_mono_ns(), .seen = job->reply.seen};
	memcpy(stream->topic, job->reply.topic, n);
	evhttp_connection_set_closecb(connection, stream_closed, stream);
	does(s, job->raw, STREAMS);
	evhttp_send_reply_start(job->raw, 200, "OK");
	pthread_mutex_lock(&s->lock);
	stream->next = s->streams;
	s->streams = stream;
	pthread_mutex_unlock(&s->lock);
	return true;
}

/* Whether answers that clients have not taken yet leave room for so many bytes more. */
static bool has_room(const struct ts_http *s, size_t n)
{
	size_t going = 0;

	for (const struct link *link = s->links; link; link = link->next)
		going += evbuffer_get_length(bufferevent_get_output(link->bev));
	return !going || (going <= TS_HTTP_GOING_MAX && n <= TS_HTTP_GOING_MAX - going);
}

static void send_body(struct ts_http *s, struct job *job)
{
	struct evbuffer *body = evbuffer_new();

	if (!body || !has_room(s, job->reply.body.len) ||
	    job->reply.body.failed || evbuffer_add(body, job->reply.body.data, job->reply.body.len)) {
		evhttp_send_error(job->raw, 503, "Service Unavailable");
	} else {
		does(s, job->raw, READS);
		evhttp_request_set_on_complete_cb(job->raw, was_read, s);
		evhttp_send_reply(job->raw, job->reply.status, reason(job->reply.status), body);
	}
	if (body)
		evbuffer_free(body);
}

static void send_reply(struct ts_http *s, struct job *job)
{
	set_headers(job);
	if (!job->reply.topic || !begin_stream(s, job))
		send_body(s, job);
	free_job(job);
}

static void say(struct stream *stream, const char *field, const char *text)
{
	struct evbuffer *line = evbuffer_new();

	if (line && evbuffer_add_printf(line, "%s: %s\n\n", field, text) > 0)
		evhttp_send_reply_chunk(stream->raw, line);
	if (line)
		evbuffer_free(line);
	stream->told_ns = ts_now_mono_ns();
}

/* Sending may close a connection, but its function is called by the loop later: the list stays as it is meanwhile. */
static void say_news(struct ts_http *s, struct news *news)
{
	for (struct stream *stream = s->streams; stream; stream = stream->next)
		if (stream->seen != news->now && strcmp(stream->topic, news->topic) == 0) {
			say(stream, "data", news->text);
			pthread_mutex_lock(&s->lock);
			stream->seen = news->now;
			pthread_mutex_unlock(&s->lock);
		}
	ts_free(news->topic);
	ts_free(news->text);
	ts_free(news);
}

/* Streams are taken off their list by this thread alone, so what it reads stays. */
static void woken(evutil_socket_t fd, short what, void *ctx)
{
	struct ts_http *s = ctx;
	struct news *news;
	struct job *job;

	(void)fd;
	(void)what;
	for (;;) {
		pthread_mutex_lock(&s->lock);
		job = take(&s->answered);
		news = job ? NULL : s->news;
		if (news && !(s->news = news->next))
			s->news_end = &s->news;
		pthread_mutex_unlock(&s->lock);
		if (job)
			send_reply(s, job);
		else if (news)
			say_news(s, news);
		else
			break;
	}
}

static void ticked(evutil_socket_t fd, short what, void *ctx)
{
	struct ts_http *s = ctx;
	int64_t now = ts_now_mono_ns();

	(void)fd;
	(void)what;
	look_at_links(s);
	for (struct stream *stream = s->streams; stream; stream = stream->next)
		if (now - stream->told_ns > SILENT_SECONDS * second_ns)
			say(stream, "", "still here"); /* a comment */
}

static void was_interrupted(evutil_socket_t fd, short what, void *ctx)
{
	struct ts_http *s = ctx;

	(void)fd;
	(void)what;
	event_base_loopbreak(s->base);
}

/* -- opening and closing -- */

static void say_nothing(int severity, const char *text)
{
	(void)severity;
	(void)text;
}

static enum ts_status make_loop(struct ts_http *s, struct ts_error *err)
{
	static const struct timeval second = {.tv_sec = 1};

	event_set_log_callback(say_nothing);
	(void)signal(SIGPIPE, SIG_IGN); /* libevent writes to clients that have gone */
	if (evthread_use_pthreads() || !(s->base = event_base_new()) || !(s->http = evhttp_new(s->base)))
		return ts_error_set(err, TS_NO_MEMORY, "there is no memory for an HTTP server");
	s->tick = event_new(s->base, -1, EV_PERSIST, ticked, s);
	s->wake = event_new(s->base, -1, EV_PERSIST, woken, s);
	s->again = evtimer_new(s->base, accept_again, s);
	s->interrupted = evsignal_new(s->base, SIGINT, was_interrupted, s);
	s->ended = evsignal_new(s->base, SIGTERM, was_interrupted, s);
	if (!s->tick || !s->wake || !s->again || !s->interrupted || !s->ended || event_add(s->tick, &second) ||
	    event_add(s->interrupted, NULL) || event_add(s->ended, NULL))
		return ts_error_set(err, TS_NO_MEMORY, "there is no memory for an HTTP server");
	evhttp_set_allowed_methods(s->http, EVHTTP_REQ_GET | EVHTTP_REQ_HEAD | EVHTTP_REQ_POST | EVHTTP_REQ_PUT |
							  EVHTTP_REQ_PATCH);
	evhttp_set_max_headers_size(s->http, TS_HTTP_HEAD_MAX);
	evhttp_set_max_body_size(s->http, TS_HTTP_READ_MAX);
	evhttp_set_timeout(s->http, READING_SECONDS);
	evhttp_set_bevcb(s->http, begin_link, s);
	evhttp_set_gencb(s->http, request_came, s);
	return TS_OK;
}

static enum ts_status port_of(evutil_socket_t fd, uint16_t *ret_port, struct ts_error *err)
{
	struct sockaddr_storage at;
	socklen_t n = sizeof at;

	if (getsockname(fd, (struct sockaddr *)&at, &n) != 0)
		return ts_error_errno(err, errno, "the port of the HTTP server");
	*ret_port = ntohs(at.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&at)->sin6_port : ((struct sockaddr_in *)&at)->sin_port);
	return TS_OK;
}

static enum ts_status listen_at(struct ts_http *s, struct ts_error *err)
{
	const char *address = s->wanted.address;
	struct evhttp_bound_socket *bound;

	errno = 0;
	bound = evhttp_bind_socket_with_handle(s->http, address, s->wanted.port);
	if (bound) {
		s->listener = evhttp_bound_socket_get_listener(bound);
		return port_of(evhttp_bound_socket_get_fd(bound), &s->port, err);
	}
	if (errno == EADDRINUSE)
		return ts_error_set(err, TS_UNAVAILABLE, "port %u of %s is taken by another program; --port chooses another one",
				    (unsigned)s->wanted.port, address);
	if (errno == EACCES)
		return ts_error_set(err, TS_DENIED, "only the system's administrator may take port %u; --port chooses another one",
				    (unsigned)s->wanted.port);
	return ts_error_set(err, TS_INVALID, "%s is no address of this machine", address);
}

static enum ts_status start_threads(struct ts_http *s, struct ts_error *err)
{
	sigset_t all, before;
	int failed = 0;

	s->threads = ts_alloc(s->wanted.threads * sizeof *s->threads);
	if (!s->threads)
		return ts_error_set(err, TS_NO_MEMORY, "there is no memory for an HTTP server");
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (!failed && s->n_threads < s->wanted.threads) {
		failed = pthread_create(&s->threads[s->n_threads], NULL, answer_requests, s);
		s->n_threads += !failed;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return s->n_threads ? TS_OK : ts_error_set(err, TS_UNAVAILABLE, "the system gives no thread to an HTTP server");
}

enum ts_status ts_http_open(const struct ts_http_wanted *wanted, struct ts_http **ret_server, struct ts_error *err)
{
	struct ts_http *s = ts_alloc(sizeof *s);

	if (!s)
		return ts_error_set(err, TS_NO_MEMORY, "there is no memory for an HTTP server");
	*s = (struct ts_http){.wanted = *wanted};
	s->asked.end = &s->asked.first;
	s->answered.end = &s->answered.first;
	s->news_end = &s->news;
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->come, NULL);
	if (make_loop(s, err) || listen_at(s, err) || start_threads(s, err)) {
		ts_http_close(s);
		return err->status;
	}
	*ret_server = s;
	return TS_OK;
}

uint16_t ts_http_port(const struct ts_http *s)
{
	return s->port;
}

enum ts_status ts_http_run(struct ts_http *s, struct ts_error *err)
{
	if (event_base_dispatch(s->base) < 0)
		return ts_error_set(err, TS_INTERNAL, "the HTTP server cannot wait for requests");
	return TS_OK;
}

static void stop_threads(struct ts_http *s)
{
	pthread_mutex_lock(&s->lock);
	s->stops = true;
	pthread_cond_broadcast(&s->come);
	pthread_mutex_unlock(&s->lock);
	for (size_t i = 0; i < s->n_threads; i++)
		pthread_join(s->threads[i], NULL);
}

static void free_event(struct event *event)
{
	if (event)
		event_free(event);
}

void ts_http_close(struct ts_http *s)
{
	struct job *job;

	stop_threads(s);
	while ((job = take(&s->answered)))
		send_reply(s, job);
	while ((job = take(&s->asked)))
		free_job(job);
	if (s->http)
		evhttp_free(s->http); /* closes connections; the functions of streams are called */
	look_at_links(s);
	while (s->links) {
		struct link *link = s->links;

		s->links = link->next;
		drop_link(link);
	}
	while (s->news) {
		struct news *news = s->news;

		s->news = news->next;
		ts_free(news->topic);
		ts_free(news->text);
		ts_free(news);
	}
	free_event(s->tick);
	free_event(s->wake);
	free_event(s->again);
	free_event(s->interrupted);
	free_event(s->ended);
	if (s->base)
		event_base_free(s->base);
	pthread_cond_destroy(&s->come);
	pthread_mutex_destroy(&s->lock);
	ts_free(s->threads);
	ts_free(s);
}

/* -- what is new -- */

static char *copy_text(const char *text)
{
	size_t n = strlen(text) + 1;
	char *copied = ts_alloc(n);

	return copied ? memcpy(copied, text, n) : NULL;
}

void ts_http_tell(struct ts_http *s, const char *topic, const char *text, uint64_t now)
{
	struct news *news = ts_alloc(sizeof *news);

	if (!news)
		return;
	*news = (struct news){.topic = copy_text(topic), .text = copy_text(text), .now = now};
	if (!news->topic || !news->text) {
		ts_free(news->topic);
		ts_free(news->text);
		ts_free(news);
		return;
	}
	pthread_mutex_lock(&s->lock);
	*s->news_end = news;
	s->news_end = &news->next;
	pthread_mutex_unlock(&s->lock);
	event_active(s->wake, EV_READ, 0);
}

TS_ORDER(by_topic, struct ts_http_topic, TS_THEN(strcmp(a->name, b->name)); TS_UP(seen))

enum ts_status ts_http_topics(struct ts_http *s, struct ts_arena *arena, struct ts_http_topic **ret_topics, size_t *ret_n,
			      struct ts_error *err)
{
	size_t n = 0, all = 0, kept = 0;
	struct ts_http_topic *topics;

	pthread_mutex_lock(&s->lock);
	for (struct stream *stream = s->streams; stream; stream = stream->next)
		all++;
	topics = ts_arena_array(arena, all + 1, sizeof *topics);
	for (struct stream *stream = topics ? s->streams : NULL; stream && !arena->failed; stream = stream->next)
		topics[n++] = (struct ts_http_topic){ts_arena_printf(arena, "%s", stream->topic), stream->seen};
	pthread_mutex_unlock(&s->lock);
	if (ts_arena_check(arena, err))
		return err->status;
	TS_SORT(topics, n, by_topic);
	for (size_t i = 0; i < n; i++)
		if (!i || by_topic(&topics[i - 1], &topics[i]) != 0)
			topics[kept++] = topics[i];
	*ret_topics = topics;
	*ret_n = kept;
	return TS_OK;
}
