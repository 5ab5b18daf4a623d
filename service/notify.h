/* notify.h - telling systemd, without its library: one datagram to the socket that NOTIFY_SOCKET names. */
#ifndef TSCOPE_SERVICE_NOTIFY_H
#define TSCOPE_SERVICE_NOTIFY_H

/* "READY=1", "STOPPING=1". Nothing happens when nobody asked to be told. */
void ts_notify(const char *state);

#endif
