// Load that does not wait: requests leave at a fixed rate whatever became of those before, as callers of a service do
// who know nothing of each other. Tells answers, refusals (429, 503, 529) and failures apart, with the time each took.
//
// usage: openload PORT PATH PER_SECOND MILLISECONDS MAX_CONNECTIONS HEADERS_FILE BODY_FILE PATIENCE_MILLISECONDS
//
// HEADERS_FILE holds one "Name: value" per line. All connections are opened beforehand and greet with GET /livez, as a
// proxy's pool would be open already: Node takes one new connection in each turn of its loop, and that is another story.
// A request that finds no connection free is not sent, and counted as such; one that was closed is opened anew. After
// the last request, answers are waited for within the patience.
#define _GNU_SOURCE
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { GREETING_AT_ONCE = 64, GREETING_LIMIT_SECONDS = 20, HEAD_BYTES = 4096, READ_BYTES = 64 * 1024, MAX_REQUEST_BYTES = 1000000, MAX_EVENTS = 512, MAX_SAMPLES = 2000000 };
static const int64_t MS = 1000000, SECOND = 1000000000;

struct connection {
  int fd;
  bool busy, connecting, in_body, closing;
  int64_t sent_at;
  int status, head_length;
  long body_left;
  char head[HEAD_BYTES];
  struct connection *next_free;
};

struct samples {
  int64_t *values;
  int count;
};

static const char *const GREETING = "GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
static bool greeting;

static int port, epoll_fd, request_length;
static char request[MAX_REQUEST_BYTES];
static struct connection *free_connections;
static int open_connections, busy_connections, most_connections;
static long sent, unsent, failed, unexpected;
static struct samples answered, refused;

static int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * SECOND + t.tv_nsec;
}

static void record(struct samples *samples, int64_t value) {
  if (samples->count < MAX_SAMPLES) samples->values[samples->count++] = value;
}

static void drop(struct connection *c) {
  if (c->busy) busy_connections--;
  close(c->fd);
  free(c);
  open_connections--;
}

static void fail(struct connection *c) {
  if (c->busy) failed++;
  drop(c);
}

static bool transmit(struct connection *c) {
  const char *bytes = greeting ? GREETING : request;
  int length = greeting ? (int)strlen(GREETING) : request_length;
  int n = send(c->fd, bytes, length, MSG_NOSIGNAL);
  if (n == length) return true;
  return n < 0 && errno == EAGAIN && c->connecting;
}

static void watch(struct connection *c, int operation, uint32_t what) {
  struct epoll_event event = {.events = what, .data.ptr = c};
  epoll_ctl(epoll_fd, operation, c->fd, &event);
}

static struct connection *open_connection(void) {
  int on = 1;
  struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  struct connection *c = calloc(1, sizeof *c);
  c->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  open_connections++;
  if (open_connections > most_connections) most_connections = open_connections;
  c->connecting = true;
  if (connect(c->fd, (void *)&address, sizeof address) && errno != EINPROGRESS) {
    drop(c);
    return NULL;
  }
  watch(c, EPOLL_CTL_ADD, EPOLLOUT);
  return c;
}

static void send_one(int max_connections, int64_t now) {
  struct connection *c = free_connections;
  if (c) free_connections = c->next_free;
  else if (open_connections >= max_connections || !(c = open_connection())) {
    unsent++;
    return;
  }
  sent++;
  c->busy = true;
  busy_connections++;
  c->sent_at = now;
  c->head_length = 0;
  c->in_body = c->closing = false;
  if (!c->connecting && !transmit(c)) fail(c);
}

static void finish(struct connection *c, int64_t now) {
  int64_t took = now - c->sent_at;
  if (c->status == 200) record(&answered, took);
  else if (c->status == 429 || c->status == 503 || c->status == 529) record(&refused, took);
  else unexpected++;
  if (c->closing) {
    drop(c);
    return;
  }
  c->busy = false;
  busy_connections--;
  c->next_free = free_connections;
  free_connections = c;
}

// Returns how many bytes belonged to the head, or -1 when it cannot be read.
static int read_head(struct connection *c, const char *bytes, int length) {
  int room = HEAD_BYTES - 1 - c->head_length, before = c->head_length;
  int taken = length < room ? length : room;
  if (taken <= 0) return -1;
  memcpy(c->head + before, bytes, taken);
  c->head_length += taken;
  c->head[c->head_length] = 0;
  char *end = strstr(c->head, "\r\n\r\n");
  if (!end) return taken;
  end[2] = 0;
  c->status = atoi(c->head + 9);
  char *declared = strcasestr(c->head, "\r\ncontent-length:");
  if (!declared) return -1;
  c->body_left = atol(declared + strlen("\r\ncontent-length:"));
  c->closing = strcasestr(c->head, "\r\nconnection: close") != NULL;
  c->in_body = true;
  return (int)(end + 4 - c->head) - before;
}

static void receive(struct connection *c) {
  static char buffer[READ_BYTES];
  int length = recv(c->fd, buffer, sizeof buffer, 0);
  if (length < 0 && errno == EAGAIN) return;
  if (length <= 0 || !c->busy) {
    // A kept connection that the other side closes is taken out of the free ones.
    for (struct connection **at = &free_connections; *at; at = &(*at)->next_free)
      if (*at == c) {
        *at = c->next_free;
        break;
      }
    fail(c);
    return;
  }
  char *bytes = buffer;
  if (!c->in_body) {
    int used = read_head(c, bytes, length);
    if (used < 0) {
      fail(c);
      return;
    }
    bytes += used;
    length -= used;
  }
  if (!c->in_body) return;
  c->body_left -= length;
  if (c->body_left <= 0) finish(c, now_ns());
}

static void handle(struct epoll_event *event) {
  struct connection *c = event->data.ptr;
  if (!c->connecting) {
    receive(c);
    return;
  }
  int error = 0;
  socklen_t size = sizeof error;
  getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &error, &size);
  c->connecting = false;
  watch(c, EPOLL_CTL_MOD, EPOLLIN);
  if (error || !transmit(c)) fail(c);
}

static int compare(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

static double percentile_us(struct samples *samples, double share) {
  if (samples->count == 0) return 0;
  qsort(samples->values, samples->count, sizeof *samples->values, compare);
  int at = (int)(samples->count * share);
  return samples->values[at < samples->count ? at : samples->count - 1] / 1000.0;
}

static int read_file(const char *path, char *into, int room) {
  FILE *file = fopen(path, "r");
  if (!file) {
    perror(path);
    exit(1);
  }
  int length = fread(into, 1, room, file);
  fclose(file);
  return length;
}

static void prepare_request(const char *path, const char *headers_file, const char *body_file) {
  static char headers[65536], body[MAX_REQUEST_BYTES / 2];
  headers[read_file(headers_file, headers, sizeof headers - 1)] = 0;
  int body_length = read_file(body_file, body, sizeof body);
  request_length = sprintf(request, "POST %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Length: %d\r\n", path, port, body_length);
  for (char *line = strtok(headers, "\r\n"); line; line = strtok(NULL, "\r\n"))
    request_length += sprintf(request + request_length, "%s\r\n", line);
  request_length += sprintf(request + request_length, "\r\n");
  memcpy(request + request_length, body, body_length);
  request_length += body_length;
}

static void greet(int connections) {
  struct epoll_event events[MAX_EVENTS];
  int64_t limit = now_ns() + GREETING_LIMIT_SECONDS * SECOND;
  greeting = true;
  for (int greeted = 0; greeted < connections || busy_connections > 0;) {
    for (; greeted < connections && busy_connections < GREETING_AT_ONCE; greeted++) {
      struct connection *c = open_connection();
      if (!c) continue;
      c->busy = true;
      busy_connections++;
    }
    int ready = epoll_wait(epoll_fd, events, MAX_EVENTS, 1);
    for (int i = 0; i < ready; i++) handle(&events[i]);
    if (now_ns() > limit) {
      fprintf(stderr, "openload: not all connections could be opened\n");
      exit(1);
    }
  }
  greeting = false;
  answered.count = refused.count = 0;
  failed = unexpected = 0;
}

int main(int argc, char **argv) {
  if (argc != 9) {
    fprintf(stderr, "usage: openload PORT PATH PER_SECOND MILLISECONDS MAX_CONNECTIONS HEADERS_FILE BODY_FILE PATIENCE_MILLISECONDS\n");
    return 2;
  }
  port = atoi(argv[1]);
  double per_second = atof(argv[3]);
  int64_t length = atoll(argv[4]) * MS, patience = atoll(argv[8]) * MS;
  int max_connections = atoi(argv[5]);
  prepare_request(argv[2], argv[6], argv[7]);
  answered.values = malloc(MAX_SAMPLES * sizeof *answered.values);
  refused.values = malloc(MAX_SAMPLES * sizeof *refused.values);
  epoll_fd = epoll_create1(0);
  greet(max_connections);
  struct epoll_event events[MAX_EVENTS];
  int64_t started = now_ns(), now = started;
  long due = 0;
  int answered_in_time = 0;
  while (now - started < length || (busy_connections > 0 && now - started < length + patience)) {
    int ready = epoll_wait(epoll_fd, events, MAX_EVENTS, 1);
    for (int i = 0; i < ready; i++) handle(&events[i]);
    now = now_ns();
    if (now - started >= length) continue;
    answered_in_time = answered.count;
    long wanted = (long)((now - started) * per_second / SECOND);
    for (; due < wanted; due++) send_one(max_connections, now);
  }
  printf("{\"due\":%ld,\"sent\":%ld,\"unsent\":%ld,\"answered\":%d,\"answeredInTime\":%d,\"refused\":%d,\"failed\":%ld,"
         "\"unexpected\":%ld,\"unanswered\":%d,\"connections\":%d,\"answeredP50Us\":%.0f,\"answeredP99Us\":%.0f,"
         "\"refusedP50Us\":%.0f,\"refusedP99Us\":%.0f}\n",
         due, sent, unsent, answered.count, answered_in_time, refused.count, failed, unexpected, busy_connections,
         most_connections, percentile_us(&answered, 0.5), percentile_us(&answered, 0.99), percentile_us(&refused, 0.5),
         percentile_us(&refused, 0.99));
  return 0;
}
