#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/rank/peaks.h"

#include <stdio.h>

static double peak(const char *device, const char *dtype)
{
	struct ts_peak found = {.flops = 0.0};
	const char *reason = NULL;

	if (!ts_peak_find(ts_span_str(device), ts_span_str(dtype), &found, &reason)) {
		assert_true(reason && *reason);
		return 0.0;
	}
	assert_true(found.flops > 0.0 && *found.name && *found.document && *found.date);
	return found.flops;
}

static double gib(const char *device)
{
	const char *source = NULL, *reason = NULL;
	double bytes = 0;

	if (!ts_device_memory(ts_span_str(device), &bytes, &source, &reason)) {
		assert_true(reason && *reason);
		return 0;
	}
	assert_true(source && *source);
	return bytes / 1073741824;
}

/* Names as drivers, torch, clouds and people write them; the sizes are those of the makers' data sheets. */
static void knows_the_memory(void **state)
{
	static const struct {
		const char *device;
		double gib;
	} known[] = {
		{"NVIDIA H100 80GB HBM3", 80}, {"H100 80GB", 80}, {"H100-SXM5-80GB", 80}, {"h100 80 GB", 80}, {"H100", 80},
		{"NVIDIA H100 PCIe", 80}, {"NVIDIA H100 NVL", 94}, {"NVIDIA H100 96GB HBM3", 96}, {"A100-SXM4-40GB", 40},
		{"NVIDIA A100-PCIE-40GB", 40}, {"NVIDIA A100 80GB PCIe", 80}, {"A100-80G", 80}, {"RTX 4090", 24},
		{"NVIDIA GeForce RTX 4090", 24}, {"GeForce RTX 3090", 24}, {"Tesla V100-SXM2-16GB", 16}, {"Tesla V100-PCIE-32GB", 32},
		{"Tesla T4", 16}, {"NVIDIA L40S", 48}, {"NVIDIA A10G", 24}, {"Tesla P100-PCIE-16GB", 16}, {"NVIDIA H200", 141},
		{"MI300X", 192}, {"AMD Instinct MI300X", 192}, {"AMD Instinct MI250X", 64}, {"AMD Instinct MI250X 128GB", 64},
		{"NVIDIA GH200 480GB", 96}, {"NVIDIA GH200 144GB HBM3e", 144}, {"TPU v4", 32},
		{"NVIDIA A100-SXM4-80GB MIG 3g.40gb", 40}, {"NVIDIA H100 80GB HBM3 MIG 1g.10gb", 10},
	};
	static const char *const unknown[] = {"", "A100", "NVIDIA GH200", "Tesla V100-SXM2", "NVIDIA RTX 4090 Laptop GPU", "A10-24Q",
					      "H1000", "0GB", "99999999999999999999GB", "GB", "g", "NVIDIA H100 MIG"};

	(void)state;
	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (gib(known[i].device) != known[i].gib)
			fail_msg("%s: %g GiB", known[i].device, gib(known[i].device));
	for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++)
		if (gib(unknown[i]) != 0)
			fail_msg("%s: %g GiB", unknown[i], gib(unknown[i]));
}

/* Names as drivers, torch, W&B and clouds write them; the versions are those of NVIDIA's list of CUDA GPUs. */
static void knows_the_capability(void **state)
{
	static const struct {
		const char *device;
		double version;
	} known[] = {
		{"Tesla T4", 7.5},
		{"NVIDIA T4", 7.5},
		{"Tesla V100-SXM2-16GB", 7.0},
		{"NVIDIA TITAN V", 7.0},
		{"TITAN RTX", 7.5},
		{"NVIDIA GeForce RTX 2080 Ti", 7.5},
		{"Quadro RTX 5000 with Max-Q Design", 7.5},
		{"NVIDIA GeForce GTX 1660 SUPER", 7.5},
		{"NVIDIA GeForce GTX 1080 Ti", 6.1},
		{"NVIDIA TITAN Xp", 6.1},
		{"NVIDIA TITAN X (Pascal)", 6.1},
		{"NVIDIA GeForce GTX TITAN X", 5.2},
		{"Tesla P100-PCIE-16GB", 6.0},
		{"Tesla P40", 6.1},
		{"Tesla K80", 3.7},
		{"Tesla M60", 5.2},
		{"NVIDIA A100-SXM4-80GB MIG 3g.40gb", 8.0},
		{"GRID A100-10C", 8.0},
		{"NVIDIA A10-24Q", 8.6},
		{"NVIDIA A10G", 8.6},
		{"NVIDIA RTX A6000", 8.6},
		{"NVIDIA GeForce RTX 3080 Laptop GPU", 8.6},
		{"NVIDIA RTX 6000 Ada Generation", 8.9},
		{"NVIDIA RTX 4000 SFF Ada Generation", 8.9},
		{"NVIDIA L40S", 8.9},
		{"NVIDIA GeForce RTX 4090 D", 8.9},
		{"NVIDIA H100 80GB HBM3", 9.0},
		{"NVIDIA GH200 480GB", 9.0},
		{"NVIDIA B200", 10.0},
		{"NVIDIA GeForce RTX 5090", 12.0},
		{"NVIDIA RTX PRO 6000 Blackwell Server Edition", 12.0},
	};
	static const char *const unknown[] = {"",
					      "NVIDIA",
					      "AMD Instinct MI300X",
					      "TPU v4",
					      "Apple M3 Max",
					      "cpu",
					      "NVIDIA RTX 6000",
					      "H1000",
					      "XT4",
					      "Intel(R) Data Center GPU Max 1550"};
	double version;

	(void)state;
	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (!ts_device_capability(ts_span_str(known[i].device), &version) || version != known[i].version)
			fail_msg("%s is not %g", known[i].device, known[i].version);
	for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++)
		if (ts_device_capability(ts_span_str(unknown[i]), &version))
			fail_msg("%s is said to be known", unknown[i]);
}

/* By the makers' data sheets. A device of which the name says another size of memory than the table has is another one. */
static void bandwidths(void **state)
{
	static const struct {
		const char *device;
		double bytes_per_s; /* 0: not known */
	} cases[] = {
		{"NVIDIA H100 80GB HBM3", 3350e9}, {"NVIDIA H100", 3350e9}, {"NVIDIA H100 64GB", 0}, {"NVIDIA H100 NVL", 3900e9},
		{"NVIDIA A100-SXM4-80GB", 2039e9}, {"NVIDIA A100-SXM4-40GB", 1555e9}, {"NVIDIA A100", 0}, {"NVIDIA H20 141GB", 0},
		{"AMD Instinct MI300X VF", 5300e9}, {"Tesla V100-SXM2-32GB", 900e9},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		double got = 0;
		bool known = ts_device_bandwidth(ts_span_str(cases[i].device), &got);

		if (known != (cases[i].bytes_per_s > 0) || got != cases[i].bytes_per_s)
			fail_msg("%s: %g and not %g", cases[i].device, got, cases[i].bytes_per_s);
	}
}

/* The names are those that drivers give to devices, and the figures are the dense ones of the makers' data sheets. */
static void knows_devices_by_their_drivers_names(void **state)
{
	(void)state;
	assert_true(peak("NVIDIA H100 80GB HBM3", "bf16") == 989e12);
	assert_true(peak("NVIDIA H100 PCIe", "bf16") == 756e12);
	assert_true(peak("NVIDIA H100 80GB PCIe", "bf16") == 756e12);
	assert_true(peak("NVIDIA H100 80GB HBM2e", "bf16") == 756e12);
	assert_true(peak("NVIDIA H100 NVL", "bf16") == 835e12);
	assert_true(peak("NVIDIA H200", "fp8") == 1979e12);
	assert_true(peak("NVIDIA H200 NVL", "bf16") == 835e12);
	assert_true(peak("NVIDIA GH200 480GB", "bf16") == 989e12);
	assert_true(peak("NVIDIA H20", "bf16") == 148e12);
	assert_true(peak("NVIDIA A100-SXM4-80GB", "tf32") == 156e12);
	assert_true(peak("NVIDIA A100 80GB PCIe", "fp32") == 19.5e12);
	assert_true(peak("A100-PCIE-40GB", "bf16") == 312e12);
	assert_true(peak("NVIDIA A10", "bf16") == 125e12);
	assert_true(peak("NVIDIA A10G", "bf16") == 70e12);
	assert_true(peak("NVIDIA L4", "bf16") == 121e12);
	assert_true(peak("NVIDIA L40", "bf16") == 181e12);
	assert_true(peak("NVIDIA L40S", "bf16") == 362e12);
	assert_true(peak("Tesla T4", "fp16") == 65e12);
	assert_true(peak("Tesla V100-SXM2-16GB", "fp16") == 125e12);
	assert_true(peak("Tesla V100-PCIE-32GB", "fp16") == 112e12);
	assert_true(peak("Tesla V100S-PCIE-32GB", "fp16") == 130e12);
	assert_true(peak("NVIDIA GeForce RTX 4090", "bf16") == 165.2e12);
	assert_true(peak("NVIDIA RTX 6000 Ada Generation", "fp16") == 364.2e12);
	assert_true(peak("NVIDIA B200", "bf16") == 2250e12);
	assert_true(peak("NVIDIA GB200", "bf16") == 2500e12);
	assert_true(peak("NVIDIA B300 SXM6 AC", "fp8") == 4500e12);
	assert_true(peak("AMD Instinct MI300X", "bf16") == 1307e12);
	assert_true(peak("AMD Instinct MI300X VF", "bf16") == 1307e12);
	assert_true(peak("AMD Instinct MI250X", "bf16") == 191.5e12);
	assert_true(peak("TPU v5 lite", "bf16") == 197e12);
	assert_true(peak("h100 sxm5 80 gb", "bf16") == 989e12);
}

/* These names contain the name of another device, are parts of a device, or belong to a device with another data
 * sheet. */
static void guesses_no_device(void **state)
{
	static const char *const unknown[] = {
		"", "NVIDIA", "80GB", "NVIDIA RTX A1000", "NVIDIA T400", "NVIDIA T400 4GB", "NVIDIA GeForce RTX 4090 Laptop GPU",
		"NVIDIA GeForce RTX 4090 D", "NVIDIA GeForce RTX 3090 Ti", "NVIDIA GeForce RTX 4080 SUPER",
		"NVIDIA A100-SXM4-40GB MIG 1g.5gb", "NVIDIA A10-24Q", "GRID A100-10C", "NVIDIA H20-3e", "Tesla V100",
		"AMD Instinct MI250X / MI250", "NVIDIA RTX 6000", "Quadro RTX 6000", "NVIDIA L400", "XL4", "L4 L40", "NVIDIA H100 gb",
		"Apple M3 Max", "cpu", "H100 H100", "Intel(R) Data Center GPU Max 1550", "TPU v3", "NVIDIA GeForce RTX 40900",
		"a b c d e f g h i j k l m n o p q r s t u v w", "averyveryveryverylongwordthatnodevicehas",
	};

	(void)state;
	for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++)
		if (peak(unknown[i], "bf16") != 0.0)
			fail_msg("%s is said to be known", unknown[i]);
}

static void says_why(void **state)
{
	struct ts_peak p;
	const char *reason;

	(void)state;
	assert_false(ts_peak_find(ts_span_str("NVIDIA A100-SXM4-40GB MIG 1g.5gb"), ts_span_str("bf16"), &p, &reason));
	assert_non_null(strstr(reason, "MIG"));
	assert_false(ts_peak_find(ts_span_str("Tesla T4"), ts_span_str("bf16"), &p, &reason));
	assert_string_equal(reason, "the table of peaks has no value for this device with the declared dtype");
	assert_false(ts_peak_find(ts_span_str("Tesla T4"), ts_span_of(NULL, 0), &p, &reason));
	assert_string_equal(reason, "the run does not declare a dtype");
	assert_false(ts_peak_find(ts_span_str("Tesla T4"), ts_span_str("fancy"), &p, &reason));
	assert_string_equal(reason, "the table of peaks does not know the declared dtype");
	assert_false(ts_peak_find(ts_span_of(NULL, 0), ts_span_str("bf16"), &p, &reason));
	assert_string_equal(reason, "the device is not in the table of peaks");
}

static void dtypes_by_their_names(void **state)
{
	static const char *const names[][2] = {
		{"torch.bfloat16", "bf16"}, {"BF16", "bf16"}, {"bf16-mixed", "bf16"}, {"jnp.bfloat16", "bf16"}, {"half", "fp16"},
		{"float16", "fp16"}, {"torch.float32", "fp32"}, {"tf32", "tf32"}, {"float8_e4m3fn", "fp8"}, {"int8", "int8"},
		{"torch.float64", "fp64"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		assert_string_equal(ts_dtype_word(ts_span_str(names[i][0])), names[i][1]);
	assert_null(ts_dtype_word(ts_span_str("")));
	assert_null(ts_dtype_word(ts_span_str("torch.")));
	assert_null(ts_dtype_word(ts_span_str("bf")));
	assert_null(ts_dtype_word(ts_span_str("mixed")));
	assert_null(ts_dtype_word(ts_span_str("a name of a type that is longer than any")));
}

/* peaks.inc is what peaks.py generates from peaks.tsv. */
static void the_table_is_the_file(void **state)
{
	FILE *made = popen("python3 analysis/rank/peaks.py", "r"), *kept = fopen("analysis/rank/peaks.inc", "r");
	size_t n = 0;
	int c;

	(void)state;
	assert_non_null(made);
	assert_non_null(kept);
	do {
		c = fgetc(made);
		if (c != fgetc(kept))
			fail_msg("byte %zu: run python3 analysis/rank/peaks.py > analysis/rank/peaks.inc", n);
		n++;
	} while (c != EOF);
	assert_true(n > 10000);
	assert_int_equal(pclose(made), 0);
	(void)fclose(kept);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(knows_the_memory),
		cmocka_unit_test(knows_the_capability),
		cmocka_unit_test(bandwidths),
		cmocka_unit_test(knows_devices_by_their_drivers_names),
		cmocka_unit_test(guesses_no_device),
		cmocka_unit_test(says_why),
		cmocka_unit_test(dtypes_by_their_names),
		cmocka_unit_test(the_table_is_the_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
