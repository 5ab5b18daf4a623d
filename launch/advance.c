#include "launch/advance.h"

#include "base/cursor.h"
#include "base/order.h"
#include "record/attempt.h"
#include "record/crc32c.h"
#include "record/frame.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STEPS_LEAST = 5 }; /* fewer say nothing of what is usual */

static bool read_at(int fd, void *to, size_t n, uint64_t at)
{
	return pread(fd, to, n, (off_t)at) == (ssize_t)n;
}

/* The ordinal in its lane of a chunk of the training's own thread; false: the chunk is none. */
static bool chunk_ordinal(const struct ts_advance *a, uint64_t number, uint32_t *ret)
{
	uint8_t h[TS_FRAME_CHUNK_HEADER];

	if (!read_at(a->fd, h, sizeof h, number * TS_FRAME_CHUNK + (number ? 0 : TS_FRAME_FILE_HEADER)) ||
	    ts_load_le(h, 4) != TS_FRAME_CHUNK_MAGIC || ts_load_le(h + TS_FRAME_CHUNK_NUMBER, 4) != number ||
	    ts_load_le(h + TS_FRAME_CHUNK_CRC, 4) != ts_crc32c(0, h + 8, sizeof h - 8) || ts_load_le(h + TS_FRAME_CHUNK_LANE, 4) != 0)
		return false;
	*ret = (uint32_t)ts_load_le(h + TS_FRAME_CHUNK_ORDINAL, 4);
	return true;
}

bool ts_advance_named(const char *name)
{
	return ts_attempt_of(name, "recording", "tscope") != 0;
}

bool ts_advance_open(struct ts_advance *advance, const char *path)
{
	uint8_t h[TS_FRAME_FILE_HEADER];

	*advance = (struct ts_advance){.fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), .at = TS_FRAME_CHUNK};
	if (advance->fd >= 0 && read_at(advance->fd, h, sizeof h, 0) && memcmp(h, TS_FRAME_MAGIC, 8) == 0 &&
	    ts_load_le(h + TS_FRAME_FILE_VERSION, 4) == TS_FRAME_VERSION &&
	    ts_load_le(h + TS_FRAME_FILE_CRC, 4) == ts_crc32c(0, h, TS_FRAME_FILE_CRC)) {
		advance->rank = (int32_t)ts_load_le(h + TS_FRAME_FILE_RANK, 4);
		advance->process = (uint32_t)ts_load_le(h + TS_FRAME_FILE_PROCESS, 4);
		if (chunk_ordinal(advance, 0, &advance->ordinal))
			advance->at = TS_FRAME_FILE_HEADER + TS_FRAME_CHUNK_HEADER;
		return true;
	}
	ts_advance_close(advance);
	return false;
}

void ts_advance_close(struct ts_advance *advance)
{
	if (advance->fd >= 0)
		(void)close(advance->fd);
	advance->fd = -1;
}

static void take_step(struct ts_advance *a, const uint8_t *frame, int64_t now_ns)
{
	int64_t begun = (int64_t)ts_load_le(frame + TS_FRAME_STEP_BEGIN, 8);
	double took = ((double)begun - (double)a->begun_ns) / 1e9;

	if (a->steps && took > 0) {
		a->recent[a->n_recent++ % TS_ADVANCE_RECENT] = took;
		a->longest = took > a->longest ? took : a->longest;
	}
	a->begun_ns = begun;
	a->last_step = (int64_t)ts_load_le(frame + TS_FRAME_STEP_STEP, 8);
	a->seen_ns = now_ns;
	a->steps++;
}

/* Takes the sound frames of a chunk from a->at on. */
static void take_frames(struct ts_advance *a, int64_t now_ns)
{
	uint8_t bytes[TS_FRAME_CHUNK];
	ssize_t n =
		a->at < TS_FRAME_CHUNK ? pread(a->fd, bytes, TS_FRAME_CHUNK - a->at, (off_t)(a->chunk * TS_FRAME_CHUNK + a->at)) : 0;
	size_t at = 0;

	while (n > 0 && at + TS_FRAME_HEADER <= (size_t)n) {
		const uint8_t *frame = bytes + at;
		uint32_t word = (uint32_t)ts_load_le(frame, 4), len = TS_FRAME_LENGTH(word);

		if (len < TS_FRAME_HEADER || len % 8 || len > (size_t)n - at ||
		    ts_load_le(frame + 4, 4) != ts_crc32c(ts_crc32c(0, frame, 4), frame + TS_FRAME_HEADER, len - TS_FRAME_HEADER))
			break;
		if (TS_FRAME_KIND(word) == TS_FRAME_STEP && len >= TS_FRAME_STEP_CELLS)
			take_step(a, frame, now_ns);
		a->ended |= TS_FRAME_KIND(word) == TS_FRAME_END;
		at += len;
	}
	a->at += at;
}

/* Goes on to the next chunk of the lane behind this one; false: there is none yet. */
static bool next_chunk(struct ts_advance *a)
{
	struct stat st;
	uint32_t ordinal;

	if (fstat(a->fd, &st) < 0)
		return false;
	for (uint64_t number = a->chunk + 1; number < (uint64_t)st.st_size / TS_FRAME_CHUNK; number++) {
		if (!chunk_ordinal(a, number, &ordinal) || ordinal <= a->ordinal)
			continue;
		a->chunk = number;
		a->ordinal = ordinal;
		a->at = TS_FRAME_CHUNK_HEADER;
		return true;
	}
	return false;
}

void ts_advance_look(struct ts_advance *advance, int64_t now_ns)
{
	if (advance->fd < 0)
		return;
	do
		take_frames(advance, now_ns);
	while (next_chunk(advance));
}

double ts_advance_usual(const struct ts_advance *advance)
{
	size_t n = advance->n_recent < TS_ADVANCE_RECENT ? (size_t)advance->n_recent : TS_ADVANCE_RECENT;
	double sorted[TS_ADVANCE_RECENT];

	if (n < STEPS_LEAST)
		return -1;
	memcpy(sorted, advance->recent, n * sizeof *sorted);
	TS_SORT(sorted, n, ts_by_double);
	return sorted[n / 2];
}
