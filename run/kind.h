/* kind.h - the kinds of object that make up a run, and the format version that this code writes.
 *
 * docs/format.md is the specification, with test vectors. A reader refuses kinds and versions that it does not know
 * (TS_UNSUPPORTED). Version 1 stays readable for ever (tests/golden/format-v1).
 */
#ifndef TSCOPE_RUN_KIND_H
#define TSCOPE_RUN_KIND_H

enum ts_kind {
	TS_KIND_HEAD = 1, /* bytes; refs: index of each rank, then long-text facts, in order of use */
	TS_KIND_INDEX = 2, /* bytes; refs: key and value blocks, file chunks, the next index of the chain */
	TS_KIND_KEYS = 3, /* words: i64 keys, strictly increasing */
	TS_KIND_F64 = 4, /* words: the bits of f64; every NaN is 0x7ff8000000000000 */
	TS_KIND_U64 = 5, /* words: u64 */
	TS_KIND_TEXT = 6, /* bytes: dictionary in order of first appearance, then a u32 code for each row */
	TS_KIND_CHUNK = 7, /* bytes: up to TS_CHUNK_BYTES of a file or of a long text */
};

enum { TS_FORMAT_VERSION = 1 };

#endif
