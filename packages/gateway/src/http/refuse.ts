/**
 * Answers a request whose body is no longer needed. A sender that is disconnected while it sends may lose the answer,
 * so the rest of its body is read and discarded for a while (lingering close): bounded in bytes, in pieces, in time and
 * in the number of connections at once.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { BodyMeter, type MeterPorts } from './body-meter.ts';
import { DISCARDED_BYTES } from './listener.ts';

/** Twice the default of `limits.bodyBytes`: such a sender can send all of it, and then read. */
const LINGER_BYTES = 67_108_864;
const LINGER_MS = 5000;
/** Each period must bring at least this many bytes: a sender that hardly sends can read by now. */
const LINGER_PERIOD_MS = 500;
const LINGER_PERIOD_BYTES = 16_384;
const MAX_LINGERING = 256;
/** A refused body in tiny pieces is not read on: reading it costs more than its sender's errand is worth. */
const LINGER_PIECES = 256;

let lingering = 0;

export type RefusalReply = { readonly status: number; readonly headers: readonly string[]; readonly text: string };

export function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, text }: RefusalReply,
  ports: MeterPorts,
): void {
  const body = request.method === 'HEAD' ? '' : text;
  // Node itself discards the rest of a request when its answer has been sent, but not after the gateway has waited for
  // it in vain.
  const wasAwaited = request.readableFlowing !== null;
  const stops = !request.complete && (wasAwaited || !isShort(request) || request.headers.expect !== undefined);
  if (stops) response.shouldKeepAlive = false;
  response.writeHead(status, [...headers]);
  // A sender that asked first (`Expect: 100-continue`), and got no answer, sends nothing.
  const isSending = wasAwaited || request.headers.expect === undefined;
  if (stops && isSending && lingering < MAX_LINGERING) linger(request, response, body, ports);
  else response.end(body);
}

function isShort(request: IncomingMessage): boolean {
  const declared = request.headers['content-length'];
  return declared !== undefined && Number(declared) <= DISCARDED_BYTES;
}

/** The answer is complete by its length; `end` closes the connection. */
function linger(request: IncomingMessage, response: ServerResponse, body: string, ports: MeterPorts): void {
  lingering++;
  if (body === '') response.flushHeaders();
  else response.write(body);
  let periodStartBytes = 0;
  let isOver = false;
  const end = (): void => {
    if (isOver) return;
    isOver = true;
    lingering--;
    clearInterval(period);
    clearTimeout(limit);
    meter.end();
    request.pause();
    response.end();
  };
  const meter = new BodyMeter(request, ports, {
    accountId: '',
    maxPieceCount: LINGER_PIECES,
    onDiscarded: () => {
      if (meter.bytes > LINGER_BYTES) end();
    },
    onRefused: () => {
      end();
      // Behind the answer. Waiting until the sender takes notice would mean to read on.
      process.nextTick(destroyFlushed, request.socket);
    },
  });
  const period = setInterval(() => {
    if (!meter.isWaiting && meter.bytes - periodStartBytes < LINGER_PERIOD_BYTES) end();
    periodStartBytes = meter.bytes;
  }, LINGER_PERIOD_MS);
  const limit = setTimeout(end, LINGER_MS);
  for (const over of ['error', 'close']) request.once(over, end);
  response.once('close', end);
  request.resume();
}

function destroyFlushed(socket: Socket): void {
  if (socket.writableLength === 0) socket.destroy();
}
