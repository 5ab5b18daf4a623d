/* peaks.h - the peak arithmetic of devices: a table compiled in from peaks.tsv, where every row has its source.
 *
 * A device is known by its whole name as drivers spell it. Both names are cut into tokens (letters and digits; case is one);
 * the device has all tokens of the row in their order, and beside them nothing but makers and families (NVIDIA, Tesla, ...),
 * memory sizes and memory kinds. Of several such rows the one of most tokens counts: "H100 PCIe" before "H100". So L40S is
 * not L40, RTX A1000 not A100, and what the table has never heard of ("RTX 4090 Laptop", a MIG slice, "A10-24Q") is unknown,
 * not guessed. The figures are those of the whole part at its boost clock: a power cap makes them nominal.
 */
#ifndef TSCOPE_ANALYSIS_RANK_PEAKS_H
#define TSCOPE_ANALYSIS_RANK_PEAKS_H

#include "base/span.h"

struct ts_peak {
	const char *name;     /* "H100 PCIe" */
	const char *dtype;    /* "bf16" */
	double flops;	      /* operations a second, dense, of one device */
	const char *document; /* URL or title of the source */
	const char *date;     /* its year, or year and month */
};

/* fp64 fp32 tf32 bf16 fp16 fp8 int8 of the names in use ("torch.bfloat16", "bf16-mixed", "half"); NULL if it is none. */
const char *ts_dtype_word(struct ts_span dtype);
/* False with the reason, a sentence without its stop: no such device, no such type, or no figure for the type there. */
bool ts_peak_find(struct ts_span device, struct ts_span dtype, struct ts_peak *ret_peak, const char **ret_reason);

#endif
