/* sender.h - objects of a run to wherever the channel leads: asks which are missing, sends those and no others.
 *
 *	ts_sender_init(&s, channel, dry_run)
 *	ts_ingest(&options, ts_sender_take, &s, ...)	a window of objects at a time
 *	ts_sender_end(&s, err)				the rest, and the server's word that it has them
 *	ts_sender_finish(&s)				always
 *
 * Memory is a window of about 4 MiB of objects and what they are sealed to. An object that is there already is hashed
 * and never sealed. After TS_UNAVAILABLE everything can be done again from the start: what had arrived is not sent twice.
 */
#ifndef TSCOPE_CLI_CORE_SENDER_H
#define TSCOPE_CLI_CORE_SENDER_H

#include "base/buf.h"
#include "store/engine.h"

struct ts_channel;
struct ts_upload;

struct ts_sender {
	struct ts_channel *channel;
	struct ts_upload *upload; /* open once something is missing */
	bool dry_run;
	struct ts_buf window;	  /* objects, one behind the other */
	struct ts_id *ids;
	size_t *ends;		  /* of each object in the window */
	size_t n;
	struct ts_arena scratch;  /* sealed bytes, requests and replies of one window */
	struct ts_sealed *batch;  /* sealed, not yet sent */
	size_t n_batch;
	size_t batch_bytes;
	struct ts_buf message;
	uint64_t objects;	  /* asked about */
	uint64_t sent_objects;
	uint64_t sent_bytes;	  /* as sealed */
	struct ts_put_stats stored; /* what the other side says was new to it */
	struct ts_error failed;	  /* of ts_sender_take: who called it may have put a file and a line in front of it */
};

enum ts_status ts_sender_init(struct ts_sender *s, struct ts_channel *channel, bool dry_run, struct ts_error *err);
/* A ts_object_sink. */
enum ts_status ts_sender_take(void *sender, const struct ts_id *id, struct ts_span object, struct ts_error *err);
enum ts_status ts_sender_end(struct ts_sender *s, struct ts_error *err);
void ts_sender_finish(struct ts_sender *s); /* a second time does nothing */

#endif
