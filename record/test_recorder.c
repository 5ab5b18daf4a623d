/* What the functions of tscope.h promise, by what is in the file: read here by the numbers of frame.h. Under a clock that only the
 * test moves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "record/cpu.h"
#include "record/frame.h"
#include "record/tick.h"
#include "record/tscope.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SOON_MS = 60000 }; /* for the keeper of a busy machine */

static _Atomic int64_t now = 1000;

int64_t ts_tick_ns(void)
{
	return now;
}

void ts_tick_follow(void)
{
}

void ts_tick_wall(int64_t *ret_unix_ns, int64_t *ret_tick_ns)
{
	*ret_unix_ns = 0;
	*ret_tick_ns = now;
}

void ts_tick_token(uint8_t token[16])
{
	memset(token, 1, 16);
}

uint32_t ts_tick_process(void)
{
	return 1;
}

/* How busy the host is while this runs is no part of what is expected. */
static bool cpu_is_asked;

int ts_cpu_open(void)
{
	return cpu_is_asked ? open("/dev/null", O_RDONLY | O_CLOEXEC) : -1;
}

bool ts_cpu_waited(int fd, int64_t *ret_ns)
{
	(void)fd;
	*ret_ns = 0;
	return cpu_is_asked;
}

struct scene {
	char directory[64];
	struct tscope_run *run;
	uint8_t *bytes; /* of the file, after scene_read */
	size_t len;
};

static struct scene scene_open(void)
{
	struct scene s = {0};
	struct tscope_options o = {0};

	(void)snprintf(s.directory, sizeof s.directory, "test_recorder.XXXXXX");
	assert_non_null(mkdtemp(s.directory));
	o.directory = s.directory;
	o.keeper = getenv("TSCOPE_KEEPER"); /* test_recorder_process: the same with a process */
	assert_int_equal(tscope_open(&o, &s.run, NULL), TSCOPE_OK);
	return s;
}

static void scene_read(struct scene *s)
{
	char path[128];
	struct stat st;
	int fd;

	tscope_close(s->run);
	(void)snprintf(path, sizeof path, "%s/" TS_FRAME_FILE, s->directory);
	fd = open(path, O_RDONLY);
	assert_true(fd >= 0 && fstat(fd, &st) == 0);
	s->len = (size_t)st.st_size;
	s->bytes = malloc(s->len);
	assert_int_equal(read(fd, s->bytes, s->len), (ssize_t)s->len);
	(void)close(fd);
}

static void scene_finish(struct scene *s)
{
	static const char *const names[] = {"recording.tscope", "run.json", "facts.json", "facts.json.new"};
	char path[128];

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		(void)snprintf(path, sizeof path, "%s/%s", s->directory, names[i]);
		(void)unlink(path);
	}
	assert_int_equal(rmdir(s->directory), 0);
	free(s->bytes);
}

static uint64_t get(const uint8_t *p, int bytes)
{
	uint64_t v = 0;

	while (bytes-- > 0)
		v = v << 8 | p[bytes];
	return v;
}

/* Returns the n-th frame of this kind in the file, from 0, or NULL; *ret_count is how many there were up to it. */
static const uint8_t *look(const struct scene *s, enum ts_frame_kind kind, int n, int *ret_count)
{
	*ret_count = 0;
	for (size_t start = 0; start < s->len; start += TS_FRAME_CHUNK) {
		size_t at = start + (start == 0 ? TS_FRAME_FILE_HEADER : 0) + TS_FRAME_CHUNK_HEADER;

		while (at + 8 <= start + TS_FRAME_CHUNK && get(s->bytes + at, 4)) {
			uint32_t word = (uint32_t)get(s->bytes + at, 4);

			assert_true(TS_FRAME_LENGTH(word) >= 8 && at + TS_FRAME_LENGTH(word) <= start + TS_FRAME_CHUNK);
			if (TS_FRAME_KIND(word) == (uint32_t)kind && (*ret_count)++ == n)
				return s->bytes + at;
			at += TS_FRAME_LENGTH(word);
		}
	}
	return NULL;
}

static const uint8_t *frame(const struct scene *s, enum ts_frame_kind kind, int n)
{
	int seen;

	return look(s, kind, n, &seen);
}

static int count(const struct scene *s, enum ts_frame_kind kind)
{
	int n;

	(void)look(s, kind, -1, &n);
	return n;
}

/* Returns whether a STEP or LATE frame has the column, and its value. */
static int cell(const uint8_t *f, tscope_column column, uint64_t *ret_value)
{
	int step = TS_FRAME_KIND(get(f, 4)) == TS_FRAME_STEP;
	uint64_t n = get(f + (step ? TS_FRAME_STEP_COUNT : TS_FRAME_LATE_COUNT), 2);
	const uint8_t *columns = f + (step ? TS_FRAME_STEP_CELLS : TS_FRAME_LATE_CELLS);

	for (uint64_t i = 0; i < n; i++) {
		if (get(columns + 2 * i, 2) != column)
			continue;
		*ret_value = get(columns + TS_FRAME_ALIGNED(2 * n) + 8 * i, 8);
		return 1;
	}
	return 0;
}

static uint64_t value(const uint8_t *f, tscope_column column)
{
	uint64_t v = 0;

	assert_true(cell(f, column, &v));
	return v;
}

static struct tscope_trouble trouble(struct tscope_run *run)
{
	struct tscope_trouble t;

	tscope_trouble(run, &t);
	return t;
}

/* Stands for every function: none of them may touch a run that is none. */
static void use_all(struct tscope_run *run, tscope_column c)
{
	assert_int_equal(tscope_declare(run, TSCOPE_PHASE, "more"), 0);
	tscope_step_begin(run, TSCOPE_NEXT);
	tscope_mark(run, c);
	tscope_add_ns(run, c, 1);
	tscope_log(run, c, 1);
	tscope_log_digest(run, c, 1);
	assert_int_equal(tscope_step_end(run), 0);
	tscope_step_begin_at(run, 3, 1);
	assert_int_equal(tscope_step_end_at(run, 2), 0);
	tscope_step_cancel(run);
	assert_int_equal(tscope_step_now(run), TSCOPE_NEXT);
	tscope_late(run, 0, c, 1);
	tscope_late_ns(run, 0, c, 1);
	tscope_late_digest(run, 0, c, 1);
	tscope_late_digests(run, 0, &c, &(uint64_t){1}, 1);
	tscope_first(run, 0, c, 1);
	tscope_region(run, c, 0);
	tscope_event(run, c, 1);
	tscope_event_text(run, c, "x");
	tscope_digest(run, "x", NULL, 0, 0, 0);
	assert_int_equal(tscope_facts(run, "{}", NULL), TSCOPE_OK);
	assert_int_equal(trouble(run).lost_frames, 0);
	tscope_close(run);
}

static void a_run_that_is_null_does_nothing(void **state)
{
	(void)state;
	use_all(NULL, 1);
}

static void what_lies_between_steps_is_a_phase(void **state)
{
	struct scene s;
	tscope_column data, forward;
	uint64_t v;

	(void)state;
	s = scene_open();
	data = tscope_declare(s.run, TSCOPE_PHASE, "data");
	forward = tscope_declare(s.run, TSCOPE_PHASE, "forward");
	tscope_add_ns(s.run, data, 40); /* before the first step there is nothing that it could be taken from */
	tscope_step_begin(s.run, 5);
	now += 10;
	tscope_mark(s.run, forward);
	assert_int_equal(tscope_step_end(s.run), 10);
	now += 100;
	tscope_add_ns(s.run, data, 70);
	tscope_step_begin(s.run, TSCOPE_NEXT);
	now += 7;
	assert_int_equal(tscope_step_now(s.run), 6);
	tscope_step_begin(s.run, TSCOPE_NEXT); /* ends the open one */
	tscope_step_cancel(s.run);
	now += 3;
	tscope_step_begin(s.run, TSCOPE_NEXT);
	tscope_step_end(s.run);
	tscope_step_begin(s.run, 20);
	tscope_step_cancel(s.run);
	tscope_step_begin(s.run, TSCOPE_NEXT); /* a number that was given is given again, too */
	assert_int_equal(tscope_step_now(s.run), 20);
	tscope_step_cancel(s.run);
	scene_read(&s);
	assert_int_equal(count(&s, TS_FRAME_STEP), 3);
	assert_int_equal(value(frame(&s, TS_FRAME_STEP, 0), data), 40);
	assert_false(cell(frame(&s, TS_FRAME_STEP, 0), 1, &v)); /* `other` is 0 */
	assert_false(cell(frame(&s, TS_FRAME_STEP, 0), 2, &v));
	assert_int_equal(value(frame(&s, TS_FRAME_STEP, 1), data), 70);
	assert_int_equal(value(frame(&s, TS_FRAME_STEP, 1), 2), 30);
	assert_int_equal(value(frame(&s, TS_FRAME_STEP, 1), 3), 7); /* nothing was marked: it is `step` */
	assert_false(cell(frame(&s, TS_FRAME_STEP, 1), 1, &v));
	assert_int_equal(get(frame(&s, TS_FRAME_STEP, 2) + TS_FRAME_STEP_STEP, 8), 7); /* the number of the one that was given up */
	assert_int_equal(value(frame(&s, TS_FRAME_STEP, 2), 2), 3);
	scene_finish(&s);
}

static void a_step_may_be_told_when_it_is_over(void **state)
{
	struct scene s;
	tscope_column data;
	int64_t begin;
	uint64_t v;

	(void)state;
	s = scene_open();
	data = tscope_declare(s.run, TSCOPE_PHASE, "data");
	now += 100;
	begin = now;
	tscope_step_begin_at(s.run, 7, begin - 30);
	assert_int_equal(tscope_step_end_at(s.run, begin - 10), 20);
	tscope_step_begin_at(s.run, TSCOPE_NEXT, begin - 25); /* the step before ended later: it begins there */
	assert_int_equal(tscope_step_end_at(s.run, begin + 50), 10); /* that is still to come */
	tscope_step_begin_at(s.run, TSCOPE_NEXT, begin + 50);
	assert_int_equal(tscope_step_end_at(s.run, begin - 90), 0);
	tscope_add_ns(s.run, data, 60);
	now += 100;
	tscope_step_begin_at(s.run, TSCOPE_NEXT, 0);
	assert_int_equal(tscope_step_end_at(s.run, INT64_MAX), 100);
	scene_read(&s);
	assert_int_equal(count(&s, TS_FRAME_STEP), 4);
	assert_int_equal(value(frame(&s, TS_FRAME_STEP, 3), data), 60);
	assert_int_equal(value(frame(&s, TS_FRAME_STEP, 3), 1), 40); /* what was not waited is `other` */
	assert_int_equal((int64_t)get(frame(&s, TS_FRAME_STEP, 0) + TS_FRAME_STEP_BEGIN, 8), begin - 30);
	assert_int_equal((int64_t)get(frame(&s, TS_FRAME_STEP, 1) + TS_FRAME_STEP_BEGIN, 8), begin - 10);
	assert_int_equal(get(frame(&s, TS_FRAME_STEP, 1) + TS_FRAME_STEP_STEP, 8), 8);
	assert_false(cell(frame(&s, TS_FRAME_STEP, 1), 2, &v)); /* nothing lay between the two */
	assert_int_equal(value(frame(&s, TS_FRAME_STEP, 1), 3), 10);
	scene_finish(&s);
}

static void a_phase_of_a_device_takes_the_hosts_time(void **state)
{
	struct scene s;
	tscope_column forward, data;
	uint64_t v;

	(void)state;
	s = scene_open();
	forward = tscope_declare(s.run, TSCOPE_DEVICE_PHASE, "forward");
	data = tscope_declare(s.run, TSCOPE_PHASE, "data");
	tscope_step_begin(s.run, 0);
	now += 10;
	tscope_mark(s.run, forward);
	now += 5;
	tscope_mark(s.run, data);
	tscope_step_end(s.run);
	tscope_late_ns(s.run, 0, forward, 90);
	scene_read(&s);
	assert_false(cell(frame(&s, TS_FRAME_STEP, 0), forward, &v));
	assert_int_equal(value(frame(&s, TS_FRAME_STEP, 0), data), 5);
	assert_int_equal(count(&s, TS_FRAME_LATE), 1);
	scene_finish(&s);
}

static void a_directory_with_a_run_is_refused(void **state)
{
	struct scene s;
	struct tscope_options o = {0};
	struct tscope_error err;
	struct tscope_run *other = (struct tscope_run *)1;

	(void)state;
	s = scene_open();
	o.directory = s.directory;
	assert_int_equal(tscope_open(&o, &other, &err), TSCOPE_EXISTS);
	assert_null(other);
	assert_non_null(strstr(err.text, "holds a run already"));
	o.rank = 1;
	o.world_size = 2;
	assert_int_equal(tscope_open(&o, &other, NULL), TSCOPE_EXISTS);
	scene_read(&s);
	scene_finish(&s);
}

/* What comes into the directory after it was looked at is seen, too: this link stands for that. */
static void a_file_is_never_written_over(void **state)
{
	char directory[] = "test_recorder.XXXXXX", path[128];
	struct tscope_options o = {.directory = directory, .keeper = getenv("TSCOPE_KEEPER")};
	struct tscope_run *run;

	(void)state;
	assert_non_null(mkdtemp(directory));
	(void)snprintf(path, sizeof path, "%s/" TS_FRAME_FILE, directory);
	assert_int_equal(symlink("nowhere", path), 0);
	assert_int_equal(tscope_open(&o, &run, NULL), TSCOPE_EXISTS);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(directory), 0);
}

static uint64_t sum_of(const char *directory, const char *name)
{
	char path[128];
	uint64_t sum = 0;
	FILE *file;
	int c;

	(void)snprintf(path, sizeof path, "%s/%s", directory, name);
	file = fopen(path, "rb");
	assert_non_null(file);
	while ((c = fgetc(file)) != EOF)
		sum = sum * 31 + (uint64_t)c + 1;
	(void)fclose(file);
	return sum;
}

static void remove_files(const char *directory, const char *const *names, size_t n)
{
	char path[128];

	for (size_t i = 0; i < n; i++) {
		(void)snprintf(path, sizeof path, "%s/%s", directory, names[i]);
		assert_int_equal(unlink(path), 0);
	}
	assert_int_equal(rmdir(directory), 0);
}

/* Nothing of the first attempt is written to again, and the files of each have its number. */
static void a_run_that_is_resumed_has_a_further_attempt(void **state)
{
	static const char *const names[] = {"recording.tscope",	  "run.json",		"facts.json",
					    "recording.2.tscope", "run.2.json",		"facts.2.json",
					    "recording.7.tscope", "recording.8.tscope", "run.8.json"};
	char directory[] = "test_recorder.XXXXXX", path[128];
	struct tscope_options o = {.directory = directory,
				   .facts = "{\"seeds\": {\"a\": 1}}",
				   .keeper = getenv("TSCOPE_KEEPER"),
				   .resume = 1};
	uint64_t sums[3];
	struct tscope_run *run;
	struct tscope_error err;

	(void)state;
	assert_non_null(mkdtemp(directory));
	assert_int_equal(tscope_open(&o, &run, NULL), TSCOPE_OK);
	assert_int_equal(tscope_attempt(run), 1);
	tscope_close(run);
	for (size_t i = 0; i < 3; i++)
		sums[i] = sum_of(directory, names[i]);
	o.facts = "{\"seeds\": {\"a\": 2}}";
	assert_int_equal(tscope_open(&o, &run, NULL), TSCOPE_OK);
	assert_int_equal(tscope_attempt(run), 2);
	assert_int_equal(tscope_facts(run, "{\"seeds\": {\"b\": 3}}", NULL), TSCOPE_OK);
	tscope_close(run);
	for (size_t i = 0; i < 3; i++)
		assert_true(sums[i] == sum_of(directory, names[i]));
	/* A number that is missing stays free; the next attempt is behind the last. */
	(void)snprintf(path, sizeof path, "%s/recording.7.tscope", directory);
	assert_int_equal(close(open(path, O_WRONLY | O_CREAT, 0666)), 0);
	o.facts = NULL;
	assert_int_equal(tscope_open(&o, &run, NULL), TSCOPE_OK);
	assert_int_equal(tscope_attempt(run), 8);
	tscope_close(run);
	o.resume = 0;
	assert_int_equal(tscope_open(&o, &run, &err), TSCOPE_EXISTS);
	assert_int_equal(tscope_attempt(NULL), 0);
	remove_files(directory, names, sizeof names / sizeof *names);
}

static void what_is_no_recording_of_ours_is_not_resumed(void **state)
{
	static const char *const others[] = {"steps.jsonl", "run.json", "recording.400.tscope"};
	char directory[] = "test_recorder.XXXXXX", path[128];
	struct tscope_options o = {.directory = directory, .keeper = getenv("TSCOPE_KEEPER"), .resume = 1};
	struct tscope_run *run;

	(void)state;
	assert_non_null(mkdtemp(directory));
	for (size_t i = 0; i < 3; i++) {
		(void)snprintf(path, sizeof path, "%s/%s", directory, others[i]);
		assert_int_equal(close(open(path, O_WRONLY | O_CREAT, 0666)), 0);
		assert_int_equal(tscope_open(&o, &run, NULL), TSCOPE_EXISTS);
		assert_int_equal(unlink(path), 0);
	}
	assert_int_equal(rmdir(directory), 0);
}

/* The process of the header lives: nobody waits for it. */
static void a_run_that_is_recorded_now_is_not_resumed(void **state)
{
	struct scene s;
	struct tscope_options o = {.keeper = getenv("TSCOPE_KEEPER"), .resume = 1};
	char directory[sizeof s.directory] = "";
	struct tscope_error err;
	struct tscope_run *run;
	pid_t child;
	int status, told[2];

	(void)state;
	assert_int_equal(pipe(told), 0);
	child = fork(); /* before there is a keeper's thread */
	assert_true(child >= 0);
	if (child == 0) {
		o.directory = directory;
		_exit(read(told[0], directory, sizeof directory) != (ssize_t)sizeof directory ||
		      tscope_open(&o, &run, &err) != TSCOPE_EXISTS || !strstr(err.text, "another process records"));
	}
	s = scene_open();
	assert_int_equal(write(told[1], s.directory, sizeof s.directory), sizeof s.directory);
	(void)close(told[0]);
	(void)close(told[1]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	scene_read(&s);
	scene_finish(&s);
}

/* Asked by another process, as a reader is; its exit says what it saw. */
static bool is_held(const char *directory)
{
	char path[128];
	int status;
	pid_t child;

	(void)snprintf(path, sizeof path, "%s/" TS_FRAME_FILE, directory);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_len = 1};
		int fd = open(path, O_RDONLY);

		_exit(fd < 0 || fcntl(fd, F_GETLK, &lock) < 0 ? 2 : lock.l_type == F_UNLCK);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) < 2);
	return WEXITSTATUS(status) == 0;
}

static void a_recording_is_held_until_it_is_closed(void **state)
{
	struct scene s = scene_open();

	(void)state;
	assert_true(is_held(s.directory));
	tscope_step_begin(s.run, TSCOPE_NEXT);
	tscope_step_end(s.run);
	assert_true(is_held(s.directory));
	scene_read(&s);
	assert_false(is_held(s.directory));
	scene_finish(&s);
}

static void look_at_descriptors(int most, bool is_open[])
{
	for (int fd = 0; fd < most; fd++)
		is_open[fd] = fcntl(fd, F_GETFD) >= 0;
}

/* A program that is no keeper: a thread keeps, and the descriptors of training are left alone, as where the recording is refused. */
static void what_does_not_keep_leaves_descriptors_alone(void **state)
{
	enum { MOST = 64 };
	bool before[MOST], after[MOST];
	struct tscope_options o = {.keeper = "/bin/false"};
	struct tscope_run *run;
	struct scene s = {0};
	int held[8];

	(void)state;
#ifdef __SANITIZE_THREAD__
	skip(); /* it takes the start of a process that shares memory for a fork, behind which it allows no thread */
#endif
	for (int i = 0; i < 8; i++)
		held[i] = open("/dev/null", O_RDONLY);
	look_at_descriptors(MOST, before);
	cpu_is_asked = true;
	(void)snprintf(s.directory, sizeof s.directory, "test_recorder.XXXXXX");
	assert_non_null(mkdtemp(s.directory));
	o.directory = s.directory;
	assert_int_equal(tscope_open(&o, &s.run, NULL), TSCOPE_OK);
	assert_int_equal(tscope_open(&o, &run, NULL), TSCOPE_EXISTS);
	o.keeper = getenv("TSCOPE_KEEPER");
	assert_int_equal(tscope_open(&o, &run, NULL), TSCOPE_EXISTS);
	tscope_step_begin(s.run, TSCOPE_NEXT);
	(void)tscope_step_end(s.run);
	scene_read(&s);
	cpu_is_asked = false;
	look_at_descriptors(MOST, after);
	assert_memory_equal(before, after, sizeof before);
	assert_int_equal(get(frame(&s, TS_FRAME_END, 0) + TS_FRAME_END_STEPS, 8), 1);
	for (int i = 0; i < 8; i++)
		(void)close(held[i]);
	scene_finish(&s);
}

static volatile sig_atomic_t children;

static void count_child(int number)
{
	(void)number;
	children++;
}

static void training_has_no_child_of_ours(void **state)
{
	struct sigaction act = {.sa_handler = count_child}, before;
	struct scene s;

	(void)state;
	assert_int_equal(sigaction(SIGCHLD, &act, &before), 0);
	s = scene_open();
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	scene_read(&s);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(children, 0);
	assert_int_equal(sigaction(SIGCHLD, &before, NULL), 0);
	scene_finish(&s);
}

static void options_that_are_wrong_are_refused(void **state)
{
	static const struct {
		struct tscope_options o;
		const char *said;
	} cases[] = {
		{{.directory = NULL}, "needs a directory"},
		{{.directory = ""}, "needs a directory"},
		{{.directory = "x", .config = "[1]"}, "config is not a JSON object"},
		{{.directory = "x", .facts = "{\"a\": }"}, "facts is not a JSON object of at most 2 MiB in UTF-8 (byte 6)"},
		{{.directory = "x", .rank = 2, .world_size = 2}, "rank 2 is not one of a world of 2"},
		{{.directory = "x", .rank = -1}, "rank -1"},
		{{.directory = "x", .name = "\xff"}, "UTF-8"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct tscope_run *run;
		struct tscope_error err = {0};

		assert_int_equal(tscope_open(&cases[i].o, &run, &err), TSCOPE_INVALID);
		assert_int_equal(err.status, TSCOPE_INVALID);
		assert_non_null(strstr(err.text, cases[i].said));
		assert_null(run);
	}
	assert_int_not_equal(access("x", F_OK), 0);
}

static void values_of_another_kind_are_counted(void **state)
{
	struct scene s;
	tscope_column phase, number, event;

	(void)state;
	s = scene_open();
	phase = tscope_declare(s.run, TSCOPE_PHASE, "loss");
	number = tscope_declare(s.run, TSCOPE_NUMBER, "loss");
	event = tscope_declare(s.run, TSCOPE_EVENT, "e");
	assert_int_not_equal(phase, number);
	assert_int_equal(tscope_declare(s.run, TSCOPE_NUMBER, "loss"), number);
	assert_int_equal(trouble(s.run).refused_columns, 0);
	assert_int_equal(tscope_declare(s.run, TSCOPE_NUMBER, ""), 0);
	assert_int_equal(tscope_declare(s.run, TSCOPE_NUMBER, "\xc3"), 0);
	assert_int_equal(tscope_declare(s.run, (enum tscope_kind)9, "x"), 0);
	tscope_step_begin(s.run, 0);
	tscope_mark(s.run, number);
	tscope_log(s.run, phase, 1);
	tscope_log(s.run, 0, 1);      /* no column is no trouble */
	tscope_log(s.run, 60000, 1);
	tscope_log_digest(s.run, number, 1);
	tscope_add_ns(s.run, number, 1);
	tscope_add_ns(s.run, phase, -1);
	tscope_step_end(s.run);
	tscope_late(s.run, 0, event, 1);
	tscope_late_ns(s.run, 0, number, 1);
	tscope_late_ns(s.run, 0, phase, -1);
	tscope_late_ns(s.run, 0, phase, INT64_MAX);
	tscope_late_digest(s.run, 0, number, 1);
	tscope_late_digests(s.run, 0, &number, &(uint64_t){1}, 1);
	tscope_first(s.run, 0, phase, 1);
	tscope_region(s.run, phase, 0);
	tscope_event(s.run, number, 0);
	assert_int_equal(trouble(s.run).refused_columns, 18);
	assert_string_equal(trouble(s.run).first, "a column's name has to be 1 to 255 bytes of UTF-8");
	scene_read(&s);
	assert_int_equal(get(frame(&s, TS_FRAME_STEP, 0) + TS_FRAME_STEP_COUNT, 2), 0);
	assert_int_equal(count(&s, TS_FRAME_LATE) + count(&s, TS_FRAME_REGION) + count(&s, TS_FRAME_EVENT), 0);
	assert_int_equal(count(&s, TS_FRAME_FIRST), 0);
	scene_finish(&s);
}

/* Of which nobody reads; ends[0] is where one could. Returns what standard error was before. */
static int fill_standard_error(int ends[2])
{
	static const char zeros[4096];
	int before = dup(STDERR_FILENO);

	assert_true(before >= 0 && pipe(ends) == 0);
	assert_int_equal(fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
	while (write(ends[1], zeros, sizeof zeros) > 0)
		;
	assert_int_equal(fcntl(ends[1], F_SETFL, 0), 0);
	assert_int_equal(dup2(ends[1], STDERR_FILENO), STDERR_FILENO);
	(void)close(ends[1]);
	return before;
}

/* What waited is written once there is room. */
static void read_a_line(int end)
{
	char bytes[65536] = {0};

	for (ssize_t n = 1; bytes[n - 1] != '\n';) {
		n = read(end, bytes, sizeof bytes);
		assert_true(n > 0);
	}
	(void)close(end);
}

static void nobody_waits_for_who_reads_standard_error(void **state)
{
	struct scene s = scene_open();
	tscope_column phase = tscope_declare(s.run, TSCOPE_PHASE, "p");
	int ends[2], before = fill_standard_error(ends);

	(void)state;
	(void)alarm(60); /* who waits for it waits without an end */
	tscope_step_begin(s.run, TSCOPE_NEXT);
	tscope_log(s.run, phase, 1);
	(void)tscope_step_end(s.run);
	read_a_line(ends[0]);
	(void)alarm(0);
	assert_int_equal(dup2(before, STDERR_FILENO), STDERR_FILENO);
	(void)close(before);
	assert_int_equal(trouble(s.run).refused_columns, 1);
	assert_non_null(strstr(trouble(s.run).first, "another kind"));
	tscope_close(s.run);
	scene_finish(&s);
}

static void a_wide_step_goes_on_in_late_frames(void **state)
{
	struct scene s;
	tscope_column last = 0;
	char name[32];
	double one = 1;
	uint64_t bits;

	(void)state;
	s = scene_open();
	for (int i = 0; i < 15997; i++) {
		(void)snprintf(name, sizeof name, "%d", i);
		last = tscope_declare(s.run, TSCOPE_NUMBER, name);
	}
	assert_int_equal(last, 16000);
	assert_int_equal(tscope_declare(s.run, TSCOPE_NUMBER, "one more"), 0);
	assert_non_null(strstr(trouble(s.run).first, "the first left out is one more"));
	tscope_step_begin(s.run, 0);
	for (tscope_column c = 4; c <= last; c++)
		tscope_log(s.run, c, c == last ? 1.0 : 0.0);
	tscope_step_end(s.run);
	scene_read(&s);
	assert_int_equal(count(&s, TS_FRAME_STEP), 1);
	assert_int_equal(count(&s, TS_FRAME_LATE), 3);
	assert_int_equal(count(&s, TS_FRAME_COLUMN), 16000);
	memcpy(&bits, &one, 8);
	assert_int_equal(value(frame(&s, TS_FRAME_LATE, 2), last), bits);
	scene_finish(&s);
}

static void texts_are_cut_between_characters(void **state)
{
	struct scene s;
	char text[5000];

	(void)state;
	for (size_t i = 0; i + 1 < sizeof text; i++)
		text[i] = i < 4095 ? 'a' : "\xc3\xa4"[(i - 4095) % 2];
	text[sizeof text - 1] = '\0';
	s = scene_open();
	tscope_event_text(s.run, tscope_declare(s.run, TSCOPE_EVENT, "e"), text);
	tscope_event_text(s.run, tscope_declare(s.run, TSCOPE_EVENT, "e"), NULL);
	scene_read(&s);
	assert_int_equal(get(frame(&s, TS_FRAME_EVENT, 0) + TS_FRAME_EVENT_LENGTH, 4), 4095);
	assert_int_equal(get(frame(&s, TS_FRAME_EVENT, 1) + TS_FRAME_EVENT_LENGTH, 4), 0);
	scene_finish(&s);
}

static void a_forked_child_does_not_record(void **state)
{
	struct scene s;
	int status;
	pid_t child;

	(void)state;
	s = scene_open();
	(void)tscope_declare(s.run, TSCOPE_PHASE, "forward");
	tscope_step_begin(s.run, 0);
	child = fork();
	if (child == 0) {
		use_all(s.run, 3);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	tscope_step_end(s.run);
	tscope_step_begin(s.run, TSCOPE_NEXT);
	tscope_step_end(s.run);
	scene_read(&s);
	assert_int_equal(count(&s, TS_FRAME_STEP), 2);
	assert_int_equal(get(frame(&s, TS_FRAME_END, 0) + TS_FRAME_END_STEPS, 8), 2);
	scene_finish(&s);
}

static void facts_are_laid_over_what_is_there(void **state)
{
	struct scene s;
	char path[128], text[256] = "";
	struct tscope_error err;
	struct stat st;
	int fd;

	(void)state;
	s = scene_open();
	(void)snprintf(path, sizeof path, "%s/facts.json", s.directory);
	assert_int_equal(tscope_facts(s.run, "{\"seeds\": {\"a\": 1, \"b\": {\"c\": [1, 2]}}}", &err), TSCOPE_OK);
	assert_int_equal(tscope_facts(s.run, "{\"seeds\": {\"a\": 2, \"b\": {\"d\": NaN}}, \"work\": 3}", &err), TSCOPE_OK);
	assert_int_equal(tscope_facts(s.run, "{\"seeds\": [}", &err), TSCOPE_INVALID);
	assert_true(tscope_sync(s.run, SOON_MS));
	fd = open(path, O_RDWR);
	assert_true(read(fd, text, sizeof text - 1) > 0);
	assert_string_equal(text, "{\n\"format\": 1,\n\"seeds\": {\n\"a\": 2,\n"
			    "\"b\": {\n\"c\": [1, 2],\n\"d\": NaN\n}\n},\n\"work\": 3\n}\n");
	/* What another program left there and cannot be read is not written over. */
	assert_int_equal(ftruncate(fd, 5), 0);
	assert_int_equal(tscope_facts(s.run, "{}", &err), TSCOPE_OK);
	assert_true(tscope_sync(s.run, SOON_MS));
	assert_int_equal(tscope_facts(s.run, "{}", &err), TSCOPE_IO);
	assert_non_null(strstr(err.text, "left as it is"));
	assert_true(fstat(fd, &st) == 0 && st.st_size == 5 && st.st_nlink == 1);
	(void)close(fd);
	scene_read(&s);
	scene_finish(&s);
}

enum { THREADS = 16, EACH = 1000 }; /* more threads than shared lanes */

static struct {
	struct tscope_run *run;
	tscope_column region, event, number;
} all;

static void *any_thread(void *arg)
{
	(void)arg;
	for (int i = 0; i < EACH; i++) {
		tscope_region(all.run, all.region, now - 1);
		tscope_event(all.run, all.event, i);
		tscope_late(all.run, i, all.number, i);
		if (i % 250 == 0)
			(void)tscope_declare(all.run, TSCOPE_NUMBER, i % 500 ? "x" : "y");
	}
	return NULL;
}

static void any_thread_may_record(void **state)
{
	struct scene s;
	pthread_t threads[THREADS];

	(void)state;
	s = scene_open();
	all.run = s.run;
	all.region = tscope_declare(s.run, TSCOPE_REGION, "r");
	all.event = tscope_declare(s.run, TSCOPE_EVENT, "e");
	all.number = tscope_declare(s.run, TSCOPE_NUMBER, "n");
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, any_thread, NULL), 0);
	for (int i = 0; i < EACH; i++) {
		now += 1000000; /* the keeper flushes now and then */
		tscope_step_begin(s.run, TSCOPE_NEXT);
		tscope_log(s.run, all.number, i);
		tscope_step_end(s.run);
		(void)trouble(s.run);
	}
	for (int i = 0; i < THREADS; i++)
		(void)pthread_join(threads[i], NULL);
	assert_int_equal(trouble(s.run).lost_frames, 0);
	scene_read(&s);
	assert_int_equal(count(&s, TS_FRAME_STEP), EACH);
	assert_int_equal(count(&s, TS_FRAME_REGION), THREADS * EACH);
	assert_int_equal(count(&s, TS_FRAME_EVENT), THREADS * EACH);
	assert_int_equal(count(&s, TS_FRAME_LATE), THREADS * EACH);
	assert_int_equal(count(&s, TS_FRAME_COLUMN), 8);
	scene_finish(&s);
}

static void a_step_that_is_open_at_the_end_is_dropped(void **state)
{
	struct scene s;

	(void)state;
	s = scene_open();
	tscope_step_begin(s.run, 0);
	scene_read(&s);
	assert_int_equal(count(&s, TS_FRAME_STEP), 0);
	assert_int_equal(get(frame(&s, TS_FRAME_END, 0) + TS_FRAME_END_LOST, 8), 1);
	scene_finish(&s);
}

static void the_environment_says_where_and_how_far(void **state)
{
	char directory[] = "test_recorder.XXXXXX", asked[64], path[96];
	struct tscope_options o = {.directory = "elsewhere", .keeper = getenv("TSCOPE_KEEPER")};
	char text[4096] = "";
	struct tscope_run *run;
	FILE *file;
	int status;
	pid_t child;

	(void)state;
	assert_non_null(mkdtemp(directory));
	(void)snprintf(asked, sizeof asked, "%s/asked", directory);
	child = fork();
	if (child == 0) {
		char program[] = "test_recorder", word[] = "asked", *const words[] = {program, word, NULL};

		(void)setenv("TSCOPE_DIRECTORY", asked, 1);
		(void)setenv("TSCOPE_STOP", "3", 1);
		(void)execv("/proc/self/exe", words); /* of a process, the first run is meant */
		_exit(2);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	(void)snprintf(path, sizeof path, "%s/run.json", asked);
	file = fopen(path, "r");
	assert_non_null(file);
	assert_true(fread(text, 1, sizeof text - 1, file) > 0);
	(void)fclose(file);
	assert_non_null(strstr(text, "\"n_steps\": 4"));
	(void)snprintf(path, sizeof path, "%s/facts.json", asked);
	file = fopen(path, "r");
	assert_non_null(file);
	memset(text, 0, sizeof text);
	assert_true(fread(text, 1, sizeof text - 1, file) > 0);
	(void)fclose(file);
	assert_non_null(strstr(text, "\"stopped_behind\": 3"));
	assert_int_not_equal(access("elsewhere", F_OK), 0);
	o.asked = 1; /* nothing is asked of who says so */
	(void)setenv("TSCOPE_STOP", "0", 1);
	(void)snprintf(path, sizeof path, "%s/own", directory);
	o.directory = path;
	assert_int_equal(tscope_open(&o, &run, NULL), TSCOPE_OK);
	for (int i = 0; i < 3; i++) {
		tscope_step_begin(run, TSCOPE_NEXT);
		tscope_step_end(run);
	}
	tscope_close(run);
	(void)unsetenv("TSCOPE_STOP");
	(void)snprintf(text, sizeof text, "rm -r %s", directory);
	assert_int_equal(system(text), 0); // NOLINT
}

/* A training of ten steps, for the test above. Returns 1 where it came to its end. */
static int train(void)
{
	struct tscope_options o = {.directory = "elsewhere", .keeper = getenv("TSCOPE_KEEPER")};
	struct tscope_run *run;

	if (tscope_open(&o, &run, NULL) != TSCOPE_OK)
		return 3;
	for (int i = 0; i < 10; i++) {
		tscope_step_begin(run, TSCOPE_NEXT);
		tscope_step_end(run);
	}
	tscope_close(run);
	return 1;
}

static int all_tests(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_run_that_is_null_does_nothing),
		cmocka_unit_test(what_lies_between_steps_is_a_phase),
		cmocka_unit_test(a_phase_of_a_device_takes_the_hosts_time),
		cmocka_unit_test(a_step_may_be_told_when_it_is_over),
		cmocka_unit_test(a_directory_with_a_run_is_refused),
		cmocka_unit_test(a_file_is_never_written_over),
		cmocka_unit_test(a_run_that_is_resumed_has_a_further_attempt),
		cmocka_unit_test(what_is_no_recording_of_ours_is_not_resumed),
		cmocka_unit_test(a_run_that_is_recorded_now_is_not_resumed),
		cmocka_unit_test(a_recording_is_held_until_it_is_closed),
		cmocka_unit_test(training_has_no_child_of_ours),
		cmocka_unit_test(what_does_not_keep_leaves_descriptors_alone),
		cmocka_unit_test(options_that_are_wrong_are_refused),
		cmocka_unit_test(values_of_another_kind_are_counted),
		cmocka_unit_test(nobody_waits_for_who_reads_standard_error),
		cmocka_unit_test(a_wide_step_goes_on_in_late_frames),
		cmocka_unit_test(texts_are_cut_between_characters),
		cmocka_unit_test(a_forked_child_does_not_record),
		cmocka_unit_test(facts_are_laid_over_what_is_there),
		cmocka_unit_test(any_thread_may_record),
		cmocka_unit_test(a_step_that_is_open_at_the_end_is_dropped),
		cmocka_unit_test(the_environment_says_where_and_how_far),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(int argc, char **argv)
{
	return argc > 1 && strcmp(argv[1], "asked") == 0 ? train() : all_tests();
}
