// One vendor request from arrival to its line in the truth log: read, parse, then answer or refuse.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Fate, performAnswer } from './answer.ts';
import type { ArmQueue } from './arm-queue.ts';
import type { SimulatorClock } from './clock.ts';
import type { DialectOptions, Reply, SimulatedDialect } from './dialects/dialect.ts';
import { json } from './dialects/replies.ts';
import { type Instruction, readInstructions } from './instruction.ts';
import { readBody } from './request-body.ts';
import type { RequestTarget } from './target.ts';
import type { TruthEntry, TruthLog } from './truth-log.ts';

export interface ExchangeTools {
  readonly clock: SimulatorClock;
  readonly truth: TruthLog;
  readonly armed: ArmQueue;
  readonly options: DialectOptions;
  readonly log: (line: string) => void;
}

export interface VendorArrival {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly target: Extract<RequestTarget, { kind: 'vendor' }>;
  readonly dialect: SimulatedDialect;
  readonly sequence: number;
}

const MILLISECONDS_PER_SECOND = 1000;

export async function conductExchange(arrival: VendorArrival, tools: ExchangeTools): Promise<void> {
  const { target, request, response, dialect, sequence } = arrival;
  const fate: Fate = { isSevered: false };
  const entry = openEntry(arrival, tools, fate);
  const body = await readBody(request);
  entry.bodyText = body?.toString('utf8') ?? '';
  tools.truth.add(entry);
  if (body === undefined) {
    if (response.destroyed) return;
    response.shouldKeepAlive = false;
    response.once('finish', () => request.destroy());
    const reply = ownError(413, 'Request body too large', 'invalid_request_error');
    return refuse(reply, 'body too large', response, entry);
  }
  const createdS = Math.floor(tools.clock.date().getTime() / MILLISECONDS_PER_SECOND);
  const understood = dialect.understand(
    { ...target, method: request.method ?? '', headers: request.headers, body, sequence, createdS },
    tools.options,
  );
  entry.body = understood.body;
  if (understood.kind === 'refused') return refuse(understood.reply, understood.reason, response, entry);
  const { model = '', texts = [] } =
    understood.kind === 'ask'
      ? { model: understood.ask.model, texts: understood.ask.instructionTexts }
      : understood.kind === 'pictures'
        ? { model: understood.order.model, texts: [understood.order.prompt] }
        : { model: understood.model };
  let inBand: Instruction;
  try {
    inBand = readInstructions(texts);
  } catch (error) {
    const message = `@simulate: ${error instanceof Error ? error.message : String(error)}`;
    return refuse(ownError(400, message, 'simulator_instruction_error'), message, response, entry);
  }
  const { vendor, host, path } = target;
  const armed = tools.armed.take({ vendor, host, path, model }) ?? {};
  await performAnswer({ understood, inBand, armed, entry, fate, response, clock: tools.clock });
}

function openEntry(arrival: VendorArrival, tools: ExchangeTools, fate: Fate): TruthEntry {
  const { target, request, response, sequence } = arrival;
  const entry: TruthEntry = {
    id: `sim-${sequence}`,
    vendor: target.vendor,
    host: target.host,
    receivedAt: tools.clock.date().toISOString(),
    receivedAtMs: tools.clock.monotonicMs(),
    method: request.method ?? '',
    path: target.path,
    headers: request.headers,
    bodyText: '',
    body: undefined,
    streamed: false,
    faults: [],
    framesSent: 0,
    tokensProduced: 0,
    outcome: 'open',
  };
  response.once('close', () => {
    entry.closedAtMs = tools.clock.monotonicMs();
    entry.outcome = fate.isSevered ? 'severed' : response.writableFinished ? 'finished' : 'aborted';
    const vendor = entry.host === '' ? entry.vendor : `${entry.vendor}@${entry.host}`;
    const what = entry.refusal === undefined ? (entry.scenario ?? '-') : `refused: ${entry.refusal}`;
    const faults = entry.faults.length === 0 ? '' : ` faults=${entry.faults.join(',')}`;
    tools.log(
      `${entry.method} ${vendor}${entry.path} ${entry.status ?? '-'} ${what}${faults} tokens=${entry.tokensProduced} ${entry.outcome}`,
    );
  });
  return entry;
}

function refuse(reply: Reply, reason: string, response: ServerResponse, entry: TruthEntry): void {
  entry.refusal = reason;
  entry.status = reply.status;
  response.writeHead(reply.status, { ...reply.headers, 'content-length': String(Buffer.byteLength(reply.body)) });
  response.end(reply.body);
}

const ownError = (status: number, message: string, type: string): Reply =>
  json(status, { error: { message, type, param: null, code: null } });
