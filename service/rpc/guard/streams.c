#include "service/rpc/guard/streams.h"

#include <stddef.h>

struct ts_stream *ts_streams_find(struct ts_streams *streams, uint32_t id)
{
	/* The newest are asked for most. */
	for (unsigned i = streams->n; i-- > 0;)
		if (streams->all[i].id == id)
			return &streams->all[i];
	return NULL;
}

bool ts_streams_open(struct ts_streams *streams, uint32_t id, bool ended, int64_t window)
{
	if (streams->n == TS_STREAMS_MAX)
		return false;
	streams->all[streams->n++] = (struct ts_stream){.id = id, .ended = ended, .window = window};
	return true;
}

bool ts_streams_close(struct ts_streams *streams, uint32_t id, bool *ret_ended)
{
	struct ts_stream *stream = ts_streams_find(streams, id);

	if (!stream)
		return false;
	*ret_ended = stream->ended;
	*stream = streams->all[--streams->n];
	return true;
}

void ts_streams_widen(struct ts_streams *streams, int64_t by)
{
	for (unsigned i = 0; i < streams->n; i++)
		streams->all[i].window += by;
}

bool ts_streams_narrow(const struct ts_streams *streams, int64_t least)
{
	for (unsigned i = 0; i < streams->n; i++)
		if (streams->all[i].window < least)
			return true;
	return false;
}
