/** `sockets`: WebSockets of callers. */
import { bytes, count, flag, MIB, milliseconds, section } from './parts.ts';

export const socketsSchema = section(
  {
    enabled: flag(
      true,
      'Whether calls of Responses may come over a WebSocket at the path of the POST. Otherwise a handshake is answered 426, and programs use POST.',
    ),
    connections: count(10_000, 'Most WebSockets open at once in one process.'),
    perAccount: count(1000, 'Most WebSockets of one account open at once in one process.'),
    perKey: count(250, 'Most WebSockets of one key open at once in one process.'),
    frameBytes: bytes(32 * MIB, 1024, 'Largest frame accepted, in bytes; a larger one closes its connection.'),
    streams: count(8, 'Most calls of one WebSocket under way at once, each with a `stream_id` of its own.'),
    queued: count(16, 'Most frames of one WebSocket that wait for an earlier call of their `stream_id` to end.'),
    idleMs: milliseconds(900_000, 'How long a WebSocket stays open without a call.'),
    durationMs: milliseconds(
      3_600_000,
      'How long a WebSocket may be open. After it, once no call is under way, its caller gets an error frame on which it opens another one.',
    ),
    stateBytes: bytes(
      256 * MIB,
      MIB,
      'Most characters of conversations that one process remembers for open WebSockets, so that callers send only what is new. Beyond it the oldest are forgotten, and their callers send the whole conversation again.',
    ),
  },
  'WebSockets of callers, at the paths of Responses; see `docs/call/websocket.md`.',
);
