#include "base/clock.h"

#include "base/text.h"

#include <time.h>

#define NS INT64_C(1000000000)
enum { DAY_S = 86400 };

static int64_t read_clock(clockid_t id)
{
	struct timespec t = {0};

	(void)clock_gettime(id, &t); /* it fails only for unknown clocks */
	return (int64_t)t.tv_sec * NS + t.tv_nsec;
}

int64_t ts_now_mono_ns(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

int64_t ts_now_real_ns(void)
{
	return read_clock(CLOCK_REALTIME);
}

/* Counts the days from 1970-01-01 to a date of the Gregorian calendar. Years are counted from March, so that a leap
 * day comes last; 719468 days lie between 0000-03-01 and 1970-01-01. */
static int64_t days_of(int64_t year, int month, int day)
{
	int64_t y = month <= 2 ? year - 1 : year;
	int64_t day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;

	return y * 365 + y / 4 - y / 100 + y / 400 + day_of_year - 719468;
}

/* Turns days back into a date. Only the years that fit an int64 of nanoseconds occur, 1677 to 2262. */
static void date_of(int64_t days, int *year, int *month, int *day)
{
	int64_t d = days + 719468;
	int64_t era = d / 146097;
	int64_t in_era = d - era * 146097;
	int64_t of_year;
	int64_t y;
	int64_t m;

	y = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
	of_year = in_era - (365 * y + y / 4 - y / 100);
	m = (5 * of_year + 2) / 153;
	*day = (int)(of_year - (153 * m + 2) / 5 + 1);
	*month = (int)(m < 10 ? m + 3 : m - 9);
	*year = (int)(y + era * 400 + (*month <= 2));
}

/* Writes n digits of v and the character after them; returns where the next character goes. */
static char *put_digits(char *at, int v, int n, char after)
{
	for (int i = n; i-- > 0; v /= 10)
		at[i] = (char)('0' + v % 10);
	at[n] = after;
	return at + n + 1;
}

char *ts_time_text(int64_t real_ns, char out[TS_TIME_TEXT])
{
	int64_t seconds = real_ns / NS - (real_ns % NS < 0);
	int64_t ns = real_ns % NS + (real_ns % NS < 0 ? NS : 0);
	int64_t days = seconds / DAY_S - (seconds % DAY_S < 0);
	int s = (int)(seconds - days * DAY_S);
	int digits = ns == 0 ? 0 : ns % 1000000 == 0 ? 3 : ns % 1000 == 0 ? 6 : 9;
	int year;
	int month;
	int day;
	char *p = out;

	date_of(days, &year, &month, &day);
	p = put_digits(p, year, 4, '-');
	p = put_digits(p, month, 2, '-');
	p = put_digits(p, day, 2, 'T');
	p = put_digits(p, s / 3600, 2, ':');
	p = put_digits(p, s / 60 % 60, 2, ':');
	p = put_digits(p, s % 60, 2, digits ? '.' : 'Z');
	for (int i = digits; i < 9; i++)
		ns /= 10;
	if (digits)
		p = put_digits(p, (int)ns, digits, 'Z');
	*p = '\0';
	return out;
}

struct scan {
	struct ts_span text;
	size_t at;
	bool bad;
};

static bool take(struct scan *s, char c)
{
	if (s->at < s->text.len && s->text.data[s->at] == (uint8_t)c) {
		s->at++;
		return true;
	}
	return false;
}

static void need(struct scan *s, char c)
{
	s->bad |= !take(s, c);
}

static int digits(struct scan *s, int n)
{
	int v = 0;

	for (int i = 0; i < n; i++) {
		if (s->at == s->text.len || !ts_is_digit(s->text.data[s->at])) {
			s->bad = true;
			return 0;
		}
		v = v * 10 + (s->text.data[s->at++] - '0');
	}
	return v;
}

/* Digits beyond the ninth are read and dropped. */
static int64_t fraction_ns(struct scan *s)
{
	int64_t unit = NS;
	int64_t ns = 0;

	do {
		int digit = digits(s, 1);

		unit /= 10;
		ns += digit * unit;
	} while (!s->bad && s->at < s->text.len && ts_is_digit(s->text.data[s->at]));
	return ns;
}

/* Reads an offset from UTC. The result is the number of seconds to subtract to get UTC. */
static int64_t offset_s(struct scan *s)
{
	int sign = 0;
	int hours;
	int minutes;

	if (take(s, 'Z') || take(s, 'z'))
		return 0;
	if (take(s, '+'))
		sign = 1;
	else if (take(s, '-'))
		sign = -1;
	hours = digits(s, 2);
	need(s, ':');
	minutes = digits(s, 2);
	s->bad |= sign == 0 || hours > 23 || minutes > 59;
	return sign * (hours * 3600 + minutes * 60);
}

static int days_in_month(int year, int month)
{
	bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

	if (month == 2)
		return leap ? 29 : 28;
	return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

/* Computes seconds * 1e9 + ns. At the lower end of the range the product alone may overflow where the sum does not. */
static bool join_ns(int64_t seconds, int64_t ns, int64_t *ret)
{
	if (seconds < 0 && ns > 0) {
		seconds++;
		ns -= NS;
	}
	return !__builtin_mul_overflow(seconds, NS, &seconds) && !__builtin_add_overflow(seconds, ns, ret);
}

static bool parse(struct ts_span text, bool may_lack_zone, int64_t *ret_real_ns, bool *ret_zoneless)
{
	struct scan s = {.text = text};
	int64_t seconds;
	int64_t ns = 0;
	int64_t real_ns;
	bool zoneless = false;
	int year = digits(&s, 4);
	int month;
	int day;

	need(&s, '-');
	month = digits(&s, 2);
	need(&s, '-');
	day = digits(&s, 2);
	if (s.bad || year == 0 || month < 1 || month > 12 || day < 1 || day > days_in_month(year, month))
		return false;
	seconds = days_of(year, month, day) * DAY_S;
	if (s.at < text.len) {
		int hour;
		int minute;
		int second;

		s.bad |= !take(&s, 'T') && !take(&s, 't') && !take(&s, ' ');
		hour = digits(&s, 2);
		need(&s, ':');
		minute = digits(&s, 2);
		need(&s, ':');
		second = digits(&s, 2); /* 60 is a leap second: the first of the next minute */
		s.bad |= hour > 23 || minute > 59 || second > 60;
		if (take(&s, '.'))
			ns = fraction_ns(&s);
		zoneless = may_lack_zone && s.at == text.len;
		seconds += hour * 3600 + minute * 60 + second - (zoneless ? 0 : offset_s(&s));
	}
	if (s.bad || s.at != text.len || !join_ns(seconds, ns, &real_ns))
		return false;
	*ret_real_ns = real_ns;
	*ret_zoneless = zoneless;
	return true;
}

bool ts_time_parse(struct ts_span text, int64_t *ret_real_ns)
{
	bool zoneless;

	return parse(text, false, ret_real_ns, &zoneless);
}

bool ts_time_parse_zoneless(struct ts_span text, int64_t *ret_real_ns, bool *ret_zoneless)
{
	return parse(text, true, ret_real_ns, ret_zoneless);
}
