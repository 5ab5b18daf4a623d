#include "cli/view/show_name.h"

#include "analysis/trace/device/kernel.h"
#include "base/text.h"
#include "cli/view/show_value.h"

struct ts_span ts_name_cut(struct ts_span text, size_t most)
{
	size_t at = 0, n;
	uint32_t point;

	if (text.len <= most)
		return text;
	while ((n = ts_utf8_next(ts_span_from(text, at), &point)) != 0 && at + n <= most)
		at += n;
	return ts_span_part(text, 0, at);
}

const char *ts_show_name(struct ts_span name, struct ts_arena *arena)
{
	struct ts_span part = ts_name_cut(name, TS_NAME_SHOWN);
	const char *text = ts_show_text(part, arena);

	return text && part.len < name.len ? ts_arena_printf(arena, "%s…", text) : text;
}

/* How many bytes of what stands at `at` are one of the words that most names have. */
static size_t common_word(struct ts_span name, size_t at)
{
	static const char *const words[] = {"void ", "at::native::", "at::detail::", "c10::", "(anonymous namespace)::"};
	struct ts_span rest = ts_span_from(name, at);

	if (at && (ts_is_alnum(name.data[at - 1]) || name.data[at - 1] == '_'))
		return 0;
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (ts_span_starts(rest, ts_span_str(words[i])))
			return strlen(words[i]);
	return 0;
}

const char *ts_show_kernel(struct ts_span name, struct ts_arena *arena)
{
	struct ts_span bare = ts_name_cut(ts_kernel_without_arguments(name), 2 * TS_NAME_SHOWN);
	uint8_t *text = ts_arena_alloc(arena, bare.len + 1);
	size_t n = 0;

	if (!text)
		return NULL;
	for (size_t at = 0; at < bare.len;) {
		size_t word = common_word(bare, at);

		if (!word)
			text[n++] = bare.data[at++];
		at += word;
	}
	/* Names of common words alone stay as they are. */
	return ts_show_name(n ? ts_span_of(text, n) : bare, arena);
}
