/* token_count.c - see token_count.h. Runs of letters, digits and spaces are counted in quarters of a token. */
#include "cli/serve/token_count.h"

#include "base/text.h"

enum { TOKEN = 4, CONSONANTS = 3, SPACES_IN_ONE = 16 };

static bool is_upper(uint8_t c)
{
	return c >= 'A' && c <= 'Z';
}

static bool is_vowel(uint8_t c)
{
	return strchr("aeiouy", c | 32) != NULL;
}

static size_t of_length(size_t n)
{
	return n <= 2 ? TOKEN : n <= 8 ? TOKEN + 1 : n <= 10 ? TOKEN + 2 : n <= 13 ? 2 * TOKEN : TOKEN * ((n + 2) / 3);
}

/* A word, or a part of one that begins with a capital. Capitals alone are an abbreviation, of which few are tokens. */
static size_t quarters_of_word(struct ts_span word)
{
	size_t quarters = of_length(word.len), consonants = 0;

	if (word.len > 1 && is_upper(word.data[1]))
		return TOKEN * ((word.len + 1) / 2);
	for (size_t i = 0; i < word.len; i++) {
		consonants = is_vowel(word.data[i]) ? 0 : consonants + 1;
		quarters += consonants > CONSONANTS ? TOKEN : 0;
	}
	return quarters;
}

static size_t quarters_of_letters(struct ts_span letters)
{
	size_t begin = 0, quarters = 0;

	for (size_t i = 1; i <= letters.len; i++)
		if (i == letters.len || (is_upper(letters.data[i]) && !is_upper(letters.data[i - 1]))) {
			quarters += quarters_of_word(ts_span_of(letters.data + begin, i - begin));
			begin = i;
		}
	return quarters;
}

/* Letters beside digits are those of an id or a digest, and no word. */
static size_t quarters_of_id(size_t letters)
{
	return TOKEN * ((2 * letters + 2) / 3);
}

/* One space mostly belongs to the word behind it, to a sign not always, and to a digit never. */
static size_t quarters_of_spaces(size_t n, uint8_t behind)
{
	size_t many = n > 1 ? TOKEN * (1 + n / SPACES_IN_ONE) : 0;

	return many + (ts_is_digit(behind) ? TOKEN : ts_is_alpha(behind) ? 0 : 1);
}

static uint8_t byte_at(struct ts_span text, size_t at)
{
	return at < text.len ? text.data[at] : 0;
}

/* What begins here, and its bytes. */
static size_t quarters_at(struct ts_span text, size_t at, size_t *ret_n)
{
	uint8_t before = at ? text.data[at - 1] : 0;
	size_t n = 0;

	if (text.data[at] == ' ') {
		while (byte_at(text, at + n) == ' ')
			n++;
		*ret_n = n;
		return quarters_of_spaces(n, byte_at(text, at + n));
	}
	while (ts_is_alpha(byte_at(text, at + n)))
		n++;
	*ret_n = n ? n : 1;
	if (n)
		return ts_is_digit(before) || ts_is_digit(byte_at(text, at + n)) ? quarters_of_id(n)
										 : quarters_of_letters(ts_span_of(text.data + at, n));
	return text.data[at] == '_' && ts_is_alpha(before) && ts_is_alpha(byte_at(text, at + 1)) ? TOKEN - 1 : TOKEN;
}

size_t ts_tokens_most(struct ts_span text)
{
	size_t quarters = 0;

	for (size_t at = 0, n; at < text.len; at += n)
		quarters += quarters_at(text, at, &n);
	return (quarters + TOKEN - 1) / TOKEN;
}
