#include "service/handlers/core/block_scores.h"

#include "base/cursor.h"
#include "base/object.h"
#include "run/kind.h"

#include <pthread.h>

/* A run of a million steps has some 62 blocks for each of its columns. */
enum { SLOTS = 1 << 15 };

struct slot {
	struct ts_id id; /* all zero: empty */
	struct ts_block_score score;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct slot slots[SLOTS];

static struct slot *slot_of(const struct ts_id *id)
{
	return &slots[ts_load_le(id->bytes, 4) % SLOTS];
}

void ts_block_scores_note(const struct ts_id *id, struct ts_span object)
{
	struct ts_object frame;
	struct ts_error ignored;
	struct slot made = {.id = *id};

	if (ts_object_parse(object, &frame, &ignored) || frame.kind != TS_KIND_F64 || frame.version != TS_FORMAT_VERSION ||
	    frame.nrefs || frame.payload.len == 0 || frame.payload.len % 8)
		return;
	made.score = ts_block_score_of(frame.payload);
	pthread_mutex_lock(&lock);
	*slot_of(id) = made;
	pthread_mutex_unlock(&lock);
}

bool ts_block_scores_find(const struct ts_id *id, struct ts_block_score *ret_score)
{
	const struct slot *slot = slot_of(id);
	bool found;

	pthread_mutex_lock(&lock);
	found = ts_id_eq(&slot->id, id);
	if (found)
		*ret_score = slot->score;
	pthread_mutex_unlock(&lock);
	return found;
}
