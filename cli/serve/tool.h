/* tool.h - a verb that a program may call: its schema, made of the table of verbs, and the words of a command line, made of arguments.
 *
 * A word of the verb's usage is a property by its name in small letters (RUN is `run`, RUN RUN... is the list `runs`), an option by its
 * own (--fail-on is `fail-on`). Every tool also has `project`, and `answer`: the document, a brief of it, the text of the command, or a
 * page. Threads: pure.
 */
#ifndef TSCOPE_CLI_SERVE_TOOL_H
#define TSCOPE_CLI_SERVE_TOOL_H

#include "base/json_writer.h"
#include "cli/core/verb.h"

struct ts_tool {
	const char *verb;
	const char *options;	     /* those that a program may give, in the order of the verb's table: none that writes or executes */
	size_t min_words, max_words; /* of the verb's; fewer where some of them write */
	const char *next;	     /* what a brief says to ask next, where the document says nothing */
};

enum ts_tool_form { TS_TOOL_DOCUMENT, TS_TOOL_BRIEF, TS_TOOL_TEXT, TS_TOOL_PAGE };

struct ts_tool_call {
	const char **words; /* the verb first */
	size_t n;
	enum ts_tool_form form;
};

enum { TS_TOOL_SLOTS = 4, TS_TOOL_WORDS = 600 };

/* A word of the usage. */
struct ts_tool_slot {
	const char *name;
	bool repeat, needed;
};

/* verb: the row of the tool's verb. Returns how many there are, in the order in which they stand; TS_TOOL_SLOTS at most. */
size_t ts_tool_slots(const struct ts_tool *tool, const struct ts_verb *verb, struct ts_tool_slot slots[TS_TOOL_SLOTS],
		     struct ts_arena *arena);

/* Whether the verb itself draws a page (--html); what another prints has to be made one. */
bool ts_tool_draws(const struct ts_verb *verb);

/* Whether the tool has this option of its verb. */
bool ts_tool_has(const struct ts_tool *tool, const char *option);

/* Writes the description of the tool, as tools/list has it. */
void ts_tool_describe(const struct ts_tool *tool, const struct ts_verb *verb, struct ts_json *j, struct ts_arena *arena);

/* arguments: the JSON of an object, or empty. Texts lie in the arena. TS_INVALID for what the tool does not have, with the nearest
 * name, and for a value of another type. */
enum ts_status ts_tool_read(const struct ts_tool *tool, const struct ts_verb *verb, struct ts_span arguments, struct ts_arena *arena,
			    struct ts_tool_call *ret_call, struct ts_error *err);

#endif
