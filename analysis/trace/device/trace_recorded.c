#include "analysis/trace/device/trace_recorded.h"

#include "base/number.h"

enum { VERSION_MOST = 40 };

/* How an integer holds a version. */
enum packing {
	PLAIN,
	CUDA, /* 12090: 12.9 */
	HIP,  /* 70051831: 7.0.51831 */
};

static const struct {
	const char *key, *word;
	enum packing packing;
} versions[TS_RECORDED_VERSIONS] = {
	[TS_RECORDED_CUDA_RUNTIME] = {"cuda_runtime_version", "CUDA runtime", CUDA},
	[TS_RECORDED_CUDA_DRIVER] = {"cuda_driver_version", "CUDA driver", CUDA},
	[TS_RECORDED_CUPTI] = {"cupti_version", "CUPTI", PLAIN},
	[TS_RECORDED_HIP_RUNTIME] = {"hip_runtime_version", "HIP runtime", HIP},
	[TS_RECORDED_HIP_DRIVER] = {"hip_driver_version", "HIP driver", HIP},
	[TS_RECORDED_ROCTRACER] = {"roctracer_version", "roctracer", PLAIN},
	[TS_RECORDED_SCHEMA] = {"schemaVersion", "schema", PLAIN},
};

static const struct {
	const char *key, *word;
} options[TS_RECORDED_OPTIONS] = {
	[TS_RECORDED_STACKS] = {"with_stack", "stacks"},     [TS_RECORDED_SHAPES] = {"record_shapes", "shapes"},
	[TS_RECORDED_MEMORY] = {"profile_memory", "memory"}, [TS_RECORDED_FLOPS] = {"with_flops", "operations"},
	[TS_RECORDED_MODULES] = {"with_modules", "modules"},
};

/* The value of a member without its quotes; empty: it is not there, or it is no number and no short plain word. */
static struct ts_span word_of(const struct ts_trace_about *about, const char *key)
{
	struct ts_span found = ts_span_str("");

	for (size_t i = 0; i < about->n_said; i++)
		if (ts_span_is(about->said[i].key, key))
			found = about->said[i].json;
	if (found.len >= 2 && found.data[0] == '"')
		found = (struct ts_span){found.data + 1, found.len - 2};
	if (found.len > VERSION_MOST)
		return ts_span_str("");
	for (size_t i = 0; i < found.len; i++) {
		unsigned char c = (unsigned char)found.data[i];

		if (c <= ' ' || c > '~' || c == '\\' || c == '{' || c == '[')
			return ts_span_str("");
	}
	return found;
}

static struct ts_span version_of(struct ts_span word, enum packing packing, struct ts_arena *arena)
{
	const char *text;
	int64_t n;

	if (packing == PLAIN || !ts_parse_i64(word, &n) || n < 1000)
		return ts_arena_span(arena, word);
	text = packing == CUDA ? ts_arena_printf(arena, "%" PRId64 ".%" PRId64, n / 1000, n % 1000 / 10)
			       : ts_arena_printf(arena, "%" PRId64 ".%" PRId64 ".%" PRId64, n / 10000000, n / 100000 % 100, n % 100000);
	return text ? ts_span_str(text) : (struct ts_span){NULL, 0};
}

enum ts_status ts_trace_recorded(const struct ts_trace_about *about, struct ts_arena *arena, struct ts_trace_recorded *ret,
				 struct ts_error *err)
{
	struct ts_trace_recorded out = {0};

	for (size_t i = 0; i < TS_RECORDED_VERSIONS; i++) {
		struct ts_span word = word_of(about, versions[i].key);

		if (!word.len || ts_span_is(word, "0") || ts_span_is(word, "null"))
			continue;
		out.versions[i] = version_of(word, versions[i].packing, arena);
		if (!out.versions[i].data)
			return ts_arena_error(arena, err);
	}
	for (size_t i = 0; i < TS_RECORDED_OPTIONS; i++) {
		struct ts_span word = word_of(about, options[i].key);

		out.on[i] = ts_span_is(word, "1") || ts_span_is(word, "true") || ts_span_is(word, "True");
		out.said[i] = out.on[i] || ts_span_is(word, "0") || ts_span_is(word, "false") || ts_span_is(word, "False");
	}
	out.device = ts_arena_span(arena, about->n_devices ? about->devices[0].name : ts_span_str(""));
	if (!out.device.data)
		return ts_arena_error(arena, err);
	*ret = out;
	return TS_OK;
}

/* Puts a word behind others. */
static void add(const char **io_text, const char *before, const char *word, struct ts_arena *arena)
{
	if (*io_text && word)
		*io_text = ts_arena_printf(arena, "%s%s%s", *io_text, **io_text ? before : "", word);
	else
		*io_text = NULL;
}

const char *ts_trace_recorded_text(const struct ts_trace_recorded *r, struct ts_arena *arena)
{
	const char *text = "";
	size_t left = 0, n = 0;

	for (size_t i = 0; i < TS_RECORDED_SCHEMA; i++)
		if (r->versions[i].len)
			add(&text, ", ", ts_arena_printf(arena, "%s %.*s", versions[i].word, TS_SPAN_ARG(r->versions[i])), arena);
	for (size_t i = 0; i < TS_RECORDED_OPTIONS; i++)
		left += r->on[i];
	for (size_t i = 0; i < TS_RECORDED_OPTIONS; i++) {
		if (!r->on[i])
			continue;
		n++;
		if (n == 1)
			add(&text, "; ", ts_arena_printf(arena, "with %s", options[i].word), arena);
		else
			add(&text, n < left ? ", " : " and ", options[i].word, arena);
	}
	return text;
}

static void apart(const char **io_text, const char *word, struct ts_span a, const char *name_a, struct ts_span b, const char *name_b,
		  struct ts_arena *arena)
{
	if (a.len && b.len && !ts_span_eq(a, b))
		add(io_text, ", ",
		    ts_arena_printf(arena, "%s %.*s in %s and %.*s in %s", word, TS_SPAN_ARG(a), name_a, TS_SPAN_ARG(b), name_b),
		    arena);
}

const char *ts_trace_recorded_apart(const struct ts_trace_recorded *a, const char *name_a, const struct ts_trace_recorded *b,
				    const char *name_b, struct ts_arena *arena)
{
	const char *text = "";

	apart(&text, "device", a->device, name_a, b->device, name_b, arena);
	for (size_t i = 0; i < TS_RECORDED_VERSIONS; i++)
		apart(&text, versions[i].word, a->versions[i], name_a, b->versions[i], name_b, arena);
	for (size_t i = 0; i < TS_RECORDED_OPTIONS; i++)
		if (a->on[i] != b->on[i])
			add(&text, ", ", ts_arena_printf(arena, "%s in %s alone", options[i].word, a->on[i] ? name_a : name_b), arena);
	return text;
}
