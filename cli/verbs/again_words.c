#include "cli/verbs/again_words.h"

#include "base/text.h"

#include <string.h>

enum { WORDS_MOST = 4000 };

struct cutting {
	struct ts_span in;
	size_t at;
	char *to;   /* where the word that is read is written; as long as the line suffices for all */
	bool shell; /* something needs one */
};

/* What means something to a shell outside of quotes, but for what parts words and quotes. */
static bool is_special(uint8_t c)
{
	return c < 0x20 ? c != '\t' : strchr("$`;&|<>()*?[]{}!#~", c) != NULL;
}

static void single(struct cutting *c)
{
	for (c->at++; c->at < c->in.len && c->in.data[c->at] != '\''; c->at++)
		*c->to++ = (char)c->in.data[c->at];
	c->shell |= c->at == c->in.len;
	c->at++;
}

static void twofold(struct cutting *c)
{
	for (c->at++; c->at < c->in.len && c->in.data[c->at] != '"'; c->at++) {
		uint8_t byte = c->in.data[c->at];

		if (byte == '$' || byte == '`') {
			c->shell = true;
		} else if (byte == '\\' && c->at + 1 < c->in.len && strchr("$`\"\\", c->in.data[c->at + 1])) {
			byte = c->in.data[++c->at];
		}
		*c->to++ = (char)byte;
	}
	c->shell |= c->at == c->in.len;
	c->at++;
}

static bool is_blank(uint8_t c)
{
	return c == ' ' || c == '\t';
}

/* Reads one word, of which something is there. `=`, `{` and `~` within a word mean nothing, nor do brackets of no pattern. */
static void word(struct cutting *c)
{
	bool first = true;

	for (; c->at < c->in.len && !is_blank(c->in.data[c->at]) && !c->shell; first = false) {
		uint8_t byte = c->in.data[c->at];

		if (byte == '\'') {
			single(c);
		} else if (byte == '"') {
			twofold(c);
		} else if (byte == '\\' && c->at + 1 < c->in.len && c->in.data[c->at + 1] != '\n') {
			*c->to++ = (char)c->in.data[c->at + 1];
			c->at += 2;
		} else if (byte == '\\' || !byte || (is_special(byte) && (first || !strchr("#~!", byte)))) {
			c->shell = true;
		} else {
			*c->to++ = (char)byte;
			c->at++;
		}
	}
	*c->to++ = '\0';
}

/* Whether the first word sets a variable, which only a shell does. */
static bool sets_variable(const char *word)
{
	size_t n = strcspn(word, "=/.-");

	return n > 0 && word[n] == '=';
}

const char *const *ts_again_words(struct ts_span line, struct ts_arena *arena)
{
	char *bytes = ts_arena_alloc(arena, 2 * line.len + 2);
	const char **words = ts_arena_array(arena, WORDS_MOST + 1, sizeof *words);
	struct cutting c = {.in = line, .to = bytes};
	size_t n = 0;

	if (!bytes || !words)
		return NULL;
	for (;;) {
		while (c.at < line.len && is_blank(line.data[c.at]))
			c.at++;
		if (c.at >= line.len || c.shell || n == WORDS_MOST)
			break;
		words[n++] = c.to;
		word(&c);
	}
	words[n] = NULL;
	return c.shell || n == 0 || n == WORDS_MOST || memchr(line.data, 0, line.len) || sets_variable(words[0]) ? NULL : words;
}
