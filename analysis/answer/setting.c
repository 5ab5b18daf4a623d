#include "analysis/answer/setting.h"

#include "base/door.h"
#include "base/text.h"

const struct ts_setting_words ts_settings[TS_SETTINGS] = {
#define TS_SETTING_ROW(symbol, word, asks) [TS_SETTING_##symbol] = {word, asks},
	TS_SETTINGS_OF(TS_SETTING_ROW)
#undef TS_SETTING_ROW
};

enum ts_answered ts_setting_of(const struct ts_measures *m, enum ts_setting what)
{
	const struct ts_measure *row = ts_measure_find(m, TS_M_SETTING, ts_span_str(ts_settings[what].word));

	TS_DOOR(ts_measures_hold(m));
	return row && row->known ? ts_answered_of(row->text) : TS_ANSWERED_UNKNOWN;
}

unsigned ts_version_number(struct ts_span version)
{
	unsigned part[2] = {0, 0};
	size_t at = 0;

	for (size_t i = 0; i < version.len && at < 2; i++) {
		uint8_t c = version.data[i];

		if (c == '.')
			at++;
		else if (ts_is_digit(c) && part[at] < 100)
			part[at] = part[at] * 10 + (c - '0');
		else
			break;
	}
	return part[0] * 100 + (part[1] < 100 ? part[1] : 99);
}
