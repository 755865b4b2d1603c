// The floor: a single-thread epoll byte relay that knows no HTTP. Two reads and two writes per request are the least
// any proxy with two sockets can do on this kernel.
//
// usage: relay LISTEN_PORT UPSTREAM_PORT [LISTEN_PORT UPSTREAM_PORT ...]
#define _GNU_SOURCE
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { READ_BYTES = 256 * 1024, MAX_EVENTS = 256, MAX_PAIRS = 8, WRITE_WAIT_MS = 1000 };

struct side {
  int fd;
  int upstream_port; // set on listeners only
  struct side *other;
  bool dead;
};

static int epoll_fd;

static struct sockaddr_in loopback(int port) {
  return (struct sockaddr_in){
      .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static void watch(struct side *side) {
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = side};
  epoll_ctl(epoll_fd, EPOLL_CTL_ADD, side->fd, &event);
}

static struct side *new_side(int fd) {
  int on = 1;
  struct side *side = calloc(1, sizeof *side);
  side->fd = fd;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return side;
}

static void accept_all(struct side *listener) {
  int caller_fd;
  while ((caller_fd = accept4(listener->fd, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
    struct sockaddr_in address = loopback(listener->upstream_port);
    int upstream_fd = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(upstream_fd, (void *)&address, sizeof address)) {
      close(upstream_fd);
      close(caller_fd);
      continue;
    }
    struct side *caller = new_side(caller_fd), *upstream = new_side(upstream_fd);
    caller->other = upstream;
    upstream->other = caller;
    watch(caller);
    watch(upstream);
  }
}

static bool send_all(int fd, const char *bytes, int length) {
  int sent = 0;
  while (sent < length) {
    int n = send(fd, bytes + sent, length - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n >= 0) {
      sent += n;
      continue;
    }
    if (errno != EAGAIN) return false;
    struct pollfd writable = {.fd = fd, .events = POLLOUT};
    if (poll(&writable, 1, WRITE_WAIT_MS) <= 0) return false;
  }
  return true;
}

// Returns false when either side has gone.
static bool relay(struct side *from) {
  static char buffer[READ_BYTES];
  int length = recv(from->fd, buffer, sizeof buffer, MSG_DONTWAIT);
  if (length < 0 && errno == EAGAIN) return true;
  return length > 0 && send_all(from->other->fd, buffer, length);
}

static bool listen_on(struct side *listener, int port) {
  int on = 1;
  struct sockaddr_in address = loopback(port);
  listener->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  setsockopt(listener->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(listener->fd, (void *)&address, sizeof address) || listen(listener->fd, 4096)) {
    fprintf(stderr, "relay: cannot listen on port %d: %s\n", port, strerror(errno));
    return false;
  }
  watch(listener);
  return true;
}

int main(int argc, char **argv) {
  if (argc < 3 || argc % 2 == 0 || argc > 1 + 2 * MAX_PAIRS) {
    fprintf(stderr, "usage: relay LISTEN_PORT UPSTREAM_PORT [LISTEN_PORT UPSTREAM_PORT ...]\n");
    return 2;
  }
  epoll_fd = epoll_create1(0);
  static struct side listeners[MAX_PAIRS];
  for (int i = 0; 2 * i + 2 < argc; i++) {
    listeners[i].upstream_port = atoi(argv[2 * i + 2]);
    if (!listen_on(&listeners[i], atoi(argv[2 * i + 1]))) return 1;
  }
  struct epoll_event events[MAX_EVENTS];
  struct side *closed[2 * MAX_EVENTS];
  for (;;) {
    int ready = epoll_wait(epoll_fd, events, MAX_EVENTS, -1), closed_count = 0;
    for (int i = 0; i < ready; i++) {
      struct side *side = events[i].data.ptr;
      if (side->upstream_port) {
        accept_all(side);
      } else if (!side->dead && !relay(side)) {
        close(side->fd);
        close(side->other->fd);
        side->dead = side->other->dead = true;
        closed[closed_count++] = side;
        closed[closed_count++] = side->other;
      }
    }
    // Freed only now: the same batch of events may still name the other side.
    for (int i = 0; i < closed_count; i++) free(closed[i]);
  }
}
