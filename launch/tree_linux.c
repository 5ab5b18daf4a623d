#include "launch/tree.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/text.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TEXT = 4096, THREADS_MAX = 4096 };

/* Reads the beginning of /proc/PID/NAME; *ret_n: its length, 0 where it may not be read. */
static size_t read_of(pid_t pid, const char *name, char to[TEXT])
{
	char path[96];
	ssize_t n;
	int fd;

	(void)snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, to, TEXT - 1);
	if (fd >= 0)
		(void)close(fd);
	to[n > 0 ? n : 0] = '\0';
	return n > 0 ? (size_t)n : 0;
}

static double number_at(const char *text)
{
	int64_t value;

	return ts_parse_i64(ts_span_of(text, strspn(text, "0123456789")), &value) ? (double)value : -1;
}

/* The number-th field of "4711 (name with spaces) S 1 ...", from 3, the state, on; empty: there is none. */
static const char *field_of(const char *stat, int number)
{
	const char *at = strrchr(stat, ')');

	at = at ? at + 1 : "";
	for (int i = 3; i <= number && *at; i++) {
		at += strcspn(at, " ");
		at += strspn(at, " ");
	}
	return at;
}

/* --- which processes there are --- */

static bool is_tscope(const struct ts_tree *tree, pid_t pid)
{
	char path[64];
	struct stat st;

	(void)snprintf(path, sizeof path, "/proc/%d/exe", (int)pid);
	return stat(path, &st) == 0 && tree->file && (uint64_t)st.st_dev == tree->device && (uint64_t)st.st_ino == tree->file;
}

static bool is_worker(pid_t pid, pid_t parent)
{
	static const char *const shells[] = {"sh\n", "bash\n", "dash\n", "zsh\n"};
	char text[TEXT], of_parent[TEXT], program[TEXT];
	size_t n;

	if (read_of(pid, "comm", text) && strncmp(text, "pt_data_worker", 14) == 0)
		return true;
	n = read_of(pid, "cmdline", text);
	if (!n || read_of(parent, "cmdline", of_parent) != n || memcmp(text, of_parent, n) != 0 || !read_of(parent, "comm", program))
		return false;
	for (size_t i = 0; i < sizeof shells / sizeof shells[0]; i++) /* it forks itself for each command that it waits for */
		if (strcmp(program, shells[i]) == 0)
			return false;
	return true;
}

static struct ts_tree_process *item_of(struct ts_tree *tree, pid_t pid)
{
	for (size_t i = 0; i < tree->n; i++)
		if (tree->items[i].pid == pid)
			return &tree->items[i];
	return NULL;
}

static void take(struct ts_tree *tree, pid_t pid, pid_t parent, bool below_training)
{
	struct ts_tree_process *item = item_of(tree, pid);

	if (!item && tree->n < TS_TREE_MAX) {
		item = &tree->items[tree->n++];
		*item = (struct ts_tree_process){.pid = pid, .cpu_s = -1};
	}
	if (!item)
		return;
	item->worker = !item->trains && (item->worker || (below_training && is_worker(pid, parent))); /* its name may come later */
	item->seen = true;
}

struct found {
	pid_t pid;
	bool ours; /* it is tscope */
};

/* Appends the processes that the threads of one have started. */
static size_t children_of(const struct ts_tree *tree, struct found of, struct found to[TS_TREE_MAX], size_t n)
{
	char path[64], text[TEXT];
	struct dirent *thread;
	DIR *threads;

	(void)snprintf(path, sizeof path, "/proc/%d/task", (int)of.pid);
	threads = opendir(path);
	for (int i = 0; threads && i < THREADS_MAX && (thread = readdir(threads)) != NULL; i++) {
		char name[32 + sizeof thread->d_name];

		if (!ts_is_digit((uint8_t)thread->d_name[0]))
			continue;
		(void)snprintf(name, sizeof name, "task/%s/children", thread->d_name);
		(void)read_of(of.pid, name, text);
		for (const char *at = text; *at && n < TS_TREE_MAX; at += strspn(at, "0123456789"), at += strspn(at, " ")) {
			pid_t pid = (pid_t)number_at(at);

			if (pid <= 0)
				break;
			if (pid != tree->own)
				to[n++] = (struct found){pid, is_tscope(tree, pid)};
		}
	}
	if (threads)
		(void)closedir(threads);
	return n;
}

static void find(struct ts_tree *tree)
{
	struct found found[TS_TREE_MAX];
	pid_t parents[TS_TREE_MAX];
	bool below[TS_TREE_MAX];
	size_t n = 1, kept = 0;

	found[0] = (struct found){tree->launcher, true};
	for (size_t i = 0; i < tree->n; i++)
		tree->items[i].seen = false;
	for (size_t i = 0; i < n; i++) {
		size_t before = n;

		n = children_of(tree, found[i], found, n);
		for (size_t k = before; k < n; k++) {
			parents[k] = found[i].pid;
			below[k] = !found[i].ours;
			if (!found[k].ours)
				take(tree, found[k].pid, parents[k], below[k]);
		}
	}
	for (size_t i = 0; i < tree->n; i++)
		if (tree->items[i].seen)
			tree->items[kept++] = tree->items[i];
	tree->n = kept;
}

/* --- what they take --- */

/* How many threads of a process run or could run. */
static double ready_of(pid_t pid)
{
	char path[64], text[TEXT];
	struct dirent *thread;
	double ready = 0;
	DIR *threads;

	(void)snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	threads = opendir(path);
	for (int i = 0; threads && i < THREADS_MAX && (thread = readdir(threads)) != NULL; i++) {
		char name[32 + sizeof thread->d_name];

		if (!ts_is_digit((uint8_t)thread->d_name[0]))
			continue;
		(void)snprintf(name, sizeof name, "task/%s/stat", thread->d_name);
		ready += read_of(pid, name, text) && *field_of(text, 3) == 'R';
	}
	if (threads)
		(void)closedir(threads);
	return ready;
}

static void add_memory(const struct ts_tree *tree, pid_t pid, double *io)
{
	char text[TEXT];
	const char *at = text;
	double pages[3];

	(void)read_of(pid, "statm", text);
	for (int i = 0; i < 3; i++) { /* size, resident, shared */
		pages[i] = number_at(at);
		at += strspn(at, "0123456789");
		at += strspn(at, " ");
	}
	if (pages[1] >= 0 && pages[2] >= 0)
		*io += (pages[1] > pages[2] ? pages[1] - pages[2] : 0) * (double)tree->page;
}

void ts_tree_begin(struct ts_tree *tree, pid_t launcher)
{
	struct stat st;

	memset(tree, 0, sizeof *tree);
	tree->launcher = launcher;
	tree->own = getpid();
	tree->ticks = sysconf(_SC_CLK_TCK);
	tree->page = sysconf(_SC_PAGESIZE);
	tree->last_ns = ts_now_mono_ns();
	if (stat("/proc/self/exe", &st) == 0) {
		tree->device = (uint64_t)st.st_dev;
		tree->file = (uint64_t)st.st_ino;
	}
}

/* What one took since the last look; false: it is over. */
static bool look_at(const struct ts_tree *tree, struct ts_tree_process *item, double seconds, struct ts_tree_takes *io,
		    double *io_timed)
{
	char text[TEXT];
	double cpu, cores;

	if (!read_of(item->pid, "stat", text) || tree->ticks <= 0)
		return false;
	cpu = (number_at(field_of(text, 14)) + number_at(field_of(text, 15))) / (double)tree->ticks;
	cores = item->cpu_s >= 0 && cpu >= item->cpu_s && seconds > 0 ? (cpu - item->cpu_s) / seconds : -1;
	item->cpu_s = cpu;
	io->processes++;
	if (item->worker) {
		io->workers++;
		io->blocked += *field_of(text, 3) == 'D';
	}
	add_memory(tree, item->pid, &io->memory);
	if (cores < 0)
		return true;
	io->cores += cores;
	if (item->worker) {
		io->worker_cores += cores;
		(*io_timed)++;
	} else if (cores > io->busiest) {
		io->busiest = cores;
	}
	return true;
}

void ts_tree_trains(struct ts_tree *tree, pid_t pid)
{
	struct ts_tree_process *item = item_of(tree, pid);

	if (item) {
		item->trains = true;
		item->worker = false;
	}
}

void ts_tree_look(struct ts_tree *tree, struct ts_tree_takes *ret_takes)
{
	struct ts_tree_takes takes = {.ready = -1, .busiest = -1};
	int64_t now = ts_now_mono_ns();
	double seconds = (double)(now - tree->last_ns) / 1e9, timed = 0;
	bool finds = !tree->found_ns || tree->n == 0 || now - tree->found_ns >= INT64_C(1000000000) * TS_TREE_FIND_S;

	if (finds) {
		find(tree);
		tree->found_ns = now;
		takes.ready = 0;
	}
	for (size_t i = 0; i < tree->n; i++) {
		if (!look_at(tree, &tree->items[i], seconds, &takes, &timed))
			continue;
		if (finds)
			takes.ready += ready_of(tree->items[i].pid);
	}
	tree->last_ns = now;
	takes.worker_cores = timed > 0 ? takes.worker_cores / timed : -1;
	takes.blocked = takes.workers > 0 ? takes.blocked / takes.workers : -1;
	if (takes.processes == 0)
		takes = (struct ts_tree_takes){-1, -1, -1, -1, -1, -1, -1, -1};
	*ret_takes = takes;
}
