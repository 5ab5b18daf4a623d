/* own_user_linux.c - see own_user.h: the kernel is asked for the one socket at the other end (sock_diag, as ss does), not for a list
 * of all. */
#include "web/own_user.h"

#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

static bool is_loopback(const struct ts_ends *ends)
{
	static const uint8_t six[16] = {[15] = 1};

	return ends->family == AF_INET ? ends->from[0] == 127 && ends->to[0] == 127 : memcmp(ends->from, six, sizeof six) == 0;
}

/* The other end has our port as its destination. */
static bool ask(int fd, const struct ts_ends *ends)
{
	struct {
		struct nlmsghdr head;
		struct inet_diag_req_v2 wanted;
	} request = {.head = {.nlmsg_len = sizeof request, .nlmsg_type = SOCK_DIAG_BY_FAMILY, .nlmsg_flags = NLM_F_REQUEST},
		     .wanted = {.sdiag_family = (uint8_t)ends->family,
				.sdiag_protocol = IPPROTO_TCP,
				.idiag_states = UINT32_MAX,
				.id = {.idiag_sport = htons(ends->from_port),
				       .idiag_dport = htons(ends->to_port),
				       .idiag_cookie = {INET_DIAG_NOCOOKIE, INET_DIAG_NOCOOKIE}}}};

	memcpy(request.wanted.id.idiag_src, ends->from, sizeof ends->from);
	memcpy(request.wanted.id.idiag_dst, ends->to, sizeof ends->to);
	return send(fd, &request, sizeof request, 0) == (ssize_t)sizeof request;
}

bool ts_own_user(const struct ts_ends *ends)
{
	static const struct timeval soon = {.tv_sec = 1};
	struct {
		struct nlmsghdr head;
		struct inet_diag_msg found;
		uint8_t rest[4096];
	} answer;
	bool own = false;
	ssize_t n;
	int fd;

	if (!ends->family || !is_loopback(ends))
		return false;
	fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	if (fd < 0)
		return false;
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof soon);
	if (ask(fd, ends)) {
		n = recv(fd, &answer, sizeof answer, 0);
		own = n >= (ssize_t)(sizeof answer.head + sizeof answer.found) && answer.head.nlmsg_type == SOCK_DIAG_BY_FAMILY &&
		      answer.found.id.idiag_sport == htons(ends->from_port) && answer.found.idiag_uid == geteuid();
	}
	(void)close(fd);
	return own;
}
