/* own_user.h - whose program is at the other end of a connection on this machine. */
#ifndef TSCOPE_WEB_OWN_USER_H
#define TSCOPE_WEB_OWN_USER_H

#include <stdbool.h>
#include <stdint.h>

/* Both ends of a connection; family 0: not known. */
struct ts_ends {
	int family; /* AF_INET or AF_INET6 */
	uint8_t from[16], to[16];
	uint16_t from_port, to_port;
};

void ts_ends_of(int fd, struct ts_ends *ret);
/* Whether the other end is a program of the user of this process, on this machine. False where the system does not say it. */
bool ts_own_user(const struct ts_ends *ends);

#endif
