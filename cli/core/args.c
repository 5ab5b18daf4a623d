/* args.c - parses the command line in one pass over argv; see args.h. */
#include "cli/core/args.h"

#include "base/number.h"
#include "base/suggest.h"
#include "cli/core/gone.h"

#include <float.h>

static const struct ts_option *find_long(const struct ts_option *table, struct ts_span name)
{
	for (; table && table->name; table++)
		if (ts_span_is(name, table->name))
			return table;
	return NULL;
}

static const struct ts_option *find_letter(const struct ts_option *table, char letter)
{
	for (; table && table->name; table++)
		if (table->letter == letter)
			return table;
	return NULL;
}

static const char *nearest(const char *typed, const struct ts_option *table, const char *best, size_t *distance)
{
	for (; table && table->name; table++)
		best = ts_suggest(typed, table->name, best, distance);
	return best;
}

/* value: what stands behind it; NULL: nothing. */
static enum ts_status unknown(const char *typed, const char *value, const struct ts_option *own, const struct ts_option *common,
			      struct ts_error *err)
{
	size_t bound = ts_suggest_bound(typed);
	const char *best = nearest(typed, own, NULL, &bound);

	if (value && ts_gone_option(typed, value, err))
		return err->status;
	best = nearest(typed, common, best, &bound);
	if (best)
		return ts_error_set(err, TS_INVALID, "unknown option --%s; did you mean --%s?", typed, best);
	return ts_error_set(err, TS_INVALID, "unknown option --%s", typed);
}

bool ts_option_is_optional(const struct ts_option *option)
{
	return option->argument && option->argument[0] == '=';
}

static bool among(const char *choices, const char *value)
{
	size_t n = strlen(value);

	for (const char *at = choices; *at;) {
		size_t len = strcspn(at, " ");

		if (len == n && memcmp(at, value, n) == 0)
			return true;
		at += len;
		at += *at == ' ';
	}
	return false;
}

static enum ts_status add(struct ts_args *args, const struct ts_option *option, const char *value, bool letter, struct ts_error *err)
{
	bool refused = value && option->complete == TS_COMPLETE_CHOICE && !among(option->choices, value);

	if (refused && ts_gone_option(option->name, value, err))
		return err->status;
	if (refused)
		return ts_error_set(err, TS_INVALID, "--%s must be one of: %s; it is '%s'", option->name, option->choices,
				    value);
	args->items[args->n++] = (struct ts_arg){option, value, letter};
	return TS_OK;
}

/* Takes one word that begins with "--". *io_at is its index in argv; it moves on if the value is the next word. */
static enum ts_status take_long(struct ts_args *args, const struct ts_option *own, const struct ts_option *common,
				int argc, const char *const *argv, int *io_at, struct ts_arena *arena,
				struct ts_error *err)
{
	const char *text = argv[*io_at] + 2;
	const char *equals = strchr(text, '=');
	struct ts_span name = ts_span_of(text, equals ? (size_t)(equals - text) : strlen(text));
	const struct ts_option *option = find_long(own, name);
	const char *value = equals ? equals + 1 : NULL;

	if (!option)
		option = find_long(common, name);
	if (!option) {
		const char *copy = ts_arena_printf(arena, "%.*s", TS_SPAN_ARG(name));

		if (!value && *io_at + 1 < argc)
			value = argv[*io_at + 1];
		return copy ? unknown(copy, value, own, common, err) : ts_arena_error(arena, err);
	}
	if (!option->argument && value)
		return ts_error_set(err, TS_INVALID, "--%s takes no value", option->name);
	if (option->argument && !value && !ts_option_is_optional(option)) {
		if (*io_at + 1 >= argc)
			return ts_error_set(err, TS_INVALID, "--%s needs a value: --%s %s", option->name,
					    option->name, option->argument);
		value = argv[++*io_at];
	}
	return add(args, option, value, false, err);
}

/* Takes one word of short options. Switches may be joined; the first option that takes a value takes the rest of the word. */
static enum ts_status take_short(struct ts_args *args, const struct ts_option *own, const struct ts_option *common,
				 int argc, const char *const *argv, int *io_at, struct ts_error *err)
{
	for (const char *at = argv[*io_at] + 1; *at; at++) {
		const struct ts_option *option = find_letter(own, *at);
		enum ts_status status;

		if (!option)
			option = find_letter(common, *at);
		if (!option)
			return ts_error_set(err, TS_INVALID, "unknown option -%c", *at);
		if (!option->argument) {
			status = add(args, option, NULL, true, err);
			if (status)
				return status;
			continue;
		}
		if (at[1])
			return add(args, option, at + 1, true, err);
		if (*io_at + 1 >= argc)
			return ts_error_set(err, TS_INVALID, "-%c needs a value: -%c %s", *at, *at, option->argument);
		return add(args, option, argv[++*io_at], true, err);
	}
	return TS_OK;
}

static enum ts_status grow(struct ts_args *args, int argc, struct ts_arena *arena, struct ts_error *err)
{
	/* Joined short switches are the only way to get more options than words; their letters bound them. */
	struct ts_arg *items = ts_arena_array(arena, args->n + (size_t)argc * 16 + 1, sizeof *items);
	const char **words = ts_arena_array(arena, args->n_words + (size_t)argc + 1, sizeof *words);

	if (!items || !words)
		return ts_arena_error(arena, err);
	if (args->n)
		memcpy(items, args->items, args->n * sizeof *items);
	if (args->n_words)
		memcpy(words, args->words, args->n_words * sizeof *words);
	args->items = items;
	args->words = words;
	return TS_OK;
}

enum ts_status ts_args_parse(struct ts_args *args, const struct ts_option *own, const struct ts_option *common,
			     int argc, const char *const *argv, bool stop_at_word, struct ts_arena *arena,
			     struct ts_error *err)
{
	bool only_words = false;
	enum ts_status status = grow(args, argc, arena, err);

	for (int i = 0; !status && i < argc; i++) {
		const char *word = argv[i];

		if (only_words || word[0] != '-' || !word[1]) {
			only_words |= stop_at_word;
			args->words[args->n_words++] = word;
		} else if (strcmp(word, "--") == 0) {
			only_words = args->dashes = true;
			args->n_before = args->n_words;
		} else if (word[1] == '-') {
			status = take_long(args, own, common, argc, argv, &i, arena, err);
		} else if (strlen(word) > 16) {
			status = ts_error_set(err, TS_INVALID, "unknown option %s", word);
		} else {
			status = take_short(args, own, common, argc, argv, &i, err);
		}
	}
	if (args->words)
		args->words[args->n_words] = NULL;
	if (!args->dashes)
		args->n_before = args->n_words;
	return status;
}

bool ts_is_path(const char *word)
{
	return word[0] == '/' || strncmp(word, "./", 2) == 0 || strncmp(word, "../", 3) == 0 ||
	       strcmp(word, ".") == 0 || strcmp(word, "..") == 0;
}

bool ts_args_has(const struct ts_args *args, const char *name)
{
	for (size_t i = 0; i < args->n; i++)
		if (strcmp(args->items[i].option->name, name) == 0)
			return true;
	return false;
}

bool ts_args_by_letter(const struct ts_args *args, const char *name)
{
	size_t given = 0, letters = 0;

	for (size_t i = 0; i < args->n; i++) {
		given += strcmp(args->items[i].option->name, name) == 0;
		letters += strcmp(args->items[i].option->name, name) == 0 && args->items[i].letter;
	}
	return given && letters == given;
}

const char *ts_args_text(const struct ts_args *args, const char *name)
{
	for (size_t i = args->n; i > 0; i--)
		if (strcmp(args->items[i - 1].option->name, name) == 0)
			return args->items[i - 1].value;
	return NULL;
}

const char *ts_args_nth(const struct ts_args *args, const char *name, size_t nth)
{
	for (size_t i = 0; i < args->n; i++)
		if (strcmp(args->items[i].option->name, name) == 0 && nth-- == 0)
			return args->items[i].value;
	return NULL;
}

enum ts_status ts_args_uint(const struct ts_args *args, const char *name, uint64_t max, bool *ret_given,
			    uint64_t *ret_value, struct ts_error *err)
{
	const char *text = ts_args_text(args, name);
	uint64_t value = 0;

	if (text && (!ts_parse_u64(ts_span_str(text), &value) || value > max))
		return ts_error_set(err, TS_INVALID, "--%s must be a whole number from 0 to %" PRIu64 "; it is '%s'",
				    name, max, text);
	*ret_given = text != NULL;
	*ret_value = value;
	return TS_OK;
}

enum ts_status ts_args_above_zero(const struct ts_args *args, const char *name, bool *ret_given, double *ret_value,
				  struct ts_error *err)
{
	const char *text = ts_args_text(args, name);
	double value = 0;

	/* A number too large for a double is read as infinity. */
	if (text && (!ts_parse_double(ts_span_str(text), &value) || !(value > 0) || value > DBL_MAX))
		return ts_error_set(err, TS_INVALID, "--%s must be a number above 0; it is '%s'", name, text);
	*ret_given = text != NULL;
	*ret_value = value;
	return TS_OK;
}

/* Takes the unit off the end of the text; false if it has none. */
static bool unit_bytes(struct ts_span *io_text, double *ret_unit)
{
	static const struct { const char *name; double bytes; } units[] = {
		{"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12},
	};

	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
		size_t n = strlen(units[i].name);

		if (io_text->len <= n || memcmp(io_text->data + io_text->len - n, units[i].name, n) != 0)
			continue;
		*ret_unit = units[i].bytes;
		io_text->len -= n;
		io_text->len -= io_text->data[io_text->len - 1] == ' ';
		return true;
	}
	return false;
}

enum ts_status ts_args_bytes(const struct ts_args *args, const char *name, bool *ret_given, double *ret_bytes,
			     struct ts_error *err)
{
	const char *text = ts_args_text(args, name);
	struct ts_span number = text ? ts_span_str(text) : ts_span_of(NULL, 0);
	double value = 0, unit = 1;

	/* A number without a unit may be meant in bytes or in GiB, so it is refused. */
	if (text && (!unit_bytes(&number, &unit) || !ts_parse_double(number, &value) || !(value > 0) || value > DBL_MAX / unit))
		return ts_error_set(err, TS_INVALID, "--%s must be a size with its unit, such as 80GiB or 81559MiB; it is '%s'", name,
				    text);
	*ret_given = text != NULL;
	*ret_bytes = value * unit;
	return TS_OK;
}

static bool unit_seconds(struct ts_span *io_text, uint64_t *ret_unit)
{
	static const struct { char letter; uint64_t seconds; } units[] = {
		{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400},
	};

	*ret_unit = 1;
	if (io_text->len == 0)
		return false;
	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
		if (io_text->data[io_text->len - 1] != (uint8_t)units[i].letter)
			continue;
		*ret_unit = units[i].seconds;
		io_text->len--;
		return true;
	}
	return true;
}

enum ts_status ts_args_seconds(const struct ts_args *args, const char *name, bool *ret_given, uint64_t *ret_seconds,
			       struct ts_error *err)
{
	const char *text = ts_args_text(args, name);
	struct ts_span number = text ? ts_span_str(text) : ts_span_of(NULL, 0);
	uint64_t value = 0, unit = 1;

	/* A century is longer than any lease, and this bound keeps the product in range. */
	if (text && (!unit_seconds(&number, &unit) || !ts_parse_u64(number, &value) || value > 3153600000ull / unit))
		return ts_error_set(err, TS_INVALID, "--%s must be a duration such as 90s, 15m, 24h or 7d; it is '%s'", name,
				    text);
	*ret_given = text != NULL;
	*ret_seconds = value * unit;
	return TS_OK;
}
