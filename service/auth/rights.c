#include "service/auth/rights.h"

static const struct {
	enum ts_auth_role own, anothers;
} rights[TS_ACTS] = {
#define ROW(act, verb, object, own, anothers) [TS_ACT_##act] = {TS_AUTH_##own, TS_AUTH_##anothers},
	TS_RIGHTS(ROW)
#undef ROW
};

enum ts_auth_role ts_right(enum ts_act act, bool own)
{
	return own ? rights[act].own : rights[act].anothers;
}

bool ts_note_steers(struct ts_span key)
{
	return ts_span_is(key, "bad") || ts_span_is(key, "state") || ts_span_is(key, "accepted");
}
