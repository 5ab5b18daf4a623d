/* words.h - the words of an enum, each beside its value.
 *
 *	TS_WORDS(ts_event_word, enum ts_event_kind, "", [TS_EVENT_SPIKE] = "spike", [TS_EVENT_DIP] = "dip")
 *
 * defines ts_event_word(kind), which returns the word of a value, and the word that is given first for one that has none, as from a
 * peer that knows more. It is never NULL unless that is. tests/mechanisms.py fails where a value of the enum has no word here.
 */
#ifndef TSCOPE_BASE_WORDS_H
#define TSCOPE_BASE_WORDS_H

#include <stddef.h>

#define TS_WORDS(name, type, otherwise, ...)                                                                                           \
	const char *name(type value)                                                                                                   \
	{                                                                                                                              \
		static const char *const words[] = {__VA_ARGS__};                                                                      \
                                                                                                                                       \
		return (size_t)value < sizeof words / sizeof words[0] && words[value] ? words[value] : (otherwise);                    \
	}

#endif
