/* peer_page.h - what another tool would print, line by line, and beside each of its numbers that is wrong the right one.
 *
 *	ts_peer_number(&page, "total_s", TS_FORM_SECONDS, theirs, right, "cut")		the numbers of a line, then the line
 *	ts_peer_line(&page, "  CUDA kernel time: %.2fs", theirs)
 *
 * A number is wrong if it is not what the right one would print. Why is one word, which docs/peers.md explains. Texts lie in the arena;
 * an allocation that fails is remembered, and ts_peer_page_end reports it. Threads: one at a time.
 */
#ifndef TSCOPE_ANALYSIS_PEERS_PEER_PAGE_H
#define TSCOPE_ANALYSIS_PEERS_PEER_PAGE_H

#include "base/arena.h"
#include "base/span.h"

/* How the tool prints a number. */
enum ts_peer_form {
	TS_FORM_SECONDS,   /* "1.25s" */
	TS_FORM_SECONDS_3, /* "1.250s" */
	TS_FORM_MS,	   /* "1.2ms", of ms */
	TS_FORM_MS_3,	   /* "1.250ms" */
	TS_FORM_PERCENT,   /* "12.3%" */
	TS_FORM_PERCENT_0, /* "12%" */
	TS_FORM_GB,	   /* "1.25 GB" */
	TS_FORM_GB_0,	   /* "1GB" */
	TS_FORM_MB,	   /* "1.2MB" */
	TS_FORM_TIMES,	   /* "1.25x" */
	TS_FORM_NUMBER,	   /* "1.3" */
	TS_FORM_COUNT,
	TS_FORM_TIME,	/* "1.250us", "1.250ms" or "1.250s", of us: torch's own tables */
	TS_FORM_SHARE,	/* "12.34%" */
	TS_FORM_MEMORY, /* "12 B", "1.25 KB", ..., of bytes */
};

struct ts_peer_number {
	const char *what; /* with its unit: "total_ms" */
	double theirs;
	bool known; /* the right one is */
	double right;
	const char *why; /* NULL: theirs is right */
	enum ts_peer_form form;
};

struct ts_peer_line {
	const char *text; /* as the tool prints it; foreign, and without the end of the line */
	struct ts_peer_number *numbers;
	size_t n_numbers;
	const char *right; /* "12.5ms cut, 3 steps": the wrong numbers as they should be; NULL: none is wrong */
};

/* One tool's answer about one file. */
struct ts_peer_answer {
	const char *peer; /* "axolotl" */
	const char *path; /* as it was named; filled by the caller */
	struct ts_peer_line *lines;
	size_t n_lines;
};

enum { TS_PEER_NUMBERS = 16 };

struct ts_peer_page {
	struct ts_arena *arena;
	struct ts_peer_line *lines;
	size_t n, cap;
	struct ts_peer_number numbers[TS_PEER_NUMBERS]; /* of the next line */
	size_t n_numbers;
	bool failed;
};

/* A number as the tool prints it; in the arena. */
const char *ts_peer_formed(struct ts_peer_page *page, enum ts_peer_form form, double x);
/* A number of the next line. why is NULL if it cannot be wrong. */
void ts_peer_number(struct ts_peer_page *page, const char *what, enum ts_peer_form form, double theirs, double right, const char *why);
/* One whose right value is not known. */
void ts_peer_unknown(struct ts_peer_page *page, const char *what, enum ts_peer_form form, double theirs, const char *why);
void ts_peer_line(struct ts_peer_page *page, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* An empty line. */
void ts_peer_gap(struct ts_peer_page *page);
/* A heading between two rules of 75 signs, as Axolotl has it, after an empty line. */
void ts_peer_heading(struct ts_peer_page *page, const char *what, const char *of);
/* What was gathered; TS_NO_MEMORY. */
enum ts_status ts_peer_page_end(struct ts_peer_page *page, const char *peer, struct ts_peer_answer *ret, struct ts_error *err);

/* The first n characters (not bytes) of a text, and as many spaces behind as make it that wide. */
const char *ts_peer_cell(struct ts_peer_page *page, struct ts_span text, size_t cut, size_t width);
/* "1,234,567" */
const char *ts_peer_grouped(struct ts_peer_page *page, uint64_t n);
/* Whether a text has a part; with fold, in either case (of ASCII), the part in lower case. */
bool ts_peer_has(struct ts_span text, const char *part, bool fold);

#endif
