#include "cli/watch/watch.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/system.h"
#include "base/text.h"
#include "cli/core/path_run.h"
#include "cli/watch/alarm.h"
#include "cli/watch/asker.h"
#include "cli/watch/follow.h"
#include "cli/watch/hook.h"
#include "cli/watch/machine_now.h"
#include "cli/watch/screen.h"
#include "cli/watch/watch_frame.h"
#include "launch/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	FIRST_STEPS = 20,    /* before these nothing is analyzed */
	ANALYZE_S = 10,	     /* between two analyses, and ... */
	ANALYZE_TIMES = 200, /* ... so many times what one takes: half a hundredth of a core */
	COMPARE_S = 1,
	COMPARE_TIMES = 20,
	POLL_TIMES = 100,
	POLL_PATH_S = 2, /* of files that are read whole */
	FRAME_MAX = 4 << 20,
	PIECE = 1 << 16,
	SAID_MAX = TS_ALARMS,
	HANG_S = 5,  /* that a hang waits for what who started the run says of it */
	ASKERS = 3,  /* that may be lost before nothing more is asked */
	WAIT_S = 60, /* --wait; at most */
	DAY_S = 86400,
};
#define NS_PER_S INT64_C(1000000000)

enum source { FOLLOWED, STREAM, ASKED };

struct watch {
	struct ts_cli *cli;
	enum source source;
	const char *path; /* of FOLLOWED */
	const char *launch; /* its launch.json, whether there is one or not */
	struct timespec launch_time;
	int64_t left_ns; /* when a recording was first seen that nobody holds; 0: none is so */
	bool declared; /* who started it said something anew: that it hangs, goes on again, or how it ended */
	struct ts_live live;
	struct ts_follow follow;
	struct ts_machine_now machine; /* of FOLLOWED */
	struct ts_lines *lines; /* of STREAM */
	bool stream_ended;
	bool heard; /* of files that are followed: the first answer came, which says whether they have ended, or none will */
	struct ts_asker asker;
	unsigned askers;
	struct ts_alarms alarms;
	struct ts_said said[SAID_MAX];
	size_t n_said;
	struct ts_arena kept; /* texts of said, and of the last news */
	struct ts_look_news news;
	bool looked, forced, polled;
	int64_t wait_ns;  /* monotonic: until then a run that is not there is waited for */
	int64_t again_ns; /* when the word is looked up again; 0: it is not */
	uint64_t looked_steps;
	struct ts_look_forecast forecast;
	struct ts_span against;
	bool differs;
	struct ts_span trouble;
	int64_t began_ns, drawn_ns, news_ns, analyze_ns, compare_ns, poll_ns; /* monotonic; the last three: when it is due */
	double interval;
	enum ts_stand stand;
	int64_t stand_ns; /* since when */
	bool told[TS_EVENT_KINDS]; /* events other than findings, each once */
	bool last_look;		   /* the look after the end has been taken */
	size_t selected;
	int64_t rank; /* that is to be shown first, until it is there; -1: none */
	bool help, done;
	bool once; /* one frame: nothing happens */
	struct ts_screen screen;
};

static int64_t in_seconds(double s)
{
	return (int64_t)(s * 1e9);
}

/* --- how it stands --- */

static uint64_t steps_seen(const struct watch *w)
{
	uint64_t most = 0;

	for (size_t i = 0; i < w->live.n_ranks; i++)
		most = w->live.ranks[i]->steps > most ? w->live.ranks[i]->steps : most;
	return most;
}

static const struct ts_live_rank *selected(const struct watch *w)
{
	if (!w->live.n_ranks)
		return NULL;
	return w->live.ranks[w->selected < w->live.n_ranks ? w->selected : 0];
}

static double age_of(const struct watch *w)
{
	int64_t step;
	double time, age;

	if (!ts_pace_newest(&w->live, &step, &time) || !isfinite(time))
		return NAN;
	age = (double)ts_now_real_ns() / 1e9 - time;
	return age > 0 ? age : 0; /* the clock of another machine */
}

static void arrived(struct watch *w)
{
	ts_live_arrived(&w->live, (double)ts_now_real_ns() / 1e9);
}

static struct ts_signs signs_of(const struct watch *w)
{
	static const enum ts_files_say says[] = {[TS_FOLLOW_UNKNOWN] = TS_FILES_NOTHING,
						 [TS_FOLLOW_RUNS] = TS_FILES_RUN,
						 [TS_FOLLOW_CLOSED] = TS_FILES_CLOSED,
						 [TS_FOLLOW_LEFT] = TS_FILES_LEFT};
	const struct ts_live_rank *rank = selected(w);
	int64_t news = w->source == FOLLOWED && w->follow.grew_ns > w->news_ns ? w->follow.grew_ns : w->news_ns;
	struct ts_signs signs = {.told = w->news.state,
				 .pushed = w->source == ASKED && !w->path,
				 .stream = w->source == STREAM,
				 .stream_ended = w->stream_ended,
				 .fresh = w->drawn_ns && news > w->drawn_ns,
				 .since_news = (double)(ts_now_mono_ns() - news) / 1e9,
				 .age = age_of(w),
				 .any = rank && rank->n};

	if (w->source == FOLLOWED)
		signs.files = says[ts_follow_state(&w->follow)];
	if (w->left_ns) /* who started it may say soon how it ended */
		signs.since_news = fmin(signs.since_news, (double)(ts_now_mono_ns() - w->left_ns) / 1e9);
	if (rank && (w->heard || w->asker.pid <= 0 || w->source != FOLLOWED))
		signs.pace = ts_pace_of(rank);
	else
		signs.pace = (struct ts_pace){.per_second = NAN, .usual = NAN};
	return signs;
}

/* --- the frame --- */

/* A forecast is of a growth that was said, and so as seldom false as that. */
static bool says_growth(const struct watch *w)
{
	for (size_t i = 0; i < w->n_said; i++)
		if (ts_span_is(w->said[i].code, "MEMORY.GROWTH") || ts_span_is(w->said[i].code, "MEMORY.FORECAST"))
			return true;
	return false;
}

/* What the run says itself of how it stands: of its end, or of what it hangs in. Empty: nothing. */
static struct ts_span said_of(const struct watch *w, enum ts_stand stand)
{
	bool went_on = w->news.state == TS_END_RUNNING || w->news.state == TS_END_HUNG;
	bool says = ts_stand_is_over(stand) ? !went_on : stand == TS_STAND_STILL && w->news.state == TS_END_HUNG;

	return says ? w->news.sentence : ts_span_of(NULL, 0);
}

static enum ts_status draw(struct watch *w, int width, bool keys, struct ts_buf *out, struct ts_error *err)
{
	struct ts_signs signs = signs_of(w);
	struct ts_watch_frame frame = {.word = ts_cli_word(w->cli, 0),
				       .name = w->news.name,
				       .stand = ts_stand_of(&signs),
				       .ending = said_of(w, ts_stand_of(&signs)),
				       .age = signs.age,
				       .pace = signs.pace,
				       .total = w->news.total,
				       .capacity = w->news.capacity,
				       .forecast = w->forecast.known && says_growth(w) ? &w->forecast : NULL,
				       .said = w->said,
				       .n_said = w->n_said,
				       .streamed = w->source == STREAM,
				       .looked = w->looked,
				       .looked_steps = w->looked_steps,
				       .against = w->against,
				       .differs = w->differs,
				       .trouble = w->trouble,
				       .selected = w->selected,
				       .help = w->help,
				       .keys = keys};
	struct ts_machine_rows rows;
	struct ts_arena arena;
	enum ts_status status;

	if (!frame.trouble.len && w->source == FOLLOWED)
		frame.trouble = ts_span_str(w->follow.trouble);
	if (!w->drawn_ns)
		w->drawn_ns = ts_now_mono_ns();
	frame.why = ts_stand_why(frame.stand, &signs);
	ts_arena_init(&arena, (size_t)64 << 20);
	if (w->source == FOLLOWED && ts_machine_now_rows(&w->machine, &arena, &rows))
		frame.machine = &rows;
	status = ts_watch_draw(&frame, &w->live, &w->cli->term, width, &arena, out, err);
	ts_arena_finish(&arena);
	return status;
}

static enum ts_status paint(struct watch *w, struct ts_error *err)
{
	struct ts_buf out = TS_BUF_INIT(FRAME_MAX);
	enum ts_status status;

	if (!w->screen.open)
		return TS_OK;
	status = draw(w, w->screen.width, true, &out, err);
	if (!status)
		status = ts_screen_paint(&w->screen, ts_buf_view(&out), err);
	ts_buf_finish(&out);
	return status;
}

/* --- what happens --- */

/* A line of what happened, where there is no screen. */
static void say_line(struct watch *w, const struct ts_watch_event *event)
{
	struct ts_buf line = TS_BUF_INIT(1 << 16), safe = TS_BUF_INIT(1 << 18);
	struct ts_error err;
	char time[TS_TIME_TEXT];

	ts_buf_printf(&line, "%s %s", ts_time_text(event->real_ns / NS_PER_S * NS_PER_S, time), ts_watch_event_word(event->kind));
	if (event->has_step)
		ts_buf_printf(&line, " at step %" PRId64, event->step);
	if (event->code.len)
		ts_buf_printf(&line, ": %.*s (%.*s)", TS_SPAN_ARG(event->code), TS_SPAN_ARG(event->severity));
	if (event->detail.len || event->title.len)
		ts_buf_printf(&line, ": %.*s", TS_SPAN_ARG(event->detail.len ? event->detail : event->title));
	ts_escape(&safe, ts_buf_view(&line));
	ts_buf_char(&safe, '\n');
	if (!safe.failed && !w->cli->quiet && ts_write_full(STDOUT_FILENO, safe.data, safe.len, &err))
		w->done = true; /* nobody reads it */
	ts_buf_finish(&line);
	ts_buf_finish(&safe);
}

static void happen(struct watch *w, struct ts_watch_event *event)
{
	const char *command = ts_args_text(&w->cli->args, "exec"), *url = ts_args_text(&w->cli->args, "webhook"), *word;
	struct ts_error err;
	double time;

	event->run = ts_cli_word(w->cli, 0);
	event->real_ns = ts_now_real_ns();
	event->seconds = age_of(w);
	event->has_step = ts_pace_newest(&w->live, &event->step, &time);
	if (!w->screen.open)
		say_line(w, event);
	if (command && ts_hook_run(command, event, w->screen.open, &err) && !w->trouble.len)
		w->trouble = ts_arena_span(&w->kept, ts_span_str(err.text));
	if (url && ts_hook_post(url, event, &err) && !w->trouble.len)
		w->trouble = ts_arena_span(&w->kept, ts_span_str(err.text));
	for (size_t i = 0; (word = ts_args_nth(&w->cli->args, "until", i)); i++)
		if (ts_watch_event_is(event, word)) {
			w->cli->exit_code = TS_EXIT_NO;
			w->done = true;
		}
}

/* Each kind but that of findings happens once. */
static void happen_once(struct watch *w, enum ts_watch_event_kind kind, struct ts_span detail)
{
	struct ts_watch_event event = {.kind = kind, .detail = detail};

	if (w->told[kind] || w->once)
		return;
	w->told[kind] = true;
	happen(w, &event);
}

static void say_finding(struct watch *w, const struct ts_look_finding *f)
{
	struct ts_said *said = w->n_said < SAID_MAX ? &w->said[w->n_said++] : NULL;
	struct ts_watch_event event = {.kind = TS_EVENT_FINDING,
				       .code = f->code,
				       .title = f->title,
				       .detail = f->detail,
				       .severity = ts_span_str(ts_severity_word(f->severity))};
	double time;

	if (!said)
		return;
	*said = (struct ts_said){.code = ts_arena_span(&w->kept, f->code),
				 .title = ts_arena_span(&w->kept, f->title),
				 .detail = ts_arena_span(&w->kept, f->detail),
				 .severity = f->severity,
				 .rank = f->rank};
	(void)ts_pace_newest(&w->live, &said->step, &time);
	if (!w->once)
		happen(w, &event);
}

/* A loss that is no number needs no analysis. */
static void check_loss(struct watch *w)
{
	const struct ts_found found = {ts_span_str("CONVERGENCE.DIVERGED"), false};
	uint32_t column = w->live.n_wanted ? w->live.wanted[0].column : TS_LIVE_NONE;

	for (size_t i = 0; column != TS_LIVE_NONE && i < w->live.n_ranks && !ts_alarms_said(&w->alarms, found.code); i++) {
		const struct ts_live_last *last = ts_live_last_of(w->live.ranks[i], column);
		char detail[128];
		struct ts_look_finding f = {
			.code = found.code, .title = ts_span_str("The loss is not finite."), .severity = TS_SEVERITY_HIGH};

		if (!last || isfinite(last->value))
			continue;
		(void)snprintf(detail, sizeof detail, "The loss is %s at step %" PRId64 ".", isnan(last->value) ? "NaN" : "infinite",
			       last->step);
		f.detail = ts_span_str(detail);
		f.rank = w->live.n_ranks > 1 ? w->live.ranks[i]->rank : -1;
		ts_alarms_look(&w->alarms, &found, 1, UINT64_MAX, steps_seen(w)); /* and judges nothing else */
		while (ts_alarms_next(&w->alarms))
			say_finding(w, &f);
	}
}

static void check_stand(struct watch *w)
{
	struct ts_signs signs = signs_of(w);
	enum ts_stand stand = ts_stand_of(&signs);
	const char *why = ts_stand_why(stand, &signs);
	struct ts_span own = said_of(w, stand), detail = own.len ? own : ts_span_str(why ? why : ts_stand_word(stand));

	if (stand != w->stand) { /* what was known before is of another time */
		w->stand = stand;
		w->stand_ns = ts_now_mono_ns();
		w->last_look = w->forced = false;
	}
	/* Who started it looks at the same time, and says what it waits in. */
	if (stand == TS_STAND_STILL && (own.len || !w->launch_time.tv_sec || ts_now_mono_ns() - w->stand_ns > HANG_S * NS_PER_S))
		happen_once(w, TS_EVENT_HANG, detail);
	/* How it ended is known by an analysis behind the end. */
	if (!ts_stand_is_over(stand) || (w->source != STREAM && !w->last_look))
		return;
	if (stand == TS_STAND_FINISHED)
		happen_once(w, TS_EVENT_END, detail);
	else
		happen_once(w, TS_EVENT_DEATH, detail);
	if (!w->screen.open)
		w->done = true;
}

/* --- answers --- */

static enum ts_status keep_news(struct watch *w, const struct ts_look_news *news, struct ts_error *err)
{
	struct ts_look_news kept = *news;

	kept.name = ts_span_eq(news->name, w->news.name) ? w->news.name : ts_arena_span(&w->kept, news->name);
	kept.sentence = ts_span_eq(news->sentence, w->news.sentence) ? w->news.sentence : ts_arena_span(&w->kept, news->sentence);
	if (news->changed)
		w->news_ns = ts_now_mono_ns();
	w->news = kept;
	return ts_arena_check(&w->kept, err);
}

static const struct ts_look_finding *finding_of(const struct ts_look_analysis *a, const char *code)
{
	for (size_t i = 0; i < a->n_findings; i++)
		if (ts_span_is(a->findings[i].code, code))
			return &a->findings[i];
	return NULL;
}

static void take_analysis(struct watch *w, const struct ts_answer *answer)
{
	const struct ts_look_analysis *a = &answer->analysis;
	struct ts_found found[SAID_MAX];
	size_t n = 0;
	const struct ts_alarm *alarm;

	for (; n < a->n_findings && n < SAID_MAX; n++)
		found[n] = (struct ts_found){a->findings[n].code, a->findings[n].severity == TS_SEVERITY_LOW};
	ts_alarms_look(&w->alarms, found, n, answer->from, a->steps);
	while ((alarm = ts_alarms_next(&w->alarms))) {
		const struct ts_look_finding *f = finding_of(a, alarm->code);

		if (f)
			say_finding(w, f);
	}
	w->looked = true;
	w->looked_steps = a->steps;
	w->forecast = a->forecast;
}

static enum ts_status take_diff(struct watch *w, const struct ts_look_diff *diff, struct ts_error *err)
{
	struct ts_span sentence = diff->sentence;

	if (!ts_span_eq(sentence, w->against))
		w->against = ts_arena_span(&w->kept, sentence);
	w->differs = diff->differs;
	if (diff->differs)
		happen_once(w, TS_EVENT_DIVERGENCE, w->against);
	return ts_arena_check(&w->kept, err);
}

/* What the word stands for: a pipe, files that grow, or what has to be asked for. */
static enum ts_status find_source(struct watch *w, const char *path, struct ts_error *err)
{
	const char *launch = path ? ts_arena_printf(&w->kept, "%s/launch.json", path) : NULL;
	enum ts_status status;

	w->path = path;
	w->source = ASKED;
	if (!path)
		return TS_OK;
	status = ts_args_has(&w->cli->args, "pattern") || ts_file_kind(path) != TS_FILE_DIRECTORY
			 ? TS_NOT_FOUND
			 : ts_follow_open(&w->follow, path, &w->live, err);
	if (status && status != TS_NOT_FOUND && status != TS_INVALID)
		return status;
	/* What tscope run has started may be going to record. */
	if (!status || (status == TS_NOT_FOUND && w->follow.live && launch && ts_file_kind(launch) == TS_FILE_REGULAR))
		w->source = FOLLOWED;
	if (w->source == FOLLOWED)
		w->launch = launch;
	else
		ts_follow_close(&w->follow);
	return TS_OK;
}

/* A run that is not there yet may be about to begin. Says so once, and looks again in a second. */
static enum ts_status wait_for_run(struct watch *w, struct ts_span why, struct ts_error *err)
{
	struct ts_span said = ts_span_str("it is waited for: ");

	if (!w->trouble.len && !w->screen.open)
		ts_cli_say(w->cli, "%.*s; it is waited for", TS_SPAN_ARG(why));
	if (w->trouble.len <= said.len || !ts_span_eq(ts_span_from(w->trouble, said.len), why)) /* what is kept stays for a day */
		w->trouble = ts_span_str(ts_arena_phrase(&w->kept, "%.*s%.*s", TS_SPAN_ARG(said), TS_SPAN_ARG(why)));
	w->again_ns = ts_now_mono_ns() + NS_PER_S;
	return ts_arena_check(&w->kept, err);
}

static bool may_begin(const struct watch *w, enum ts_status status)
{
	return (status == TS_NOT_FOUND || status == TS_INVALID) && ts_now_mono_ns() < w->wait_ns;
}

/* That nothing can be analyzed yet is no trouble. A run that was never there is no run. */
static enum ts_status take_failure(struct watch *w, const struct ts_answer *answer, struct ts_error *err)
{
	bool first = answer->kind == TS_ASK_SETTLE || (answer->kind == TS_ASK_POLL && !w->polled);

	if (first && may_begin(w, answer->status))
		return wait_for_run(w, answer->error, err);
	if (first && (answer->status == TS_NOT_FOUND || answer->status == TS_INVALID || answer->status == TS_AMBIGUOUS ||
		      answer->status == TS_DENIED))
		return ts_error_set(err, answer->status, "%.*s", TS_SPAN_ARG(answer->error));
	if (answer->kind == TS_ASK_ANALYZE && w->source == FOLLOWED && !w->looked)
		return TS_OK;
	if (!ts_span_eq(answer->error, w->trouble))
		w->trouble = ts_arena_span(&w->kept, answer->error);
	return ts_arena_check(&w->kept, err);
}

/* The word has been looked up. */
static enum ts_status take_place(struct watch *w, const struct ts_answer *answer, struct ts_error *err)
{
	struct ts_span path = ts_arena_span(&w->kept, answer->path);

	if (!path.data)
		return ts_arena_error(&w->kept, err);
	if (find_source(w, path.len ? (const char *)path.data : NULL, err))
		return err->status;
	if (w->source == FOLLOWED) /* what is asked for may not be there still */
		w->trouble = ts_span_of(NULL, 0);
	return TS_OK;
}

static enum ts_status take_answer(struct watch *w, const struct ts_answer *answer, struct ts_error *err)
{
	int64_t now = ts_now_mono_ns();
	double took = answer->seconds;

	switch (answer->kind) {
	case TS_ASK_SETTLE:
		return answer->status ? take_failure(w, answer, err) : take_place(w, answer, err);
	case TS_ASK_POLL:
		w->poll_ns = now + in_seconds(fmax(w->path ? POLL_PATH_S : w->interval, POLL_TIMES * took));
		break;
	case TS_ASK_ANALYZE:
		w->analyze_ns = now + in_seconds(fmax(ANALYZE_S, ANALYZE_TIMES * took));
		w->last_look |= w->forced;
		w->forced = false;
		break;
	case TS_ASK_COMPARE:
		w->compare_ns = now + in_seconds(fmax(COMPARE_S, COMPARE_TIMES * took));
		break;
	}
	if (answer->status)
		return take_failure(w, answer, err);
	if (answer->kind == TS_ASK_COMPARE)
		return take_diff(w, &answer->diff, err);
	w->trouble = ts_span_of(NULL, 0);
	w->polled |= answer->kind == TS_ASK_POLL;
	if (answer->kind == TS_ASK_ANALYZE)
		take_analysis(w, answer);
	return keep_news(w, &answer->news, err);
}

/* --- questions --- */

static bool is_over(const struct watch *w)
{
	struct ts_signs signs = signs_of(w);
	enum ts_stand stand = ts_stand_of(&signs);

	return ts_stand_is_over(stand) || stand == TS_STAND_STILL || stand == TS_STAND_UNSAID;
}

/* What is asked next; 0: nothing is due. */
static enum ts_ask_kind next_question(struct watch *w, uint64_t *ret_from)
{
	int64_t now = ts_now_mono_ns();
	uint64_t steps = steps_seen(w);

	*ret_from = 0;
	if (w->again_ns)
		return 0;
	if (w->source == ASKED && now >= w->poll_ns)
		return TS_ASK_POLL;
	if (ts_args_text(&w->cli->args, "baseline") && now >= w->compare_ns && steps && !w->differs)
		return TS_ASK_COMPARE;
	if (w->declared) {
		w->declared = false;
		return TS_ASK_ANALYZE;
	}
	if (is_over(w) && !w->last_look) {
		w->forced = true;
		return TS_ASK_ANALYZE;
	}
	if (now < w->analyze_ns || steps < FIRST_STEPS || (w->looked && steps <= w->looked_steps))
		return 0;
	*ret_from = ts_alarms_fresh(&w->alarms, w->looked_steps);
	return TS_ASK_ANALYZE;
}

static enum ts_status start_asker(struct watch *w, struct ts_error *err)
{
	w->askers++;
	return ts_asker_start(&w->asker, w->cli, err);
}

/* A process that asks remembers what it was told of a word, so that another one is asked. */
static enum ts_status look_up_again(struct watch *w, struct ts_error *err)
{
	if (!w->again_ns || ts_now_mono_ns() < w->again_ns)
		return TS_OK;
	w->again_ns = w->poll_ns = 0;
	w->askers = 0;
	ts_asker_stop(&w->asker);
	if (start_asker(w, err))
		return err->status;
	ts_asker_ask(&w->asker, TS_ASK_SETTLE, 0);
	return TS_OK;
}

static void ask_next(struct watch *w)
{
	uint64_t from;
	enum ts_ask_kind kind;

	if (w->source == STREAM || w->asker.busy || w->asker.pid <= 0)
		return;
	kind = next_question(w, &from);
	if (kind)
		ts_asker_ask(&w->asker, kind, from);
}

/* Takes what the asker says; where it is lost, another one is started. */
static enum ts_status take_asker(struct watch *w, struct ts_error *err)
{
	struct ts_answer answer;
	struct ts_error lost;
	struct ts_arena arena;
	bool answered = false;
	enum ts_status status;

	ts_arena_init(&arena, (size_t)256 << 20);
	status = ts_asker_take(&w->asker, &w->live, &arena, &answer, &answered, &lost);
	w->heard |= status || answered;
	if (status) {
		ts_asker_stop(&w->asker);
		w->trouble = ts_arena_span(&w->kept, ts_span_str(lost.text));
		w->last_look = true;
		status = w->askers < ASKERS ? start_asker(w, err) : TS_OK;
	} else if (answered) {
		arrived(w);
		status = take_answer(w, &answer, err);
	}
	ts_arena_finish(&arena);
	return status;
}

/* --- what comes --- */

static enum ts_status read_stream(struct watch *w, struct ts_error *err)
{
	uint8_t piece[PIECE];
	ssize_t got = read(STDIN_FILENO, piece, sizeof piece);

	if (got < 0)
		return errno == EINTR || errno == EAGAIN ? TS_OK : ts_error_errno(err, errno, "standard input");
	w->news_ns = ts_now_mono_ns();
	if (got > 0)
		return ts_lines_feed(w->lines, 0, (double)ts_now_real_ns() / 1e9, ts_span_of(piece, (size_t)got), err);
	w->stream_ended = true;
	return ts_lines_feed(w->lines, 0, (double)ts_now_real_ns() / 1e9, ts_span_str("\n"), err);
}

static void look_at_launch(struct watch *w)
{
	const struct timespec *before = &w->launch_time;
	struct timespec changed;
	struct stat st;

	if (!w->launch || stat(w->launch, &st) < 0 || !ts_system_changed(&st, &changed))
		return;
	w->declared |= changed.tv_sec != before->tv_sec || changed.tv_nsec != before->tv_nsec;
	w->launch_time = changed;
}

static enum ts_status read_new(struct watch *w, struct ts_error *err)
{
	if (w->source != FOLLOWED)
		return TS_OK;
	if (ts_follow_read(&w->follow, ts_now_mono_ns(), (double)ts_now_real_ns() / 1e9, err))
		return err->status;
	arrived(w);
	if (ts_follow_state(&w->follow) != TS_FOLLOW_LEFT)
		w->left_ns = 0;
	else if (!w->left_ns)
		w->left_ns = ts_now_mono_ns();
	look_at_launch(w);
	ts_machine_now_look(&w->machine, w->path, ts_follow_folder(&w->follow, selected(w) ? selected(w)->rank : 0));
	return TS_OK;
}

static void choose_rank(struct watch *w)
{
	for (size_t i = 0; w->rank >= 0 && i < w->live.n_ranks; i++)
		if (w->live.ranks[i]->rank == w->rank) {
			w->selected = i;
			w->rank = -1;
		}
}

static void reap(struct watch *w)
{
	int why;

	if (!ts_hook_reap(&why) || w->trouble.len)
		return;
	w->trouble = ts_span_str(ts_arena_phrase(&w->kept, "an event was not taken by the web hook: curl ended with %d%s", why,
						 why == 28		 ? ", after ten seconds"
						 : why == 22 || why == 47 ? ", the server refused it"
									  : ""));
	if (!w->screen.open && !w->cli->quiet)
		ts_cli_say(w->cli, "%.*s", TS_SPAN_ARG(w->trouble));
}

static enum ts_status tick(struct watch *w, struct ts_error *err)
{
	if (look_up_again(w, err) || read_new(w, err))
		return err->status;
	choose_rank(w);
	check_loss(w);
	check_stand(w);
	ask_next(w);
	reap(w);
	return w->done ? TS_OK : paint(w, err);
}

/* --- keys and signals --- */

static void take_keys(struct watch *w, bool *ret_any)
{
	enum ts_watch_key key;

	while ((key = ts_screen_key(&w->screen)) != TS_PRESSED_NOTHING) {
		size_t n = w->live.n_ranks ? w->live.n_ranks : 1;

		*ret_any = true;
		w->done |= key == TS_PRESSED_QUIT;
		w->help ^= key == TS_PRESSED_HELP;
		if (key == TS_PRESSED_NEXT)
			w->selected = (w->selected + 1) % n;
		else if (key == TS_PRESSED_BEFORE)
			w->selected = (w->selected + n - 1) % n;
	}
}

/* Stops as the user asked, with the terminal as it was, and goes on with its own screen. */
static void stop(struct watch *w)
{
	bool open = w->screen.open;

	ts_screen_close(&w->screen);
	(void)raise(SIGSTOP);
	if (open)
		(void)ts_screen_open(&w->screen);
}

/* *ret_signal: which one ends this command. */
static void take_signals(struct watch *w, int fd, int *ret_signal)
{
	struct ts_signal signal;

	while (ts_signals_next(fd, &signal)) {
		if (signal.number == SIGWINCH)
			ts_screen_resize(&w->screen);
		else if (signal.number == SIGTSTP)
			stop(w);
		else if (signal.number != SIGCHLD)
			*ret_signal = signal.number;
	}
}

static enum ts_status wait_for_next(struct watch *w, int signals, int64_t until, bool *ret_paint, int *ret_signal, struct ts_error *err)
{
	struct pollfd fds[4] = {{.fd = signals, .events = POLLIN},
				{.fd = w->asker.pid > 0 ? w->asker.from : -1, .events = POLLIN},
				{.fd = w->screen.open ? w->screen.keys : -1, .events = POLLIN},
				{.fd = w->source == STREAM && !w->stream_ended ? STDIN_FILENO : -1, .events = POLLIN}};
	int64_t left = (until - ts_now_mono_ns()) / 1000000;

	if (poll(fds, 4, left < 0 ? 0 : (int)left + 1) < 0)
		return errno == EINTR ? TS_OK : ts_error_errno(err, errno, "poll");
	if (fds[0].revents) {
		*ret_paint = true;
		take_signals(w, signals, ret_signal);
	}
	if (fds[1].revents && take_asker(w, err))
		return err->status;
	if (fds[2].revents & (POLLHUP | POLLERR))
		w->done = true;
	else if (fds[2].revents)
		take_keys(w, ret_paint);
	return fds[3].revents ? read_stream(w, err) : TS_OK;
}

static enum ts_status loop(struct watch *w, int signals, int *ret_signal, struct ts_error *err)
{
	int64_t next = ts_now_mono_ns();

	while (!w->done && !*ret_signal) {
		bool repaint = false;

		if (ts_now_mono_ns() >= next) {
			next = ts_now_mono_ns() + in_seconds(w->interval);
			if (tick(w, err))
				return err->status;
		}
		if (w->done)
			break;
		if (wait_for_next(w, signals, next, &repaint, ret_signal, err) || (repaint && paint(w, err)))
			return err->status;
		ask_next(w);
	}
	return TS_OK;
}

/* --- one frame --- */

static enum ts_status answer_now(struct watch *w, struct ts_look *look, enum ts_ask_kind kind, struct ts_error *err)
{
	struct ts_answer answer;
	struct ts_arena arena;
	enum ts_status status;

	ts_arena_init(&arena, (size_t)1 << 30);
	ts_answer_make(look, kind, 0, &w->live, &arena, &answer);
	if (answer.status && (kind == TS_ASK_POLL || kind == TS_ASK_COMPARE)) {
		status = ts_error_set(err, answer.status, "%.*s", TS_SPAN_ARG(answer.error));
	} else if (kind == TS_ASK_ANALYZE && !answer.status) { /* one look has the level of one */
		for (size_t i = 0; i < answer.analysis.n_findings; i++)
			say_finding(w, &answer.analysis.findings[i]);
		w->looked = true;
		w->looked_steps = answer.analysis.steps;
		w->forecast = answer.analysis.forecast;
		status = keep_news(w, &answer.news, err);
	} else {
		status = take_answer(w, &answer, err);
	}
	ts_arena_finish(&arena);
	return status;
}

static enum ts_status read_all(struct watch *w, struct ts_error *err)
{
	while (w->source == STREAM && !w->stream_ended)
		if (read_stream(w, err))
			return err->status;
	return read_new(w, err);
}

static enum ts_status once(struct watch *w, struct ts_look *look, struct ts_error *err)
{
	bool baseline = ts_args_text(&w->cli->args, "baseline") != NULL;

	w->once = true;
	if (read_all(w, err) || (w->source == ASKED && answer_now(w, look, TS_ASK_POLL, err)))
		return err->status;
	w->news_ns = w->source == ASKED ? w->news_ns : w->began_ns;
	if (w->source != STREAM && (answer_now(w, look, TS_ASK_ANALYZE, err) || (baseline && answer_now(w, look, TS_ASK_COMPARE, err))))
		return err->status;
	if (w->source == STREAM)
		check_loss(w);
	choose_rank(w);
	return draw(w, w->cli->term.width, false, &w->cli->out, err);
}

/* --- the beginning --- */

static enum ts_status want_columns(struct watch *w, struct ts_error *err)
{
	const char *columns = ts_args_text(&w->cli->args, "columns");
	struct ts_span rest = ts_span_str(columns ? columns : "loss,lr,grad_norm");

	while (rest.len) {
		const uint8_t *comma = memchr(rest.data, ',', rest.len);
		size_t n = comma ? (size_t)(comma - rest.data) : rest.len;

		if (n && !ts_live_want(&w->live, ts_span_of(rest.data, n)))
			return ts_error_set(err, TS_INVALID, "watch: --columns takes at most %d columns", TS_LIVE_CURVES);
		rest = ts_span_from(rest, comma ? n + 1 : n);
	}
	return TS_OK;
}

static enum ts_status options(struct watch *w, struct ts_error *err)
{
	const struct ts_args *args = &w->cli->args;
	bool given = false, has_rank = false, waits = false;
	uint64_t rank = 0, wait_s = 0;

	if (ts_args_above_zero(args, "interval", &given, &w->interval, err) || ts_args_seconds(args, "wait", &waits, &wait_s, err) ||
	    ts_args_uint(args, "rank", INT32_MAX, &has_rank, &rank, err) || want_columns(w, err))
		return err->status;
	if (!given)
		w->interval = 1;
	if (!(w->interval >= 0.1 && w->interval <= 3600))
		return ts_error_set(err, TS_INVALID, "watch: --interval is 0.1 to 3600 seconds");
	w->rank = has_rank ? (int64_t)rank : -1;
	wait_s = !waits ? WAIT_S : wait_s < DAY_S ? wait_s : DAY_S;
	if (!ts_args_has(args, "once"))
		w->wait_ns = w->began_ns + (int64_t)wait_s * NS_PER_S;
	if (ts_args_has(args, "once") && (ts_args_has(args, "exec") || ts_args_has(args, "until") || ts_args_has(args, "webhook")))
		return ts_error_set(err, TS_INVALID,
				    "watch: --once shows one frame; --exec, --webhook and --until are for a run that goes on");
	if (ts_args_has(args, "webhook") && ts_hook_check(ts_args_text(args, "webhook"), err))
		return ts_error_prefix(err, "watch");
	return TS_OK;
}

/* Asks the asker what the word is, and waits for it. */
static enum ts_status settle(struct watch *w, struct ts_error *err)
{
	struct ts_answer answer = {.status = TS_OK};
	bool answered = false;
	enum ts_status status = start_asker(w, err);

	w->source = ASKED;
	if (status)
		return status;
	ts_asker_ask(&w->asker, TS_ASK_SETTLE, 0);
	while (!status && !answered) {
		struct pollfd ready = {.fd = w->asker.from, .events = POLLIN};

		(void)poll(&ready, 1, -1);
		status = ts_asker_take(&w->asker, &w->live, &w->kept, &answer, &answered, err);
	}
	return status ? status : take_answer(w, &answer, err);
}

static enum ts_status open_stream(struct watch *w, struct ts_error *err)
{
	w->source = STREAM;
	return ts_lines_create(&w->live, false, &w->lines, err);
}

static enum ts_status watch_on(struct watch *w, struct ts_error *err)
{
	static const int caught[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGWINCH, 0};
	int signals, number = 0;
	enum ts_status status;

	if (w->source != STREAM && settle(w, err))
		return err->status;
	if (ts_signals_catch(caught, &signals, err))
		return err->status;
	(void)ts_screen_open(&w->screen);
	status = loop(w, signals, &number, err);
	ts_screen_close(&w->screen);
	ts_signals_give_back();
	if (!number)
		return status;
	ts_asker_stop(&w->asker);
	(void)raise(number); /* as if nothing had caught it */
	return status;
}

static enum ts_status run(struct watch *w, struct ts_error *err)
{
	bool stream = strcmp(ts_cli_word(w->cli, 0), "-") == 0;
	const char *path = NULL;
	struct ts_look look;
	enum ts_status status;

	if (options(w, err) || (stream && open_stream(w, err)))
		return err->status;
	if (!ts_args_has(&w->cli->args, "once"))
		return watch_on(w, err);
	ts_look_init(&look, w->cli);
	status = stream ? TS_OK : ts_look_settle(&look, &path, err);
	if (!status && !stream)
		status = find_source(w, path, err);
	if (!status)
		status = once(w, &look, err);
	ts_look_finish(&look);
	return status;
}

enum ts_status ts_watch(struct ts_cli *cli, struct ts_error *err)
{
	struct watch *w = ts_alloc_array(1, sizeof *w);
	enum ts_status status;

	if (!w)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for what is watched");
	w->cli = cli;
	w->began_ns = w->news_ns = ts_now_mono_ns();
	ts_live_init(&w->live);
	ts_machine_now_init(&w->machine);
	ts_arena_init(&w->kept, (size_t)64 << 20);
	status = run(w, err);
	ts_asker_stop(&w->asker);
	if (w->source == FOLLOWED)
		ts_follow_close(&w->follow);
	ts_machine_now_finish(&w->machine);
	ts_lines_destroy(w->lines);
	ts_live_finish(&w->live);
	ts_arena_finish(&w->kept);
	ts_free(w);
	return status;
}
