#include "launch/place.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/system.h"
#include "base/text.h"
#include "launch/marked.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TRIES = 100, ROUNDS = 200, DEEPEST = 200, PATH_BYTES = 65536, NAMES = 64 << 20 };

static bool lay_out(struct ts_place *p)
{
	int n = snprintf(p->folder, sizeof p->folder, "%s/%s", p->state, p->name);
	int k = snprintf(p->lock_path, sizeof p->lock_path, "%s/%s.lock", p->state, p->name);
	int m = snprintf(p->tree, sizeof p->tree, "%s/%s/%.16s", p->state, p->name, p->name); /* git names it by its last part */

	return n > 0 && k > 0 && m > 0 && (size_t)m < sizeof p->tree && (size_t)k < sizeof p->lock_path;
}

/* --- making one --- */

/* Locks a file that is open. False, and it is closed: another one has it, or a sweep has removed it. */
static bool hold(struct ts_place *p)
{
	struct stat st;
	bool held = flock(p->lock, LOCK_EX | LOCK_NB) == 0 && fstat(p->lock, &st) == 0 && st.st_nlink == 1;

	if (!held) {
		(void)close(p->lock);
		p->lock = -1;
	}
	return held;
}

/* Takes a lock that is new. A sweep may take it and remove it before it is held here: then there is another try. */
static enum ts_status take_lock(struct ts_place *p, bool *ret_held, struct ts_error *err)
{
	p->lock = open(p->lock_path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (p->lock < 0)
		return ts_error_errno(err, errno, "%s", p->lock_path);
	*ret_held = hold(p);
	return TS_OK;
}

/* Writes down whose worktree it is, for who clears it when this process has died. */
static enum ts_status note_clone(const struct ts_place *p, struct ts_error *err)
{
	char path[TS_PLACE_PATH + 8];

	(void)snprintf(path, sizeof path, "%s/clone", p->folder);
	return ts_file_replace(path, ts_span_str(p->clone), 0600, err);
}

enum ts_status ts_place_make(const char *state, const char *clone, struct ts_place *ret_place, struct ts_error *err)
{
	struct ts_place p = {.state = state, .clone = clone, .lock = -1};
	bool held = false;

	for (int i = 0; i < TRIES && !held; i++) {
		uint64_t random[2];

		if (ts_system_random(random, sizeof random, err))
			return err->status;
		(void)snprintf(p.name, sizeof p.name, "%016" PRIx64 "%016" PRIx64, random[0], random[1]);
		if (!lay_out(&p))
			return ts_error_set(err, TS_TOO_LARGE, "the path %s is too long", state);
		if (take_lock(&p, &held, err))
			return err->status;
	}
	if (!held)
		return ts_error_set(err, TS_IO, "a lock in %s cannot be held", state);
	if (mkdir(p.folder, 0700) < 0)
		return ts_error_errno(err, errno, "%s", p.folder);
	if (note_clone(&p, err))
		return err->status;
	*ret_place = p;
	return TS_OK;
}

bool ts_place_git(const struct ts_place *place, const char *const *words, char ret_said[TS_GIT_SAID])
{
	char path[TS_PLACE_PATH];
	int n = snprintf(path, sizeof path, "%s/.worktrees.lock", place->state);
	int lock = n > 0 && (size_t)n < sizeof path ? open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600) : -1;
	bool well;

	while (lock >= 0 && flock(lock, LOCK_EX) < 0 && errno == EINTR)
		;
	well = ts_git(place->clone, words, ret_said);
	if (lock >= 0)
		(void)close(lock);
	return well;
}

/* --- clearing it --- */

/* Removes all that lies in a folder, and follows no link. */
static void remove_below(int at, const char *name, int depth)
{
	int fd = depth < DEEPEST ? openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	const struct dirent *entry;
	struct stat st;

	if (fd >= 0 && !dir)
		(void)close(fd);
	while (dir && (entry = readdir(dir))) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		if (fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode))
			remove_below(dirfd(dir), entry->d_name, depth + 1);
		else
			(void)unlinkat(dirfd(dir), entry->d_name, 0);
	}
	if (dir)
		(void)closedir(dir);
	(void)unlinkat(at, name, AT_REMOVEDIR);
}

size_t ts_place_end_processes(const struct ts_place *place)
{
	static const struct timespec moment = {.tv_nsec = 5000000};
	char mark[TS_PLACE_NAME + 16];
	size_t n = 0, now;

	(void)snprintf(mark, sizeof mark, "TSCOPE_RUNNER=%s", place->name);
	for (int i = 0; i < ROUNDS && (now = ts_marked_kill(mark)) > 0; i++) { /* one may have begun another meanwhile */
		n += now;
		(void)nanosleep(&moment, NULL);
	}
	return n;
}

void ts_place_clear(struct ts_place *place)
{
	const char *remove[] = {"worktree", "remove", "--force", "--force", place->tree, NULL};

	(void)ts_place_end_processes(place);
	if (place->clone)
		(void)ts_place_git(place, remove, NULL);
	remove_below(AT_FDCWD, place->folder, 0);
	(void)unlink(place->lock_path);
	if (place->lock >= 0)
		(void)close(place->lock);
	place->lock = -1;
}

/* --- places of the dead --- */

static bool is_folder(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Takes the lock of a job that died. A folder without a lock is of such a job, too, as a job makes its lock first: git, which
 * outlived it, made the folder once a sweep had cleared the place. Its lock is made anew. */
static bool take_dead_lock(struct ts_place *p)
{
	struct ts_error ignored;
	bool held = false;

	p->lock = open(p->lock_path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	if (p->lock >= 0)
		return hold(p);
	return errno == ENOENT && is_folder(p->folder) && !take_lock(p, &held, &ignored) && held;
}

/* Reads a file as a string; false: there is none that could have a path. */
static bool read_text(const char *folder, const char *name, struct ts_buf *out)
{
	char path[TS_PLACE_PATH + 8];
	struct ts_error ignored;

	(void)snprintf(path, sizeof path, "%s/%s", folder, name);
	ts_buf_reset(out);
	if (ts_file_read(path, out, &ignored) || !out->len || memchr(out->data, 0, out->len))
		return false;
	ts_buf_char(out, '\0');
	return !out->failed;
}

static bool cut_end(char *text, const char *end)
{
	bool ends = ts_span_ends(ts_span_str(text), end);

	if (ends)
		text[strlen(text) - strlen(end)] = '\0';
	return ends;
}

/* Whose worktree it is, as the job noted it, or else as git did: "gitdir: CLONE/.git/worktrees/NAME", of which only what may be true is
 * taken. NULL: nobody knows. */
static const char *find_clone(const struct ts_place *p, struct ts_buf *text)
{
	char end[TS_PLACE_NAME], *path;

	if (read_text(p->folder, "clone", text))
		return (const char *)text->data;
	if (!read_text(p->tree, ".git", text) || !ts_span_starts(ts_buf_view(text), ts_span_str("gitdir: /")))
		return NULL;
	path = (char *)text->data + strlen("gitdir: ");
	path[strcspn(path, "\n")] = '\0';
	(void)snprintf(end, sizeof end, "/worktrees/%.16s", p->name);
	if (!is_folder(path) || !cut_end(path, end))
		return NULL;
	(void)cut_end(path, "/.git"); /* in which git may refuse to work, as in any bare repository */
	return path[0] ? path : NULL;
}

void ts_place_sweep(const char *state, const char *name)
{
	struct ts_place p = {.state = state, .lock = -1};
	struct ts_buf clone = TS_BUF_INIT(PATH_BYTES);

	(void)snprintf(p.name, sizeof p.name, "%s", name);
	if (!lay_out(&p) || !take_dead_lock(&p))
		return;
	p.clone = find_clone(&p, &clone);
	ts_place_clear(&p);
	ts_buf_finish(&clone);
}

static bool is_name(const char *name, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!ts_is_digit((uint8_t)name[i]) && (name[i] < 'a' || name[i] > 'f'))
			return false;
	return n == 32;
}

enum ts_status ts_places_sweep(const char *state, struct ts_error *err)
{
	struct ts_arena arena;
	enum ts_status status;
	char **names;
	size_t n;

	ts_arena_init(&arena, NAMES);
	status = ts_list_dir(state, &arena, &names, &n, err);
	for (size_t i = 0; !status && i < n; i++) {
		char *end = strstr(names[i], ".lock");

		if (end && !end[5])
			*end = '\0';
		if (is_name(names[i], strlen(names[i])))
			ts_place_sweep(state, names[i]);
	}
	ts_arena_finish(&arena);
	return status;
}
