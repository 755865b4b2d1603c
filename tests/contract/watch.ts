/**
 * The contract's one hook: keeps what a stand sends to its hosts (the simulator's log of requests) and what it answers to
 * callers (as it leaves the listener, so that programs in any language count), and holds all of it against the makers' types
 * when the stand closes.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { appendFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Simulator } from '@trivium/simulator';
import { answerKind, jsonOf, requestKind } from './kinds.ts';
import { contract } from './schemas.ts';

/** Per stand and kind: tests that send thousands of alike requests would spend their time here. What is beyond is not checked. */
const MAX_BODIES = 4000;
/** A larger answer is one of those that test size, and says nothing new of form. */
const MAX_ANSWER_BYTES = 1024 * 1024;
const MAX_TOLD = 10;

/** Where counts are gathered, one line for each stand; set by `tests/contract/report.ts`. */
export const COUNTS_FILE = 'TRIVIUM_CONTRACT_COUNTS';

const callersPorts = new Set<number>();
/** Whether a stand's gateway listens there, rather than a host. */
export const isCallersPort = (port: number): boolean => callersPorts.has(port);

type Answer = { readonly path: string; readonly status: number; readonly text: string };

export function watchContract(port: number, simulator: Simulator): { finish(): void } {
  const answers: Answer[] = [];
  callersPorts.add(port);
  const onRequest = (message: unknown): void => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    if (request.socket.localPort === port && answers.length < MAX_BODIES) keepAnswer(request, response, answers);
  };
  subscribe('http.server.request.start', onRequest);
  return {
    finish: () => {
      unsubscribe('http.server.request.start', onRequest);
      callersPorts.delete(port);
      const held = hold(simulator, answers);
      const file = process.env[COUNTS_FILE];
      if (file !== undefined) appendFileSync(file, `${held.requests} ${held.answers} ${held.problems.length}\n`);
      if (held.problems.length > 0) throw new Error(complaintOf(held));
    },
  };
}

function keepAnswer(request: IncomingMessage, response: ServerResponse, answers: Answer[]): void {
  const pieces: Buffer[] = [];
  let bytes = 0;
  const keep = (chunk: unknown, encoding: unknown): void => {
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) return;
    const piece = typeof chunk === 'string' ? Buffer.from(chunk, encoding === 'latin1' ? 'latin1' : 'utf8') : chunk;
    bytes += piece.length;
    if (bytes <= MAX_ANSWER_BYTES) pieces.push(Buffer.from(piece));
  };
  const { write, end } = response;
  response.write = ((...given: Parameters<typeof write>) => {
    keep(given[0], given[1]);
    return write.apply(response, given);
  }) as typeof write;
  response.end = ((...given: Parameters<typeof end>) => {
    keep(given[0], given[1]);
    return end.apply(response, given);
  }) as typeof end;
  response.once('finish', () => {
    if (bytes > MAX_ANSWER_BYTES) return;
    answers.push({
      path: request.url ?? '',
      status: response.statusCode,
      text: Buffer.concat(pieces).toString('utf8'),
    });
  });
}

export type Held = { readonly requests: number; readonly answers: number; readonly problems: readonly string[] };

export const complaintOf = ({ problems }: Held): string =>
  `${problems.length} deviations from the makers' types (mend them, or give a reason in tests/contract/deviations.ts):\n${problems.slice(0, MAX_TOLD).join('\n')}`;

export function hold(simulator: Pick<Simulator, 'truth'>, answers: readonly Answer[]): Held {
  const counts = new Map<string, number>();
  const problems = new Set<string>();
  const check = (kind: string, body: unknown, profile = ''): void => {
    const count = counts.get(kind) ?? 0;
    if (count >= MAX_BODIES) return;
    counts.set(kind, count + 1);
    for (const problem of contract().problems(kind, body, profile))
      problems.add(`${kind}${profile === '' ? '' : ` at ${profile}`}: ${problem.replace(/\/\d+/g, '/#')}`);
  };
  for (const { path, vendor, body, refusal } of simulator.truth.read()) {
    const kind = requestKind(path, vendor);
    // What the host refused is judged by the test that provoked it.
    if (kind !== undefined && refusal === undefined && typeof body === 'object' && body !== null)
      check(kind, body, vendor);
  }
  for (const { path, status, text } of answers) {
    const kind = answerKind(path, status, text);
    if (kind !== undefined) for (const value of jsonOf(text)) check(kind, value);
  }
  const sum = (isRequest: boolean): number =>
    [...counts].reduce((total, [kind, count]) => total + (kind.endsWith('Request') === isRequest ? count : 0), 0);
  return { requests: sum(true), answers: sum(false), problems: [...problems] };
}
