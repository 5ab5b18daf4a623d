/* planes.h - words as planes of bytes: plane j holds byte j (the lowest is 0) of every word. Internal to store/. */
#ifndef TSCOPE_STORE_PLANES_H
#define TSCOPE_STORE_PLANES_H

#include "store/codec.h"

/* The lowest n_planes bytes of n words, into planes[j * n]. */
void ts_planes_split(const uint64_t *words, size_t n, uint8_t *planes, int n_planes);
/* The way back; the bytes of planes that are not there are 0. */
void ts_planes_join(const uint8_t *const planes[TS_PLANES], int n_planes, uint64_t *words, size_t n);

#endif
