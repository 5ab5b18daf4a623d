/* sender.h - sends the objects of a run over a channel: it asks the receiver which are missing, and sends only those.
 *
 *	ts_sender_init(&s, channel, dry_run)
 *	ts_ingest(&options, ts_sender_take, &s, ...)	called with one object at a time
 *	ts_sender_end(&s, err)				sends the rest; the server confirms that it has them
 *	ts_sender_finish(&s)				always
 *
 * The sender holds a window of about 4 MiB of objects and their sealed form. An object that the receiver has already is hashed but
 * not sealed. After TS_UNAVAILABLE the caller can start again from the beginning: objects that had arrived are not sent twice.
 */
#ifndef TSCOPE_CLI_CORE_SENDER_H
#define TSCOPE_CLI_CORE_SENDER_H

#include "base/buf.h"
#include "store/engine.h"

struct ts_channel;
struct ts_upload;

struct ts_sender {
	struct ts_channel *channel;
	struct ts_upload *upload; /* opened when the first missing object is sent */
	bool dry_run;
	struct ts_buf window;	  /* objects, one behind the other */
	struct ts_id *ids;
	size_t *ends;		  /* where each object of the window ends */
	size_t n;
	struct ts_arena scratch;  /* sealed bytes, requests and replies of one window */
	struct ts_sealer *sealer; /* made when the first object comes that it helps, where the receiver opens what it makes */
	bool asked;		  /* the receiver, whether it does */
	struct ts_sealed *batch;  /* sealed, not yet sent */
	size_t n_batch;
	size_t batch_bytes;
	struct ts_buf message;
	uint64_t objects;	  /* asked about */
	uint64_t sent_objects;
	uint64_t sent_bytes;	  /* as sealed */
	struct ts_put_stats stored; /* what the receiver reports as new */
	struct ts_error failed;	  /* the error of ts_sender_take, without the file and line that its caller may add */
};

enum ts_status ts_sender_init(struct ts_sender *s, struct ts_channel *channel, bool dry_run, struct ts_error *err);
/* A ts_object_sink. */
enum ts_status ts_sender_take(void *sender, const struct ts_id *id, struct ts_span object, struct ts_error *err);
enum ts_status ts_sender_end(struct ts_sender *s, struct ts_error *err);
void ts_sender_finish(struct ts_sender *s); /* a second time does nothing */

#endif
