/* spool_values.c - see spool.h: metrics, params and tags of a run, as files. */
#include "web/mlflow/spool.h"

#include "base/file.h"
#include "base/grow.h"
#include "base/number.h"
#include "base/order.h"
#include "base/text.h"
#include "web/mlflow/spool_internal.h"
#include "web/mlflow/tracking_key.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

enum { VALUE_MAX = 1 << 20, METRIC_MAX = 1 << 30, LINE_MAX_BYTES = 128 };

/* -- metrics are written -- */

/* A value, and its place in the batch: those of one key stay in their order. */
struct placed {
	struct ts_span key;
	size_t at;
};

TS_ORDER(by_key, struct placed, TS_TEXT(key); TS_UP(at))

static void put_line(struct ts_buf *out, const struct ts_tracking_metric *m)
{
	char text[TS_DOUBLE_TEXT];
	size_t n = ts_print_double(m->value, text);

	ts_buf_printf(out, "%" PRId64 " %.*s %" PRId64 "\n", m->time_ms, (int)n, text, m->step);
}

/* The size of the file up to its last line that is whole: whoever wrote the rest was ended meanwhile. */
static enum ts_status whole_size(int fd, uint64_t size, uint64_t *ret, struct ts_error *err)
{
	char last[LINE_MAX_BYTES];
	uint64_t from = size > sizeof last ? size - sizeof last : 0;
	size_t n, got;

	if (ts_pread_full(fd, last, (size_t)(size - from), from, &got, err))
		return err->status;
	for (n = got; n > 0 && last[n - 1] != '\n'; n--)
		;
	*ret = from + n;
	return TS_OK;
}

/* How many bytes of the lines stand at the end of the file already: a client sends a batch again whose answer did not reach it. */
static enum ts_status there_already(int fd, uint64_t size, struct ts_span lines, struct ts_arena *arena, size_t *ret,
				    struct ts_error *err)
{
	size_t most = size <= lines.len ? (size_t)size : lines.len + 1, got = 0;
	uint8_t *end = ts_arena_alloc(arena, most);

	*ret = 0;
	if (!end)
		return ts_arena_error(arena, err);
	if (ts_pread_full(fd, end, most, size - most, &got, err))
		return err->status;
	for (size_t n = got < lines.len ? got : lines.len; n > 0; n--) {
		bool begins = n == got ? got == size : end[got - n - 1] == '\n';

		if (begins && lines.data[n - 1] == '\n' && memcmp(end + got - n, lines.data, n) == 0) {
			*ret = n;
			break;
		}
	}
	return TS_OK;
}

static enum ts_status append(int fd, struct ts_span lines, struct ts_arena *arena, struct ts_error *err)
{
	struct stat st;
	uint64_t size = 0;
	size_t there = 0;

	if (fstat(fd, &st) != 0)
		return ts_error_errno(err, errno, "fstat");
	if (st.st_size > 0 && (whole_size(fd, (uint64_t)st.st_size, &size, err) || there_already(fd, size, lines, arena, &there, err)))
		return err->status;
	if (size != (uint64_t)st.st_size && ftruncate(fd, (off_t)size) != 0)
		return ts_error_errno(err, errno, "ftruncate");
	if (ts_write_full(fd, lines.data + there, lines.len - there, err)) {
		(void)!ftruncate(fd, (off_t)size); /* all or nothing of it */
		return err->status;
	}
	return TS_OK;
}

static enum ts_status add_lines(struct ts_spool *s, const struct ts_spool_run *run, struct ts_span key, struct ts_span lines,
				struct ts_arena *arena, struct ts_error *err)
{
	const char *file = ts_tracking_key_file(key, arena), *path = file ? ts_spool_path(s, run, "metrics", file, arena) : NULL;
	enum ts_status status;
	int fd;

	if (!path)
		return ts_arena_error(arena, err);
	fd = open(path, O_CREAT | O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return ts_error_errno(err, errno, "%s", path);
	status = append(fd, lines, arena, err);
	(void)close(fd);
	return status ? ts_error_prefix(err, "%s", path) : TS_OK;
}

static enum ts_status add_sorted(struct ts_spool *s, const struct ts_spool_run *run, const struct ts_tracking_metric *metrics,
				 const struct placed *placed, size_t n, struct ts_arena *arena, struct ts_error *err)
{
	struct ts_buf lines = TS_BUF_INIT((size_t)TS_TRACKING_METRICS * LINE_MAX_BYTES);
	enum ts_status status = TS_OK;

	for (size_t i = 0, end; !status && i < n; i = end) {
		ts_buf_reset(&lines);
		for (end = i; end < n && ts_span_eq(placed[end].key, placed[i].key); end++)
			put_line(&lines, &metrics[placed[end].at]);
		status = ts_buf_check(&lines, err);
		if (!status)
			status = add_lines(s, run, placed[i].key, ts_buf_view(&lines), arena, err);
	}
	ts_buf_finish(&lines);
	return status;
}

enum ts_status ts_spool_add_metrics(struct ts_spool *s, const struct ts_spool_run *run, const struct ts_tracking_metric *metrics,
				    size_t n, struct ts_error *err)
{
	struct placed placed[TS_TRACKING_METRICS];
	struct ts_arena arena;
	enum ts_status status;

	if (!n)
		return TS_OK;
	if (n > TS_TRACKING_METRICS)
		return ts_error_set(err, TS_TOO_LARGE, "a call has at most %d metrics", TS_TRACKING_METRICS);
	for (size_t i = 0; i < n; i++)
		placed[i] = (struct placed){metrics[i].key, i};
	TS_SORT(placed, n, by_key);
	ts_arena_init(&arena, 64 << 20);
	status = ts_spool_lock(s, run->id, err);
	if (!status) {
		status = add_sorted(s, run, metrics, placed, n, &arena, err);
		ts_spool_unlock(s);
	}
	ts_arena_finish(&arena);
	return status;
}

/* -- metrics are read -- */

static bool next_line(struct ts_span *io_text, struct ts_tracking_metric *ret)
{
	while (io_text->len) {
		const uint8_t *end = memchr(io_text->data, '\n', io_text->len);
		struct ts_span line, word;

		if (!end) /* it is being written */
			return false;
		line = ts_span_part(*io_text, 0, (size_t)(end - io_text->data));
		*io_text = ts_span_from(*io_text, line.len + 1);
		if (!ts_parse_i64(ts_next_word(&line), &ret->time_ms))
			continue;
		word = ts_next_word(&line);
		if (ts_span_is(word, "NaN"))
			ret->value = (double)NAN;
		else if (ts_span_is(word, "Infinity") || ts_span_is(word, "-Infinity"))
			ret->value = word.data[0] == '-' ? -(double)INFINITY : (double)INFINITY;
		else if (!ts_parse_double(word, &ret->value))
			continue;
		if (ts_parse_i64(ts_next_word(&line), &ret->step))
			return true;
	}
	return false;
}

/* Whether MLflow takes b for the later value: NaN counts as the least. */
static bool is_later(const struct ts_tracking_metric *a, const struct ts_tracking_metric *b)
{
	if (a->step != b->step)
		return b->step > a->step;
	if (a->time_ms != b->time_ms)
		return b->time_ms > a->time_ms;
	return isnan(a->value) || b->value >= a->value;
}

static enum ts_status read_file(const struct ts_spool *s, const struct ts_spool_run *run, const char *kind, const char *file,
				struct ts_arena *arena, struct ts_buf *text, struct ts_error *err)
{
	const char *path = ts_spool_path(s, run, kind, file, arena);

	ts_buf_reset(text);
	return path ? ts_file_read(path, text, err) : ts_arena_error(arena, err);
}

static enum ts_status list(const struct ts_spool *s, const struct ts_spool_run *run, const char *kind, struct ts_arena *arena,
			   char ***ret_files, size_t *ret_n, struct ts_error *err)
{
	const char *path = ts_spool_path(s, run, kind, NULL, arena);

	return path ? ts_list_dir(path, arena, ret_files, ret_n, err) : ts_arena_error(arena, err);
}

enum ts_status ts_spool_latest(struct ts_spool *s, const struct ts_spool_run *run, struct ts_arena *arena,
			       struct ts_tracking_metric **ret, size_t *ret_n, struct ts_error *err)
{
	struct ts_buf text = TS_BUF_INIT(METRIC_MAX);
	struct ts_tracking_metric *metrics = NULL;
	enum ts_status status;
	char **files;
	size_t n, k = 0;

	status = list(s, run, "metrics", arena, &files, &n, err);
	if (!status && !(metrics = ts_arena_array(arena, n + 1, sizeof *metrics)))
		status = ts_arena_error(arena, err);
	for (size_t i = 0; !status && i < n; i++) {
		struct ts_tracking_metric m = {.step = 0};
		struct ts_span rest;
		bool any = false;

		status = read_file(s, run, "metrics", files[i], arena, &text, err);
		rest = ts_buf_view(&text);
		while (!status && next_line(&rest, &m)) {
			if (!any || is_later(&metrics[k], &m))
				metrics[k] = m;
			any = true;
		}
		if (any)
			metrics[k++].key = ts_tracking_key_of(files[i], arena);
	}
	ts_buf_finish(&text);
	*ret = metrics;
	*ret_n = k;
	return status ? status : ts_arena_check(arena, err);
}

enum ts_status ts_spool_history(struct ts_spool *s, const struct ts_spool_run *run, struct ts_span key, struct ts_arena *arena,
				struct ts_tracking_metric **ret, size_t *ret_n, struct ts_error *err)
{
	struct ts_buf text = TS_BUF_INIT(METRIC_MAX);
	struct ts_tracking_metric *metrics = NULL, m = {.step = 0};
	const char *file = ts_tracking_key_file(key, arena);
	enum ts_status status = file ? read_file(s, run, "metrics", file, arena, &text, err) : ts_arena_error(arena, err);
	struct ts_span rest = ts_buf_view(&text);
	size_t n = 0, cap = 0;

	if (status == TS_NOT_FOUND)
		status = TS_OK;
	while (!status && next_line(&rest, &m)) {
		if (!TS_GROW_IN(arena, metrics, cap, n + 1, 256)) {
			status = ts_arena_error(arena, err);
			break;
		}
		m.key = key;
		metrics[n++] = m;
	}
	ts_buf_finish(&text);
	*ret = metrics;
	*ret_n = n;
	return status;
}

/* -- params and tags -- */

/* One value; no data: there is none. */
static enum ts_status read_value(const struct ts_spool *s, const struct ts_spool_run *run, const char *kind, const char *file,
				 struct ts_arena *arena, struct ts_span *ret, struct ts_error *err)
{
	struct ts_buf text = TS_BUF_INIT(VALUE_MAX);
	enum ts_status status = read_file(s, run, kind, file, arena, &text, err);

	*ret = ts_span_of(NULL, 0);
	if (!status) {
		*ret = ts_arena_span(arena, ts_buf_view(&text));
		status = ts_arena_check(arena, err);
	} else if (status == TS_NOT_FOUND) {
		status = TS_OK;
	}
	ts_buf_finish(&text);
	return status;
}

static enum ts_status put_value(struct ts_spool *s, const struct ts_spool_run *run, const char *kind, struct ts_span key,
				struct ts_span value, bool once, struct ts_error *err)
{
	const char *file, *path;
	struct ts_arena arena;
	struct ts_span before = ts_span_of(NULL, 0);
	enum ts_status status;

	ts_arena_init(&arena, 4 << 20);
	file = ts_tracking_key_file(key, &arena);
	path = file ? ts_spool_path(s, run, kind, file, &arena) : NULL;
	status = path ? ts_spool_lock(s, run->id, err) : ts_arena_error(&arena, err);
	if (!status) {
		if (once)
			status = read_value(s, run, kind, file, &arena, &before, err);
		if (!status && before.data && !ts_span_eq(before, value))
			status = ts_error_set(err, TS_INVALID,
					      "Changing param values is not allowed. Param with key='%s' was already logged with "
					      "value='%s' for run ID='%s'.",
					      ts_show(key).text, ts_show(before).text, run->id);
		if (!status && !before.data)
			status = ts_spool_put(s, path, value, err);
		ts_spool_unlock(s);
	}
	ts_arena_finish(&arena);
	return status;
}

enum ts_status ts_spool_put_param(struct ts_spool *s, const struct ts_spool_run *run, struct ts_span key, struct ts_span value,
				  struct ts_error *err)
{
	return put_value(s, run, "params", key, value, true, err);
}

enum ts_status ts_spool_put_tag(struct ts_spool *s, const struct ts_spool_run *run, struct ts_span key, struct ts_span value,
				struct ts_error *err)
{
	return put_value(s, run, "tags", key, value, false, err);
}

enum ts_status ts_spool_drop_tag(struct ts_spool *s, const struct ts_spool_run *run, struct ts_span key, struct ts_error *err)
{
	const char *file, *path;
	struct ts_arena arena;
	enum ts_status status;

	ts_arena_init(&arena, 64 << 10);
	file = ts_tracking_key_file(key, &arena);
	path = file ? ts_spool_path(s, run, "tags", file, &arena) : NULL;
	status = path ? ts_spool_lock(s, run->id, err) : ts_arena_error(&arena, err);
	if (!status) {
		if (unlink(path) != 0)
			status = errno == ENOENT ? ts_error_set(err, TS_NOT_FOUND, "No tag with name: %s in run with id %s",
								ts_show(key).text, run->id)
						 : ts_error_errno(err, errno, "%s", path);
		ts_spool_unlock(s);
	}
	ts_arena_finish(&arena);
	return status;
}

enum ts_status ts_spool_pairs(struct ts_spool *s, const struct ts_spool_run *run, const char *kind, struct ts_arena *arena,
			      struct ts_tracking_pair **ret, size_t *ret_n, struct ts_error *err)
{
	struct ts_tracking_pair *pairs;
	char **files;
	size_t n, k = 0;

	if (list(s, run, kind, arena, &files, &n, err))
		return err->status;
	pairs = ts_arena_array(arena, n + 1, sizeof *pairs);
	if (!pairs)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < n; i++) {
		if (read_value(s, run, kind, files[i], arena, &pairs[k].value, err))
			return err->status;
		if (pairs[k].value.data) /* it may have gone meanwhile */
			pairs[k++].key = ts_tracking_key_of(files[i], arena);
	}
	*ret = pairs;
	*ret_n = k;
	return ts_arena_check(arena, err);
}

enum ts_status ts_spool_tag(struct ts_spool *s, const struct ts_spool_run *run, const char *key, struct ts_arena *arena,
			    struct ts_span *ret, struct ts_error *err)
{
	const char *file = ts_tracking_key_file(ts_span_str(key), arena);

	return file ? read_value(s, run, "tags", file, arena, ret, err) : ts_arena_error(arena, err);
}

/* -- models -- */

enum ts_status ts_spool_put_model(struct ts_spool *s, const struct ts_spool_run *run, struct ts_span key, struct ts_span document,
				  struct ts_error *err)
{
	struct ts_arena arena;
	enum ts_status status;
	const char *folder;

	if (document.len > VALUE_MAX)
		return ts_error_set(err, TS_TOO_LARGE, "what is said of a model has at most %d bytes", VALUE_MAX);
	ts_arena_init(&arena, 64 << 10);
	folder = ts_spool_path(s, run, "models", NULL, &arena);
	status = folder ? ts_make_dirs(folder, 0700, err) : ts_arena_error(&arena, err);
	ts_arena_finish(&arena);
	return status ? status : put_value(s, run, "models", key, document, false, err);
}

enum ts_status ts_spool_model(struct ts_spool *s, const struct ts_spool_run *run, struct ts_span key, struct ts_arena *arena,
			      struct ts_span *ret, struct ts_error *err)
{
	const char *file = ts_tracking_key_file(key, arena);

	return file ? read_value(s, run, "models", file, arena, ret, err) : ts_arena_error(arena, err);
}
