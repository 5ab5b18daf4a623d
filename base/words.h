/* words.h - the words of an enum, each beside its value.
 *
 *	TS_WORDS(ts_event_word, enum ts_event_kind, "", [TS_EVENT_SPIKE] = "spike", [TS_EVENT_DIP] = "dip")
 *
 * defines ts_event_word(kind), which returns the word of a value, TS_NEWER_WORD for TS_NEWER, and the word that is given first for one
 * that has none. It is never NULL unless that is. tests/mechanisms.py fails where a value of the enum has no word here.
 */
#ifndef TSCOPE_BASE_WORDS_H
#define TSCOPE_BASE_WORDS_H

#include "base/span.h"

/* Stands in an enum for a value that a newer tscope sent, of which this one knows only that it is none of its own. No array may be
 * indexed by an enum that can have it without a look at its size. */
enum { TS_NEWER = 1 << 20 };
#define TS_NEWER_WORD "of a newer tscope"

#define TS_WORDS(name, type, otherwise, ...)                                                                                           \
	const char *name(type value)                                                                                                   \
	{                                                                                                                              \
		static const char *const words[] = {__VA_ARGS__};                                                                      \
                                                                                                                                       \
		if ((int)value == TS_NEWER)                                                                                            \
			return TS_NEWER_WORD;                                                                                          \
		return (size_t)value < sizeof words / sizeof words[0] && words[value] ? words[value] : (otherwise);                    \
	}

/* The way back, for words that come from a file or a message:
 *
 *	TS_WORDS_BACK(ts_event_of, enum ts_event_kind, ts_event_word, TS_EVENT_DIP, TS_EVENT_OTHER)
 *
 * defines ts_event_of(struct ts_span word), which returns the first value, up to and with TS_EVENT_DIP, that has this word; what is
 * nobody's word is TS_EVENT_OTHER. An empty word is nobody's.
 */
#define TS_WORDS_BACK(name, type, word_of, last, otherwise)                                                                            \
	type name(struct ts_span word)                                                                                                 \
	{                                                                                                                              \
		for (size_t i = 0; word.len && i <= (size_t)(last); i++)                                                               \
			if (ts_span_is(word, word_of((type)i)))                                                                        \
				return (type)i;                                                                                        \
		return (otherwise);                                                                                                    \
	}

#endif
