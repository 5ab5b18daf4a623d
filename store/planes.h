/* planes.h - words as planes of bytes: plane j holds byte j (byte 0 is the lowest) of every word. Internal to store/. */
#ifndef TSCOPE_STORE_PLANES_H
#define TSCOPE_STORE_PLANES_H

#include "store/codec.h"

/* Splits the lowest n_planes bytes of n words into planes; plane j begins at planes[j * n]. */
void ts_planes_split(const uint64_t *words, size_t n, uint8_t *planes, int n_planes);
/* Joins planes to n words; the bytes of planes from n_planes on are 0. */
void ts_planes_join(const uint8_t *const planes[TS_PLANES], int n_planes, uint64_t *words, size_t n);

#endif
