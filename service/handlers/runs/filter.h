/* filter.h - parses and evaluates the filter that says which runs a list shows: config.lr>1e-4 and steps>=1000
 *
 *	filter     = or ;  or = and { "or" and } ;  and = not { "and" not } ;  not = "not" not | "(" or ")" | comparison | search
 *	search     = "quoted" | 'quoted' | word
 *	comparison = path op value ;  op = "=" "!=" "<" "<=" ">" ">=" "~"
 *	value      = number | "quoted" | 'quoted' | true | false | null | date | word
 *
 * A path is that of a fact, or a word of list (name, steps, started, ...: list_columns.h). In quotes, the character after a
 * backslash is taken as it is. ~ matches the value's text with a glob (* and ?), and so do = and != with a word in which one of these
 * stands outside of quotes. A word cannot begin with an operator. started and pushed are compared with RFC 3339 times or dates. Numbers
 * compare with numbers, and texts with texts, by bytes; an equality between different types is false.
 *
 * A name is compared by the part behind its project, and by all of it where the text has a '/'. A glob of names is that of run/name.h;
 * = finds a name by its last components as well, unless one is called so (ts_filter_complete). A search, of a word that is no column
 * or of a text in quotes, finds it anywhere in a name, in either case; with * or ? the word is a glob.
 *
 * Logic has three values. A value that a run does not record is unknown, every comparison with it is unknown, "not" of unknown is
 * unknown, and a run is shown only if the whole filter is true. So config.lr>1 and not config.lr>1 both leave out a run without it.
 * Errors are TS_INVALID and name the position, counted in bytes from 1. Threads: a parsed filter is read-only.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_RUNS_FILTER_H
#define TSCOPE_SERVICE_HANDLERS_RUNS_FILTER_H

#include "run/fact.h"

enum ts_truth { TS_FALSE = 0, TS_TRUE = 1, TS_UNKNOWN = 2 };

struct ts_filter;

/* Looks up the value of a run at path. False: unknown. Times are TS_FACT_INT, in ns. */
typedef bool ts_filter_lookup(void *ctx, struct ts_span path, struct ts_fact *ret_fact);

/* The filter lies in the arena and points into text. Empty text (or only spaces) gives a filter that is always true. */
enum ts_status ts_filter_parse(struct ts_span text, struct ts_arena *arena, struct ts_filter **ret_filter,
			       struct ts_error *err);

/* Tells whether a name of those that are listed is exactly text. */
typedef enum ts_status ts_filter_named(void *ctx, struct ts_span text, bool *ret_is_name, struct ts_error *err);
/* Lets name=exp23 and name!=exp23 mean runs30/exp23 too, where nothing is named exp23. Fails as named does. */
enum ts_status ts_filter_complete(struct ts_filter *filter, ts_filter_named *named, void *ctx, struct ts_error *err);

enum ts_truth ts_filter_eval(const struct ts_filter *filter, ts_filter_lookup *lookup, void *ctx);

/* Returns the number of comparisons, and writes the path of each to paths unless that is NULL. */
size_t ts_filter_paths(const struct ts_filter *filter, struct ts_span *paths);

/* Whether the filter has no condition, so that no run needs to be looked at. */
bool ts_filter_always(const struct ts_filter *filter);

#endif
