#include "ingest/facts/redact.h"

#include "base/text.h"

enum { WORD_MAX = 16 };

static bool is_upper(uint8_t c)
{
	return c >= 'A' && c <= 'Z';
}

static bool is_part(uint8_t c)
{
	return ts_is_alpha(c) || ts_is_digit(c) || c >= 0x80;
}

/* Finds the word at *io_at or behind it, in lower case; a long word is cut. Returns false if no word is left. A word
 * begins after a separator, or at a capital letter after a small letter. */
static bool next_word(struct ts_span key, size_t *io_at, char ret_word[WORD_MAX])
{
	size_t at = *io_at, len = 0;

	while (at < key.len && !is_part(key.data[at]))
		at++;
	for (; at < key.len && is_part(key.data[at]); at++) {
		uint8_t c = key.data[at];

		if (len && is_upper(c) && !is_upper(key.data[at - 1]))
			break;
		if (len < WORD_MAX - 1)
			ret_word[len++] = (char)(is_upper(c) ? c | 32 : c);
	}
	if (!len)
		return false;
	ret_word[len] = '\0';
	*io_at = at;
	return true;
}

/* "token" is secret if it stands alone or follows a word that does not belong to a vocabulary or a counter. before is
 * empty if no word precedes it. */
static bool is_secret_token(const char *before, const char *word)
{
	static const char *const harmless[] = {"pad",  "bos",  "eos",	"unk",	"sep",	 "cls",	  "mask",  "image", "audio",
					       "video", "start", "end",	"begin", "decoder", "special", "n",   "num",   "max",
					       "min",  "per",	"first", "last",  "next",  "prev",  "forced", "type", "stop",
					       "think", "word", "sub",	"by",	"each",	 "every", "global", NULL};

	return strcmp(word, "token") == 0 && !ts_word_among(before, harmless);
}

bool ts_secret_key(struct ts_span key)
{
	static const char *const secret[] = {"password", "passwd", "passphrase", "secret", "secrets", "credential",
					     "credentials", "auth", "apikey", "accesskey", "privatekey", "secretkey",
					     "authtoken", "accesstoken", NULL};
	static const char *const before_key[] = {"api", "access", "private", "secret", NULL};
	char before[WORD_MAX] = "", word[WORD_MAX] = "", next[WORD_MAX];
	size_t at = 0;

	while (next_word(key, &at, next)) {
		memcpy(before, word, sizeof before);
		memcpy(word, next, sizeof word);
		if (ts_word_among(word, secret) || (strcmp(word, "key") == 0 && ts_word_among(before, before_key)))
			return true;
	}
	return is_secret_token(before, word);
}

bool ts_secret_path(struct ts_span path)
{
	size_t start = 0;

	for (size_t i = 0; i <= path.len; i++) {
		if (i < path.len && path.data[i] == '\\') {
			i++;
			continue;
		}
		if (i < path.len && path.data[i] != '.' && path.data[i] != '[')
			continue;
		/* Escapes only add separators between words, so they need not be removed. */
		if (ts_secret_key(ts_span_of(path.data + start, i - start)))
			return true;
		start = i + 1;
	}
	return false;
}

/* Finds user:password in "scheme://user:password@". *ret_from and *ret_to are its bounds. */
static bool find_userinfo(struct ts_span text, size_t *ret_from, size_t *ret_to)
{
	for (size_t i = 0; i + 3 < text.len; i++) {
		size_t colon = 0;

		if (memcmp(text.data + i, "://", 3) != 0)
			continue;
		for (size_t at = i + 3; at < text.len; at++) {
			uint8_t c = text.data[at];

			if (c == '/' || c == '?' || c == '#' || ts_is_space(c) || c == '"' || c == '\'')
				break;
			if (c == ':' && !colon)
				colon = at;
			if (c == '@' && colon) {
				*ret_from = i + 3;
				*ret_to = at;
				return true;
			}
		}
	}
	return false;
}

static enum ts_status redact_urls(struct ts_fact *fact, struct ts_arena *arena, struct ts_error *err)
{
	size_t from, to;

	while (find_userinfo(fact->text, &from, &to)) {
		size_t rest = fact->text.len - to;
		size_t len = from + strlen(TS_REDACTED) + rest;
		uint8_t *text = ts_arena_alloc(arena, len);

		if (!text)
			return ts_arena_error(arena, err);
		memcpy(text, fact->text.data, from);
		memcpy(text + from, TS_REDACTED, strlen(TS_REDACTED));
		memcpy(text + from + strlen(TS_REDACTED), fact->text.data + to, rest);
		fact->text = ts_span_of(text, len);
	}
	return TS_OK;
}

/* --- commands --- */

bool ts_secret_flag(struct ts_span word)
{
	return word.len > 1 && word.data[0] == '-' && !memchr(word.data, '=', word.len) && ts_secret_key(word);
}

/* Returns the length of "KEY=" if the key is secret and a value follows; otherwise 0. */
static size_t secret_assignment(struct ts_span word)
{
	const uint8_t *equals = word.len ? memchr(word.data, '=', word.len) : NULL;
	size_t len = equals ? (size_t)(equals - word.data) : 0;

	return equals && len + 1 < word.len && ts_secret_key(ts_span_of(word.data, len)) ? len + 1 : 0;
}

/* Moves behind one character of a shell line. *quote is the quote that is open, or 0. */
static size_t past_char(struct ts_span line, size_t at, uint8_t *quote)
{
	uint8_t c = line.data[at];

	if (c == '\\' && *quote != '\'' && at + 1 < line.len)
		return at + 2;
	if (*quote ? c == *quote : c == '\'' || c == '"')
		*quote = *quote ? 0 : c;
	return at + 1;
}

/* Moves behind blanks, and behind line ends that a backslash escapes. */
static size_t past_blanks(struct ts_span line, size_t at)
{
	for (; at < line.len; at++) {
		if (line.data[at] == '\\' && at + 1 < line.len && line.data[at + 1] == '\n')
			at++;
		else if (!ts_is_space(line.data[at]))
			break;
	}
	return at;
}

static size_t past_word(struct ts_span line, size_t at)
{
	uint8_t quote = 0;

	while (at < line.len && (quote || past_blanks(line, at) == at))
		at = past_char(line, at, &quote);
	return at;
}

static uint8_t quote_behind(struct ts_span text, uint8_t quote)
{
	for (size_t at = 0; at < text.len;)
		at = past_char(text, at, &quote);
	return quote;
}

static void put_mark(struct ts_buf *out, uint8_t quote)
{
	ts_buf_str(out, quote ? TS_REDACTED : "'" TS_REDACTED "'");
}

/* Writes one word without its secrets. Whatever quotes the word has, the result is still one word for the shell. */
static void put_word(struct ts_buf *out, struct ts_span word, bool secret)
{
	size_t key = secret_assignment(word), from, to;
	uint8_t quote = 0;

	if (secret) {
		put_mark(out, 0);
		return;
	}
	if (key) {
		ts_buf_bytes(out, word.data, key);
		quote = quote_behind(ts_span_of(word.data, key), 0);
		if (quote)
			ts_buf_u8(out, quote);
		put_mark(out, 0);
		return;
	}
	while (find_userinfo(word, &from, &to)) {
		quote = quote_behind(ts_span_of(word.data, from), quote);
		ts_buf_bytes(out, word.data, from);
		put_mark(out, quote);
		word = ts_span_of(word.data + to, word.len - to);
	}
	ts_buf_span(out, word);
}

static enum ts_status redact_line(struct ts_fact *fact, struct ts_arena *arena, struct ts_error *err)
{
	struct ts_span line = fact->text;
	struct ts_buf out = TS_BUF_INIT(line.len * 8 + 64); /* the mark is shorter than the text that it replaces, except in "a=b" */
	bool secret = false;
	enum ts_status status;

	for (size_t at = 0; at < line.len;) {
		size_t word = past_blanks(line, at), end = past_word(line, word);
		struct ts_span text = ts_span_of(line.data + word, end - word);

		ts_buf_bytes(&out, line.data + at, word - at);
		put_word(&out, text, secret && text.len && text.data[0] != '-');
		secret = ts_secret_flag(text);
		at = end;
	}
	status = ts_buf_check(&out, err);
	if (!status) {
		fact->text = ts_arena_span(arena, ts_buf_view(&out));
		status = fact->text.data ? TS_OK : ts_arena_error(arena, err);
	}
	ts_buf_finish(&out);
	return status;
}

static enum ts_status redact_argument(struct ts_fact *fact, struct ts_arena *arena, struct ts_error *err)
{
	size_t key = secret_assignment(fact->text), len = key + strlen(TS_REDACTED);
	uint8_t *text;

	if (!key)
		return redact_urls(fact, arena, err);
	text = ts_arena_alloc(arena, len);
	if (!text)
		return ts_arena_error(arena, err);
	memcpy(text, fact->text.data, key);
	memcpy(text + key, TS_REDACTED, len - key);
	fact->text = ts_span_of(text, len);
	return TS_OK;
}

/* --- programs --- */

static bool is_key_char(uint8_t c)
{
	return ts_is_alpha(c) || ts_is_digit(c) || c == '_' || c == '-';
}

/* Returns the key that ends before the '=' or ':' at `at`, with or without quotes. *ret_bare: nothing stands between
 * the key and this sign. */
static struct ts_span key_before(struct ts_span line, size_t at, bool *ret_bare)
{
	size_t end = at, start;

	while (end && (line.data[end - 1] == ' ' || line.data[end - 1] == '\t'))
		end--;
	while (end && strchr("\"']", line.data[end - 1]))
		end--;
	for (start = end; start && is_key_char(line.data[start - 1]);)
		start--;
	*ret_bare = end == at;
	return ts_span_of(line.data + start, end - start);
}

/* Returns whether this is a text in quotes that is not empty. A letter may stand in front. */
static bool is_literal(struct ts_span rest)
{
	size_t i = 0;

	while (i < rest.len && (rest.data[i] == ' ' || rest.data[i] == '\t'))
		i++;
	i += i < rest.len && ts_is_alpha(rest.data[i]);
	return i + 1 < rest.len && (rest.data[i] == '"' || rest.data[i] == '\'') && rest.data[i + 1] != rest.data[i];
}

/* Returns whether this is NAME=value, as in a shell or a file of variables. */
static bool is_variable(struct ts_span key, struct ts_span rest)
{
	for (size_t i = 0; i < key.len; i++)
		if (key.data[i] >= 'a' && key.data[i] <= 'z')
			return false;
	return key.len && rest.len && !ts_is_space(rest.data[0]) && !strchr("=$\"'", rest.data[0]);
}

static bool secret_line(struct ts_span line)
{
	size_t from, to;

	for (size_t i = 0; i < line.len; i++) {
		struct ts_span rest = ts_span_of(line.data + i + 1, line.len - i - 1), key;
		bool bare;

		if (line.data[i] != '=' && line.data[i] != ':')
			continue;
		key = key_before(line, i, &bare);
		if ((is_literal(rest) || (bare && line.data[i] == '=' && is_variable(key, rest))) && ts_secret_key(key))
			return true;
	}
	return find_userinfo(line, &from, &to);
}

bool ts_secret_code(struct ts_span text, size_t *ret_line)
{
	for (size_t at = 0, n = 1; at < text.len; n++) {
		const uint8_t *newline = memchr(text.data + at, '\n', text.len - at);
		size_t end = newline ? (size_t)(newline - text.data) : text.len;

		if (secret_line(ts_span_of(text.data + at, end - at))) {
			*ret_line = n;
			return true;
		}
		at = end + 1;
	}
	return false;
}

enum ts_status ts_redact(struct ts_fact *fact, bool secret, struct ts_arena *arena, struct ts_error *err)
{
	bool number = fact->type == TS_FACT_INT || fact->type == TS_FACT_FLOAT || fact->type == TS_FACT_NUMBER;

	if (secret && (fact->type == TS_FACT_TEXT || number)) {
		fact->type = TS_FACT_TEXT;
		fact->integer = 0;
		fact->real = 0;
		fact->text = ts_span_str(TS_REDACTED);
		return TS_OK;
	}
	if (fact->type != TS_FACT_TEXT)
		return TS_OK;
	if (ts_span_is(fact->path, "session.command"))
		return redact_line(fact, arena, err);
	return ts_span_starts(fact->path, ts_span_str("session.argv[")) ? redact_argument(fact, arena, err)
									  : redact_urls(fact, arena, err);
}

bool ts_is_redacted(const struct ts_fact *fact)
{
	return fact->type == TS_FACT_TEXT && ts_span_contains(fact->text, TS_REDACTED);
}
