/** Frames of callers: which call they ask for, and the body it would have over plain HTTP. Frames of errors. */
import { type Fault, GatewayError, isJsonObject, type Json, type JsonObject } from '@trivium/protocol/canonical';
import { protocolAdapters } from '@trivium/protocol/dialects';
import {
  type JsonBounds,
  type JsonMember,
  JsonShapeError,
  JsonTally,
  scanMembers,
  splice,
} from '@trivium/protocol/framing';
import { shapeFault } from '../../calls/entry/understand.ts';
import { faultHeaders } from '../fault-headers.ts';

/** Distinguishes the answers of one connection, where several are under way. */
export type StreamLane = string | undefined;

export type AskedFrame = {
  readonly lane: StreamLane;
  /** False: the input is only brought, for a later frame to refer to. */
  readonly generates: boolean;
  /** JSON text of the body. */
  readonly body: () => string;
};

const CREATE = 'response.create';
const LANE = /^[A-Za-z0-9_.-]{1,256}$/;

export function readFrame(text: string, bounds: JsonBounds): AskedFrame {
  const members = membersOf(text, bounds);
  const read = (name: string): Json | undefined => {
    const member = members.find((each) => each.name === name);
    // A member that is not whole JSON is found later, with the body.
    return member === undefined ? undefined : scalar(text.slice(member.valueStart, member.valueEnd));
  };
  if (read('type') !== CREATE) throw malformed('type', `must be ${CREATE}`);
  const lane = read('stream_id') ?? undefined;
  if (lane !== undefined && (typeof lane !== 'string' || !LANE.test(lane)))
    throw malformed('stream_id', 'must have 1 to 256 letters, digits, dots, dashes and underscores');
  const generates = read('generate') ?? true;
  if (typeof generates !== 'boolean') throw malformed('generate', 'must be true or false');
  if (read('background') === true)
    throw malformed('background', 'is not offered on a WebSocket: send the call as a POST, and follow it there');
  return {
    lane,
    generates,
    body: () => splice(text, members, EDITS),
  };
}

/** An answer always comes in events. */
const EDITS = [
  { name: 'type', value: undefined },
  { name: 'stream_id', value: undefined },
  { name: 'generate', value: undefined },
  { name: 'stream', value: 'true' },
];

const MAX_SCALAR = 512;
function scalar(text: string): Json | undefined {
  if (text.length > MAX_SCALAR) return text;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

const NOT_AN_OBJECT = new GatewayError({ kind: 'malformed', message: 'A frame must be a JSON object.' });

function membersOf(text: string, bounds: JsonBounds): readonly JsonMember[] {
  if (!text.trimStart().startsWith('{')) throw NOT_AN_OBJECT;
  try {
    return scanMembers(text, bounds.depth, new JsonTally(bounds));
  } catch (error) {
    if (!(error instanceof JsonShapeError)) throw error;
    throw new GatewayError(shapeFault(error), { cause: error });
  }
}

const malformed = (field: string, problem: string): GatewayError =>
  new GatewayError({ kind: 'malformed', message: `'${field}' ${problem}.`, field });

/** As a client would have got it over plain HTTP: `headers` may say when to try again. */
export const faultFrame = (fault: Fault, requestId: string, lane: StreamLane): string => {
  const { status, body } = protocolAdapters.chat.encodeFault(fault, requestId);
  return errorFrame(status, ['x-request-id', requestId, ...faultHeaders(fault)], body, lane);
};

export function errorFrame(status: number, headers: readonly string[], body: Json, lane: StreamLane): string {
  const error = isJsonObject(body) ? (body['error'] ?? null) : null;
  return JSON.stringify({
    type: 'error',
    ...laneOf(lane),
    status,
    error,
    headers: headersOf(headers),
  });
}

export const laneOf = (lane: StreamLane): JsonObject => (lane === undefined ? {} : { stream_id: lane });

/** What only says how a body is sent over plain HTTP. */
const OF_BODIES: ReadonlySet<string> = new Set(['content-type', 'cache-control', 'x-accel-buffering', 'trailer']);

export function headersOf(flat: readonly string[]): JsonObject {
  const headers: Record<string, string> = {};
  for (let at = 0; at < flat.length; at += 2) {
    const name = flat[at]!.toLowerCase();
    if (!OF_BODIES.has(name)) headers[name] = flat[at + 1]!;
  }
  return headers;
}

/** Clients open another connection at this code, at once. */
export const CONNECTION_LIMIT: Fault = {
  kind: 'malformed',
  message: 'This WebSocket has been open for as long as it may (sockets.durationMs). Open another one.',
  code: 'websocket_connection_limit_reached',
};

export const STREAM_LIMIT: Fault = {
  kind: 'over-rate',
  message: 'This WebSocket has as many calls under way or waiting as it may (sockets.streams, sockets.queued).',
  code: 'websocket_stream_limit_reached',
};

export const NO_ROOM: Fault = {
  kind: 'overloaded',
  message: 'The gateway is busy: it has no memory for a frame that is still arriving (limits.memoryBytes).',
  retryAfterMs: 1000,
};

export const NOT_TEXT: Fault = { kind: 'malformed', message: 'Frames are JSON texts, not binary.' };
