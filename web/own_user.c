/* own_user.c - see own_user.h: the ends of a connection. */
#include "web/own_user.h"

#include <arpa/inet.h>
#include <string.h>
#include <sys/socket.h>

static bool take_end(const struct sockaddr_storage *at, uint8_t address[16], uint16_t *ret_port)
{
	const struct sockaddr_in *four = (const struct sockaddr_in *)at;
	const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)at;

	if (at->ss_family == AF_INET) {
		memcpy(address, &four->sin_addr, 4);
		*ret_port = ntohs(four->sin_port);
	} else if (at->ss_family == AF_INET6) {
		memcpy(address, &six->sin6_addr, 16);
		*ret_port = ntohs(six->sin6_port);
	}
	return at->ss_family == AF_INET || at->ss_family == AF_INET6;
}

void ts_ends_of(int fd, struct ts_ends *ret)
{
	struct sockaddr_storage from, to;
	socklen_t n_from = sizeof from, n_to = sizeof to;

	memset(ret, 0, sizeof *ret);
	if (getpeername(fd, (struct sockaddr *)&from, &n_from) != 0 || getsockname(fd, (struct sockaddr *)&to, &n_to) != 0)
		return;
	if (take_end(&from, ret->from, &ret->from_port) && take_end(&to, ret->to, &ret->to_port))
		ret->family = from.ss_family;
}
