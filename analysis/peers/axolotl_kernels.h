/* axolotl_kernels.h - the categories of kernels of Axolotl's analyze_profile.py (067b021c), as it finds them and as they should be
 * found.
 *
 * It takes the first of its patterns that is anywhere in the name in lower case, also among template parameters and arguments.
 * Amended, communication comes first and has a category; matrix products that kernel.h knows (nvjet, Cijk, fused experts) are GEMM
 * unless a row for LoRA, ScatterMoE or dequantization names them; and patterns look at the name without its arguments. Threads: safe.
 */
#ifndef TSCOPE_ANALYSIS_PEERS_AXOLOTL_KERNELS_H
#define TSCOPE_ANALYSIS_PEERS_AXOLOTL_KERNELS_H

#include "base/span.h"

enum { TS_AXOLOTL_MEMORY = 18, TS_AXOLOTL_OTHER = 21, TS_AXOLOTL_COMMUNICATION = 22, TS_AXOLOTL_CATEGORIES = 23 };

int ts_axolotl_category(struct ts_span name);
int ts_axolotl_category_amended(struct ts_span name);
/* "GEMM/CUTLASS"; of communication, which it lacks, "Communication". */
const char *ts_axolotl_category_word(int category);

#endif
