/* changes.c - see changes.h. */
#include "web/changes.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/map.h"
#include "base/system.h"
#include "base/text.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>

enum { ARENA = 8 << 20 };

/* Marks that no lines have, but by chance: nobody answers, and nobody did when a page was made. */
enum { LOST, NOT_KNOWN };

struct ts_changes {
	struct ts_http *http;
	ts_web_ask_fn *ask;
	void *ctx;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t come;
	bool stops;
};

/* -- marks -- */

/* What stands behind the second comma. Names have neither commas nor quotes. */
static struct ts_span name_in(struct ts_span line)
{
	return ts_span_after(ts_span_after(line, ','), ',');
}

uint64_t ts_changes_mark(struct ts_span lines, struct ts_span name)
{
	uint64_t mark = ts_hash_bytes(ts_hash_open, name.len ? name : lines);

	while (name.len && lines.len) {
		struct ts_span line = ts_trim(ts_span_next_line(&lines));

		if (ts_span_eq(name_in(line), name))
			mark = ts_hash_u64(ts_hash_open, mark ^ ts_hash_bytes(ts_hash_open, line));
	}
	return mark;
}

/* Of lines about the project of a topic: "PROJECT\n", or "PROJECT\nNAME", with a tab and a session before the line's end. */
static uint64_t mark_of(struct ts_span lines, const char *topic)
{
	size_t project = strcspn(topic, "\t\n");
	const char *name = topic + strcspn(topic, "\n") + 1;
	char text[TS_HTTP_TOPIC_MAX + 1];

	if (*name)
		(void)snprintf(text, sizeof text, "%.*s/%s", (int)project, topic, name);
	return ts_changes_mark(lines, ts_span_str(*name ? text : ""));
}

/* -- asking -- */

/* Asks for the lines of a topic's project. The answer's text is the caller's to free, whatever its status. */
static void ask_about(ts_web_ask_fn *ask, void *ctx, const char *topic, struct ts_web_answer *ret_answer)
{
	size_t project = strcspn(topic, "\t\n"), whole = strcspn(topic, "\n");
	char given[TS_HTTP_TOPIC_MAX + sizeof "--project="], session[TS_HTTP_TOPIC_MAX];
	const char *words[] = {"list", given, "--columns=id,state,name", "--limit=200", "--csv"};
	const struct ts_web_question question = {.words = words,
						 .n = sizeof words / sizeof words[0],
						 .form = TS_WEB_TABLE,
						 .session = whole > project ? session : NULL};

	(void)snprintf(given, sizeof given, "--project=%.*s", (int)project, topic);
	if (whole > project)
		(void)snprintf(session, sizeof session, "%.*s", (int)(whole - project - 1), topic + project + 1);
	ask(ctx, &question, ret_answer);
}

uint64_t ts_changes_now(ts_web_ask_fn *ask, void *ctx, const char *topic)
{
	struct ts_web_answer answer;
	uint64_t mark;

	ask_about(ask, ctx, topic, &answer);
	mark = answer.status ? NOT_KNOWN : mark_of(ts_buf_view(&answer.out), topic);
	ts_buf_finish(&answer.out);
	return mark;
}

/* Looks at the project of the first topic, and tells the pages of that project. Returns how many topics are of it. */
static size_t look_at(struct ts_changes *live, const struct ts_http_topic *topics, size_t n)
{
	size_t len = strcspn(topics[0].name, "\n") + 1, i = 0;
	struct ts_web_answer answer;

	ask_about(live->ask, live->ctx, topics[0].name, &answer);
	for (; i < n && strncmp(topics[i].name, topics[0].name, len) == 0; i++) {
		uint64_t now = answer.status ? LOST : mark_of(ts_buf_view(&answer.out), topics[i].name);

		if (topics[i].seen != now)
			ts_http_tell(live->http, topics[i].name, answer.status ? "lost" : "changed", now);
	}
	ts_buf_finish(&answer.out);
	return i;
}

static void look(struct ts_changes *live)
{
	struct ts_http_topic *topics;
	struct ts_arena arena;
	struct ts_error err;
	size_t n;

	ts_arena_init(&arena, ARENA);
	if (!ts_http_topics(live->http, &arena, &topics, &n, &err))
		for (size_t i = 0; i < n;)
			i += look_at(live, topics + i, n - i);
	ts_arena_finish(&arena);
}

static void *run(void *ctx)
{
	struct ts_changes *live = ctx;

	pthread_mutex_lock(&live->lock);
	while (!live->stops) {
		struct timespec limit = ts_system_cond_limit(ts_now_mono_ns() + 1000000000);

		pthread_cond_timedwait(&live->come, &live->lock, &limit);
		if (live->stops)
			break;
		pthread_mutex_unlock(&live->lock);
		look(live);
		pthread_mutex_lock(&live->lock);
	}
	pthread_mutex_unlock(&live->lock);
	return NULL;
}

enum ts_status ts_changes_start(struct ts_http *http, ts_web_ask_fn *ask, void *ctx, struct ts_changes **ret_live, struct ts_error *err)
{
	struct ts_changes *live = ts_alloc(sizeof *live);
	sigset_t all, before;
	int failed;

	if (!live)
		return ts_error_set(err, TS_NO_MEMORY, "there is no memory to watch runs");
	*live = (struct ts_changes){.http = http, .ask = ask, .ctx = ctx};
	pthread_mutex_init(&live->lock, NULL);
	ts_system_cond_init(&live->come);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	failed = pthread_create(&live->thread, NULL, run, live);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (failed) {
		pthread_cond_destroy(&live->come);
		pthread_mutex_destroy(&live->lock);
		ts_free(live);
		return ts_error_set(err, TS_UNAVAILABLE, "the system gives no thread to watch runs");
	}
	*ret_live = live;
	return TS_OK;
}

void ts_changes_stop(struct ts_changes *live)
{
	pthread_mutex_lock(&live->lock);
	live->stops = true;
	pthread_cond_signal(&live->come);
	pthread_mutex_unlock(&live->lock);
	pthread_join(live->thread, NULL);
	pthread_cond_destroy(&live->come);
	pthread_mutex_destroy(&live->lock);
	ts_free(live);
}
