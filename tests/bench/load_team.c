#include "load_team.h"

#include "base/clock.h"
#include "base/limits.h"
#include "proto/wire.h"

#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

const char *const load_kinds[LOAD_KINDS] = {"list", "diff", "analyze"};
const char *const load_methods[LOAD_KINDS] = {"ListRuns", "Diff", "Analyze"};

/* What the processes of a team share. */
struct shared {
	atomic_uint connected;
	atomic_bool begun, over;
	atomic_size_t next, pushed;
};

static struct shared *shared;

static void *share(size_t size)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (at == MAP_FAILED)
		load_die("shared memory", NULL);
	return at;
}

struct load_answers *load_answers_make(void)
{
	return share(sizeof(struct load_answers));
}

/* ---- a push ---- */

static void ask(struct ts_channel *ch, const char *method, struct ts_buf *request, struct ts_arena *arena, struct ts_span *ret_reply)
{
	struct ts_error err;

	if (ch->ops->call(ch, method, ts_buf_view(request), arena, ret_reply, &err))
		load_die(method, &err);
	ts_buf_reset(request);
}

static void upload(struct ts_channel *ch, const char *method, const struct load_run *run, struct ts_buf *message,
		   struct ts_arena *arena)
{
	struct ts_upload *up;
	struct ts_span reply;
	struct ts_error err;

	if (ch->ops->upload_open(ch, method, &up, &err))
		load_die(method, &err);
	for (size_t at = 0, n; at < run->n; at += n) {
		struct ts_put_request request = {.objects = run->objects + at};
		size_t bytes = 0;

		for (n = 0; at + n < run->n && bytes < TS_BATCH_BYTES; n++)
			bytes += run->objects[at + n].bytes.len;
		request.n = n;
		ts_buf_reset(message);
		if (ts_wire_pack_put_request(&request, message, &err) || ch->ops->upload_send(up, ts_buf_view(message), &err))
			load_die(method, &err);
	}
	if (ch->ops->upload_finish(up, arena, &reply, &err))
		load_die(method, &err);
	ts_buf_reset(message);
}

/* With echo, to handlers that do nothing: Echo, Sum, Echo. */
static void push(struct ts_channel *ch, const struct load_run *run, const char *name, bool echo, struct ts_buf *message,
		 struct ts_arena *arena)
{
	struct ts_commit_request commit = {.name = ts_span_str(name), .head = run->head, .state = ts_span_str("finished")};
	struct ts_has_request has = {.ids = ts_arena_array(arena, run->n, sizeof *has.ids), .n = run->n};
	struct ts_span reply;
	struct ts_error err;

	for (size_t i = 0; i < run->n; i++)
		has.ids[i] = run->objects[i].id;
	if (ts_wire_pack_has_request(&has, message, &err))
		load_die("HasObjects", &err);
	ask(ch, echo ? "Echo" : "HasObjects", message, arena, &reply);
	upload(ch, echo ? "Sum" : "PutObjects", run, message, arena);
	if (ts_wire_pack_commit_request(&commit, message, &err))
		load_die("CommitRun", &err);
	ask(ch, echo ? "Echo" : "CommitRun", message, arena, &reply);
	ts_arena_reset(arena);
}

struct old_runs {
	const struct load_server *server;
	const struct load_run *runs;
};

static void push_old(void *ctx)
{
	const struct old_runs *old = ctx;
	struct ts_buf message = TS_BUF_INIT(TS_MESSAGE_MAX);
	struct ts_arena arena;
	struct ts_channel *ch;
	struct ts_error err;

	if (ts_client_open(old->server->address, &old->server->login, &ch, &err))
		load_die("a client", &err);
	ts_arena_init(&arena, 0);
	for (unsigned i = 0; i < LOAD_OLD_RUNS; i++) {
		char name[32];

		(void)snprintf(name, sizeof name, "load/old%u", i);
		push(ch, &old->runs[i], name, false, &message, &arena);
	}
	ch->ops->destroy(ch);
}

void load_push_old(const struct load_server *server, const struct load_run *runs)
{
	struct old_runs old = {server, runs};

	load_in_child(push_old, &old);
}

/* ---- clients ---- */

static struct ts_channel *join_team(const char *address, const struct ts_client_login *login)
{
	struct ts_channel *ch;
	struct ts_error err;

	if (ts_client_open(address, login, &ch, &err))
		load_die("a client", &err);
	atomic_fetch_add(&shared->connected, 1);
	while (!atomic_load(&shared->begun))
		(void)poll(NULL, 0, 1);
	return ch;
}

static void push_runs(const struct load_team *team)
{
	struct ts_channel *ch = join_team(team->push_at, team->push_as);
	struct ts_buf message = TS_BUF_INIT(TS_MESSAGE_MAX);
	struct ts_arena arena;
	size_t at;

	ts_arena_init(&arena, 0);
	while ((at = atomic_fetch_add(&shared->next, 1)) < team->to) {
		char name[32];

		(void)snprintf(name, sizeof name, "load/run%zu", at + team->named);
		push(ch, &team->runs[at], name, team->echo, &message, &arena);
		atomic_fetch_add(&shared->pushed, 1);
	}
	ch->ops->destroy(ch);
}

static void pack_question(unsigned kind, unsigned turn, struct ts_buf *out)
{
	char a[32], b[32];
	struct ts_error err;
	enum ts_status status;

	(void)snprintf(a, sizeof a, "load/old%u", turn % LOAD_OLD_RUNS);
	(void)snprintf(b, sizeof b, "load/old%u", (turn + 1) % LOAD_OLD_RUNS);
	if (kind == 0)
		status = ts_wire_pack_list_request(&(struct ts_list_request){.kind = TS_REF_RUN, .project = ts_span_str("load")}, out,
						   &err);
	else if (kind == 1)
		status = ts_wire_pack_diff_request(&(struct ts_diff_request){.a = ts_span_str(a), .b = ts_span_str(b)}, out, &err);
	else
		status = ts_wire_pack_analyze_request(&(struct ts_analyze_request){.spec = ts_span_str(a), .fresh = true}, out, &err);
	if (status)
		load_die(load_kinds[kind], &err);
}

static void read_answers(const struct load_team *team, unsigned number, struct load_answers *answers)
{
	struct ts_channel *ch = join_team(team->ask_at, team->ask_as);
	struct ts_buf request = TS_BUF_INIT(1 << 20);
	struct ts_arena arena;
	struct ts_span reply;

	ts_arena_init(&arena, 0);
	for (unsigned turn = number; !atomic_load(&shared->over); turn++) {
		unsigned kind = turn % LOAD_KINDS;
		int64_t began;
		size_t at;

		pack_question(kind, turn, &request);
		began = ts_now_mono_ns();
		ask(ch, load_methods[kind], &request, &arena, &reply);
		at = atomic_fetch_add(&answers->n[kind], 1);
		if (at < LOAD_SAMPLES)
			answers->seconds[kind][at] = (double)(ts_now_mono_ns() - began) / 1e9;
		ts_arena_reset(&arena);
		/* A person or a script thinks before it asks again. */
		(void)poll(NULL, 0, 100);
	}
	ch->ops->destroy(ch);
}

/* ---- a team ---- */

static pid_t start_one(const struct load_team *team, unsigned i, struct load_answers *answers)
{
	pid_t child = fork();

	if (child < 0)
		load_die("fork", NULL);
	if (child > 0)
		return child;
	if (i < team->clients)
		push_runs(team);
	else
		read_answers(team, i, answers);
	_exit(0);
}

static void wait_for(const pid_t *children, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		int status = 1;

		if (waitpid(children[i], &status, 0) != children[i] || status != 0)
			load_die("a client", NULL);
	}
}

double load_team_run(const struct load_team *team, struct load_answers *answers)
{
	unsigned n = team->clients + team->readers;
	pid_t *children = calloc(n, sizeof *children);
	int64_t began;
	double took;

	if (!children)
		load_die("memory", NULL);
	if (!shared)
		shared = share(sizeof *shared);
	*shared = (struct shared){.connected = 0};
	atomic_store(&shared->next, team->from);
	for (unsigned i = 0; i < n; i++)
		children[i] = start_one(team, i, answers);
	while (atomic_load(&shared->connected) < n) {
		if (waitpid(-1, NULL, WNOHANG) > 0)
			load_die("a client ended before it began", NULL);
		(void)poll(NULL, 0, 5);
	}
	began = ts_now_mono_ns();
	atomic_store(&shared->begun, true);
	wait_for(children, team->clients);
	took = (double)(ts_now_mono_ns() - began) / 1e9;
	if (!team->clients)
		(void)poll(NULL, 0, (int)(team->seconds * 1000));
	atomic_store(&shared->over, true);
	wait_for(children + team->clients, team->readers);
	free(children);
	return (double)atomic_load(&shared->pushed) / took;
}
