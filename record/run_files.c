#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif
#include "record/run_files.h"

#include "record/attempt.h"
#include "record/json_merge.h"
#include "record/frame.h"
#include "record/tscope.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };

enum tscope_status ts_record_fail(struct tscope_error *err, enum tscope_status status, const char *format, ...)
{
	va_list args;

	if (!err)
		return status;
	err->status = status;
	va_start(args, format);
	(void)vsnprintf(err->text, sizeof err->text, format, args);
	va_end(args);
	return status;
}

static enum tscope_status io_error(struct tscope_error *err, const char *what, const char *path, int error)
{
	return ts_record_fail(err, error == ENOMEM ? TSCOPE_NO_MEMORY : TSCOPE_IO, "cannot %s %s: %s", what, path, strerror(error));
}

/* Makes the directory with those above it. */
static int make_folders(char *path)
{
	for (char *p = path + 1; *p; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		if (mkdir(path, 0777) < 0 && errno != EEXIST && errno != EISDIR && access(path, F_OK) < 0) {
			int error = errno;

			*p = '/';
			return error;
		}
		*p = '/';
	}
	return mkdir(path, 0777) < 0 && errno != EEXIST ? errno : 0;
}

/* The names of which any makes a directory that of a run already. */
static const char *other_run(int directory, int ranks)
{
	static const char *const names[] = {TS_FRAME_FILE, "steps.jsonl", "run.json", "rank0"};

	for (int i = 0; i < (ranks ? 2 : 4); i++) {
		if (faccessat(directory, names[i], F_OK, 0) == 0)
			return names[i];
	}
	return NULL;
}

/* The names that make it one which no attempt of this rank can go on with, where it holds `last` attempts. */
static const char *run_of_others(int directory, int ranks, uint32_t last)
{
	if (faccessat(directory, "steps.jsonl", F_OK, 0) == 0)
		return "steps.jsonl";
	return ranks || last ? NULL : other_run(directory, 0);
}

static enum tscope_status exists(struct tscope_error *err, const char *directory, const char *name)
{
	return ts_record_fail(err, TSCOPE_EXISTS, "%s holds a run already (%s is there); record into another directory", directory,
			      name);
}

/* Finds which attempt this is in the directory of its rank, whose recordings have to have ended. */
static enum tscope_status find_attempt(struct ts_run_files *run, int fd, uint32_t last, const char *path, struct tscope_error *err)
{
	int error = last ? ts_attempt_await(fd, last) : 0;

	if (error == EBUSY)
		return ts_record_fail(err, TSCOPE_EXISTS,
				      "another process records the run in %s; it has to end before the run is resumed", path);
	if (error)
		return io_error(err, "open the last recording in", path, error);
	if (last >= TS_ATTEMPTS_MAX)
		return ts_record_fail(err, TSCOPE_EXISTS, "%s holds %d attempts, which is the most; record into another directory",
				      path, TS_ATTEMPTS_MAX);
	run->attempt = last + 1;
	return TSCOPE_OK;
}

/* Returns what in the directory forbids this recording, or NULL; *ret_last is the last attempt that can be gone on with. */
static const char *forbids(const struct ts_run_files *run, int fd, int ranks, uint32_t *ret_last)
{
	*ret_last = 0;
	if (!run->resume || ts_attempt_last(fd, ret_last))
		return other_run(fd, ranks);
	return run_of_others(fd, ranks, *ret_last);
}

/* Opens the directory `path`, which is made; a run in it is an error unless it is resumed. */
static enum tscope_status open_folder(struct ts_run_files *run, char *path, int ranks, int *ret_fd, struct tscope_error *err)
{
	int error = make_folders(path), fd;
	enum tscope_status status;
	const char *other;
	uint32_t last;

	if (error)
		return io_error(err, "make the directory", path, error);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return io_error(err, "open the directory", path, errno);
	other = forbids(run, fd, ranks, &last);
	status = other ? exists(err, path, other) : ranks ? TSCOPE_OK : find_attempt(run, fd, last, path, err);
	if (status) {
		(void)close(fd);
		return status;
	}
	*ret_fd = fd;
	return TSCOPE_OK;
}

enum { BEGUN_ALONE = 1, BEGUN_BY_RANKS };

/* How many processes began the run that is resumed: where their number changed, rank 0 stays in its folder. 0: there is none. */
static uint32_t begun_by(const struct ts_run_files *run, const char *path)
{
	int fd = run->resume ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	uint32_t last = 0, begun = 0;

	if (fd < 0)
		return 0;
	if (faccessat(fd, "rank0", F_OK, 0) == 0)
		begun = BEGUN_BY_RANKS;
	else if (!ts_attempt_last(fd, &last) && last)
		begun = BEGUN_ALONE;
	(void)close(fd);
	return begun;
}

static enum tscope_status open_directory(struct ts_run_files *run, char path[PATH_BYTES], struct tscope_error *err)
{
	size_t len = strlen(path);
	int top;
	enum tscope_status status;
	uint32_t begun = begun_by(run, path);

	if (begun & BEGUN_ALONE ? run->rank == 0 : run->world_size == 1 && !(begun & BEGUN_BY_RANKS))
		return open_folder(run, path, 0, &run->directory, err);
	status = open_folder(run, path, 1, &top, err);
	if (status)
		return status;
	(void)close(top);
	(void)snprintf(path + len, PATH_BYTES - len, "/rank%" PRId32, run->rank);
	return open_folder(run, path, 0, &run->directory, err);
}

/* The names of what was made are on the disk, too. */
static void sync_names(const struct ts_run_files *run)
{
	int above = openat(run->directory, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	(void)fsync(run->directory);
	if (above >= 0) {
		(void)fsync(above);
		(void)close(above);
	}
}

enum tscope_status ts_run_files_make(struct ts_run_files *run, const char *directory, struct tscope_error *err)
{
	char path[PATH_BYTES], name[TS_ATTEMPT_NAME];
	size_t len = directory ? strlen(directory) : 0;
	enum tscope_status status;
	int error;

	run->directory = run->file = -1;
	run->path = NULL;
	run->attempt = 1;
	if (len == 0 || len > PATH_BYTES - 64)
		return ts_record_fail(err, TSCOPE_INVALID, "a run needs a directory, whose path has at most %d bytes", PATH_BYTES - 64);
	memcpy(path, directory, len + 1);
	status = open_directory(run, path, err);
	if (status)
		return status;
	ts_attempt_name(name, "recording", "tscope", run->attempt);
	run->file = openat(run->directory, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	error = errno;
	len = strlen(path) + strlen(name) + 2;
	run->path = malloc(len);
	if (run->path)
		(void)snprintf(run->path, len, "%s/%s", path, name);
	if (run->file >= 0 && run->path) {
		sync_names(run);
		return TSCOPE_OK;
	}
	status = run->file >= 0	   ? ts_record_fail(err, TSCOPE_NO_MEMORY, "no memory")
		 : error == EEXIST ? exists(err, path, name)
				   : io_error(err, "make a recording in", path, error);
	ts_run_files_unmake(run);
	return status;
}

void ts_run_files_unmake(struct ts_run_files *run)
{
	char name[TS_ATTEMPT_NAME];

	if (run->file >= 0) {
		ts_attempt_name(name, "recording", "tscope", run->attempt);
		(void)unlinkat(run->directory, name, 0);
		(void)close(run->file);
	}
	(void)close(run->directory);
	free(run->path);
}

static enum tscope_status write_all(int fd, const char *data, size_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, data, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return TSCOPE_IO;
		data += n;
		len -= (size_t)n;
	}
	return fsync(fd) < 0 && errno != EINVAL ? TSCOPE_IO : TSCOPE_OK;
}

/* Writes STEM.json of this attempt under another name, and then gives it its own. */
static enum tscope_status replace(struct ts_run_files *run, const char *stem, const char *data, size_t len, struct tscope_error *err)
{
	char name[TS_ATTEMPT_NAME], other[TS_ATTEMPT_NAME + 8];
	enum tscope_status status = TSCOPE_IO;
	int fd, error;

	ts_attempt_name(name, stem, "json", run->attempt);
	(void)snprintf(other, sizeof other, "%s.new", name);
	fd = openat(run->directory, other, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (fd >= 0) {
		status = write_all(fd, data, len);
		error = errno;
		if (close(fd) < 0 && status == TSCOPE_OK) {
			status = TSCOPE_IO;
			error = errno;
		}
		errno = error;
	}
	if (status == TSCOPE_OK && renameat(run->directory, other, run->directory, name) == 0)
		return TSCOPE_OK;
	error = errno;
	(void)unlinkat(run->directory, other, 0);
	return ts_record_fail(err, TSCOPE_IO, "cannot write %s beside %s: %s", name, run->path, strerror(error));
}

/* Writes a JSON string into `to`, which has room for six bytes a byte and three more. Returns its length. */
static size_t quote(char *to, const char *text)
{
	char *p = to;

	*p++ = '"';
	for (; *text; text++) {
		if (*text == '"' || *text == '\\') {
			*p++ = '\\';
			*p++ = *text;
		} else if ((unsigned char)*text < 0x20) {
			p += snprintf(p, 7, "\\u%04x", *text);
		} else {
			*p++ = *text;
		}
	}
	*p++ = '"';
	*p = '\0';
	return (size_t)(p - to);
}

/* Seconds with six digits behind the point; printf would ask the locale for the point. */
static int put_seconds(char *p, size_t room, const char *key, int64_t ns)
{
	return snprintf(p, room, ",\n\"%s\": %" PRId64 ".%06" PRId64, key, ns / 1000000000, ns % 1000000000 / 1000);
}

enum tscope_status ts_run_files_write(struct ts_run_files *run, int64_t wall_ns, uint64_t steps, struct tscope_error *err)
{
	size_t room = 512 + (run->name ? 6 * strlen(run->name) : 0) + strlen(run->config), len = 0;
	char *text = malloc(room);
	enum tscope_status status;

	if (!text)
		return ts_record_fail(err, TSCOPE_NO_MEMORY, "no memory");
	text[len++] = '{';
	text[len++] = '\n';
	if (run->name) {
		len += (size_t)snprintf(text + len, room - len, "\"name\": ");
		len += quote(text + len, run->name);
		len += (size_t)snprintf(text + len, room - len, ",\n");
	}
	len += (size_t)snprintf(text + len, room - len, "\"config\": %s,\n\"rank\": %" PRId32 ",\n\"world_size\": %" PRId32,
				run->config, run->rank, run->world_size);
	len += (size_t)put_seconds(text + len, room - len, "started", run->began_unix);
	if (wall_ns >= 0) {
		len += (size_t)put_seconds(text + len, room - len, "wall_time", wall_ns);
		len += (size_t)snprintf(text + len, room - len, ",\n\"n_steps\": %" PRIu64, steps);
	}
	len += (size_t)snprintf(text + len, room - len, "\n}\n");
	status = replace(run, "run", text, len, err);
	free(text);
	return status;
}

/* Returns what facts.json has now, with its length; NULL with length 0: nothing is there, else nothing can be read. */
static char *read_facts(struct ts_run_files *run, size_t *ret_len)
{
	char name[TS_ATTEMPT_NAME], *text;
	ssize_t n = 1;
	int fd;

	ts_attempt_name(name, "facts", "json", run->attempt);
	fd = openat(run->directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	text = fd < 0 ? NULL : malloc(TS_JSON_LIMIT + 1);
	*ret_len = fd < 0 && errno == ENOENT ? 0 : 1;
	if (text) {
		for (*ret_len = 0; n > 0 && *ret_len <= TS_JSON_LIMIT; *ret_len += n > 0 ? (size_t)n : 0)
			n = read(fd, text + *ret_len, TS_JSON_LIMIT + 1 - *ret_len);
	}
	if (fd >= 0)
		(void)close(fd);
	return text;
}

enum tscope_status ts_run_files_check(const char *json, const char *what, struct tscope_error *err)
{
	size_t at;

	if (!json || ts_record_json_check(json, strlen(json), &at))
		return TSCOPE_OK;
	return ts_record_fail(err, TSCOPE_INVALID, "%s is not a JSON object of at most 2 MiB in UTF-8 (byte %zu)", what, at);
}

enum tscope_status ts_run_files_facts(struct ts_run_files *run, const char *json, struct tscope_error *err)
{
	static const char empty[] = "{\"format\": 1}";
	size_t under_len, len = 0, at;
	char *under = read_facts(run, &under_len), *text;
	enum tscope_status status = ts_run_files_check(json, "facts", err);

	if (status == TSCOPE_OK && (under ? !ts_record_json_check(under, under_len, &at) : under_len != 0))
		status = ts_record_fail(err, TSCOPE_INVALID, "facts.json beside %s is not a JSON object; it is left as it is",
					run->path);
	if (status) {
		free(under);
		return status;
	}
	text = ts_record_json_merge(under ? under : empty, under ? under_len : sizeof empty - 1, json, strlen(json), &len);
	free(under);
	status = text ? replace(run, "facts", text, len, err) : ts_record_fail(err, TSCOPE_NO_MEMORY, "the facts are too large");
	free(text);
	return status;
}
