// `limits`. Read, the memory for callers has a value: by default a share of what this process may use.

import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { DEFAULT_JSON_BOUNDS } from '@trivium/protocol/framing';
import { bytes, count, integer, MIB, optionalInteger, section } from './parts.ts';

export const limitsSchema = section(
  {
    bodyBytes: bytes(32 * MIB, 1024, 'Largest request body accepted, in bytes.'),
    bodyBytesPerSecond: bytes(1024, 1, 'Lowest average rate at which a request body may arrive, in bytes per second.'),
    headerBytes: bytes(16_384, 1024, 'Largest request head accepted, in bytes.'),
    headerCount: count(200, 'Most header lines accepted in a request.'),
    jsonDepth: count(DEFAULT_JSON_BOUNDS.depth, 'Deepest nesting accepted in a JSON body.'),
    jsonMembers: count(DEFAULT_JSON_BOUNDS.membersPerObject, 'Most members accepted in one object of a JSON body.', 16),
    jsonElements: count(
      DEFAULT_JSON_BOUNDS.elementsPerArray,
      'Most elements accepted in one array of a JSON body.',
      16,
    ),
    jsonValues: integer(
      64,
      100_000_000,
      DEFAULT_JSON_BOUNDS.values,
      'Most values accepted in a JSON body, counted by its opening brackets and its commas.',
    ),
    jsonStringBytes: optionalInteger(
      65_536,
      1024 * MIB,
      'Longest string accepted in a JSON body, in bytes as it is written. Without it as long as `limits.bodyBytes`.',
    ),
    urlLength: count(8192, 'Longest request target accepted, in characters.', 64),
    answerBytes: bytes(64 * MIB, 1024, 'Largest non-streamed answer accepted from an upstream, in bytes.'),
    eventBytes: bytes(8 * MIB, 1024, 'Largest single stream event accepted from an upstream, in bytes.'),
    connections: count(20_000, 'Most connections from callers open at once.'),
    keylessConnections: count(
      512,
      'Most connections of one address open at once that have shown no valid key. Beyond it, those that cost most so far are closed; new ones are accepted. Peers in `listen.trustedProxies` are not counted, but the requests they forward without a key are, by the address they report.',
    ),
    pieceCount: count(
      1024,
      'Pieces of a request body after which their average size is judged by `limits.pieceBytes`.',
    ),
    pieceBytes: bytes(
      64,
      1,
      'Smallest average size of the pieces (chunks) in which a request body may arrive, in bytes, once there are `limits.pieceCount` of them. 1 turns it off.',
    ),
    wireRatio: count(
      8,
      'Most bytes on the connection for each byte of a request body, once 64 KiB have arrived: the rest is chunk headers, extensions and trailers.',
    ),
    unpackRatio: count(
      100,
      'Most bytes that a compressed request body (`content-encoding: gzip` or `zstd`) may unpack to for each byte sent, beyond the first 1 MiB. `limits.bodyBytes` bounds what it unpacks to in all.',
    ),
    pipelined: count(
      1,
      'Requests of one connection that are under way at once. Those that arrive before earlier answers ended wait, and the connection is not read meanwhile.',
    ),
    turnBytes: bytes(
      MIB,
      65_536,
      'Bytes of streams and bodies that one turn of the event loop handles; the rest waits for the next turn, and accounts take turns.',
    ),
    turnEvents: count(
      2048,
      'Events of streams that one turn of the event loop handles; the rest waits for the next turn, and accounts take turns.',
    ),
    floodBytes: bytes(
      MIB,
      1024,
      'Most bytes an upstream may send in a stream without any content in between (comments, pings, empty deltas); more ends the stream as broken. What repeats the request is counted against its size.',
    ),
    floodEvents: count(
      10_000,
      'Most events an upstream may send in a stream without any content in between, each interim head counted as 20; more ends the stream as broken.',
    ),
    inFlight: count(10_000, 'Most requests being served at once; more are refused as overload.'),
    inFlightPerKey: count(10_000, 'Most requests of one key being served at once.'),
    memoryBytes: optionalInteger(
      MIB,
      1024 * 1024 * MIB,
      'Most memory, in bytes, that one process holds for callers at once: request bodies, answers until they are read, copies on threads, stored answers and captured content, each counted with what it takes in memory (a body four times its size). One account may use half of it. New requests beyond it are refused, answers wait at their upstream. Without it half of the memory of the control group or the machine, divided by the number of workers, but at most 60 % of the heap limit of Node.js, and at least 64 MiB.',
    ),
  },
  'Limits on size and number. Nothing in the gateway grows without one of these.',
);

/**
 * The memory limit of the control group, or the machine's memory; without a group, the former is 0 or more than there
 * is.
 */
export const MEMORY_BYTES = Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem());

/** Of the memory, and of the heap, because most texts are in the heap: the rest is for code, connections and caches. */
const MEMORY_SHARE = 0.5;
const HEAP_SHARE = 0.6;
const LEAST_BYTES = 64 * MIB;

/** How much of it may be held for callers, by each of the processes that share it. */
export const defaultMemoryBytes = (
  processes: number,
  memoryBytes = MEMORY_BYTES,
  heapBytes = getHeapStatistics().heap_size_limit,
): number =>
  Math.max(LEAST_BYTES, Math.floor(Math.min((memoryBytes * MEMORY_SHARE) / processes, heapBytes * HEAP_SHARE)));
