/* notify.h - notifies systemd, without its library: it sends one datagram to the socket that NOTIFY_SOCKET names. */
#ifndef TSCOPE_SERVICE_NOTIFY_H
#define TSCOPE_SERVICE_NOTIFY_H

/* state is "READY=1" or "STOPPING=1". Does nothing if NOTIFY_SOCKET is not set. */
void ts_notify(const char *state);

#endif
