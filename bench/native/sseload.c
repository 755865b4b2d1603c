// Load client for event streams: keeps CONNECTIONS streams open, each connection starting its next stream when the
// last one ended, and prints one JSON line. A stream counts as complete only with status 200, every content chunk
// and the final marker; anything else counts as failed.
//
// usage: sseload PORT PATH CONNECTIONS SECONDS HEADERS_FILE BODY_FILE CHUNKS [DRAIN_SECONDS SPREAD_SECONDS]
//
// HEADERS_FILE holds one "Name: value" per line. No stream is started after SECONDS; running ones are finished.
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

enum {
  READ_BYTES = 128 * 1024,
  KEPT_BYTES = 30, // longer than any mark looked for, so a mark cut by a read is still found
  MAX_SAMPLES = 4000000,
  MAX_REQUEST_BYTES = 4000000,
  MAX_EVENTS = 256,
  STAMP_DIGITS = 19,
};
static int64_t start_spread_ns = 1000000000; // starts are spread so that streams do not march in step
static int64_t drain_limit_ns = 5000000000;

struct connection {
  int fd;
  int64_t start_at, asked_at;
  bool saw_status, saw_data, saw_done;
  int chunks, kept;
  char buffer[READ_BYTES];
};

struct samples {
  int64_t *values;
  int count;
};

static int port, chunks_expected, epoll_fd, request_length;
static char request[MAX_REQUEST_BYTES];
static struct samples first_byte, chunk_lag, duration;
static long failed;
static int bad_status;

static int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void record(struct samples *samples, int64_t value) {
  if (samples->count < MAX_SAMPLES) samples->values[samples->count++] = value;
}

static void die(const char *what) {
  perror(what);
  exit(1);
}

static void open_connection(struct connection *c) {
  int on = 1;
  struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  c->fd = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(c->fd, (void *)&address, sizeof address)) die("sseload: connect");
  setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = c};
  epoll_ctl(epoll_fd, EPOLL_CTL_ADD, c->fd, &event);
}

static void ask(struct connection *c) {
  c->asked_at = now_ns();
  c->saw_status = c->saw_data = c->saw_done = false;
  c->chunks = c->kept = 0;
  for (int sent = 0; sent < request_length;) {
    int n = send(c->fd, request + sent, request_length - sent, MSG_NOSIGNAL);
    if (n <= 0) die("sseload: send");
    sent += n;
  }
}

// Counts content chunks and their lag; returns the position after the last stamp, so that none is counted twice.
static char *read_stamps(struct connection *c, char *from, char *end, int64_t now) {
  char *after = from, *mark;
  while ((mark = memmem(from, end - from, "\"T", 2)) && end - mark >= 2 + STAMP_DIGITS) {
    int64_t stamp = 0;
    int digits = 0;
    while (digits < STAMP_DIGITS && mark[2 + digits] >= '0' && mark[2 + digits] <= '9') {
      stamp = stamp * 10 + mark[2 + digits++] - '0';
    }
    if (digits == STAMP_DIGITS) {
      c->chunks++;
      record(&chunk_lag, now - stamp);
    }
    after = from = mark + 2;
  }
  return after;
}

enum outcome { RUNNING, COMPLETE, FAILED };

static enum outcome receive(struct connection *c) {
  int length = recv(c->fd, c->buffer + c->kept, READ_BYTES - c->kept, MSG_DONTWAIT);
  if (length < 0 && errno == EAGAIN) return RUNNING;
  if (length <= 0) return FAILED;
  int64_t now = now_ns();
  char *end = c->buffer + c->kept + length;
  if (!c->saw_status && end - c->buffer >= 12) {
    c->saw_status = true;
    int status = atoi(c->buffer + 9);
    if (status != 200) {
      bad_status = status;
      return FAILED;
    }
  }
  if (!c->saw_data && memmem(c->buffer, end - c->buffer, "data:", 5)) {
    c->saw_data = true;
    record(&first_byte, now - c->asked_at);
  }
  char *after_stamps = read_stamps(c, c->buffer, end, now);
  // The three protocols' own words for the end.
  if (memmem(c->buffer, end - c->buffer, "[DONE]", 6) || memmem(c->buffer, end - c->buffer, "\"message_stop\"", 14) ||
      memmem(c->buffer, end - c->buffer, "\"finishReason\"", 14)) {
    c->saw_done = true;
  }
  if (end - c->buffer >= 5 && !memcmp(end - 5, "0\r\n\r\n", 5)) {
    record(&duration, now - c->asked_at);
    return c->saw_done && c->chunks == chunks_expected ? COMPLETE : FAILED;
  }
  char *keep_from = end - KEPT_BYTES > after_stamps ? end - KEPT_BYTES : after_stamps;
  c->kept = (int)(end - keep_from);
  memmove(c->buffer, keep_from, c->kept);
  return RUNNING;
}

static int read_file(const char *path, char *into, int room) {
  FILE *file = fopen(path, "r");
  if (!file) die(path);
  int length = (int)fread(into, 1, room, file);
  fclose(file);
  return length;
}

static void prepare_request(const char *path, const char *headers_path, const char *body_path) {
  static char headers[65536], body[MAX_REQUEST_BYTES / 2];
  headers[read_file(headers_path, headers, sizeof headers - 1)] = 0;
  int body_length = read_file(body_path, body, sizeof body);
  request_length = sprintf(request, "POST %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Type: application/json\r\nContent-Length: %d\r\n",
                           path, port, body_length);
  for (char *line = strtok(headers, "\r\n"); line; line = strtok(NULL, "\r\n")) {
    request_length += sprintf(request + request_length, "%s\r\n", line);
  }
  request_length += sprintf(request + request_length, "\r\n");
  memcpy(request + request_length, body, body_length);
  request_length += body_length;
}

static int by_value(const void *left, const void *right) {
  int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
  return a < b ? -1 : a > b;
}

static double percentile_us(struct samples *samples, double share) {
  if (!samples->count) return 0;
  qsort(samples->values, samples->count, sizeof *samples->values, by_value);
  return samples->values[(int)((samples->count - 1) * share)] / 1000.0;
}

int main(int argc, char **argv) {
  if (argc != 8 && argc != 10) {
    fprintf(stderr, "usage: sseload PORT PATH CONNECTIONS SECONDS HEADERS_FILE BODY_FILE CHUNKS [DRAIN_SECONDS SPREAD_SECONDS]\n");
    return 2;
  }
  port = atoi(argv[1]);
  int count = atoi(argv[3]);
  chunks_expected = atoi(argv[7]);
  prepare_request(argv[2], argv[5], argv[6]);
  if (argc == 10) {
    drain_limit_ns = (int64_t)(atof(argv[8]) * 1e9);
    start_spread_ns = (int64_t)(atof(argv[9]) * 1e9);
  }
  struct samples *all[] = {&first_byte, &chunk_lag, &duration};
  for (int i = 0; i < 3; i++) all[i]->values = malloc(sizeof(int64_t) * MAX_SAMPLES);

  epoll_fd = epoll_create1(0);
  struct connection *connections = calloc(count, sizeof *connections);
  int64_t began = now_ns(), end = began + (int64_t)(atof(argv[4]) * 1e9);
  for (int i = 0; i < count; i++) connections[i].start_at = began + i * (start_spread_ns / count);
  int started = 0, running = 0;
  long complete = 0;
  struct epoll_event events[MAX_EVENTS];
  while (started < count || running > 0) {
    int64_t now = now_ns();
    // A connection asks as soon as it is open: a gateway may close those that wait without ever showing a key.
    for (; started < count && connections[started].start_at <= now; running++) {
      open_connection(&connections[started]);
      ask(&connections[started++]);
    }
    if (now > end + drain_limit_ns) {
      failed += running;
      break;
    }
    int ready = epoll_wait(epoll_fd, events, MAX_EVENTS, started < count ? 1 : 200);
    for (int i = 0; i < ready; i++) {
      struct connection *c = events[i].data.ptr;
      enum outcome outcome = receive(c);
      if (outcome == RUNNING) continue;
      bool again = now_ns() < end;
      if (outcome == COMPLETE) {
        complete++;
      } else { // a failed stream ends its connection: hammering a broken contender would only hide the cause
        failed++;
        again = false;
        close(c->fd);
      }
      if (again) ask(c);
      else running--;
    }
  }
  printf("{\"streams\":%ld,\"failed\":%ld,\"badStatus\":%d,\"seconds\":%.3f,\"firstByteP50Us\":%.1f,\"firstByteP99Us\":%.1f,"
         "\"chunks\":%d,\"chunkLagP50Us\":%.1f,\"chunkLagP99Us\":%.1f,\"durationP50Us\":%.1f}\n",
         complete, failed, bad_status, (now_ns() - began) / 1e9, percentile_us(&first_byte, .5), percentile_us(&first_byte, .99),
         chunk_lag.count, percentile_us(&chunk_lag, .5), percentile_us(&chunk_lag, .99), percentile_us(&duration, .5));
  return 0;
}
