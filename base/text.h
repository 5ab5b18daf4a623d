/* text.h - text for people: control characters of foreign bytes made harmless, UTF-8, and character classes without
 * a locale. */
#ifndef TSCOPE_BASE_TEXT_H
#define TSCOPE_BASE_TEXT_H

#include "base/buf.h"

/* Appends text so that it cannot move a cursor, change a colour, break a line or hide what it says: harmful characters and bytes that
 * are not UTF-8 become \n, \t, \xNN or \u{NNNN}. Nor can it give an order to what reads the log of a job: "::" at its begin or behind
 * white space becomes "\x3A:" (a GitHub runner takes a line "::error ::x" for one, wherever lines are broken), and "##" before "[" or
 * "vso[" and the like becomes "#\x23". A letter of Greek or Cyrillic, or one of another width or style, that looks like one of Latin,
 * in a word with letters of Latin, is escaped, too; so is an accent behind the letter of Latin that Unicode has in one with it. All
 * that tscope prints for people goes through this. */
void ts_escape(struct ts_buf *out, struct ts_span text);
/* True for C0 and C1 controls, DEL, line and paragraph separators, characters that reorder text (marks, embeddings, overrides,
 * isolates) and characters that take no room and show nothing (zero-width spaces and joiners, tags). */
bool ts_harmful(uint32_t point);
/* True for these, and for all others that show nothing or only a blank (ignorable marks and fillers, variation selectors, spaces but
 * that of ASCII): two names that differ by one look alike. */
bool ts_invisible(uint32_t point);
/* True if an order to what reads a log may begin at this byte: "::" where a line may begin, or the second "#" of "##[" and "##vso[". */
bool ts_order_at(struct ts_span text, size_t at);
/* Appends "1,234,567". */
void ts_print_grouped(struct ts_buf *out, uint64_t n);
/* Appends "1.2 MiB" style sizes (binary units, three significant digits; below 1024 "17 B"). */
void ts_print_bytes(struct ts_buf *out, double bytes);

/* Escapes the one character at text.data[*at]: moves *at past it, writes its escaped form to out and returns the length of
 * that form. text.len must be above *at. */
enum { TS_ESCAPE_TEXT = 16 };
size_t ts_escape_next(struct ts_span text, size_t *at, char out[TS_ESCAPE_TEXT]);

/* The length (1 to 4) of the UTF-8 sequence that text begins with; 0 if it does not begin with a valid one. Surrogates,
 * overlong forms and code points beyond U+10FFFF are not valid. */
size_t ts_utf8_next(struct ts_span text, uint32_t *ret_point);
/* Writes the UTF-8 form of a code point that is not a surrogate; returns its length. */
size_t ts_utf8_put(uint32_t point, uint8_t out[4]);
/* The first appends two lower-case hex digits for each byte. The second reads such digits, in either case, into the text.len
 * / 2 bytes of out; false if text is not hex digits in pairs. */
void ts_print_hex(struct ts_buf *out, struct ts_span bytes);
bool ts_parse_hex(struct ts_span text, uint8_t *out);

bool ts_utf8_valid(struct ts_span text);
/* As many bytes of the text as `most`, or so few less that no character of UTF-8 is cut. */
struct ts_span ts_utf8_cut(struct ts_span text, size_t most);
/* How many columns of a terminal the text takes (East Asian wide = 2, combining = 0). */
int ts_text_width(struct ts_span text);

static inline bool ts_is_digit(unsigned char c) { return c >= '0' && c <= '9'; }
static inline bool ts_is_alpha(unsigned char c) { return (c | 32) >= 'a' && (c | 32) <= 'z'; }
static inline bool ts_is_space(unsigned char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static inline bool ts_is_alnum(unsigned char c) { return ts_is_digit(c) || ts_is_alpha(c); }

/* True if word is in the list, which ends with NULL. */
bool ts_word_among(const char *word, const char *const *list);

enum { TS_NAME_WORDS = 16, TS_NAME_WORD_MAX = 24 };

/* The runs of letters and digits of a name, in lower case: "train/MFU_%" has train and mfu. */
struct ts_name_words {
	char text[TS_NAME_WORDS][TS_NAME_WORD_MAX];
	size_t n;
};

/* False for a name of more or of longer words than there is room for. */
bool ts_name_words(struct ts_span name, struct ts_name_words *ret);

/* The text without white space at either end. */
struct ts_span ts_trim(struct ts_span text);
/* Cuts the next word off at spaces and tabs; empty at the end. */
struct ts_span ts_next_word(struct ts_span *io);

/* A foreign word in a form that is safe in a message: escaped, and cut with "..." after some 60 bytes. */
struct ts_shown {
	char text[80];
};
struct ts_shown ts_show(struct ts_span word);

/* True if the whole text matches a pattern with the shell's * and ?, over bytes; '*' matches any bytes, '/' too, or none. */
bool ts_glob(struct ts_span pattern, struct ts_span text);

#endif
