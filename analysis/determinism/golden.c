#include "analysis/determinism/golden.h"

#include "analysis/determinism/golden_lines.h"
#include "base/bisect.h"
#include "base/grow.h"
#include "base/json_reader.h"
#include "base/json_writer.h"
#include "base/number.h"
#include "base/order.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static const char format_key[] = "tscope_golden", series_key[] = "series";

struct reading {
	struct ts_json_reader json;
	struct ts_arena *arena;
	struct ts_golden *out;
	size_t cap;
};

static enum ts_status refuse(size_t at, const char *what, struct ts_error *err)
{
	return ts_error_set(err, TS_INVALID, "byte %zu: %s", at, what);
}

static enum ts_status next(struct reading *r, struct ts_json_token *token, struct ts_error *err)
{
	return ts_json_next(&r->json, token, err);
}

static enum ts_status keep(struct reading *r, struct ts_span text, struct ts_span *ret, struct ts_error *err)
{
	*ret = ts_arena_span(r->arena, text);
	return ret->data || !text.len ? TS_OK : ts_arena_error(r->arena, err);
}

TS_ORDER(by_step, struct ts_golden_value, TS_UP(step))

/* One value of a series: a number, a digest, or a text that says that there is none. */
static enum ts_status value(const struct ts_json_token *token, struct ts_golden_series *s, bool *io_known, struct ts_golden_value *v,
			    bool *ret_has, struct ts_error *err)
{
	bool digest = token->type == TS_JSON_STRING && ts_parse_hex64(token->text, &v->word);
	bool number = token->type == TS_JSON_NUMBER;

	*ret_has = digest || number;
	if (token->type != TS_JSON_STRING && !number)
		return refuse(token->at, "a value is a number, a digest of 16 hexadecimal digits, or a text such as \"nan\"", err);
	if (!*ret_has)
		return TS_OK;
	if (*io_known && s->digest != digest)
		return refuse(token->at, "a series has numbers or digests, not both", err);
	*io_known = true;
	s->digest = digest;
	v->real = number ? token->number : 0;
	return TS_OK;
}

static enum ts_status values(struct reading *r, struct ts_golden_series *s, struct ts_error *err)
{
	struct ts_json_token token;
	size_t cap = 0, empty_cap = 0, kept = 0;
	bool known = false, has;

	if (next(r, &token, err))
		return err->status;
	if (token.type != TS_JSON_OBJECT)
		return refuse(token.at, "values is an object of a value by step", err);
	for (;;) {
		struct ts_golden_value v = {.step = 0};

		if (next(r, &token, err))
			return err->status;
		if (token.type == TS_JSON_END)
			break;
		if (!ts_parse_i64(token.text, &v.step))
			return refuse(token.at, "a step is a whole number", err);
		if (next(r, &token, err) || value(&token, s, &known, &v, &has, err))
			return err->status;
		if (!has) {
			if (!TS_GROW_IN(r->arena, s->empty, empty_cap, s->n_empty + 1, 8))
				return ts_arena_error(r->arena, err);
			s->empty[s->n_empty++] = v.step;
			continue;
		}
		if (!TS_GROW_IN(r->arena, s->values, cap, s->n + 1, 64))
			return ts_arena_error(r->arena, err);
		s->values[s->n++] = v;
	}
	TS_SORT(s->values, s->n, by_step);
	for (size_t i = 0; i < s->n; i++)
		if (!kept || s->values[kept - 1].step != s->values[i].step)
			s->values[kept++] = s->values[i];
		else
			return ts_error_set(err, TS_INVALID, "step %" PRId64 " of '%.*s' stands twice", s->values[i].step,
					    TS_SPAN_ARG(s->name));
	return TS_OK;
}

/* What a file says of the steps of a series, beside its values. */
struct said {
	double start, end, interval;
};

static double *member_of(struct said *said, struct ts_span name)
{
	if (ts_span_is(name, "start_step"))
		return &said->start;
	if (ts_span_is(name, "end_step"))
		return &said->end;
	return ts_span_is(name, "step_interval") ? &said->interval : NULL;
}

static enum ts_status said_or_skipped(struct reading *r, struct said *said, struct ts_span name, struct ts_error *err)
{
	double *member = member_of(said, name);
	struct ts_json_token token;

	if (!member)
		return ts_json_skip(&r->json, NULL, err);
	if (next(r, &token, err))
		return err->status;
	if (token.type != TS_JSON_NUMBER)
		return refuse(token.at, "start_step, end_step and step_interval are numbers", err);
	*member = token.number;
	return TS_OK;
}

static double steps_said(const struct said *said)
{
	return said->interval > 0 && said->end >= said->start ? (said->end - said->start) / said->interval + 1 : 0;
}

static enum ts_status one_series(struct reading *r, struct ts_span name, struct ts_error *err)
{
	struct ts_golden_series s = {.rounded = r->out->nvidia};
	struct said said = {.interval = 0};
	struct ts_json_token token;
	bool has = false;

	if (keep(r, name, &s.name, err) || next(r, &token, err))
		return err->status;
	if (token.type != TS_JSON_OBJECT)
		return refuse(token.at, "a series is an object", err);
	for (;;) {
		if (next(r, &token, err))
			return err->status;
		if (token.type == TS_JSON_END)
			break;
		if (ts_span_is(token.text, "values")) {
			if (has)
				return refuse(token.at, "values stands twice", err);
			has = true;
			if (values(r, &s, err))
				return err->status;
		} else if (said_or_skipped(r, &said, token.text, err)) {
			return err->status;
		}
	}
	if (!has)
		return refuse(token.at, "a series has values", err);
	s.said = r->out->nvidia ? steps_said(&said) : 0;
	if (r->out->n == TS_GOLDEN_SERIES)
		return refuse(token.at, "there are more series than a golden record has", err);
	for (size_t i = 0; i < r->out->n; i++)
		if (ts_span_eq(r->out->series[i].name, s.name))
			return refuse(token.at, "a series stands twice", err);
	if (!TS_GROW_IN(r->arena, r->out->series, r->cap, r->out->n + 1, 8))
		return ts_arena_error(r->arena, err);
	r->out->series[r->out->n++] = s;
	return TS_OK;
}

static enum ts_status all_series(struct reading *r, struct ts_error *err)
{
	struct ts_json_token token;

	if (next(r, &token, err))
		return err->status;
	if (token.type != TS_JSON_OBJECT)
		return refuse(token.at, "series is an object", err);
	for (;;) {
		if (next(r, &token, err))
			return err->status;
		if (token.type == TS_JSON_END)
			return TS_OK;
		if (one_series(r, token.text, err))
			return err->status;
	}
}

/* An object of texts; others are passed over. */
static enum ts_status texts(struct reading *r, struct ts_golden_pair **ret, size_t *ret_n, struct ts_error *err)
{
	struct ts_json_token token;
	size_t cap = 0;

	if (next(r, &token, err))
		return err->status;
	if (token.type != TS_JSON_OBJECT)
		return refuse(token.at, "an object of texts is expected", err);
	for (;;) {
		struct ts_golden_pair pair;

		if (next(r, &token, err))
			return err->status;
		if (token.type == TS_JSON_END)
			return TS_OK;
		if (keep(r, token.text, &pair.name, err) || next(r, &token, err))
			return err->status;
		if (token.type != TS_JSON_STRING)
			return refuse(token.at, "a text is expected", err);
		if (keep(r, token.text, &pair.value, err))
			return err->status;
		if (!TS_GROW_IN(r->arena, *ret, cap, *ret_n + 1, 8))
			return ts_arena_error(r->arena, err);
		(*ret)[(*ret_n)++] = pair;
	}
}

static enum ts_status acceptances(struct reading *r, struct ts_error *err)
{
	struct ts_json_token token;
	size_t cap = 0;

	if (next(r, &token, err))
		return err->status;
	if (token.type != TS_JSON_ARRAY)
		return refuse(token.at, "accepted is an array", err);
	for (;;) {
		struct ts_golden_accepted a = {.by = {0}};

		if (next(r, &token, err))
			return err->status;
		if (token.type == TS_JSON_END)
			return TS_OK;
		if (token.type != TS_JSON_OBJECT)
			return refuse(token.at, "an acceptance is an object", err);
		for (;;) {
			struct ts_span name, text;

			if (next(r, &token, err))
				return err->status;
			if (token.type == TS_JSON_END)
				break;
			if (keep(r, token.text, &name, err) || next(r, &token, err))
				return err->status;
			if (token.type != TS_JSON_STRING)
				return refuse(token.at, "a text is expected", err);
			if (keep(r, token.text, &text, err))
				return err->status;
			*(ts_span_is(name, "by")    ? &a.by
			  : ts_span_is(name, "at")  ? &a.at
			  : ts_span_is(name, "why") ? &a.why
						    : &a.run) = text;
		}
		if (!TS_GROW_IN(r->arena, r->out->accepted, cap, r->out->n_accepted + 1, TS_GOLDEN_ACCEPTED))
			return ts_arena_error(r->arena, err);
		r->out->accepted[r->out->n_accepted++] = a;
	}
}

static enum ts_status of_tscope(struct reading *r, struct ts_error *err)
{
	struct ts_json_token token;
	bool has = false;

	if (next(r, &token, err))
		return err->status;
	if (token.type != TS_JSON_NUMBER || token.number != 1)
		return refuse(token.at, "this version of tscope reads golden records of format 1", err);
	for (;;) {
		enum ts_status status;

		if (next(r, &token, err))
			return err->status;
		if (token.type == TS_JSON_END)
			return has ? TS_OK : refuse(token.at, "a golden record has series", err);
		if (ts_span_is(token.text, series_key)) {
			if (has)
				return refuse(token.at, "series stands twice", err);
			has = true;
			status = all_series(r, err);
		} else if (ts_span_is(token.text, "accepted") && !r->out->n_accepted) {
			status = acceptances(r, err);
		} else if (ts_span_is(token.text, "facts") && !r->out->n_facts) {
			status = texts(r, &r->out->facts, &r->out->n_facts, err);
		} else {
			status = ts_json_skip(&r->json, NULL, err);
		}
		if (status)
			return status;
	}
}

static enum ts_status of_nvidia(struct reading *r, const struct ts_json_token *first, struct ts_error *err)
{
	struct ts_json_token token = *first;

	r->out->nvidia = true;
	for (;;) {
		if (token.type == TS_JSON_END)
			return r->out->n ? TS_OK : refuse(token.at, "there is no series", err);
		if (one_series(r, token.text, err) || next(r, &token, err))
			return err->status;
	}
}

enum ts_status ts_golden_parse(struct ts_span text, struct ts_arena *arena, struct ts_golden *ret, struct ts_error *err)
{
	struct ts_buf scratch = TS_BUF_INIT(TS_GOLDEN_READ_MOST);
	struct ts_golden golden = {.n = 0};
	struct reading r = {.arena = arena, .out = &golden};
	struct ts_json_token token;
	enum ts_status status;

	if (ts_golden_is_lines(text))
		return ts_golden_of_lines(text, arena, ret, err);
	ts_json_reader_init(&r.json, text, &scratch);
	status = next(&r, &token, err);
	if (!status && token.type != TS_JSON_OBJECT)
		status = refuse(token.at, "a golden record is a JSON object, or lines of a step and a loss", err);
	if (!status)
		status = next(&r, &token, err);
	if (!status)
		status = token.type == TS_JSON_KEY && ts_span_is(token.text, format_key) ? of_tscope(&r, err)
											 : of_nvidia(&r, &token, err);
	if (!status)
		status = next(&r, &token, err);
	if (!status && token.type != TS_JSON_EOF)
		status = refuse(token.at, "something follows the golden record", err);
	ts_buf_finish(&scratch);
	if (!status)
		*ret = golden;
	return status;
}

const struct ts_golden_value *ts_golden_at(const struct ts_golden_series *series, int64_t step)
{
	size_t place = 0;

	TS_BISECT(place, series->n, i, series->values[i].step < step);
	return place < series->n && series->values[place].step == step ? &series->values[place] : NULL;
}

void ts_golden_from(struct ts_golden *golden, int64_t first)
{
	for (size_t i = 0; i < golden->n; i++) {
		struct ts_golden_series *s = &golden->series[i];
		size_t before = 0, kept = 0;

		TS_BISECT(before, s->n, k, s->values[k].step < first);
		s->values += before;
		s->n -= before;
		s->said = before ? 0 : s->said;
		for (size_t k = 0; k < s->n_empty; k++)
			if (s->empty[k] >= first)
				s->empty[kept++] = s->empty[k];
		s->n_empty = kept;
	}
}

/* --- writing --- */

static void put_text(struct ts_json *j, const char *key, struct ts_span text)
{
	ts_json_key(j, key);
	ts_json_span(j, text);
}

static void put_series(struct ts_json *j, const struct ts_golden_series *s)
{
	char key[32];
	int64_t gap = s->n > 1 ? s->values[1].step - s->values[0].step : 1;

	ts_json_object(j);
	ts_json_key(j, "start_step");
	ts_json_i64(j, s->n ? s->values[0].step : 0);
	ts_json_key(j, "end_step");
	ts_json_i64(j, s->n ? s->values[s->n - 1].step : 0);
	ts_json_key(j, "step_interval");
	ts_json_i64(j, gap);
	ts_json_key(j, "values");
	ts_json_object(j);
	for (size_t i = 0; i < s->n; i++) {
		(void)snprintf(key, sizeof key, "%" PRId64, s->values[i].step);
		ts_json_key(j, key);
		if (s->digest) {
			ts_json_hex64(j, s->values[i].word);
		} else if (isfinite(s->values[i].real)) {
			ts_json_double(j, s->values[i].real);
		} else {
			ts_json_string(j, isnan(s->values[i].real) ? "nan" : s->values[i].real > 0 ? "inf" : "-inf");
		}
	}
	ts_json_end(j);
	ts_json_end(j);
}

enum ts_status ts_golden_print(const struct ts_golden *golden, struct ts_buf *out, struct ts_error *err)
{
	struct ts_json writer = ts_json_of(out), *j = &writer;
	size_t from = golden->n_accepted > TS_GOLDEN_ACCEPTED ? golden->n_accepted - TS_GOLDEN_ACCEPTED : 0, before = out->len;

	writer.indent = 1; /* so that a change of one step is one line of git's */
	ts_json_object(j);
	ts_json_key(j, format_key);
	ts_json_i64(j, 1);
	ts_json_key(j, "accepted");
	ts_json_array(j);
	for (size_t i = from; i < golden->n_accepted; i++) {
		ts_json_object(j);
		put_text(j, "by", golden->accepted[i].by);
		put_text(j, "at", golden->accepted[i].at);
		put_text(j, "why", golden->accepted[i].why);
		put_text(j, "run", golden->accepted[i].run);
		ts_json_end(j);
	}
	ts_json_end(j);
	ts_json_key(j, "facts");
	ts_json_object(j);
	for (size_t i = 0; i < golden->n_facts; i++) {
		ts_json_key_span(j, golden->facts[i].name);
		ts_json_span(j, golden->facts[i].value);
	}
	ts_json_end(j);
	ts_json_key(j, series_key);
	ts_json_object(j);
	for (size_t i = 0; i < golden->n; i++) {
		ts_json_key_span(j, golden->series[i].name);
		put_series(j, &golden->series[i]);
	}
	ts_json_end(j);
	ts_json_end(j);
	ts_buf_char(out, '\n');
	if (ts_buf_check(out, err))
		return err->status;
	if (out->len - before > TS_GOLDEN_MOST)
		return ts_error_set(err, TS_TOO_LARGE, "a golden record has %d bytes at most, and this has %zu: fewer steps fit",
				    TS_GOLDEN_MOST, out->len - before);
	return TS_OK;
}
