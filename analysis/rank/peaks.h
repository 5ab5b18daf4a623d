/* peaks.h - the peak arithmetic and the memory of devices: a table compiled in from peaks.tsv, where every row has its source.
 *
 * A device is known by its whole name as drivers spell it. The name of the device and that of the row are both cut into
 * tokens (letters and digits, without regard to case). A row matches if the device has all its tokens in their order, and
 * beside them only makers and families (NVIDIA, Tesla, ...), memory sizes and memory kinds. If several rows match, the one
 * with most tokens counts: "H100 PCIe" before "H100". So L40S is not L40, RTX A1000 is not A100, and a device that the table
 * does not have ("RTX 4090 Laptop", a MIG slice, "A10-24Q") is unknown, not guessed. The values are those of the whole
 * device at its boost clock: a power cap makes them nominal.
 */
#ifndef TSCOPE_ANALYSIS_RANK_PEAKS_H
#define TSCOPE_ANALYSIS_RANK_PEAKS_H

#include "base/span.h"

struct ts_peak {
	const char *name;     /* "H100 PCIe" */
	const char *dtype;    /* "bf16" */
	double flops;	      /* operations a second, dense, of one device */
	const char *document; /* URL or title of the source */
	const char *date;     /* year of the source, or year and month */
};

/* Maps a name in use ("torch.bfloat16", "bf16-mixed", "half") to fp64, fp32, tf32, bf16, fp16, fp8 or int8; NULL for any
 * other name. */
const char *ts_dtype_word(struct ts_span dtype);
/* Finds the peak of a device for a type. False, with a reason (static text, a sentence without its full stop), if the table
 * lacks the device, the type, or a value for both. */
bool ts_peak_find(struct ts_span device, struct ts_span dtype, struct ts_peak *ret_peak, const char **ret_reason);

/* Finds the nominal memory of a device in bytes: the size that its name says ("80GB", "80 GB", "80G", in GiB; of a MIG slice that of
 * the slice), else the table's, for devices that were made with one size only. A process can use up to 7 % less: drivers and error
 * correction take a part. False, with a reason (static text), if neither says it. *ret_source is static text. */
bool ts_device_memory(struct ts_span device, double *ret_bytes, const char **ret_source, const char **ret_reason);
/* Finds the nominal bandwidth of the device's memory. False: the table has none, as of a name that two kinds of memory have. */
bool ts_device_bandwidth(struct ts_span device, double *ret_bytes_per_s);
/* Finds the version of the compute capability that CUDA gives the device (7.5 of a T4): by a name of the table that stands anywhere in
 * that of the device, the longest one, because a Laptop part, a Ti and a slice compute with the same units. False if there is none. */
bool ts_device_capability(struct ts_span device, double *ret_version);

#endif
