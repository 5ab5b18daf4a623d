#include "analysis/determinism/repro.h"

#include "base/words.h"

TS_WORDS(ts_repro_name, enum ts_repro_name, "", [TS_REPRO_REPEATABILITY] = "repeatability", [TS_REPRO_EQUIVALENCE] = "equivalence",
	 [TS_REPRO_REPLAY] = "replay", [TS_REPRO_GATES] = "")

enum ts_status ts_repro_settle(struct ts_repro *repro, struct ts_arena *arena, struct ts_error *err)
{
	static const int codes[] = {[TS_PROOF_GREEN] = 0, [TS_PROOF_RED] = 1, [TS_PROOF_UNPROVED] = 3};
	const char *names[3] = {"", "", ""};

	for (size_t i = 0; i < TS_REPRO_GATES; i++) {
		const char **text = &names[repro->gates[i].proof];

		*text = ts_arena_phrase(arena, "%s%s%s", *text, **text ? ", " : "", ts_repro_name((enum ts_repro_name)i));
	}
	repro->proof = *names[TS_PROOF_RED] ? TS_PROOF_RED : *names[TS_PROOF_UNPROVED] ? TS_PROOF_UNPROVED : TS_PROOF_GREEN;
	repro->exit_code = codes[repro->proof];
	repro->sentence =
		ts_span_str(ts_arena_phrase(arena, "%s%s%s%s%s%s%s.", *names[TS_PROOF_RED] ? "Red: " : "", names[TS_PROOF_RED],
					    *names[TS_PROOF_RED] && *names[TS_PROOF_GREEN] ? "; green: "
					    : *names[TS_PROOF_GREEN]			   ? "Green: "
											   : "",
					    names[TS_PROOF_GREEN],
					    !*names[TS_PROOF_UNPROVED]			     ? ""
					    : *names[TS_PROOF_RED] || *names[TS_PROOF_GREEN] ? "; unproved: "
											     : "Unproved: ",
					    names[TS_PROOF_UNPROVED], ""));
	return ts_arena_check(arena, err);
}
