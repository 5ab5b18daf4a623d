#include "ingest/text/text_unfold.h"

#include "base/json_reader.h"
#include "base/text.h"
#include "ingest/rows/log_axes.h"
#include "ingest/text/text_formats.h"
#include "ingest/text/text_number.h"
#include "ingest/text/text_token.h"

enum { NAME_MAX_BYTES = 96, DEPTH_MOST = 2 };

/* What an object has said so far. An event has its name and its number as two members: {"key": "train_loss", "value": 2.5}. */
struct unfolding {
	struct ts_json_reader reader;
	struct ts_buf scratch, counts, numbers, about, key, value;
	char name[NAME_MAX_BYTES]; /* of the member that is read */
	size_t name_len;
	int depth;
	bool event;   /* it is one, as event_type says */
	bool counted; /* a name of a step or an epoch was there */
	size_t listed; /* how many numbers of the list of a step were read; in_list: one is read now */
	bool in_list;
};

static struct ts_span name_of(const struct unfolding *u)
{
	return ts_span_of(u->name, u->name_len);
}

static bool is_named(const struct unfolding *u, const char *const *names)
{
	for (; *names; names++)
		if (ts_span_is(name_of(u), *names))
			return true;
	return false;
}

/* "epoch" of "epoch_num"; empty: the name counts nothing. MLPerf's samples count where nothing else does. */
static struct ts_span axis_of(const struct unfolding *u)
{
	struct ts_span name = name_of(u);

	if (ts_span_is(name, "samples_count"))
		return u->counted ? ts_span_of(NULL, 0) : ts_span_str("step");
	if (ts_span_ends(name, "_num"))
		name.len -= strlen("_num");
	return ts_log_axis_rank(name) != TS_LOG_AXIS_NONE && ts_log_axis_tells(name) ? name : ts_span_of(NULL, 0);
}

static void put_count(struct unfolding *u, struct ts_span axis, struct ts_span value)
{
	ts_buf_printf(&u->counts, "%s%.*s %.*s", u->counts.len ? ", " : "", TS_SPAN_ARG(axis), TS_SPAN_ARG(value));
	u->counted = true;
}

/* A number, as it is written, of the member that is read. */
static void put(struct unfolding *u, struct ts_span value)
{
	static const char *const left_out[] = {"timestamp", "time_ms", "lineno", "elapsedtime", NULL};
	struct ts_span axis = axis_of(u);

	if (u->in_list) {
		static const char *const axes[] = {"epoch", "step"};

		if (u->listed < 2)
			put_count(u, ts_span_str(axes[u->listed]), value);
		u->listed++;
	} else if (axis.len) {
		put_count(u, axis, value);
	} else if (u->depth == 1 && ts_span_is(name_of(u), "value")) {
		ts_buf_printf(&u->value, "%.*s", TS_SPAN_ARG(value));
	} else if (!is_named(u, left_out)) {
		ts_buf_printf(&u->numbers, "%s%.*s=%.*s", u->numbers.len ? ", " : "", TS_SPAN_ARG(name_of(u)), TS_SPAN_ARG(value));
	}
}

/* Whether a text is a number with its unit, a fraction or a duration: "5.22G", "10/344", "1:12:41". */
static bool is_number(struct ts_span text)
{
	size_t n = ts_text_number_len(text);
	double seconds;

	if (!text.len || ts_log_fraction(text) || ts_text_duration(text, &seconds) == text.len)
		return text.len > 0;
	return n && n + ts_text_unit(ts_span_from(text, n)) == text.len;
}

static void take_text(struct unfolding *u, struct ts_span text)
{
	static const char *const abouts[] = {"_type", "mode", "split", "phase", "stage", NULL};

	u->event |= u->depth == 1 && ts_span_is(name_of(u), "event_type");
	if (u->depth == 1 && ts_span_is(name_of(u), "key"))
		ts_buf_printf(&u->key, "%.*s", TS_SPAN_ARG(text));
	else if (is_named(u, abouts) && !u->about.len)
		ts_buf_printf(&u->about, "%.*s ", TS_SPAN_ARG(text));
	else if (is_number(text))
		put(u, text);
}

/* Takes what follows a name. Returns false where the object is not read on. */
static bool take_value(struct unfolding *u, const struct ts_json_token *t)
{
	struct ts_error ignored;

	switch (t->type) {
	case TS_JSON_STRING:
		take_text(u, t->text);
		return true;
	case TS_JSON_NUMBER:
		put(u, t->raw);
		return true;
	case TS_JSON_OBJECT:
		if (++u->depth <= DEPTH_MOST)
			return true;
		u->depth--;
		return ts_json_skip(&u->reader, NULL, &ignored) == TS_OK;
	case TS_JSON_ARRAY:
		u->in_list = u->depth == 1 && ts_span_is(name_of(u), "step");
		return u->in_list || ts_json_skip(&u->reader, NULL, &ignored) == TS_OK;
	case TS_JSON_END:
		u->depth -= !u->in_list;
		u->in_list = false;
		return true;
	case TS_JSON_EOF:
	case TS_JSON_KEY:
	case TS_JSON_TRUE:
	case TS_JSON_FALSE:
	case TS_JSON_NULL:
		break;
	}
	return true;
}

/* Reads the object to its end, which is the line's. */
static bool read_object(struct unfolding *u)
{
	struct ts_json_token t;
	struct ts_error ignored;

	while (!ts_json_next(&u->reader, &t, &ignored)) {
		if (t.type == TS_JSON_EOF)
			return u->depth == 0;
		if (t.type == TS_JSON_KEY) {
			u->name_len = t.text.len < sizeof u->name ? t.text.len : 0;
			memcpy(u->name, t.text.data, u->name_len);
		} else if (!take_value(u, &t)) {
			return false;
		}
		if (u->depth == 0 && t.type == TS_JSON_END && u->reader.at < u->reader.in.len)
			return false;
	}
	return false;
}

static bool failed(const struct unfolding *u)
{
	return u->counts.failed || u->numbers.failed || u->about.failed || u->key.failed || u->value.failed;
}

/* An event whose value is no number has nothing to say, whatever else it has: "run_start". */
static bool write_out(struct unfolding *u, struct ts_buf *out)
{
	bool paired = u->key.len && u->value.len;
	struct ts_span about = ts_buf_view(&u->about), counts = ts_buf_view(&u->counts), numbers = ts_buf_view(&u->numbers);

	if (failed(u) || (u->event && !paired) || !(paired || numbers.len))
		return false;
	ts_buf_reset(out);
	ts_buf_printf(out, "%.*s%.*s%s", TS_SPAN_ARG(about), TS_SPAN_ARG(counts), counts.len ? ": " : "");
	if (paired)
		ts_buf_printf(out, "%.*s=%.*s%s", TS_SPAN_ARG(ts_buf_view(&u->key)), TS_SPAN_ARG(ts_buf_view(&u->value)),
			      numbers.len ? ", " : "");
	ts_buf_printf(out, "%.*s", TS_SPAN_ARG(numbers));
	return !out->failed;
}

bool ts_text_unfold(struct ts_span line, struct ts_buf *out)
{
	struct unfolding u = {.scratch = TS_BUF_INIT(TS_TEXT_LINE_MAX),
			      .counts = TS_BUF_INIT(TS_TEXT_LINE_MAX),
			      .numbers = TS_BUF_INIT(2 * TS_TEXT_LINE_MAX),
			      .about = TS_BUF_INIT(TS_TEXT_LINE_MAX),
			      .key = TS_BUF_INIT(TS_TEXT_LINE_MAX),
			      .value = TS_BUF_INIT(TS_TEXT_LINE_MAX)};
	const uint8_t *brace = line.len && line.len <= TS_TEXT_LINE_MAX ? memchr(line.data, '{', line.len) : NULL;
	struct ts_span object = brace ? ts_span_from(line, (size_t)(brace - line.data)) : ts_span_of(NULL, 0);
	bool is = false;

	if (object.len < 2 || object.data[1] != '"' || object.data[object.len - 1] != '}')
		return false;
	ts_json_reader_init(&u.reader, object, &u.scratch);
	is = read_object(&u) && write_out(&u, out);
	ts_buf_finish(&u.scratch);
	ts_buf_finish(&u.counts);
	ts_buf_finish(&u.numbers);
	ts_buf_finish(&u.about);
	ts_buf_finish(&u.key);
	ts_buf_finish(&u.value);
	return is;
}
