#include "ingest/facts/run_json.h"

static const struct row {
	const char *section; /* the section of run.json */
	const char *key;
	const char *path; /* the path of the fact */
} rows[] = {
	{"", "name", "session.name"},
	{"", "started", "session.started"},
	{"", "wall_time", "session.wall_time"},
	{"", "n_steps", "session.n_steps"},
	{"", "rank", "parallelism.rank"},
	{"", "world_size", "parallelism.world_size"},
	{"", "flops_per_step", "work.flops_per_step"},
	{"", "peak_flops", "work.peak_flops"},
	{"environment", "python", "libraries.python"},
	{"environment", "torch", "libraries.torch"},
	{"environment", "cuda", "libraries.cuda"},
	{"environment", "platform", "hardware.platform"},
	{"environment", "machine", "hardware.machine"},
	{"environment", "processor", "hardware.processor"},
	{"environment", "cpu_count", "hardware.cpu_count"},
	{"environment", "cuda_available", "hardware.cuda_available"},
	{"environment", "gpu", "hardware.gpu"},
	{"environment", "gpu_count", "hardware.gpu_count"},
	{"environment", "cudnn_deterministic", "determinism.cudnn_deterministic"},
	{"environment", "cudnn_benchmark", "determinism.cudnn_benchmark"},
	{"environment", "env", "determinism.env"},
};

enum { ROWS = sizeof rows / sizeof rows[0] };

void ts_run_json_path(struct ts_buf *path, const char *section, struct ts_span key)
{
	for (size_t i = 0; i < ROWS; i++)
		if (strcmp(rows[i].section, section) == 0 && ts_span_is(key, rows[i].key)) {
			ts_buf_str(path, rows[i].path);
			return;
		}
	ts_buf_str(path, "other");
	if (*section)
		ts_path_key(path, ts_span_str(section));
	ts_path_key(path, key);
}

/* Returns whether path is `prefix` or lies below it. */
static bool below(struct ts_span path, struct ts_span prefix)
{
	if (!ts_span_starts(path, prefix))
		return false;
	return path.len == prefix.len || path.data[prefix.len] == '.' || path.data[prefix.len] == '[';
}

enum ts_status ts_run_json_key(struct ts_span path, struct ts_arena *arena, struct ts_span *ret_key,
			       struct ts_error *err)
{
	struct ts_span other = ts_span_str("other.");

	for (size_t i = 0; i < ROWS; i++) {
		struct ts_span prefix = ts_span_str(rows[i].path);
		const char *dot = rows[i].section[0] ? "." : "";
		char *key;

		if (!below(path, prefix))
			continue;
		key = ts_arena_printf(arena, "%s%s%s%.*s", rows[i].section, dot, rows[i].key,
				      (int)(path.len - prefix.len), (const char *)path.data + prefix.len);
		if (!key)
			return ts_arena_error(arena, err);
		*ret_key = ts_span_of(key, strlen(rows[i].section) + strlen(dot) + strlen(rows[i].key) + path.len -
						   prefix.len);
		return TS_OK;
	}
	if (ts_span_starts(path, other))
		*ret_key = ts_span_of(path.data + other.len, path.len - other.len);
	else
		*ret_key = path; /* the section is config */
	return TS_OK;
}

/* config and environment are sections if they are objects. A value that is not an object is kept below other. */
static bool fits_section(const struct ts_fact *fact, struct ts_span key, struct ts_span name)
{
	if (key.len > name.len && key.data[name.len] == '.')
		return false;
	return below(fact->path, ts_span_str("other")) && fact->type != TS_FACT_OBJECT;
}

enum ts_status ts_run_json_fits(const struct ts_fact *fact, struct ts_span key, struct ts_arena *arena, bool *ret_fits,
				struct ts_error *err)
{
	struct ts_buf path = TS_BUF_INIT(1 << 16);
	struct ts_span first, second;
	size_t at = 0, index;
	bool is_index;
	enum ts_status status;

	*ret_fits = false;
	if (!ts_path_next(key, &at, arena, &first, &is_index, &index) || is_index)
		return TS_OK;
	if (ts_span_is(first, "config")) {
		*ret_fits = ts_span_starts(fact->path, ts_span_str("config.")) || fits_section(fact, key, first);
		return TS_OK;
	}
	if (!ts_span_is(first, "environment")) {
		ts_run_json_path(&path, "", first);
	} else if (!ts_path_next(key, &at, arena, &second, &is_index, &index) || is_index) {
		*ret_fits = fits_section(fact, key, first);
		return TS_OK;
	} else {
		ts_run_json_path(&path, "environment", second);
	}
	status = ts_buf_check(&path, err);
	if (!status)
		*ret_fits = below(fact->path, ts_buf_view(&path));
	ts_buf_finish(&path);
	return status;
}
