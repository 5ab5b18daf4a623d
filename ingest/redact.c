#include "ingest/redact.h"

#include "base/text.h"

enum { WORDS_MAX = 16, WORD_MAX = 16 };

struct words {
	char text[WORDS_MAX][WORD_MAX]; /* the last WORDS_MAX words, lower case; longer ones are cut */
	size_t n;
};

static bool is_upper(uint8_t c)
{
	return c >= 'A' && c <= 'Z';
}

/* A word begins at i: after a separator, or at a capital after a small letter. */
static void split(struct ts_span key, struct words *words)
{
	size_t len = 0;

	words->n = 0;
	for (size_t i = 0; i < key.len; i++) {
		uint8_t c = key.data[i];
		bool part = ts_is_alpha(c) || ts_is_digit(c) || c >= 0x80;
		bool hump = len && is_upper(c) && !is_upper(key.data[i - 1]);

		if (!part || hump)
			len = 0;
		if (!part)
			continue;
		if (len == 0) {
			if (words->n == WORDS_MAX) {
				memmove(words->text[0], words->text[1], (WORDS_MAX - 1) * sizeof words->text[0]);
				words->n--;
			}
			words->n++;
		}
		if (len < WORD_MAX - 1) {
			words->text[words->n - 1][len++] = (char)(is_upper(c) ? c | 32 : c);
			words->text[words->n - 1][len] = '\0';
		}
	}
}

static bool is_one_of(const char *word, const char *const *list)
{
	for (; *list; list++)
		if (strcmp(word, *list) == 0)
			return true;
	return false;
}

/* "token" alone or after a word that is none of a vocabulary's or a counter's. */
static bool is_secret_token(const struct words *w)
{
	static const char *const harmless[] = {"pad",  "bos",  "eos",	"unk",	"sep",	 "cls",	  "mask",  "image", "audio",
					       "video", "start", "end",	"begin", "decoder", "special", "n",   "num",   "max",
					       "min",  "per",	"first", "last",  "next",  "prev",  "forced", "type", "stop",
					       "think", "word", "sub",	"by",	"each",	 "every", "global", NULL};

	if (w->n == 0 || strcmp(w->text[w->n - 1], "token") != 0)
		return false;
	return w->n == 1 || !is_one_of(w->text[w->n - 2], harmless);
}

bool ts_secret_key(struct ts_span key)
{
	static const char *const secret[] = {"password", "passwd", "passphrase", "secret", "secrets", "credential",
					     "credentials", "auth", "apikey", "accesskey", "privatekey", "secretkey",
					     "authtoken", "accesstoken", NULL};
	static const char *const before_key[] = {"api", "access", "private", "secret", NULL};
	struct words w;

	split(key, &w);
	for (size_t i = 0; i < w.n; i++) {
		if (is_one_of(w.text[i], secret))
			return true;
		if (i > 0 && strcmp(w.text[i], "key") == 0 && is_one_of(w.text[i - 1], before_key))
			return true;
	}
	return is_secret_token(&w);
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
		/* Escapes only add separators to words: they need not be undone. */
		if (ts_secret_key(ts_span_of(path.data + start, i - start)))
			return true;
		start = i + 1;
	}
	return false;
}

/* "scheme://user:password@": *ret_from and *ret_to stand around user:password. */
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
	return fact->type == TS_FACT_TEXT ? redact_urls(fact, arena, err) : TS_OK;
}

bool ts_is_redacted(const struct ts_fact *fact)
{
	struct ts_span mark = ts_span_str(TS_REDACTED);

	if (fact->type != TS_FACT_TEXT || fact->text.len < mark.len)
		return false;
	return memmem(fact->text.data, fact->text.len, mark.data, mark.len) != NULL;
}
