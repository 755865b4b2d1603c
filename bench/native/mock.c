// Mock model upstream: one thread, epoll, so cheap that it is never the bottleneck of a benchmark.
// Three ports, three behaviours: one JSON answer of about 1 KB; a stream as fast as possible; a paced stream.
// A path ending in /messages is answered in the messages shape, any other in the chat-completions shape.
//
// usage: mock JSON_PORT FAST_PORT PACED_PORT [CHUNKS [PACE_MICROSECONDS [JSON_DELAY_MICROSECONDS]]]
//
// Every content chunk carries CLOCK_MONOTONIC in nanoseconds ("T" and 19 digits), from which the load client on
// the same machine reads the true lag of each chunk.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MAX_HEAD_BYTES = 8192, READ_BYTES = 256 * 1024, MAX_EVENTS = 256, MAX_PIECE_BYTES = 4096, WRITE_WAIT_MS = 60000 };

enum behaviour { ANSWER_JSON, STREAM_FAST, STREAM_PACED, BEHAVIOURS };

struct endpoint {
  int fd;
  bool listening;
  enum behaviour behaviour;
};

struct connection {
  struct endpoint endpoint; // first, so that an epoll pointer serves both kinds
  bool reading_head, messages_shape, chunked_body, streaming;
  long body_left;
  char head[MAX_HEAD_BYTES];
  int head_length;
  char body_tail[5];
  int chunks_sent;
  bool head_sent;
  int64_t next_at;
  struct connection *next, *previous;
};

static int chunk_count = 200;
static int64_t pace_ns = 5000000, json_delay_ns = 0;
static int epoll_fd;
static struct connection *streams;
static char chat_answer[MAX_PIECE_BYTES], messages_answer[MAX_PIECE_BYTES];
static int chat_answer_length, messages_answer_length;

static int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void begin_streaming(struct connection *c) {
  if (c->streaming) return;
  c->streaming = true;
  c->previous = NULL;
  c->next = streams;
  if (streams) streams->previous = c;
  streams = c;
}

static void end_streaming(struct connection *c) {
  if (!c->streaming) return;
  c->streaming = false;
  if (c->previous) c->previous->next = c->next;
  else streams = c->next;
  if (c->next) c->next->previous = c->previous;
}

static void close_connection(struct connection *c) {
  end_streaming(c);
  close(c->endpoint.fd);
  free(c);
}

// Pieces are far smaller than a socket buffer, so waiting for room is rare; it is bounded all the same.
static bool send_all(int fd, const char *bytes, int length) {
  int sent = 0;
  while (sent < length) {
    int n = send(fd, bytes + sent, length - sent, MSG_NOSIGNAL);
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

// --- the two stream shapes -------------------------------------------------------------------------------------

#define CHAT_CHUNK "data: {\"id\":\"chatcmpl-AbCdEfGh\",\"object\":\"chat.completion.chunk\",\"created\":1760000000,\"model\":\"gpt-4o-mini\","

static const char *const STREAM_HEAD =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-cache\r\nTransfer-Encoding: chunked\r\n\r\n";

static const char *const CHAT_OPENING[] = {
    CHAT_CHUNK "\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"},\"finish_reason\":null}]}\n\n",
    NULL,
};
static const char *const CHAT_CONTENT =
    CHAT_CHUNK "\"choices\":[{\"index\":0,\"delta\":{\"content\":\"T%019lld\"},\"finish_reason\":null}]}\n\n";
static const char *const CHAT_CLOSING[] = {
    CHAT_CHUNK "\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n",
    CHAT_CHUNK "\"choices\":[],\"usage\":{\"prompt_tokens\":25,\"completion_tokens\":200,\"total_tokens\":225}}\n\n",
    "data: [DONE]\n\n",
    NULL,
};

static const char *const MESSAGES_OPENING[] = {
    "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\",\"type\":\"message\","
    "\"role\":\"assistant\",\"model\":\"claude-x\",\"content\":[],\"stop_reason\":null,\"stop_sequence\":null,"
    "\"usage\":{\"input_tokens\":25,\"output_tokens\":1}}}\n\n",
    "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,"
    "\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n",
    NULL,
};
static const char *const MESSAGES_CONTENT =
    "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,"
    "\"delta\":{\"type\":\"text_delta\",\"text\":\"T%019lld\"}}\n\n";
static const char *const MESSAGES_CLOSING[] = {
    "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n",
    "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\","
    "\"stop_sequence\":null},\"usage\":{\"output_tokens\":200}}\n\n",
    "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
    NULL,
};

// --- sending a stream ------------------------------------------------------------------------------------------

static int append_http_chunk(char *out, const char *data) {
  return sprintf(out, "%zx\r\n%s\r\n", strlen(data), data);
}

enum progress { BROKEN, MORE, FINISHED };

// One call is one write: first head and opening, then one content chunk at a time, last the closing.
static enum progress send_next_piece(struct connection *c) {
  char piece[MAX_PIECE_BYTES];
  int length = 0;
  enum progress progress = MORE;
  if (!c->head_sent) {
    length = sprintf(piece, "%s", STREAM_HEAD);
    const char *const *opening = c->messages_shape ? MESSAGES_OPENING : CHAT_OPENING;
    for (; *opening; opening++) length += append_http_chunk(piece + length, *opening);
    c->head_sent = true;
  } else if (c->chunks_sent < chunk_count) {
    char event[512];
    snprintf(event, sizeof event, c->messages_shape ? MESSAGES_CONTENT : CHAT_CONTENT, (long long)now_ns());
    length = append_http_chunk(piece, event);
    c->chunks_sent++;
  } else {
    const char *const *closing = c->messages_shape ? MESSAGES_CLOSING : CHAT_CLOSING;
    for (; *closing; closing++) length += append_http_chunk(piece + length, *closing);
    length += sprintf(piece + length, "0\r\n\r\n");
    progress = FINISHED;
  }
  return send_all(c->endpoint.fd, piece, length) ? progress : BROKEN;
}

static bool send_json(struct connection *c) {
  return c->messages_shape ? send_all(c->endpoint.fd, messages_answer, messages_answer_length)
                           : send_all(c->endpoint.fd, chat_answer, chat_answer_length);
}

// Streams, and JSON answers whose time has not come.
static void advance_streams(void) {
  int64_t now = now_ns();
  for (struct connection *c = streams, *following; c; c = following) {
    following = c->next;
    if (c->endpoint.behaviour != STREAM_FAST && c->next_at > now) continue;
    if (c->endpoint.behaviour == ANSWER_JSON) {
      end_streaming(c);
      if (!send_json(c)) close_connection(c);
      continue;
    }
    switch (send_next_piece(c)) {
      case BROKEN: close_connection(c); break;
      case FINISHED: end_streaming(c); break;
      case MORE: c->next_at += pace_ns; break;
    }
  }
}

// --- reading requests ------------------------------------------------------------------------------------------

static bool answer(struct connection *c) {
  c->reading_head = true;
  c->head_length = 0;
  if (c->endpoint.behaviour == ANSWER_JSON) {
    if (json_delay_ns == 0) return send_json(c);
    c->next_at = now_ns() + json_delay_ns;
    begin_streaming(c);
    return true;
  }
  c->head_sent = false;
  c->chunks_sent = 0;
  c->next_at = now_ns() + pace_ns;
  if (send_next_piece(c) == BROKEN) return false;
  begin_streaming(c);
  return true;
}

// Takes bytes of the head; returns how many were used, or -1 when the head is too long.
static int read_head(struct connection *c, const char *bytes, int length) {
  int room = MAX_HEAD_BYTES - 1 - c->head_length;
  int taken = length < room ? length : room;
  if (taken <= 0) return -1;
  int before = c->head_length;
  memcpy(c->head + before, bytes, taken);
  c->head_length += taken;
  c->head[c->head_length] = 0;
  char *end = memmem(c->head, c->head_length, "\r\n\r\n", 4);
  if (!end) return taken;
  *end = 0;
  c->messages_shape = strstr(c->head, "/messages ") || strstr(c->head, "/messages?");
  char *content_length = strcasestr(c->head, "\r\ncontent-length:");
  c->body_left = content_length ? atol(content_length + strlen("\r\ncontent-length:")) : 0;
  c->chunked_body = !content_length && strcasestr(c->head, "\r\ntransfer-encoding:");
  memset(c->body_tail, 0, sizeof c->body_tail);
  c->reading_head = false;
  return (int)(end + 4 - c->head) - before;
}

// A chunked body is over when the bytes received so far end in the last-chunk mark; no pipelining is expected.
static bool chunked_body_is_over(struct connection *c, const char *bytes, int length) {
  char joined[10];
  int fresh = length < 5 ? length : 5;
  memcpy(joined, c->body_tail, 5);
  memcpy(joined + 5, bytes + length - fresh, fresh);
  memcpy(c->body_tail, joined + fresh, 5);
  return memcmp(c->body_tail, "0\r\n\r\n", 5) == 0;
}

static bool receive(struct connection *c, const char *bytes, int length) {
  while (length > 0) {
    int used = length;
    bool complete = false;
    if (c->reading_head) {
      used = read_head(c, bytes, length);
      if (used < 0) return false;
      complete = !c->reading_head && !c->chunked_body && c->body_left == 0;
    } else if (c->chunked_body) {
      complete = chunked_body_is_over(c, bytes, length);
    } else {
      if (used > c->body_left) used = (int)c->body_left;
      c->body_left -= used;
      complete = c->body_left == 0;
    }
    bytes += used;
    length -= used;
    if (complete && !answer(c)) return false;
  }
  return true;
}

// --- start and event loop --------------------------------------------------------------------------------------

static int format_answer(char *out, const char *id_header, const char *body) {
  return snprintf(out, MAX_PIECE_BYTES, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n%s: req_1\r\nContent-Length: %zu\r\n\r\n%s",
                  id_header, strlen(body), body);
}

static void prepare_answers(void) {
  char text[691], body[2048];
  memset(text, 'a', sizeof text);
  for (size_t i = 5; i < sizeof text; i += 6) text[i] = ' ';
  text[sizeof text - 1] = 0;
  snprintf(body, sizeof body,
           "{\"id\":\"chatcmpl-AbCdEfGh\",\"object\":\"chat.completion\",\"created\":1760000000,\"model\":\"gpt-4o-mini\","
           "\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"%s\",\"refusal\":null},"
           "\"logprobs\":null,\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":225,\"completion_tokens\":140,"
           "\"total_tokens\":365,\"prompt_tokens_details\":{\"cached_tokens\":0}},\"system_fingerprint\":\"fp_1\"}",
           text);
  chat_answer_length = format_answer(chat_answer, "x-request-id", body);
  snprintf(body, sizeof body,
           "{\"id\":\"msg_1\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"claude-x\","
           "\"content\":[{\"type\":\"text\",\"text\":\"%s\"}],\"stop_reason\":\"end_turn\",\"stop_sequence\":null,"
           "\"usage\":{\"input_tokens\":225,\"output_tokens\":140,\"cache_read_input_tokens\":0}}",
           text);
  messages_answer_length = format_answer(messages_answer, "request-id", body);
}

static void watch(struct endpoint *endpoint) {
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = endpoint};
  epoll_ctl(epoll_fd, EPOLL_CTL_ADD, endpoint->fd, &event);
}

static bool listen_on(struct endpoint *endpoint, int port) {
  int on = 1;
  struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  endpoint->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  endpoint->listening = true;
  setsockopt(endpoint->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(endpoint->fd, (void *)&address, sizeof address) || listen(endpoint->fd, 4096)) {
    fprintf(stderr, "mock: cannot listen on port %d: %s\n", port, strerror(errno));
    return false;
  }
  watch(endpoint);
  return true;
}

static void accept_all(struct endpoint *listener) {
  int fd, on = 1;
  while ((fd = accept4(listener->fd, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    struct connection *c = calloc(1, sizeof *c);
    c->endpoint.fd = fd;
    c->endpoint.behaviour = listener->behaviour;
    c->reading_head = true;
    watch(&c->endpoint);
  }
}

static int wait_for_events(struct epoll_event *events) {
  int64_t earliest = INT64_MAX;
  for (struct connection *c = streams; c; c = c->next) {
    if (c->endpoint.behaviour == STREAM_FAST) return epoll_wait(epoll_fd, events, MAX_EVENTS, 0);
    if (c->next_at < earliest) earliest = c->next_at;
  }
  if (earliest == INT64_MAX) return epoll_wait(epoll_fd, events, MAX_EVENTS, -1);
  int64_t wait = earliest - now_ns();
  if (wait < 0) wait = 0;
  struct timespec timeout = {wait / 1000000000, wait % 1000000000};
  int ready = epoll_pwait2(epoll_fd, events, MAX_EVENTS, &timeout, NULL);
  return ready < 0 && errno == ENOSYS ? epoll_wait(epoll_fd, events, MAX_EVENTS, (int)(wait / 1000000)) : ready;
}

int main(int argc, char **argv) {
  if (argc < 4) {
    fprintf(stderr, "usage: mock JSON_PORT FAST_PORT PACED_PORT [CHUNKS [PACE_MICROSECONDS [JSON_DELAY_MICROSECONDS]]]\n");
    return 2;
  }
  if (argc > 4) chunk_count = atoi(argv[4]);
  if (argc > 5) pace_ns = atoll(argv[5]) * 1000;
  if (argc > 6) json_delay_ns = atoll(argv[6]) * 1000;
  prepare_answers();
  epoll_fd = epoll_create1(0);
  static struct endpoint listeners[BEHAVIOURS];
  for (int i = 0; i < BEHAVIOURS; i++) {
    listeners[i].behaviour = i;
    if (!listen_on(&listeners[i], atoi(argv[1 + i]))) return 1;
  }
  static char buffer[READ_BYTES];
  struct epoll_event events[MAX_EVENTS];
  for (;;) {
    int ready = wait_for_events(events);
    for (int i = 0; i < ready; i++) {
      struct endpoint *endpoint = events[i].data.ptr;
      if (endpoint->listening) {
        accept_all(endpoint);
        continue;
      }
      struct connection *c = (struct connection *)endpoint;
      int length = recv(endpoint->fd, buffer, sizeof buffer, 0);
      if (length < 0 && errno == EAGAIN) continue;
      if (length <= 0 || !receive(c, buffer, length)) close_connection(c);
    }
    if (streams) advance_streams();
  }
}
