/* verb_serve.c - tscope serve: the reading verbs for a program that asks over stdin and stdout, by JSON-RPC as the Model Context
 * Protocol frames it. One thread reads messages and answers what needs no store; two others run verbs, so that a short question does
 * not wait for a long one. What a verb answers is what its command prints (answer.h). */
#include "base/alloc.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/text.h"
#include "base/version.h"
#include "cli/report/page.h"
#include "cli/serve/brief.h"
#include "cli/serve/message_lines.h"
#include "cli/serve/revision.h"
#include "cli/serve/rpc.h"
#include "cli/verbs/answer.h"
#include "cli/verbs/kept_targets.h"
#include "cli/verbs/serve_columns.h"
#include "cli/verbs/serve_tools.h"
#include "cli/verbs/serve_trace.h"
#include "cli/verbs/verbs.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { LINE_MAX_BYTES = 1 << 20, WAITING_MAX = 256, WORKERS = 2, QUESTION_ARENA = 16 << 20, OUT_MAX = 1 << 30 };

static const char instructions[] = "tscope is git for training runs: runs are stored once, and compared. list finds runs; analyze says "
				   "what limits one and what is wrong "
				   "with it; diff says from which step on two runs differ, and why; gate tests whether one is slower. "
				   "A run is a name, a tag, a branch, "
				   "the first digits of an id, or the path of a run's folder. Give answer=brief for a short text, "
				   "which ends with what to ask next.";

struct question {
	struct question *next;
	struct ts_arena arena;
	struct ts_rpc_message message; /* in the arena */
	const char *members;	       /* what a result has to say, too, by the revision that the request names; NULL: nothing */
	atomic_bool cancelled;	       /* nobody waits for its answer */
};

struct serving {
	struct ts_cli *cli;
	struct ts_kept_targets kept;
	pthread_mutex_t lock; /* of what stands below, and of stdout */
	pthread_cond_t more;
	struct question *waiting, **end;
	size_t n_waiting;
	struct question *running; /* by next */
	bool ended;		  /* no question comes any more */
	struct ts_error failed;	  /* stdout could not be written */
	pthread_mutex_t values_lock;
	int values; /* where the numbers of columns go; below 0: nobody takes them */
};

/* -- what is said -- */

/* Takes out, which is empty afterwards. */
static void send(struct serving *s, struct ts_buf *out)
{
	struct ts_error err;

	pthread_mutex_lock(&s->lock);
	if (!s->failed.status && ts_write_full(STDOUT_FILENO, out->data, out->len, &err))
		s->failed = err;
	pthread_mutex_unlock(&s->lock);
	ts_buf_finish(out);
}

static void send_error(struct serving *s, struct ts_span id, enum ts_rpc_code code, const char *text)
{
	struct ts_buf out = TS_BUF_INIT(1 << 20);

	ts_rpc_error(&out, id, code, text);
	send(s, &out);
}

static void send_result(struct serving *s, const struct question *q, const struct ts_buf *result)
{
	struct ts_buf out = TS_BUF_INIT(OUT_MAX);

	if (!result->failed)
		ts_rpc_result(&out, q->message.id, q->members, ts_buf_view(result));
	if (result->failed || out.failed) {
		ts_buf_finish(&out);
		send_error(s, q->message.id, TS_RPC_INTERNAL, "there is no memory for the answer");
		return;
	}
	send(s, &out);
}

/* -- answers of verbs -- */

static void put_text_content(struct ts_json *j, struct ts_span text)
{
	ts_json_key(j, "content");
	ts_json_array(j);
	ts_json_object(j);
	ts_json_key(j, "type");
	ts_json_string(j, "text");
	ts_json_key(j, "text");
	ts_json_span(j, text);
	ts_json_end(j);
	ts_json_end(j);
}

static void put_result(struct ts_buf *out, const struct ts_answer *answer, struct ts_span text)
{
	struct ts_json j = ts_json_of(out);

	ts_json_object(&j);
	put_text_content(&j, text);
	ts_json_key(&j, "isError");
	ts_json_bool(&j, answer->status != TS_OK);
	ts_json_key(&j, "_meta");
	ts_json_object(&j);
	ts_json_key(&j, "tscope/status");
	ts_json_string(&j, answer->status ? ts_status_word(answer->status) : "ok");
	ts_json_key(&j, "tscope/exit_code");
	ts_json_i64(&j, answer->status ? TS_EXIT_FAILED : answer->exit_code);
	ts_json_key(&j, "tscope/remarks");
	ts_json_span(&j, ts_buf_view(&answer->said));
	ts_json_end(&j);
	ts_json_end(&j);
}

/* The command that prints all of an answer, as a shell reads it. */
static const char *command_of(const struct ts_tool_call *call, struct ts_arena *arena)
{
	struct ts_buf text = TS_BUF_INIT(1 << 16);
	const char *said;

	ts_buf_str(&text, "tscope");
	for (size_t i = 0; i < call->n; i++) {
		bool plain = *call->words[i] && strspn(call->words[i], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
								       "-_./:=,+@%") == strlen(call->words[i]);

		if (strcmp(call->words[i], "--json") == 0 || (strcmp(call->words[i], "--") == 0 && i + 1 == call->n))
			continue;
		if (strcmp(call->words[i], "--") == 0 && call->words[i + 1][0] != '-')
			continue;
		ts_buf_str(&text, plain ? " " : " '");
		for (const char *c = call->words[i]; *c; c++)
			ts_buf_str(&text, *c == '\'' ? "'\\''" : (char[]){*c, '\0'});
		ts_buf_str(&text, plain ? "" : "'");
	}
	said = ts_arena_phrase(arena, "%.*s", TS_SPAN_ARG(ts_buf_view(&text)));
	ts_buf_finish(&text);
	return said;
}

static bool has_to_be_made_a_page(const struct ts_tool *tool, const struct ts_tool_call *call)
{
	return call->form == TS_TOOL_PAGE && !ts_tool_draws(ts_verb_find(tool->verb));
}

/* Makes text of the answer in the form that was asked for. */
static void shape(const struct ts_tool *tool, const struct ts_tool_call *call, struct ts_answer *answer, struct ts_arena *arena,
		  struct ts_buf *text)
{
	if (!answer->status && call->form == TS_TOOL_BRIEF) {
		struct ts_arena tree;

		ts_arena_init(&tree, TS_ANALYSIS_ARENA);
		answer->status = ts_brief(ts_buf_view(&answer->out), command_of(call, arena), tool->next, &tree, text, &answer->err);
		ts_arena_finish(&tree);
	} else if (!answer->status && has_to_be_made_a_page(tool, call)) {
		ts_page_of_text(text, command_of(call, arena), ts_buf_view(&answer->out));
		answer->status = ts_buf_check(text, &answer->err);
	} else if (!answer->status) {
		ts_buf_span(text, ts_buf_view(&answer->out));
		answer->status = ts_buf_check(text, &answer->err);
	}
	if (!answer->status)
		return;
	ts_buf_reset(text);
	if (call->form == TS_TOOL_DOCUMENT)
		ts_answer_error(text, &answer->err);
	else
		ts_buf_printf(text, "%s\n", answer->err.text);
}

/* Fills what is asked of the words; the project of this command holds where they name none: of an option that is given twice, the last
 * one counts. */
static void ask(struct serving *s, const struct ts_tool_call *call, struct question *q, struct ts_asked asked, struct ts_answer *answer)
{
	const char *project = ts_args_text(&s->cli->args, "project"), *words[TS_TOOL_WORDS + 1];
	size_t n = 0;
	struct ts_kept_target *t = ts_kept_target_take(&s->kept, "", &answer->err);

	if (!t) {
		answer->status = answer->err.status;
		return;
	}
	words[n++] = call->words[0];
	if (project)
		words[n++] = ts_arena_phrase(&q->arena, "--project=%s", project);
	for (size_t i = 1; i < call->n; i++)
		words[n++] = call->words[i];
	asked.words = words;
	asked.n = n;
	asked.target = &t->target;
	asked.local = true;
	t->target.channel->stop = &q->cancelled;
	ts_answer(&asked, answer);
	t->target.channel->stop = NULL;
	if (t->target.server) /* paths are laid over it */
		t->target.server->stop = NULL;
	if (answer->status == TS_NOT_FOUND && t->target.absent) {
		struct ts_error whole = answer->err;

		ts_error_set(&answer->err, whole.status, "%s; %s", whole.text, t->target.absent);
	}
	ts_kept_target_give(&s->kept, t, answer->status);
}

static void call_tool(struct serving *s, struct question *q)
{
	struct ts_answer answer = {.out = TS_BUF_INIT(0), .said = TS_BUF_INIT(0)};
	struct ts_buf result = TS_BUF_INIT(OUT_MAX), text = TS_BUF_INIT(TS_ANSWER_MAX);
	struct ts_span name, arguments = {NULL, 0};
	const struct ts_tool *tool;
	struct ts_tool_call call;

	if (!ts_rpc_text(q->message.params, "name", &q->arena, &name)) {
		send_error(s, q->message.id, TS_RPC_WRONG_PARAMS, "tools/call needs the name of a tool");
		return;
	}
	tool = ts_tool_find(name);
	if (!tool) {
		send_error(s, q->message.id, TS_RPC_WRONG_PARAMS,
			   ts_arena_phrase(&q->arena, "there is no tool %s", ts_show(name).text));
		return;
	}
	(void)ts_rpc_member(q->message.params, "arguments", &arguments);
	answer.status = ts_tool_read(tool, ts_verb_find(tool->verb), arguments, &q->arena, &call, &answer.err);
	if (!answer.status)
		ask(s, &call, q, (struct ts_asked){.page = has_to_be_made_a_page(tool, &call)}, &answer);
	shape(tool, &call, &answer, &q->arena, &text);
	put_result(&result, &answer, ts_buf_view(&text));
	if (!atomic_load(&q->cancelled))
		send_result(s, q, &result);
	ts_buf_finish(&result);
	ts_buf_finish(&text);
	ts_buf_finish(&answer.out);
	ts_buf_finish(&answer.said);
}

/* -- columns -- */

struct saying {
	struct serving *s;
	const struct question *q;
};

static void say_values(void *ctx, const struct ts_buf *json)
{
	const struct saying *saying = ctx;

	send_result(saying->s, saying->q, json);
}

/* Sends an error if there is one: its document, as the result, since who asks so knows it. */
static void finish_values(struct serving *s, const struct question *q, struct ts_answer *answer)
{
	struct ts_buf error = TS_BUF_INIT(1 << 20);

	if (answer->status && !atomic_load(&q->cancelled)) {
		ts_answer_error(&error, &answer->err);
		send_result(s, q, &error);
	}
	ts_buf_finish(&error);
	ts_buf_finish(&answer->out);
	ts_buf_finish(&answer->said);
}

static void send_columns(struct serving *s, struct question *q)
{
	struct saying saying = {s, q};
	struct ts_columns_wanted wanted = {.to = {s->values, &s->values_lock, say_values, &saying}};
	struct ts_answer answer = {.out = TS_BUF_INIT(0), .said = TS_BUF_INIT(0)};
	const char *words[4] = {"show"};
	struct ts_tool_call call = {.words = words, .n = 1};
	struct ts_span project;

	if (s->values < 0) {
		send_error(s, q->message.id, TS_RPC_NO_METHOD, "tscope/columns needs --values, the descriptor that takes the numbers");
		return;
	}
	answer.status = ts_columns_wanted_read(q->message.params, &q->arena, &wanted, &answer.err);
	if (!answer.status) {
		if (ts_rpc_text(q->message.params, "project", &q->arena, &project))
			words[call.n++] = ts_arena_phrase(&q->arena, "--project=%s", (const char *)project.data);
		words[call.n++] = "--";
		words[call.n++] = wanted.run;
		ask(s, &call, q, (struct ts_asked){.instead = ts_columns_send, .ctx = &wanted}, &answer);
	}
	finish_values(s, q, &answer);
}

/* The words are those of `tscope export`; without a table it says which there are. */
static void send_trace(struct serving *s, struct question *q)
{
	static const char *const options[] = {"project", "table", "file"};
	struct saying saying = {s, q};
	struct ts_value_stream to = {s->values, &s->values_lock, say_values, &saying};
	struct ts_answer answer = {.out = TS_BUF_INIT(0), .said = TS_BUF_INIT(0)};
	const char *words[8] = {"export"};
	struct ts_tool_call call = {.words = words, .n = 1};
	struct ts_span value;

	if (s->values < 0 || !ts_rpc_text(q->message.params, "run", &q->arena, &value)) {
		send_error(s, q->message.id, TS_RPC_WRONG_PARAMS,
			   "tscope/trace needs --values, the descriptor that takes the numbers, and a run");
		return;
	}
	words[7] = (const char *)value.data;
	for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
		if (ts_rpc_text(q->message.params, options[i], &q->arena, &value))
			words[call.n++] = ts_arena_phrase(&q->arena, "--%s=%s", options[i], (const char *)value.data);
	if (ts_rpc_member(q->message.params, "rank", &value) && !ts_span_is(value, "null"))
		words[call.n++] = ts_arena_phrase(&q->arena, "--rank=%.*s", TS_SPAN_ARG(value));
	words[call.n++] = "--";
	words[call.n++] = words[7];
	ask(s, &call, q, (struct ts_asked){.instead = ts_trace_send, .ctx = &to}, &answer);
	finish_values(s, q, &answer);
}

/* -- questions that wait -- */

static void drop(struct question *q)
{
	ts_arena_finish(&q->arena);
	ts_free(q);
}

static void unlink_running(struct serving *s, struct question *q)
{
	struct question **at = &s->running;

	while (*at != q)
		at = &(*at)->next;
	*at = q->next;
}

static void *work(void *ctx)
{
	struct serving *s = ctx;

	for (;;) {
		struct question *q;

		pthread_mutex_lock(&s->lock);
		while (!s->waiting && !s->ended)
			pthread_cond_wait(&s->more, &s->lock);
		q = s->waiting;
		if (q) {
			s->waiting = q->next;
			s->end = s->waiting ? s->end : &s->waiting;
			s->n_waiting--;
			q->next = s->running;
			s->running = q;
		}
		pthread_mutex_unlock(&s->lock);
		if (!q)
			return NULL;
		if (ts_span_is(q->message.method, "tools/call"))
			call_tool(s, q);
		else if (ts_span_is(q->message.method, "tscope/trace"))
			send_trace(s, q);
		else
			send_columns(s, q);
		pthread_mutex_lock(&s->lock);
		unlink_running(s, q);
		pthread_mutex_unlock(&s->lock);
		drop(q);
	}
}

/* Takes the question. */
static void enqueue(struct serving *s, struct question *q)
{
	bool full;

	pthread_mutex_lock(&s->lock);
	full = s->n_waiting >= WAITING_MAX;
	if (!full) {
		q->next = NULL;
		*s->end = q;
		s->end = &q->next;
		s->n_waiting++;
		pthread_cond_signal(&s->more);
	}
	pthread_mutex_unlock(&s->lock);
	if (!full)
		return;
	send_error(s, q->message.id, TS_RPC_BUSY, "too many questions wait; ask again when one is answered");
	drop(q);
}

/* One that waits is taken back; one that runs is stopped at its next look at the store, and its answer is not sent. */
static void cancel(struct serving *s, struct ts_span id)
{
	struct question **at, *found = NULL;

	pthread_mutex_lock(&s->lock);
	for (at = &s->waiting; *at && !ts_span_eq((*at)->message.id, id);)
		at = &(*at)->next;
	found = *at;
	if (found) {
		*at = found->next;
		s->end = *at ? s->end : at;
		s->n_waiting--;
	}
	for (struct question *q = s->running; q; q = q->next)
		if (ts_span_eq(q->message.id, id))
			atomic_store(&q->cancelled, true);
	pthread_mutex_unlock(&s->lock);
	if (found)
		drop(found);
}

/* -- messages -- */

static void put_capabilities(struct ts_json *j)
{
	ts_json_key(j, "capabilities");
	ts_json_object(j);
	ts_json_key(j, "tools");
	ts_json_object(j);
	ts_json_end(j);
	ts_json_key(j, "resources");
	ts_json_object(j);
	ts_json_end(j);
	ts_json_end(j);
}

static void put_server(struct ts_json *j, const char *key)
{
	ts_json_key(j, key);
	ts_json_object(j);
	ts_json_key(j, "name");
	ts_json_string(j, "tscope");
	ts_json_key(j, "version");
	ts_json_string(j, ts_version());
	ts_json_end(j);
}

static void put_instructions(struct ts_json *j)
{
	ts_json_key(j, "instructions");
	ts_json_string(j, instructions);
}

static void initialize(struct ts_buf *out, const struct ts_rpc_message *message, struct ts_arena *arena)
{
	struct ts_json j = ts_json_of(out);
	struct ts_span wanted = {NULL, 0};

	(void)ts_rpc_text(message->params, "protocolVersion", arena, &wanted);
	ts_json_object(&j);
	ts_json_key(&j, "protocolVersion");
	ts_json_string(&j, ts_revision_of_session(wanted));
	put_capabilities(&j);
	put_server(&j, "serverInfo");
	put_instructions(&j);
	ts_json_end(&j);
}

static void discover(struct ts_buf *out)
{
	struct ts_json j = ts_json_of(out);

	ts_json_object(&j);
	ts_json_key(&j, "supportedVersions");
	ts_revisions_put(&j);
	put_capabilities(&j);
	put_instructions(&j);
	ts_json_key(&j, "_meta");
	ts_json_object(&j);
	put_server(&j, "io.modelcontextprotocol/serverInfo");
	ts_json_end(&j);
	ts_json_end(&j);
}

/* Whether the request is of a revision that is known here, or of the session. Else that is answered. */
static bool is_of_known_revision(struct serving *s, struct question *q)
{
	struct ts_buf data = TS_BUF_INIT(1 << 16), out = TS_BUF_INIT(1 << 20);
	struct ts_json j = ts_json_of(&data);
	struct ts_span named;
	enum ts_request_revision revision = ts_request_revision(q->message.params, &q->arena, &named);

	if (revision != TS_REQUEST_NAMES_OTHER) {
		bool named_one = revision == TS_REQUEST_NAMES_ONE || ts_span_is(q->message.method, "server/discover");

		q->members = named_one ? ts_revision_members(q->message.method) : NULL;
		return true;
	}
	ts_json_object(&j);
	ts_json_key(&j, "supported");
	ts_revisions_put(&j);
	ts_json_key(&j, "requested");
	ts_json_span(&j, named);
	ts_json_end(&j);
	ts_rpc_error_data(&out, q->message.id, TS_RPC_OTHER_REVISION, "this revision of the protocol is not known here",
			  ts_buf_view(&data));
	ts_buf_finish(&data);
	send(s, &out);
	return false;
}

/* Answers a request that needs no store. False where there is no such method. */
static bool answer_at_once(struct serving *s, struct question *q)
{
	const struct ts_rpc_message *message = &q->message;
	struct ts_buf result = TS_BUF_INIT(16 << 20);
	struct ts_span uri;

	if (ts_span_is(message->method, "initialize")) {
		initialize(&result, message, &q->arena);
	} else if (ts_span_is(message->method, "server/discover")) {
		discover(&result);
	} else if (ts_span_is(message->method, "ping")) {
		ts_buf_str(&result, "{}");
	} else if (ts_span_is(message->method, "tools/list")) {
		ts_tools_list(&result, &q->arena);
	} else if (ts_span_is(message->method, "resources/list")) {
		ts_schemas_list(&result, &q->arena);
	} else if (ts_span_is(message->method, "resources/templates/list")) {
		ts_buf_str(&result, "{\"resourceTemplates\":[]}");
	} else if (ts_span_is(message->method, "resources/read")) {
		if (!ts_rpc_text(message->params, "uri", &q->arena, &uri) || !ts_schema_put(&result, uri, &q->arena)) {
			send_error(s, message->id, TS_RPC_WRONG_PARAMS, "there is no such resource; resources/list has them");
			return true;
		}
	} else {
		return false;
	}
	send_result(s, q, &result);
	ts_buf_finish(&result);
	return true;
}

static void notified(struct serving *s, const struct ts_rpc_message *message, struct ts_arena *arena)
{
	struct ts_rpc_message cancelled;
	enum ts_rpc_code code;
	struct ts_error unused;
	struct ts_span id;

	if (!ts_span_is(message->method, "notifications/cancelled") || !ts_rpc_member(message->params, "requestId", &id))
		return;
	/* As the id of a message, so that it is written as ids are. */
	if (!ts_rpc_read(ts_span_str(ts_arena_phrase(arena, "{\"jsonrpc\":\"2.0\",\"method\":\"\",\"id\":%.*s}", TS_SPAN_ARG(id))),
			 arena, &cancelled, &code, &unused))
		cancel(s, cancelled.id);
}

/* Takes the question, whose message was read. */
static void answer_message(struct serving *s, struct question *q)
{
	if (q->message.kind == TS_RPC_REQUEST && !is_of_known_revision(s, q)) {
		drop(q);
		return;
	}
	if (q->message.kind == TS_RPC_REQUEST &&
	    (ts_span_is(q->message.method, "tools/call") || ts_span_is(q->message.method, "tscope/columns") ||
	     ts_span_is(q->message.method, "tscope/trace"))) {
		enqueue(s, q);
		return;
	}
	if (q->message.kind == TS_RPC_NOTIFICATION)
		notified(s, &q->message, &q->arena);
	else if (q->message.kind == TS_RPC_REQUEST && !answer_at_once(s, q))
		send_error(s, q->message.id, TS_RPC_NO_METHOD,
			   ts_arena_phrase(&q->arena, "there is no method %s", ts_show(q->message.method).text));
	drop(q);
}

static void take_line(struct serving *s, struct ts_span line)
{
	struct question *q = ts_alloc(sizeof *q);
	enum ts_rpc_code code = TS_RPC_INTERNAL;
	struct ts_error err;

	if (!q) {
		send_error(s, ts_span_of(NULL, 0), TS_RPC_INTERNAL, "there is no memory for the message");
		return;
	}
	*q = (struct question){.next = NULL};
	ts_arena_init(&q->arena, QUESTION_ARENA);
	line = ts_arena_span(&q->arena, line);
	if (!line.data)
		ts_arena_error(&q->arena, &err);
	else if (!ts_rpc_read(line, &q->arena, &q->message, &code, &err)) {
		answer_message(s, q);
		return;
	}
	send_error(s, q->message.id, code, err.text);
	drop(q);
}

static enum ts_status read_messages(struct serving *s, struct ts_error *err)
{
	struct ts_message_lines lines;
	struct ts_span line;
	enum ts_status status;
	bool whole;

	ts_message_lines_init(&lines, STDIN_FILENO, LINE_MAX_BYTES);
	while (!(status = ts_message_lines_next(&lines, &line, &whole, err)) && line.data && !s->failed.status)
		if (!whole)
			send_error(s, ts_span_of(NULL, 0), TS_RPC_NO_REQUEST, "a message has at most 1 MiB");
		else if (ts_trim(line).len)
			take_line(s, line);
	ts_message_lines_finish(&lines);
	return status;
}

static enum ts_status open_target(void *ctx, struct ts_kept_target *t, struct ts_error *err)
{
	const struct serving *s = ctx;

	return ts_target_open(&t->target, ts_args_text(&s->cli->args, "store"), ts_args_text(&s->cli->args, "server"), TS_USE_READ,
			      &t->arena, err);
}

static enum ts_status run_all(struct serving *s, struct ts_error *err)
{
	pthread_t workers[WORKERS];
	enum ts_status status = TS_OK;
	int n = 0;

	while (n < WORKERS && pthread_create(&workers[n], NULL, work, s) == 0)
		n++;
	if (n == 0)
		return ts_error_set(err, TS_NO_MEMORY, "serve: no thread can be started");
	status = read_messages(s, err);
	pthread_mutex_lock(&s->lock);
	s->ended = true;
	pthread_cond_broadcast(&s->more);
	pthread_mutex_unlock(&s->lock);
	while (n > 0)
		pthread_join(workers[--n], NULL);
	if (!status && s->failed.status) {
		*err = s->failed;
		status = ts_error_prefix(err, "stdout");
	}
	return status;
}

enum ts_status ts_verb_serve(struct ts_cli *cli, struct ts_error *err)
{
	struct serving s = {.cli = cli, .values = -1};
	enum ts_status status;
	uint64_t values;
	bool given;

	if (ts_args_uint(&cli->args, "values", INT32_MAX, &given, &values, err))
		return err->status;
	if (given && (values <= STDERR_FILENO || fcntl((int)values, F_SETFD, FD_CLOEXEC)))
		return ts_error_set(err, TS_INVALID, "serve: --values names no open descriptor beyond stderr");
	s.values = given ? (int)values : -1;
	s.end = &s.waiting;
	pthread_mutex_init(&s.values_lock, NULL);
	pthread_mutex_init(&s.lock, NULL);
	pthread_cond_init(&s.more, NULL);
	ts_kept_targets_init(&s.kept, open_target, &s);
	if (isatty(STDIN_FILENO))
		ts_cli_say(cli, "messages of JSON-RPC are read from stdin, one a line; ^D ends it (docs/python.md)");
	status = run_all(&s, err);
	ts_kept_targets_close(&s.kept);
	pthread_cond_destroy(&s.more);
	pthread_mutex_destroy(&s.lock);
	pthread_mutex_destroy(&s.values_lock);
	return status;
}
