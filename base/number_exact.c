/* number_exact.c - compares D * 10^e with (2m + 1) * 2^(k - 1), the middle of two neighbouring doubles m * 2^k and (m + 1) *
 * 2^k, by moving powers of 2 and 5 to the side where their exponent is positive.
 *
 * A middle has at most 767 significant digits, so 768 digits and one digit that says "there was more" decide. The largest
 * integers that are compared are then below 2^3700; a big number here has room for 2^5120, on the stack.
 */
#include "base/number_exact.h"

__extension__ typedef unsigned __int128 u128;

enum { LIMBS = 80, DIGITS_MAX = 768 };

struct big {
	uint64_t limb[LIMBS]; /* least significant first */
	int len;
};

static void big_multiply_add(struct big *b, uint64_t factor, uint64_t carry)
{
	for (int i = 0; i < b->len; i++) {
		u128 t = (u128)b->limb[i] * factor + carry;

		b->limb[i] = (uint64_t)t;
		carry = (uint64_t)(t >> 64);
	}
	if (carry && b->len < LIMBS)
		b->limb[b->len++] = carry;
}

static void big_times_power_of_five(struct big *b, int64_t n)
{
	for (; n >= 27; n -= 27)
		big_multiply_add(b, UINT64_C(7450580596923828125), 0);
	for (; n > 0; n--)
		big_multiply_add(b, 5, 0);
}

static void big_times_power_of_two(struct big *b, int64_t n)
{
	for (; n >= 63; n -= 63)
		big_multiply_add(b, UINT64_C(1) << 63, 0);
	if (n > 0)
		big_multiply_add(b, UINT64_C(1) << n, 0);
}

static int big_compare(const struct big *a, const struct big *b)
{
	if (a->len != b->len)
		return a->len < b->len ? -1 : 1;
	for (int i = a->len - 1; i >= 0; i--)
		if (a->limb[i] != b->limb[i])
			return a->limb[i] < b->limb[i] ? -1 : 1;
	return 0;
}

struct ts_digits ts_digits_of(struct ts_span whole, struct ts_span fraction, int64_t shift)
{
	struct ts_digits d = {.whole = whole, .fraction = fraction, .exponent = shift - (int64_t)fraction.len};

	while (d.whole.len && d.whole.data[0] == '0')
		d.whole = ts_span_of(d.whole.data + 1, d.whole.len - 1);
	while (d.whole.len == 0 && d.fraction.len && d.fraction.data[0] == '0')
		d.fraction = ts_span_of(d.fraction.data + 1, d.fraction.len - 1);
	d.len = d.whole.len + d.fraction.len;
	while (d.len && ts_digit_at(&d, d.len - 1) == 0) {
		d.len--;
		d.exponent++;
	}
	return d;
}

/* Returns the exponent of ten that belongs to the digits taken. */
static int64_t big_of_digits(struct big *b, const struct ts_digits *digits)
{
	size_t n = digits->len < DIGITS_MAX ? digits->len : DIGITS_MAX;
	int64_t exponent = digits->exponent + (int64_t)(digits->len - n);

	b->len = 0;
	for (size_t i = 0; i < n; i++)
		big_multiply_add(b, 10, ts_digit_at(digits, i));
	if (n < digits->len) { /* the last digit is not 0, so the digits left out are not all 0 */
		big_multiply_add(b, 10, 1);
		exponent--;
	}
	return exponent;
}

bool ts_digits_above_middle(const struct ts_digits *digits, uint64_t bits)
{
	uint64_t mantissa = bits & ((UINT64_C(1) << 52) - 1);
	int64_t biased = (int64_t)(bits >> 52);
	int64_t two = (biased ? biased : 1) - 1075 - 1;
	struct big middle = {.len = 0};
	struct big number;
	int64_t ten = big_of_digits(&number, digits);
	int order;

	if (biased)
		mantissa |= UINT64_C(1) << 52;
	big_multiply_add(&middle, 1, 2 * mantissa + 1);
	if (ten >= 0)
		big_times_power_of_five(&number, ten);
	else
		big_times_power_of_five(&middle, -ten);
	if (ten >= two)
		big_times_power_of_two(&number, ten - two);
	else
		big_times_power_of_two(&middle, two - ten);
	order = big_compare(&number, &middle);
	return order > 0 || (order == 0 && (bits & 1));
}
