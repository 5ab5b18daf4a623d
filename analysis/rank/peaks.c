#include "analysis/rank/peaks.h"

#include "analysis/rank/peaks.inc"
#include "base/text.h"

#include <math.h>

enum { ROWS = sizeof rows / sizeof rows[0] };

/* True for "80gb", and for the number of "80 GB". */
static bool is_size(const struct ts_name_words *t, size_t i)
{
	const char *at = t->text[i];
	size_t digits = 0;

	while (ts_is_digit((unsigned char)at[digits]))
		digits++;
	if (digits == 0)
		return false;
	if (at[digits] == '\0')
		return i + 1 < t->n && strcmp(t->text[i + 1], "gb") == 0;
	return strcmp(at + digits, "gb") == 0;
}

/* True for tokens that say nothing about the speed of a device: "NVIDIA", "80GB", "HBM3", and "VF", the virtual function as which
 * clouds give a whole device. */
static bool is_noise(const struct ts_name_words *t, size_t i)
{
	static const char *const noise[] = {"nvidia", "amd",	  "google",   "cloud",	     "corporation", "tesla",
					    "geforce", "instinct", "graphics", "accelerator", "gpu",	    "hbm2",
					    "hbm2e",  "hbm3",	  "hbm3e",    "gddr6",	     "vf",	   NULL};

	if (strcmp(t->text[i], "gb") == 0)
		return i > 0 && is_size(t, i - 1);
	return is_size(t, i) || ts_word_among(t->text[i], noise);
}

/* Returns how many tokens the row's name has if the device matches it, otherwise 0. */
static size_t matches(const struct ts_name_words *device, const char *name)
{
	struct ts_name_words want;
	size_t at = 0;

	if (!ts_name_words(ts_span_str(name), &want))
		return 0;
	for (size_t i = 0; i < device->n; i++) {
		if (at < want.n && strcmp(device->text[i], want.text[at]) == 0)
			at++;
		else if (!is_noise(device, i))
			return 0;
	}
	return at == want.n ? at : 0;
}

const char *ts_dtype_word(struct ts_span dtype)
{
	static const struct {
		const char *word;
		const char *names[8];
	} words[] = {
		{"fp64", {"fp64", "float64", "double"}},
		{"fp32", {"fp32", "float32", "float", "32-true"}},
		{"tf32", {"tf32", "tfloat32", "tensorfloat32"}},
		{"bf16", {"bf16", "bfloat16", "bf16-mixed", "bf16-true"}},
		{"fp16", {"fp16", "float16", "half", "16-mixed", "16-true"}},
		{"fp8", {"fp8", "float8", "float8_e4m3fn", "float8_e5m2", "e4m3", "e5m2"}},
		{"int8", {"int8"}},
	};
	static const char *const prefixes[] = {"torch.", "jnp.", "jax.numpy.", "tf.", NULL};
	char text[TS_NAME_WORD_MAX];

	for (size_t i = 0; prefixes[i]; i++)
		if (ts_span_starts(dtype, ts_span_str(prefixes[i]))) {
			dtype = ts_span_of(dtype.data + strlen(prefixes[i]), dtype.len - strlen(prefixes[i]));
			break;
		}
	if (dtype.len >= sizeof text)
		return NULL;
	for (size_t i = 0; i < dtype.len; i++)
		text[i] = (char)(dtype.data[i] >= 'A' && dtype.data[i] <= 'Z' ? dtype.data[i] | 32 : dtype.data[i]);
	text[dtype.len] = '\0';
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		for (size_t k = 0; words[i].names[k]; k++)
			if (strcmp(text, words[i].names[k]) == 0)
				return words[i].word;
	return NULL;
}

static bool is_of(const struct row *row, const char *type)
{
	return strcmp(row->dtype, type) == 0;
}

static bool is_peak(const struct row *row)
{
	return !is_of(row, "memory") && !is_of(row, "bandwidth") && !is_of(row, "capability");
}

static const char *why_unknown(const struct ts_name_words *device)
{
	for (size_t i = 0; i < device->n; i++)
		if (strcmp(device->text[i], "mig") == 0)
			return "the device is a MIG slice, and the table of peaks does not know its share of the "
			       "device";
	return "the device is not in the table of peaks";
}

bool ts_peak_find(struct ts_span device, struct ts_span dtype, struct ts_peak *ret_peak, const char **ret_reason)
{
	const char *word = ts_dtype_word(dtype);
	const struct row *best = NULL;
	struct ts_name_words tokens;
	size_t most = 0;

	*ret_reason = "the device is not in the table of peaks";
	if (!ts_name_words(device, &tokens))
		return false;
	for (size_t i = 0; i < ROWS; i++) {
		size_t n = is_peak(&rows[i]) ? matches(&tokens, rows[i].tokens) : 0;

		if (n > most || (n > 0 && n == most && best && word && strcmp(rows[i].dtype, word) == 0)) {
			most = n;
			best = &rows[i];
		}
	}
	if (!best)
		*ret_reason = why_unknown(&tokens);
	else if (!word)
		*ret_reason = dtype.len ? "the table of peaks does not know the declared dtype"
					: "the run does not declare a dtype";
	else if (strcmp(best->dtype, word) != 0)
		*ret_reason = "the table of peaks has no value for this device with the declared dtype";
	else
		*ret_peak = (struct ts_peak){best->name, word, best->value, sources[best->source].document,
					     sources[best->source].date};
	return best && word && strcmp(best->dtype, word) == 0;
}

/* --- memory --- */

enum { GIB_MOST = 4096 };

/* Returns the number before "gb", "gib" or "g" in a name as people write it ("80GB", "80 GB", "80G"), the last one if there are
 * several; 0 if there is none. */
static unsigned size_in(const struct ts_name_words *t)
{
	static const char *const units[] = {"gb", "gib", "g", NULL};
	unsigned found = 0;

	for (size_t i = 0; i < t->n; i++) {
		const char *at = t->text[i];
		unsigned n = 0;

		while (ts_is_digit((unsigned char)*at) && n <= GIB_MOST)
			n = n * 10 + (unsigned)(*at++ - '0');
		if (n == 0 || n > GIB_MOST)
			continue;
		if (*at ? ts_word_among(at, units) : i + 1 < t->n && ts_word_among(t->text[i + 1], units))
			found = n;
	}
	return found;
}

static const struct row *row_of(const struct ts_name_words *device, const char *type)
{
	const struct row *best = NULL;
	size_t most = 0;

	for (size_t i = 0; i < ROWS; i++) {
		size_t n = is_of(&rows[i], type) ? matches(device, rows[i].tokens) : 0;

		if (n > most) {
			most = n;
			best = &rows[i];
		}
	}
	return best;
}

bool ts_device_memory(struct ts_span device, double *ret_bytes, const char **ret_source, const char **ret_reason)
{
	const struct row *row;
	struct ts_name_words tokens;
	unsigned size;

	*ret_reason = "the name of the device does not say how much memory it has, and the table of devices does not either";
	if (!ts_name_words(device, &tokens))
		return false;
	row = row_of(&tokens, "memory");
	size = size_in(&tokens);
	if (size && !(row && strstr(row->tokens, "gb"))) {
		*ret_bytes = ldexp(size, 30);
		*ret_source = "name of the device";
		return true;
	}
	if (!row)
		return false;
	*ret_bytes = ldexp(row->value, 30);
	*ret_source = "table of devices";
	return true;
}

bool ts_device_bandwidth(struct ts_span device, double *ret_bytes_per_s)
{
	struct ts_name_words tokens;
	const struct row *row = ts_name_words(device, &tokens) ? row_of(&tokens, "bandwidth") : NULL;
	const struct row *memory = row ? row_of(&tokens, "memory") : NULL;
	unsigned size = row ? size_in(&tokens) : 0;

	/* Another size of memory is another memory. */
	if (!row || (size && memory && !strstr(row->tokens, "gb") && size != memory->value))
		return false;
	*ret_bytes_per_s = row->value;
	return true;
}

/* --- capability --- */

/* Returns how many tokens the row's name has if they stand one behind the other anywhere in the device's name, otherwise 0. */
static size_t holds(const struct ts_name_words *device, const char *name)
{
	struct ts_name_words want;

	if (!ts_name_words(ts_span_str(name), &want))
		return 0;
	for (size_t i = 0; i + want.n <= device->n; i++) {
		size_t at = 0;

		while (at < want.n && strcmp(device->text[i + at], want.text[at]) == 0)
			at++;
		if (at == want.n)
			return at;
	}
	return 0;
}

bool ts_device_capability(struct ts_span device, double *ret_version)
{
	struct ts_name_words tokens;
	size_t most = 0;

	if (!ts_name_words(device, &tokens))
		return false;
	for (size_t i = 0; i < ROWS; i++) {
		size_t n = is_of(&rows[i], "capability") ? holds(&tokens, rows[i].tokens) : 0;

		if (n <= most)
			continue;
		most = n;
		*ret_version = rows[i].value;
	}
	return most > 0;
}
