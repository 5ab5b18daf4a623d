/* watch_frame.h - one picture of a run that goes on, as lines of text: what watch shows.
 *
 * Drawn from live.h and what is known beside it, for a terminal of at least 60 columns; narrower ones get cut lines. Foreign text is
 * escaped. Characters beyond ASCII are drawn only where the locale has UTF-8. Pure: the time is an argument.
 */
#ifndef TSCOPE_CLI_WATCH_WATCH_FRAME_H
#define TSCOPE_CLI_WATCH_WATCH_FRAME_H

#include "cli/core/term.h"
#include "cli/watch/look.h"
#include "cli/watch/standing.h"
#include "run/machine.h"

struct ts_said {
	struct ts_span code, title, detail;
	enum ts_severity severity;
	int64_t step; /* that the run had come to when it was said */
	int32_t rank; /* -1: none */
};

struct ts_watch_frame {
	const char *word; /* what was typed */
	struct ts_span name;
	enum ts_stand stand;
	const char *why;       /* NULL: nothing */
	struct ts_span ending; /* the sentence of its end, or of what it hangs in; empty: none */
	double age;	       /* NaN: not known */
	struct ts_pace pace;
	int64_t total;	 /* 0: not known */
	double capacity; /* 0: not known */
	const struct ts_look_forecast *forecast; /* NULL: memory is not said to grow */
	const struct ts_machine_rows *machine; /* the newest observation; NULL: not known */
	const struct ts_said *said;
	size_t n_said;
	bool streamed;		/* it comes in a pipe, and is not analyzed */
	bool looked;		/* it was analyzed */
	uint64_t looked_steps;	/* when it had so many steps */
	struct ts_span against; /* the sentence of --baseline; empty: none */
	bool differs;
	struct ts_span trouble; /* what could not be read; empty: nothing */
	size_t selected;	/* the rank, by its place */
	bool help;
	bool keys; /* the last line says which keys there are */
};

/* width: columns; 0: 80. */
enum ts_status ts_watch_draw(const struct ts_watch_frame *frame, const struct ts_live *live, const struct ts_term *term, int width,
			     struct ts_arena *arena, struct ts_buf *out, struct ts_error *err);

#endif
