/* metrics.h - what a running server tells a monitoring system: /metrics for Prometheus, /ready for whoever starts and stops it.
 *
 * The names are those of docs/metrics.md, which says what each is good for; deploy/grafana.json draws them. Threads: the pages are
 * filled by the thread of loopback.h while the server works.
 */
#ifndef TSCOPE_SERVICE_METRICS_H
#define TSCOPE_SERVICE_METRICS_H

#include "service/auth/quota.h"
#include "service/follower.h"
#include "service/loopback.h"
#include "service/members.h"
#include "service/rpc/server.h"

struct ts_metrics {
	struct ts_server *server;
	struct ts_engine *engine;
	struct ts_quotas *quotas; /* NULL: none */
	const char *store; /* its path; for the room on its disk */
	int64_t started_ns; /* real time */
	struct ts_follow *follow; /* NULL: it follows none */
	struct ts_members *members; /* NULL: it knows none */
	struct ts_loopback *http;
};

/* Serves the pages at a port of the loopback address. The members but http are set, and live until ts_metrics_stop. */
enum ts_status ts_metrics_start(struct ts_metrics *metrics, unsigned port, struct ts_error *err);
void ts_metrics_stop(struct ts_metrics *metrics); /* nothing if it was not started */

#endif
