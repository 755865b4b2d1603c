/** What programs ask for that a person has signed in, besides calls: their settings, limits, and where their telemetry goes. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { GatewayError } from '@trivium/protocol/canonical';
import { GatheredBytes } from '@trivium/protocol/framing';
import type { Engine } from '../calls/engine.ts';
import { findCaller, requireKey } from '../calls/entry/authenticate.ts';
import type { BodyRoom } from '../kernel/admission.ts';
import type { RawHeaders } from '../kernel/caller-port.ts';
import { readsSpend } from '../kernel/spend.ts';
import { type Arrival, readBody } from './body.ts';
import type { MeterPorts } from './body-meter.ts';
import { GATEWAY_PROTOCOL } from './gateway-protocol.ts';
import { firstHeader } from './head.ts';
import { refuse } from './refuse.ts';
import type { AgentAction } from './route-table.ts';

export type AgentAsked = {
  readonly engine: Engine;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly headers: RawHeaders;
  readonly keyInQuery: boolean;
  readonly address: string;
  readonly idHeaders: readonly string[];
  readonly metering: MeterPorts;
  readonly identified: () => void;
  readonly arrival: (room: BodyRoom) => Arrival;
};

/** One error whether there are none, or none for this caller. */
const NO_SETTINGS = new GatewayError({ kind: 'unknown-operation', message: 'There are no managed settings for you.' });
const NO_LIMITS = new GatewayError({ kind: 'unknown-operation', message: 'This gateway has no spending limits.' });
const NOT_SIGNED_IN = new GatewayError({
  kind: 'forbidden',
  message: 'Telemetry is taken from programs that a person has signed in.',
});

export async function serveAgent(action: AgentAction, asked: AgentAsked): Promise<void> {
  if (action.kind === 'gateway-protocol') {
    answer(asked, 200, GATEWAY_PROTOCOL, ['content-type', 'text/markdown; charset=utf-8']);
    return;
  }
  const { engine, headers, address, keyInQuery } = asked;
  const caller = requireKey(await findCaller(headers, engine.accounts, keyInQuery), { address });
  asked.identified();
  if (action.kind === 'telemetry') {
    if (!readsSpend(caller)) throw NOT_SIGNED_IN;
    await takeTelemetry(action.signal, caller.accountId, asked);
  } else if (action.kind === 'managed-settings') {
    const found = engine.managedSettings?.(caller);
    if (found === undefined) throw NO_SETTINGS;
    const tag = `"${found.checksum}"`;
    const given = (firstHeader(headers, 'if-none-match') ?? '').split(',').map((one) => one.trim().replace(/^W\//, ''));
    const isKnown = given.includes(tag);
    const more = ['content-type', 'application/json', 'etag', tag, 'vary', 'User-Agent'];
    answer(asked, isKnown ? 304 : 200, isKnown ? undefined : found.text, more);
  } else {
    if (engine.admission.spend === undefined) throw NO_LIMITS;
    const report = JSON.stringify(await engine.admission.spend.report(caller));
    answer(asked, 200, report, ['content-type', 'application/json', 'cache-control', 'no-store']);
  }
}

/** A 304 has no text, and no length of one. */
function answer(
  { request, response, idHeaders }: AgentAsked,
  status: number,
  text: string | undefined,
  more: readonly string[],
): void {
  const length = text === undefined ? [] : ['content-length', String(Buffer.byteLength(text))];
  response.writeHead(status, [...more, ...length, ...idHeaders]);
  response.end(request.method === 'HEAD' ? '' : (text ?? ''));
}

/** Always 200: a program cannot do anything about what is lost here, and would only write it to its log. */
async function takeTelemetry(signal: string, accountId: string, asked: AgentAsked): Promise<void> {
  const { engine, request, response, headers, metering, idHeaders } = asked;
  const { telemetry } = engine;
  const drop = (): void =>
    refuse(request, response, { status: 200, headers: ['content-length', '0', ...idHeaders], text: '' }, metering);
  if (!telemetry.enter()) {
    drop();
    return;
  }
  let body: Uint8Array;
  try {
    const arrival = asked.arrival({ accountId, reserve: () => undefined });
    const bounds = { ...arrival.bounds, maxBytes: Math.min(arrival.bounds.maxBytes, telemetry.maxBodyBytes) };
    body = await readBody({ ...arrival, packed: undefined, bounds }, bytesBody());
  } catch (error) {
    telemetry.release();
    if (!(error instanceof GatewayError) || error.fault.kind !== 'too-large') throw error;
    drop();
    return;
  }
  answer(asked, 200, '', []);
  const kept = ['content-type', 'content-encoding'].flatMap((name) => {
    const value = firstHeader(headers, name);
    return value === undefined ? [] : [[name, value] as const];
  });
  telemetry.relay(signal, Object.fromEntries(kept), body);
}

function bytesBody() {
  const gathered = new GatheredBytes();
  return { take: (chunk: Buffer) => gathered.push(chunk), end: () => gathered.join() ?? new Uint8Array() };
}
