// Drives one contender with wrk (plain calls) or sseload (streams). A single failed request fails the run: a figure
// that contains errors compares nothing.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Measure, Target } from './contenders/contender.ts';
import { runToEnd } from './processes.ts';

export const STREAM_CHUNKS = 200;
export const PACE_US = 5_000;
export const CONNECTIONS = 32;

// A slow answer is a result, not a failure: the timeout would be long enough on a machine ten times slower.
const ANSWER_LIMIT_SECONDS = 60;
const SETTLE_LIMIT_MS = 2 * ANSWER_LIMIT_SECONDS * 1_000;

/** wrk abandons one call per connection when it stops; with this many completed calls that is a tenth at most. */
const ENOUGH_PER_CONNECTION = 10;
const LONGER = 4;
const MAX_WINDOW_SECONDS = 60;
const SCRIPT = fileURLToPath(new URL('requests/post.lua', import.meta.url));

export interface LoadTools {
  readonly core: number | string;
  readonly sseload: string;
  readonly workFolder: string;
}

/** A target whose headers and body lie in files, as both load generators want them. */
export interface PreparedTarget {
  readonly label: string;
  readonly target: Target;
  readonly headersFile: string;
  readonly bodyFile: string;
}

export interface PlainLoad {
  readonly completed: number;
  readonly perSecond: number;
  readonly p50Us: number;
}

export interface StreamLoad {
  readonly completed: number;
  readonly perSecond: number;
  readonly firstByteP50Us: number;
  readonly chunkLagP50Us: number;
  readonly chunkLagP99Us: number;
}

export interface RateLoad {
  readonly completed: number;
  readonly p50Us: number;
  readonly p99Us: number;
}

export function prepareTarget(tools: LoadTools, contender: string, measure: Measure, target: Target): PreparedTarget {
  const base = join(tools.workFolder, `${contender}-${measure}`);
  const headers = Object.entries(target.headers).map(([name, value]) => `${name}: ${value}\n`);
  writeFileSync(`${base}.headers`, headers.join(''));
  writeFileSync(`${base}.body`, target.body);
  return { label: `${contender} ${measure}`, target, headersFile: `${base}.headers`, bodyFile: `${base}.body` };
}

function numbersIn(text: string, label: string): (name: string) => number {
  const parsed: unknown = JSON.parse(text);
  const fields = new Map<string, unknown>(typeof parsed === 'object' && parsed !== null ? Object.entries(parsed) : []);
  return (name) => {
    const value = fields.get(name);
    if (typeof value !== 'number') throw new Error(`${label}: the load generator did not report "${name}": ${text}`);
    return value;
  };
}

interface WrkWindow {
  readonly completed: number;
  readonly seconds: number;
  readonly p50Us: number;
}

async function runWrk(
  tools: LoadTools,
  prepared: PreparedTarget,
  connections: number,
  seconds: number,
  answerBytes: number,
): Promise<WrkWindow> {
  const { port, path } = prepared.target;
  const url = `http://127.0.0.1:${port}${path}`;
  const limits = [`-d${seconds}s`, '--timeout', `${ANSWER_LIMIT_SECONDS}s`];
  const command = ['wrk', '-t1', `-c${connections}`, ...limits, '-s', SCRIPT, url];
  const files = { BODY_FILE: prepared.bodyFile, HEADERS_FILE: prepared.headersFile };
  const output = await runToEnd(tools.core, command, seconds * 1_000 + SETTLE_LIMIT_MS, files);
  const result = numbersIn(/^RESULT (.*)$/m.exec(output)?.[1] ?? '{}', prepared.label);
  const requests = result('requests');
  const failures = result('badStatus') + result('socketErrors');
  if (failures > 0) throw new Error(`${prepared.label}: ${failures} of ${requests} requests failed`);
  if (requests > 0 && result('bytes') / requests < answerBytes) {
    throw new Error(`${prepared.label}: answers under load are shorter than the checked one (${answerBytes} bytes)`);
  }
  return { completed: requests, seconds: result('seconds'), p50Us: result('p50Us') };
}

/** A window that a slow machine leaves nearly empty is followed by longer ones until enough was completed in all. */
export async function loadPlain(
  tools: LoadTools,
  prepared: PreparedTarget,
  connections: number,
  seconds: number,
  answerBytes: number,
): Promise<PlainLoad> {
  let completed = 0;
  let took = 0;
  for (let window = seconds; ; window = Math.min(window * LONGER, MAX_WINDOW_SECONDS)) {
    const one = await runWrk(tools, prepared, connections, window, answerBytes);
    completed += one.completed;
    took += one.seconds;
    if (completed >= connections * ENOUGH_PER_CONNECTION || window >= MAX_WINDOW_SECONDS) {
      if (completed === 0) throw new Error(`${prepared.label}: no request was completed in ${Math.round(took)} s`);
      return { completed, perSecond: completed / took, p50Us: one.p50Us };
    }
  }
}

interface StreamsAtOnce {
  readonly connections: number;
  readonly chunks: number;
  /** How long the last streams may take to end. */
  readonly patienceSeconds: number;
  /** Over how long their starts are spread. */
  readonly spreadSeconds: number;
}

const USUAL_STREAMS: StreamsAtOnce = {
  connections: CONNECTIONS,
  chunks: STREAM_CHUNKS,
  patienceSeconds: ANSWER_LIMIT_SECONDS,
  spreadSeconds: 1,
};

export async function loadStreams(
  tools: LoadTools,
  prepared: PreparedTarget,
  seconds: number,
  { connections, chunks, patienceSeconds, spreadSeconds } = USUAL_STREAMS,
): Promise<StreamLoad> {
  const { port, path } = prepared.target;
  const { headersFile, bodyFile } = prepared;
  const figures = [port, path, connections, seconds, headersFile, bodyFile, chunks, patienceSeconds, spreadSeconds];
  const command = [tools.sseload, ...figures.map(String)];
  const limitMs = (seconds + patienceSeconds + spreadSeconds) * 1_000 + SETTLE_LIMIT_MS;
  const output = await runToEnd(tools.core, command, limitMs);
  const result = numbersIn(output, prepared.label);
  const streams = result('streams');
  const failed = result('failed');
  if (failed > 0) {
    const status = result('badStatus');
    throw new Error(
      `${prepared.label}: ${failed} streams failed or were incomplete${status ? ` (status ${status})` : ''}`,
    );
  }
  if (streams === 0) throw new Error(`${prepared.label}: no stream was completed in ${seconds} s`);
  return {
    completed: streams,
    perSecond: streams / result('seconds'),
    firstByteP50Us: result('firstByteP50Us'),
    chunkLagP50Us: result('chunkLagP50Us'),
    chunkLagP99Us: result('chunkLagP99Us'),
  };
}

/** At a fixed rate a pause of half a second leaves thousands of calls waiting, each on a separate connection. */
const CONNECTIONS_AT_RATE = 4_096;

/** Open-loop load: requests are sent at a fixed rate, whether or not earlier ones have completed. */
export async function loadAtRate(
  tools: LoadTools,
  openload: string,
  prepared: PreparedTarget,
  { perSecond, milliseconds }: { readonly perSecond: number; readonly milliseconds: number },
): Promise<RateLoad> {
  const { port, path } = prepared.target;
  const figures = [port, path, perSecond, milliseconds, CONNECTIONS_AT_RATE].map(String);
  const command = [openload, ...figures, prepared.headersFile, prepared.bodyFile, String(SETTLE_LIMIT_MS)];
  const output = await runToEnd(tools.core, command, milliseconds + 2 * SETTLE_LIMIT_MS);
  const result = numbersIn(output, prepared.label);
  const lost = ['unsent', 'refused', 'failed', 'unexpected', 'unanswered'].filter((name) => result(name) > 0);
  if (lost.length > 0) throw new Error(`${prepared.label}: not every request was answered: ${output.trim()}`);
  return { completed: result('answered'), p50Us: result('answeredP50Us'), p99Us: result('answeredP99Us') };
}
