#include "run/name.h"

#include "base/text.h"

/* Spaces and marks that show nothing, which ts_escape leaves as they are. */
static bool is_blank(uint32_t point)
{
	return point == 0xa0 || point == 0xad || point == 0x1680 || (point >= 0x2000 && point <= 0x200f) || point == 0x2028 ||
	       point == 0x2029 || point == 0x202f || (point >= 0x205f && point <= 0x2065) || point == 0x3000 || point == 0xfeff ||
	       point == 0xfffd;
}

size_t ts_name_char(struct ts_span rest, bool first)
{
	uint32_t point;
	size_t n;

	if (!rest.len)
		return 0;
	if (rest.data[0] < 0x80)
		return ts_is_alnum(rest.data[0]) || (!first && strchr("._+-", rest.data[0]) && rest.data[0]);
	n = ts_utf8_next(rest, &point);
	if (!n || is_blank(point) || ts_harmful(point))
		return 0;
	return first && ts_text_width(ts_span_of(rest.data, n)) == 0 ? 0 : n;
}

bool ts_name_is_visible(struct ts_span name, size_t *ret_at, uint32_t *ret_point)
{
	for (size_t i = 0, n; i < name.len; i += n ? n : 1) {
		n = ts_utf8_next(ts_span_from(name, i), ret_point);
		*ret_at = i;
		if (n > 1 && ts_invisible(*ret_point))
			return false;
	}
	return true;
}

/* Matches a byte with the class that the pattern begins with, behind its '['. Returns where the class ends, behind its ']'; 0: it is
 * not closed. */
static size_t match_class(struct ts_span p, uint8_t byte, bool *ret_matches)
{
	bool other = p.len && (p.data[0] == '!' || p.data[0] == '^'), in = false;
	size_t at = other;

	for (size_t first = at; at < p.len && (p.data[at] != ']' || at == first); at++) {
		uint8_t low = p.data[at], high = low;

		if (at + 2 < p.len && p.data[at + 1] == '-' && p.data[at + 2] != ']') {
			high = p.data[at + 2];
			at += 2;
		}
		in |= byte >= low && byte <= high;
	}
	*ret_matches = in != other;
	return at < p.len ? at + 1 : 0;
}

/* How many bytes of the pattern match this byte of a name; 0: they do not. */
static size_t match_one(struct ts_span p, uint8_t byte)
{
	bool in;
	size_t n;

	if (p.data[0] == '[') {
		n = match_class(ts_span_from(p, 1), byte, &in);
		if (n)
			return in && byte != '/' ? n + 1 : 0;
	}
	return p.data[0] == byte || (p.data[0] == '?' && byte != '/');
}

/* Matches the pattern with one component, or with several as far as the pattern has them; a star stays within its component. Each star
 * has to try again only from its latest place. */
static bool match_component(struct ts_span p, struct ts_span text)
{
	size_t i = 0, k = 0, n, star = SIZE_MAX, from = 0;

	while (k < text.len) {
		if (i < p.len && p.data[i] == '*') {
			star = ++i;
			from = k;
		} else if (i < p.len && (n = match_one(ts_span_from(p, i), text.data[k]))) {
			i += n;
			k++;
		} else if (star != SIZE_MAX) {
			i = star;
			k = ++from;
		} else {
			return false;
		}
	}
	while (i < p.len && p.data[i] == '*')
		i++;
	return i == p.len;
}

static struct ts_span component_of(struct ts_span text)
{
	const uint8_t *slash = text.len ? memchr(text.data, '/', text.len) : NULL;

	return ts_span_of(text.data, slash ? (size_t)(slash - text.data) : text.len);
}

/* What is behind the first component. */
static struct ts_span rest_of(struct ts_span text)
{
	size_t n = component_of(text).len;

	return ts_span_from(text, n + (n < text.len));
}

/* As match_component, over components: ** is the star. */
static bool match_components(struct ts_span p, struct ts_span name)
{
	struct ts_span star = {NULL, 0}, from = name;
	bool has_star = false;

	while (name.len) {
		struct ts_span part = component_of(p);

		if (p.len && ts_span_is(part, "**")) {
			p = star = rest_of(p);
			if (!star.len)
				return true; /* it has at least the component that begins here */
			has_star = true;
			from = name;
		} else if (p.len && match_component(part, component_of(name))) {
			p = rest_of(p);
			name = rest_of(name);
		} else if (has_star) {
			p = star;
			name = from = rest_of(from);
		} else {
			return false;
		}
	}
	return !p.len;
}

bool ts_name_glob(struct ts_span pattern, struct ts_span name)
{
	bool below = pattern.len && pattern.data[pattern.len - 1] == '/';

	pattern.len -= below;
	if (pattern.len && !memchr(pattern.data, '/', pattern.len) && !below && !ts_span_is(pattern, "**")) {
		while (memchr(name.data, '/', name.len))
			name = rest_of(name);
		return match_component(pattern, name);
	}
	if (pattern.len && pattern.data[0] == '/')
		pattern = ts_span_from(pattern, 1);
	if (!below)
		return match_components(pattern, name);
	for (size_t end = name.len; end-- > 0;)
		if (name.data[end] == '/' && match_components(pattern, ts_span_of(name.data, end)))
			return true;
	return false;
}

bool ts_name_is_glob(struct ts_span word)
{
	for (size_t i = 0; i < word.len; i++)
		if (strchr("*?[", word.data[i]) && word.data[i])
			return true;
	return false;
}

bool ts_name_ends(struct ts_span name, struct ts_span components)
{
	size_t before = name.len - components.len;

	return components.len && components.len < name.len && name.data[before - 1] == '/' &&
	       memcmp(name.data + before, components.data, components.len) == 0;
}
