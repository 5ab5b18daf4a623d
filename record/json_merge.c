#include "record/json_merge.h"

#include "record/utf8.h"

#include <stdlib.h>
#include <string.h>

struct scan {
	const char *at, *end;
};

struct piece {
	const char *at;
	size_t len;
};

struct out {
	char *data;
	size_t len, room;
	bool failed;
};

static bool skip_value(struct scan *s, int depth);

static void skip_space(struct scan *s)
{
	while (s->at < s->end && (*s->at == ' ' || *s->at == '\t' || *s->at == '\n' || *s->at == '\r'))
		s->at++;
}

static bool take(struct scan *s, char c)
{
	if (s->at >= s->end || *s->at != c)
		return false;
	s->at++;
	return true;
}

static bool is_digit(const struct scan *s)
{
	return s->at < s->end && *s->at >= '0' && *s->at <= '9';
}

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool skip_escape(struct scan *s)
{
	if (take(s, 'u')) {
		for (int i = 0; i < 4; i++, s->at++) {
			if (s->at >= s->end || !is_hex(*s->at))
				return false;
		}
		return true;
	}
	if (s->at >= s->end || *s->at == '\0' || !strchr("\"\\/bfnrt", *s->at))
		return false;
	s->at++;
	return true;
}

static bool skip_string(struct scan *s)
{
	if (!take(s, '"'))
		return false;
	while (s->at < s->end && *s->at != '"') {
		if ((unsigned char)*s->at < 0x20)
			return false;
		if (*s->at++ == '\\' && !skip_escape(s))
			return false;
	}
	return take(s, '"');
}

static bool skip_digits(struct scan *s)
{
	if (!is_digit(s))
		return false;
	while (is_digit(s))
		s->at++;
	return true;
}

static bool skip_number(struct scan *s)
{
	if (!take(s, '0') && !skip_digits(s))
		return false;
	if (take(s, '.') && !skip_digits(s))
		return false;
	if (!take(s, 'e') && !take(s, 'E'))
		return true;
	if (!take(s, '+'))
		(void)take(s, '-');
	return skip_digits(s);
}

static bool skip_word(struct scan *s, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(s->end - s->at) < n || memcmp(s->at, word, n) != 0)
		return false;
	s->at += n;
	return true;
}

/* Goes on behind the comma or the end of a list or object. Returns false if neither is there. */
static bool next_member(struct scan *s, char close, bool *ret_more)
{
	skip_space(s);
	*ret_more = take(s, ',');
	if (*ret_more)
		skip_space(s);
	return *ret_more || take(s, close);
}

static bool skip_list(struct scan *s, int depth)
{
	bool more = true;

	s->at++;
	skip_space(s);
	if (take(s, ']'))
		return true;
	while (more) {
		if (!skip_value(s, depth) || !next_member(s, ']', &more))
			return false;
	}
	return true;
}

/* Takes a key, the colon, and a value; the scan stands at the key. */
static bool skip_member(struct scan *s, int depth, struct piece *ret_key, struct piece *ret_value)
{
	ret_key->at = s->at;
	if (!skip_string(s))
		return false;
	ret_key->len = (size_t)(s->at - ret_key->at);
	skip_space(s);
	if (!take(s, ':'))
		return false;
	skip_space(s);
	ret_value->at = s->at;
	if (!skip_value(s, depth))
		return false;
	ret_value->len = (size_t)(s->at - ret_value->at);
	return true;
}

static bool skip_object(struct scan *s, int depth)
{
	struct piece key, value;
	bool more = true;

	s->at++;
	skip_space(s);
	if (take(s, '}'))
		return true;
	while (more) {
		if (!skip_member(s, depth, &key, &value) || !next_member(s, '}', &more))
			return false;
	}
	return true;
}

/* depth: how many lists and objects may still be opened. */
static bool skip_value(struct scan *s, int depth)
{
	if (s->at >= s->end)
		return false;
	switch (*s->at) {
	case '{':
		return depth > 0 && skip_object(s, depth - 1);
	case '[':
		return depth > 0 && skip_list(s, depth - 1);
	case '"':
		return skip_string(s);
	case 't':
		return skip_word(s, "true");
	case 'f':
		return skip_word(s, "false");
	case 'n':
		return skip_word(s, "null");
	case 'N':
		return skip_word(s, "NaN");
	default:
		(void)take(s, '-');
		return s->at < s->end && *s->at == 'I' ? skip_word(s, "Infinity") : skip_number(s);
	}
}

bool ts_record_json_check(const char *text, size_t len, size_t *ret_at)
{
	struct scan s = {text, text + len};
	bool good;

	*ret_at = 0;
	if (len > TS_JSON_LIMIT || !ts_record_utf8_valid(text, len))
		return false;
	skip_space(&s);
	good = s.at < s.end && *s.at == '{' && skip_value(&s, TS_JSON_DEPTH);
	if (good)
		skip_space(&s);
	*ret_at = (size_t)(s.at - text);
	return good && s.at == s.end;
}

static void put(struct out *o, const char *bytes, size_t len)
{
	if (o->failed)
		return;
	if (len > o->room - o->len) {
		size_t room = 2 * o->room + len + 64;
		char *data = realloc(o->data, room);

		o->failed = !data || o->len + len > 2 * (size_t)TS_JSON_LIMIT;
		if (data)
			o->data = data;
		if (o->failed)
			return;
		o->room = room;
	}
	memcpy(o->data + o->len, bytes, len);
	o->len += len;
}

/* Stands at the first key, or at the closing brace, of an object that was checked. */
static struct scan members(struct piece object)
{
	struct scan s = {object.at, object.at + object.len};

	skip_space(&s);
	(void)take(&s, '{');
	skip_space(&s);
	return s;
}

/* Takes the next member of an object that was checked; false: there is none any more. */
static bool next(struct scan *s, struct piece *ret_key, struct piece *ret_value)
{
	bool more;

	return s->at < s->end && *s->at == '"' && skip_member(s, TS_JSON_DEPTH, ret_key, ret_value) && next_member(s, '}', &more);
}

/* Of a key that is there twice, the last. */
static bool find(struct piece object, struct piece key, struct piece *ret_value)
{
	struct scan s = members(object);
	struct piece k, v;
	bool found = false;

	while (next(&s, &k, &v)) {
		if (k.len != key.len || memcmp(k.at, key.at, k.len) != 0)
			continue;
		*ret_value = v;
		found = true;
	}
	return found;
}

static void put_member(struct out *o, bool *first, struct piece key)
{
	put(o, *first ? "\n" : ",\n", *first ? 1 : 2);
	*first = false;
	put(o, key.at, key.len);
	put(o, ": ", 2);
}

static void join(struct out *o, struct piece under, struct piece over)
{
	struct scan s = members(under);
	struct piece key, value, other;
	bool first = true;

	put(o, "{", 1);
	while (next(&s, &key, &value)) {
		put_member(o, &first, key);
		if (!find(over, key, &other))
			put(o, value.at, value.len);
		else if (*value.at == '{' && *other.at == '{')
			join(o, value, other);
		else
			put(o, other.at, other.len);
	}
	s = members(over);
	while (next(&s, &key, &value)) {
		if (find(under, key, &other))
			continue;
		put_member(o, &first, key);
		put(o, value.at, value.len);
	}
	put(o, first ? "}" : "\n}", first ? 1 : 2);
}

char *ts_record_json_merge(const char *under, size_t under_len, const char *over, size_t over_len, size_t *ret_len)
{
	struct out o = {0};

	join(&o, (struct piece){under, under_len}, (struct piece){over, over_len});
	put(&o, "\n", 1);
	if (o.failed) {
		free(o.data);
		return NULL;
	}
	*ret_len = o.len;
	return o.data;
}
