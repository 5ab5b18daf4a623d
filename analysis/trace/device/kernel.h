/* kernel.h - what a kernel does, by its name: a table that is compiled in (kernels.inc), which has a version.
 *
 * A name is looked at without its list of arguments, because that names types: every NCCL kernel of some versions takes a
 * `ncclDevComm*`, every kernel with "comm" in it has an "mm", and an `IndexBoundsCheck` among the arguments of a batch norm makes it no
 * gather. Patterns for the head look at what stands before its template arguments, too. The first row that matches counts, and those of
 * communication come first. Case does not matter. Threads: safe.
 */
#ifndef TSCOPE_ANALYSIS_TRACE_DEVICE_KERNEL_H
#define TSCOPE_ANALYSIS_TRACE_DEVICE_KERNEL_H

#include "base/span.h"

enum { TS_KERNEL_TABLE_VERSION = 3 };

enum ts_kernel_category {
	TS_KERNEL_COMMUNICATION,
	TS_KERNEL_CONVOLUTION,
	TS_KERNEL_ATTENTION,
	TS_KERNEL_MOE,
	TS_KERNEL_EMBEDDING,
	TS_KERNEL_QUANTIZATION,
	TS_KERNEL_GEMM,
	TS_KERNEL_NORMALIZATION,
	TS_KERNEL_SOFTMAX,
	TS_KERNEL_LOSS,
	TS_KERNEL_OPTIMIZER,
	TS_KERNEL_RANDOM,
	TS_KERNEL_ROTARY,
	TS_KERNEL_POOLING,
	TS_KERNEL_SORT,
	TS_KERNEL_INDEX,
	TS_KERNEL_FILL,
	TS_KERNEL_COPY,
	TS_KERNEL_REDUCTION,
	TS_KERNEL_FUSED,
	TS_KERNEL_ELEMENTWISE,
	TS_KERNEL_OTHER,
	TS_KERNEL_CATEGORIES,
};

enum ts_collective {
	TS_COLLECTIVE_ALL_REDUCE,
	TS_COLLECTIVE_ALL_GATHER,
	TS_COLLECTIVE_REDUCE_SCATTER,
	TS_COLLECTIVE_ALL_TO_ALL,
	TS_COLLECTIVE_BROADCAST,
	TS_COLLECTIVE_REDUCE,
	TS_COLLECTIVE_SEND_RECV,
	TS_COLLECTIVE_OTHER,
	TS_COLLECTIVES,
};

/* What a category was told by, and so how sure it is: what the user says and the grammar of a library's names are high, a word within
 * the name or the operator that launched the kernel medium, and other low. */
enum ts_kernel_by {
	TS_KERNEL_BY_NOTHING,
	TS_KERNEL_BY_WORD,
	TS_KERNEL_BY_OPERATOR,
	TS_KERNEL_BY_GRAMMAR,
	TS_KERNEL_BY_USER,
	TS_KERNEL_BYS,
};

struct ts_kernel_told {
	uint8_t category;	 /* enum ts_kernel_category */
	uint8_t by;		 /* enum ts_kernel_by */
	struct ts_span evidence; /* the pattern of the table, the name of the operator, or the user's pattern; empty: nothing told it */
};

enum ts_kernel_category ts_kernel_category(struct ts_span name);
/* The same, with what told it. */
struct ts_kernel_told ts_kernel_tell(struct ts_span name);
/* What an operator launches; TS_KERNEL_OTHER: it does not say. */
enum ts_kernel_category ts_kernel_of_operator(struct ts_span name);
/* Whether what the operator launches counts, and not the category by the name: where the name says nothing; a convolution or a fused
 * attention may be a product of matrices by its kernel; what a normalization, softmax, loss or embedding launches is it, though the
 * kernel is a reduction, an index or elementwise. */
bool ts_kernel_operator_counts(struct ts_kernel_told by_name, enum ts_kernel_category of_operator);
/* "word", "operator", "grammar", "user", "nothing"; "high", "medium", "low". */
const char *ts_kernel_by_word(enum ts_kernel_by by);
const char *ts_kernel_confidence_word(enum ts_kernel_by by);
/* "gemm", "all_reduce". */
const char *ts_kernel_category_word(enum ts_kernel_category category);
/* The category of a word; TS_KERNEL_CATEGORIES: it is none's. */
enum ts_kernel_category ts_kernel_category_of(struct ts_span word);
const char *ts_collective_word(enum ts_collective collective);

/* What a kernel of communication does: by the name of the collective that PyTorch gave it, else by the kernel's own name. An all-to-all
 * is sends and receives to NCCL, so the first is better. collective may be empty. */
enum ts_collective ts_kernel_collective(struct ts_span name, struct ts_span collective);

/* True for the kernel of a product of matrices whose inputs stay float32, without TF32: NVIDIA's libraries say so in the name. */
bool ts_kernel_is_float32_product(struct ts_span name);

/* The name without its list of arguments: "void f<g(int)>(int, h*)" becomes "void f<g(int)>". What stands behind a space is none:
 * "Memcpy HtoD (Pageable -> Device)" stays as it is. */
struct ts_span ts_kernel_without_arguments(struct ts_span name);

#endif
