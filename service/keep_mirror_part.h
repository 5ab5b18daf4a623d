/* keep_mirror_part.h - brings names of another store, with all that they reach, into a mirror. Internal to keep_mirror.c.
 *
 * What a name points at comes before the name does, and a branch gets its log entry by entry. The time and the author of each move are
 * those of the other store, and so are the notes of a run, as they are now. Names that the part has no more are removed, and come back
 * by no means but the other store. Each object is held against its id before it is kept.
 */
#ifndef TSCOPE_SERVICE_KEEP_MIRROR_PART_H
#define TSCOPE_SERVICE_KEEP_MIRROR_PART_H

#include "service/handlers/channel.h"
#include "service/keep_mirror.h"

enum ts_status ts_mirror_part(const struct ts_mirror_options *options, struct ts_channel *from, struct ts_engine *to,
			      struct ts_mirror_report *io_report, struct ts_error *err);

#endif
