/* changes.c - see changes.h. */
#include "web/changes.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/system.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>

enum { ARENA = 8 << 20, TOPIC_TEXT = TS_HTTP_TOPIC_MAX };

/* What a project was when it was asked for last. */
struct project {
	struct project *next;
	struct ts_buf lines;
	bool wanted, known;
	bool lost; /* the last question had no answer, and its pages were told */
	char name[];
};

struct ts_changes {
	struct ts_http *http;
	ts_web_ask_fn *ask;
	void *ctx;
	struct project *projects;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t come;
	bool stops;
};

/* -- comparing -- */

static struct ts_span next_line(struct ts_span *io)
{
	const uint8_t *end = io->len ? memchr(io->data, '\n', io->len) : NULL;
	size_t n = end ? (size_t)(end - io->data) : io->len;
	struct ts_span line = ts_span_part(*io, 0, n);

	*io = ts_span_from(*io, end ? n + 1 : n);
	return line;
}

static bool has_line(struct ts_span in, struct ts_span line)
{
	while (in.len)
		if (ts_span_eq(next_line(&in), line))
			return true;
	return false;
}

/* What stands behind the second comma. A name with a comma or a quote is quoted, and its quotes are doubled; such a page is told of
 * by its project alone. */
static struct ts_span name_in(struct ts_span line)
{
	for (int i = 0; i < 2; i++) {
		const uint8_t *comma = line.len ? memchr(line.data, ',', line.len) : NULL;

		line = comma ? ts_span_from(line, (size_t)(comma - line.data) + 1) : ts_span_of("", 0);
	}
	if (line.len && line.data[line.len - 1] == '\r')
		line.len--;
	return line;
}

static bool has_name(struct ts_span in, struct ts_span name)
{
	while (in.len)
		if (ts_span_eq(name_in(next_line(&in)), name))
			return true;
	return false;
}

void ts_changes_compare(struct ts_span before, struct ts_span now, void (*changed)(void *ctx, struct ts_span name), void *ctx)
{
	struct ts_span rest = now, old = before;

	if (ts_span_eq(before, now))
		return;
	changed(ctx, ts_span_of("", 0));
	while (rest.len) {
		struct ts_span line = next_line(&rest);

		if (line.len && !has_line(before, line))
			changed(ctx, name_in(line));
	}
	while (old.len) {
		struct ts_span line = next_line(&old);

		if (line.len && !has_line(now, line) && !has_name(now, name_in(line)))
			changed(ctx, name_in(line));
	}
}

/* -- asking -- */

struct telling {
	struct ts_changes *live;
	const struct project *project;
};

static void tell(void *ctx, struct ts_span name)
{
	const struct telling *t = ctx;
	size_t n = strcspn(t->project->name, "\t");
	char topic[TOPIC_TEXT];

	if (name.len > n) /* of the project alone there are names, which have it in front */
		name = ts_span_from(name, n + 1);
	if (strlen(t->project->name) + name.len + 2 > sizeof topic)
		return;
	(void)snprintf(topic, sizeof topic, "%s\n%.*s", t->project->name, TS_SPAN_ARG(name));
	ts_http_tell(t->live->http, topic, "changed");
}

/* Returns whether there was an answer. */
static bool look_at(struct ts_changes *live, struct project *project)
{
	char given[TOPIC_TEXT];
	size_t n = strcspn(project->name, "\t");
	const char *words[] = {"list", given, "--columns=id,state,name", "--limit=200", "--csv"};
	const struct ts_web_question question = {.words = words,
						 .n = sizeof words / sizeof words[0],
						 .form = TS_WEB_TABLE,
						 .session = project->name[n] ? project->name + n + 1 : NULL};
	struct ts_web_answer answer;
	struct telling telling = {live, project};

	(void)snprintf(given, sizeof given, "--project=%.*s", (int)n, project->name);
	live->ask(live->ctx, &question, &answer);
	if (!answer.status) {
		if (project->known)
			ts_changes_compare(ts_buf_view(&project->lines), ts_buf_view(&answer.out), tell, &telling);
		ts_buf_finish(&project->lines);
		project->lines = answer.out;
		project->known = true;
	} else {
		ts_buf_finish(&answer.out);
	}
	return !answer.status;
}

/* Pages hear that nobody answers, and that somebody does again: then they look at all. */
static void tell_standing(struct ts_changes *live, struct project *project, bool answers, const char *const *topics, size_t n)
{
	size_t len = strlen(project->name);

	for (size_t i = 0; i < n && project->lost == answers; i++)
		if (strncmp(topics[i], project->name, len) == 0 && topics[i][len] == '\n')
			ts_http_tell(live->http, topics[i], answers ? "changed" : "lost");
	project->lost = !answers;
}

static struct project *project_of(struct ts_changes *live, const char *topic)
{
	size_t n = strcspn(topic, "\n");
	struct project *p = live->projects;

	while (p && (strlen(p->name) != n || memcmp(p->name, topic, n) != 0))
		p = p->next;
	if (p)
		return p;
	p = ts_alloc(sizeof *p + n + 1);
	if (!p)
		return NULL;
	*p = (struct project){.next = live->projects, .lines = TS_BUF_INIT(ARENA)};
	memcpy(p->name, topic, n);
	p->name[n] = '\0';
	live->projects = p;
	return p;
}

static void free_project(struct project *p)
{
	ts_buf_finish(&p->lines);
	ts_free(p);
}

/* Of a project that nobody looks at any more nothing is kept. */
static void forget_unwanted(struct ts_changes *live)
{
	for (struct project **at = &live->projects; *at;) {
		struct project *p = *at;

		if (p->wanted) {
			p->wanted = false;
			at = &p->next;
			continue;
		}
		*at = p->next;
		free_project(p);
	}
}

static void look(struct ts_changes *live)
{
	struct ts_arena arena;
	struct ts_error err;
	const char **topics;
	size_t n;

	ts_arena_init(&arena, ARENA);
	if (!ts_http_topics(live->http, &arena, &topics, &n, &err)) {
		for (size_t i = 0; i < n; i++) {
			struct project *p = project_of(live, topics[i]);

			if (p)
				p->wanted = true;
		}
		for (struct project *p = live->projects; p; p = p->next)
			if (p->wanted)
				tell_standing(live, p, look_at(live, p), topics, n);
		forget_unwanted(live);
	}
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
	while (live->projects) {
		struct project *p = live->projects;

		live->projects = p->next;
		free_project(p);
	}
	pthread_cond_destroy(&live->come);
	pthread_mutex_destroy(&live->lock);
	ts_free(live);
}
