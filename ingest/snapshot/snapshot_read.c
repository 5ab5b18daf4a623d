#include "ingest/snapshot/snapshot_read.h"

#include "base/alloc.h"
#include "base/below.h"
#include "base/number.h"
#include "ingest/snapshot/snapshot_mend.h"
#include "ingest/snapshot/snapshot_rows.h"

#include <unistd.h>

/* What is gathered of the pickle's value. */
struct gather {
	struct ts_pickle *p;
	struct ts_arena *arena;
	struct ts_snapshot *s;
	uint8_t *seen; /* a bit an event or a block: it stands in a list */
	bool in_events; /* the file ends in the last list of events */
};

static bool no_memory(struct gather *g)
{
	(void)ts_arena_error(g->arena, g->p->err);
	ts_error_prefix(g->p->err, "%.*s", TS_SPAN_ARG(g->p->path));
	return false;
}

static bool bad(struct gather *g, const char *what)
{
	return ts_pickle_fail(g->p, TS_INVALID, "%s", what);
}

static void *copy_of(struct gather *g, const struct ts_vector *v, size_t item)
{
	return ts_arena_dup(g->arena, v->data, v->n * item);
}

/* A list of the pickle as an object; NULL: it is none. */
static const struct ts_pickle_object *list_of(const struct gather *g, struct ts_pickle_value v)
{
	const struct ts_pickle_object *o = v.kind == TS_VALUE_OBJECT ? ts_pickle_object_of(g->p, v.id) : NULL;

	return o && (o->shape <= TS_SHAPE_LIST || o->shape == TS_SHAPE_ROWS) ? o : NULL;
}

/* Copies the rows of a list behind the n that `to` has; each row once. */
static bool take_rows(struct gather *g, const struct ts_pickle_object *list, enum ts_row_kind kind, uint8_t *to, size_t *io_n,
		      const char *what)
{
	const uint8_t *rows = g->p->rows->of[kind].data;
	size_t size = ts_row_size(kind);

	for (uint32_t i = 0; i < list->n; i++) {
		struct ts_pickle_value v = ts_pickle_item(list, i);

		if (v.kind != TS_VALUE_ROW || v.row != kind) {
			g->s->n_passed++;
			continue;
		}
		if (g->seen[v.id / 8] >> v.id % 8 & 1)
			return ts_pickle_fail(g->p, TS_INVALID, "one of the %s stands in two lists", what);
		g->seen[v.id / 8] |= (uint8_t)(1 << v.id % 8);
		memcpy(to + *io_n * size, rows + v.id * size, size);
		++*io_n;
	}
	return true;
}

static bool begin_seen(struct gather *g, size_t n)
{
	g->seen = ts_arena_array(g->arena, n / 8 + 1, 1);
	return g->seen || no_memory(g);
}

/* --- segments and blocks --- */

/* Leaves those whose device is known, and counts devices; returns how many are left. */
static size_t with_a_device(struct gather *g, struct ts_snapshot_segment *segments, size_t n)
{
	size_t kept = 0;

	ts_snapshot_mend_devices(segments, n);
	for (size_t i = 0; i < n; i++) {
		if (segments[i].device == TS_NO_SEGMENT_DEVICE) {
			g->s->n_passed++;
			continue;
		}
		segments[kept++] = segments[i];
		if (segments[i].device >= g->s->n_devices)
			g->s->n_devices = (size_t)segments[i].device + 1;
	}
	return kept;
}

static bool take_segments(struct gather *g, struct ts_pickle_value value)
{
	const struct ts_pickle_object *list = list_of(g, value);
	size_t n = list ? list->n : 0, n_blocks = 0, kept = 0;
	struct ts_snapshot_segment *segments = ts_arena_array(g->arena, n, sizeof *segments);
	struct ts_snapshot_block *blocks = ts_arena_array(g->arena, g->p->rows->of[TS_ROW_BLOCK].n, sizeof *blocks);

	if (!list)
		return bad(g, "\"segments\" is no list");
	if (!segments || !blocks || !begin_seen(g, g->p->rows->of[TS_ROW_BLOCK].n))
		return no_memory(g);
	for (uint32_t i = 0; i < n; i++) {
		struct ts_pickle_value v = ts_pickle_item(list, i);
		const struct ts_row_segment *row;
		const struct ts_pickle_object *of;

		if (v.kind != TS_VALUE_ROW || v.row != TS_ROW_SEGMENT) {
			g->s->n_passed++;
			continue;
		}
		row = (const struct ts_row_segment *)g->p->rows->of[TS_ROW_SEGMENT].data + v.id;
		of = row->blocks == TS_SNAPSHOT_NONE ? NULL : ts_pickle_object_of(g->p, row->blocks);
		segments[kept] = row->segment;
		segments[kept].first_block = n_blocks;
		if (of && !take_rows(g, of, TS_ROW_BLOCK, (uint8_t *)blocks, &n_blocks, "blocks"))
			return false;
		segments[kept].n_blocks = (uint32_t)(n_blocks - segments[kept].first_block);
		ts_snapshot_mend(&segments[kept], blocks + segments[kept].first_block, &g->p->rows->bytes);
		kept++;
	}
	g->s->segments = segments;
	g->s->n_segments = with_a_device(g, segments, kept);
	g->s->blocks = blocks;
	g->s->n_blocks = n_blocks;
	return true;
}

/* --- events --- */

/* Of a file that ends too early: the list in which it ended, if that is one of events, and with it what its levels are counted from. */
static void leave_out_the_cut(struct gather *g, struct ts_snapshot_device *last)
{
	g->s->n_cut_events = last->n_events;
	g->s->n_events -= last->n_events;
	last->n_events = 0;
}

static bool take_traces(struct gather *g, struct ts_pickle_value value)
{
	const struct ts_pickle_object *traces = list_of(g, value);
	struct ts_snapshot_event *events = ts_arena_array(g->arena, g->p->rows->of[TS_ROW_EVENT].n, sizeof *events);
	struct ts_snapshot_device *devices = ts_arena_array(g->arena, TS_SNAPSHOT_DEVICES_MAX, sizeof *devices);
	size_t n = 0;

	if (!traces || traces->shape == TS_SHAPE_ROWS)
		return bad(g, "\"device_traces\" is no list of lists");
	if (traces->n > TS_SNAPSHOT_DEVICES_MAX)
		return bad(g, "\"device_traces\" has more than 1024 devices");
	if (!events || !devices || !begin_seen(g, g->p->rows->of[TS_ROW_EVENT].n))
		return no_memory(g);
	for (uint32_t i = 0; i < traces->n; i++) {
		const struct ts_pickle_object *list = list_of(g, ts_pickle_item(traces, i));

		devices[i].first_event = n;
		g->s->n_passed += !list;
		if (list && !take_rows(g, list, TS_ROW_EVENT, (uint8_t *)events, &n, "events"))
			return false;
		devices[i].n_events = n - devices[i].first_event;
	}
	if (traces->n > g->s->n_devices)
		g->s->n_devices = traces->n;
	g->s->devices = devices;
	g->s->events = events;
	g->s->n_events = n;
	g->s->traced = true;
	if (g->in_events && traces->n)
		leave_out_the_cut(g, &devices[traces->n - 1]);
	return true;
}

/* --- settings and marks --- */

static struct ts_span text_of_value(struct gather *g, struct ts_pickle_value v)
{
	char number[TS_DOUBLE_TEXT];
	const char *text;

	switch ((enum ts_pickle_kind)v.kind) {
	case TS_VALUE_TEXT:
		return g->s->texts[v.id];
	case TS_VALUE_INT:
		text = ts_arena_printf(g->arena, "%" PRId64, v.i);
		break;
	case TS_VALUE_UINT:
		text = ts_arena_printf(g->arena, "%" PRIu64, v.u);
		break;
	case TS_VALUE_FLOAT:
		return ts_arena_span(g->arena, ts_span_of(number, ts_print_double(v.f, number)));
	case TS_VALUE_TRUE:
		text = "true";
		break;
	case TS_VALUE_FALSE:
		text = "false";
		break;
	case TS_VALUE_NONE:
		text = "none";
		break;
	case TS_VALUE_UNSET:
	case TS_VALUE_OTHER:
	case TS_VALUE_BYTES:
	case TS_VALUE_FRAME:
	case TS_VALUE_ROW:
	case TS_VALUE_OBJECT:
	default:
		g->s->n_passed++;
		text = "(not shown)";
		break;
	}
	return text ? ts_span_str(text) : ts_span_of(NULL, 0);
}

static bool add_setting(struct gather *g, struct ts_snapshot_setting *to, struct ts_span outer, struct ts_pickle_value key,
			struct ts_pickle_value v)
{
	struct ts_span name = text_of_value(g, key);
	const char *both;

	if (outer.len) {
		both = ts_arena_printf(g->arena, "%.*s.%.*s", TS_SPAN_ARG(outer), TS_SPAN_ARG(name));
		if (!both)
			return no_memory(g);
		name = ts_span_str(both);
	}
	*to = (struct ts_snapshot_setting){name, text_of_value(g, v)};
	return !g->arena->failed || no_memory(g);
}

static const struct ts_pickle_object *dict_of(const struct gather *g, struct ts_pickle_value v)
{
	const struct ts_pickle_object *o = v.kind == TS_VALUE_OBJECT ? ts_pickle_object_of(g->p, v.id) : NULL;

	return o && (o->shape == TS_SHAPE_DICT || o->shape == TS_SHAPE_DICT_EMPTY) ? o : NULL;
}

static bool take_settings(struct gather *g, struct ts_pickle_value value)
{
	enum { SETTINGS_MAX = 1024 };
	const struct ts_pickle_object *dict = dict_of(g, value);
	struct ts_snapshot_setting *settings = ts_arena_array(g->arena, SETTINGS_MAX, sizeof *settings);
	size_t n = 0;

	if (!dict) {
		g->s->n_passed++;
		return true;
	}
	if (!settings)
		return no_memory(g);
	for (uint32_t i = 0; i < dict->n; i += 2) {
		const struct ts_pickle_object *inner = dict_of(g, dict->items[i + 1]);
		struct ts_span name = inner ? text_of_value(g, dict->items[i]) : ts_span_of(NULL, 0);

		for (uint32_t k = 0; k < (inner ? inner->n : 2); k += 2) {
			const struct ts_pickle_value *pair = inner ? &inner->items[k] : &dict->items[i];

			if (n == SETTINGS_MAX)
				return bad(g, "the allocator has more than 1024 settings");
			if (!add_setting(g, &settings[n++], name, pair[0], pair[1]))
				return false;
		}
	}
	g->s->settings = settings;
	g->s->n_settings = n;
	return true;
}

static bool take_marks(struct gather *g, struct ts_pickle_value value)
{
	const struct ts_pickle_object *list = list_of(g, value);
	struct ts_snapshot_mark *marks = ts_arena_array(g->arena, g->p->rows->of[TS_ROW_MARK].n, sizeof *marks);
	size_t n = 0;

	if (!list) {
		g->s->n_passed++;
		return true;
	}
	if (!marks || !begin_seen(g, g->p->rows->of[TS_ROW_MARK].n))
		return no_memory(g);
	for (uint32_t i = 0; i < list->n; i++) {
		struct ts_pickle_value v = ts_pickle_item(list, i);

		if (v.kind != TS_VALUE_ROW || v.row != TS_ROW_MARK || n == g->p->rows->of[TS_ROW_MARK].n)
			g->s->n_passed++;
		else
			marks[n++] = ((const struct ts_snapshot_mark *)g->p->rows->of[TS_ROW_MARK].data)[v.id];
	}
	g->s->marks = marks;
	g->s->n_marks = n;
	return true;
}

/* --- the whole --- */

static bool take_texts(struct gather *g)
{
	struct ts_intern *in = &g->p->intern;
	struct ts_span *texts = ts_arena_array(g->arena, in->texts.n, sizeof *texts);
	const uint8_t *bytes = copy_of(g, &in->bytes, 1);

	g->s->frames = copy_of(g, &in->frames, sizeof(struct ts_snapshot_frame));
	g->s->stacks = copy_of(g, &in->stacks, sizeof(struct ts_snapshot_stack));
	g->s->stack_frames = copy_of(g, &in->stack_frames, sizeof(uint32_t));
	g->s->unknown = ts_arena_dup(g->arena, g->p->rows->unknown, g->p->rows->n_unknown * sizeof *g->s->unknown);
	if (g->arena->failed || !texts)
		return no_memory(g);
	for (size_t i = 0; i < in->texts.n; i++) {
		const struct ts_intern_text *t = (const struct ts_intern_text *)in->texts.data + i;

		texts[i] = ts_span_of(bytes + t->at, t->len);
	}
	g->s->texts = texts;
	g->s->n_texts = in->texts.n;
	g->s->n_frames = in->frames.n;
	g->s->n_stacks = in->stacks.n;
	g->s->n_stack_frames = in->stack_frames.n;
	g->s->n_unknown = g->p->rows->n_unknown;
	g->s->n_passed = g->p->rows->n_passed;
	return true;
}

static bool take_dict(struct gather *g, const struct ts_pickle_object *dict)
{
	struct ts_pickle_value segments = {0}, traces = {0}, settings = {0}, marks = {0};

	for (uint32_t i = 0; i < dict->n; i += 2) {
		struct ts_pickle_value key = dict->items[i], value = dict->items[i + 1];

		switch (key.kind == TS_VALUE_TEXT ? key.id : TS_ROW_KEYS) {
		case TS_KEY_SEGMENTS:
			segments = value;
			break;
		case TS_KEY_DEVICE_TRACES:
			traces = value;
			break;
		case TS_KEY_ALLOCATOR_SETTINGS:
			settings = value;
			break;
		case TS_KEY_EXTERNAL_ANNOTATIONS:
			marks = value;
			break;
		default:
			ts_rows_pass(g->p->rows, key);
		}
	}
	g->in_events = g->s->cut && traces.kind && !settings.kind;
	if (!segments.kind)
		return bad(g, "this dict is no snapshot: it has no \"segments\"");
	return take_texts(g) && take_segments(g, segments) && (!traces.kind || take_traces(g, traces)) &&
	       (!settings.kind || take_settings(g, settings)) && (!marks.kind || take_marks(g, marks));
}

static bool gather(struct gather *g, struct ts_pickle_value top)
{
	const struct ts_pickle_object *dict = dict_of(g, top), *list = list_of(g, top);
	struct ts_snapshot_device *devices;

	if (dict    ? !take_dict(g, dict)
	    : !list ? !bad(g, "this is no snapshot: neither a dict nor a list of segments")
		    : !(take_texts(g) && take_segments(g, top)))
		return false;
	if (!g->s->devices) {
		devices = ts_arena_array(g->arena, g->s->n_devices, sizeof *devices);
		g->s->devices = devices;
	}
	return g->s->devices || no_memory(g);
}

/* Behind the pickle's end stands the check of what was packed, which says whether the figures are those that were written. */
static enum ts_status check_packed(struct ts_inflow *in, struct ts_pickle *p, struct ts_error *err)
{
	uint8_t behind[512];
	size_t got = 0;

	if (ts_inflow_packed(in) && ts_inflow_read(in, behind, sizeof behind, &got, err))
		return err->status;
	p->ration.read += got;
	return ts_inflow_whole(in, err);
}

/* Whether what is wrong with a pickle is that the file ends too early, or what was packed is damaged: another error may come first
 * where damaged bytes were unpacked. What is refused stays refused. */
static bool ends_early(struct ts_inflow *in, struct ts_pickle *p, enum ts_status status)
{
	struct ts_error ignored;
	uint8_t behind[512];
	size_t got = 1;

	if (status != TS_INVALID || !ts_inflow_packed(in))
		return status == TS_DAMAGED;
	while (got) {
		if (ts_inflow_read(in, behind, sizeof behind, &got, &ignored))
			return ignored.status == TS_DAMAGED;
		p->ration.read += got;
	}
	return ts_inflow_whole(in, &ignored) == TS_DAMAGED;
}

/* Whether values that were read may be wrong: the check of what was packed failed or was not reached, though the file goes on, or
 * what was unpacked before it ends is no pickle. */
static bool is_damaged(const struct ts_inflow *in, enum ts_status of_pickle)
{
	struct ts_inflow_end end = ts_inflow_end(in);

	return ts_inflow_packed(in) && !end.trailing && (!end.cut || of_pickle == TS_INVALID);
}

/* The value of the pickle, or of what stands before its file ends; err keeps why it could not be read to its end. */
static enum ts_status top_of(struct ts_inflow *in, struct ts_pickle *p, struct ts_pickle_value *ret_top, struct ts_snapshot *io,
			     struct ts_error *err)
{
	enum ts_status of_pickle = ts_pickle_run(p, ret_top, err), status = of_pickle;
	struct ts_error ignored;

	if (!status)
		status = check_packed(in, p, err);
	if (!status || !ends_early(in, p, status))
		return status;
	p->err = &ignored;
	io->cut = ts_pickle_settle(p, ret_top);
	io->damaged = io->cut && is_damaged(in, of_pickle);
	return io->cut ? TS_OK : status;
}

enum ts_status ts_snapshot_read(const struct ts_source *source, struct ts_arena *arena, struct ts_snapshot *ret_snapshot,
				struct ts_error *err)
{
	struct ts_snapshot snapshot = {0};
	struct ts_pickle *p = ts_alloc(sizeof *p);
	struct gather g = {.p = p, .arena = arena, .s = &snapshot};
	struct ts_inflow *in = NULL;
	struct ts_pickle_value top;
	enum ts_status status = TS_OK;

	if (!p)
		return ts_error_set(err, TS_NO_MEMORY, "%.*s: out of memory", TS_SPAN_ARG(source->path));
	if (ts_inflow_open(source, &in, err)) {
		ts_free(p);
		return err->status;
	}
	if (ts_pickle_init(p, in, source->path, err) || top_of(in, p, &top, &snapshot, err)) {
		status = err->status;
	} else {
		struct ts_error why;

		p->err = &why;
		snapshot.pickle_bytes = ts_pickle_offset(p);
		snapshot.trailing_bytes = snapshot.cut ? 0 : p->ration.read - snapshot.pickle_bytes;
		ts_pickle_forget(p);
		if (!gather(&g, top)) {
			/* Of a file that is cut it counts that it is. */
			if (!snapshot.cut || why.status == TS_NO_MEMORY)
				*err = why;
			status = err->status;
		} else if (snapshot.cut && !snapshot.n_segments) {
			status = err->status;
		}
	}
	ts_pickle_finish(p);
	ts_inflow_close(in);
	ts_free(p);
	if (!status)
		*ret_snapshot = snapshot;
	return status;
}

bool ts_snapshot_named(const char *path)
{
	static const char *const endings[] = {".pickle", ".pkl", ".pickle.gz", ".pkl.gz"};

	for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++)
		if (ts_span_ends(ts_span_str(path), endings[i]))
			return true;
	return false;
}

bool ts_snapshot_sniff(const char *path)
{
	uint8_t begin[2] = {0, 0};
	struct ts_error ignored;
	uint64_t size;
	size_t got;
	int fd;

	if (ts_below_kind(path, path) != TS_FILE_REGULAR || ts_below_open(path, path, &fd, &size, &ignored))
		return false;
	if (ts_pread_full(fd, begin, sizeof begin, 0, &got, &ignored))
		got = 0;
	(void)close(fd);
	if (got == 2 && begin[0] == 0x1f && begin[1] == 0x8b)
		return ts_snapshot_named(path);
	return got == 2 && begin[0] == 0x80 && begin[1] >= 2 && begin[1] <= 5;
}

enum ts_status ts_snapshot_load(const char *path, struct ts_arena *arena, struct ts_snapshot *ret_snapshot, struct ts_error *err)
{
	struct ts_source source = {.name = ts_span_str(path), .path = ts_span_str(path)};
	enum ts_status status;

	if (ts_below_open(path, path, &source.fd, &source.size, err))
		return err->status;
	status = ts_snapshot_read(&source, arena, ret_snapshot, err);
	(void)close(source.fd);
	return status;
}
