// The control API under `/_simulator/`: for tests and operators, never part of a vendor's paths.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ArmQueue } from './arm-queue.ts';
import type { SimulatorClock } from './clock.ts';
import { faultTable } from './faults/fault-names.ts';
import { instructionKeys, parseInstruction } from './instruction.ts';
import { parseJsonBytes } from './json-text.ts';
import { asNumber, asRecord, isRecord } from './json-value.ts';
import { readBody } from './request-body.ts';
import { scenarios } from './scenarios/table.ts';
import type { TruthLog } from './truth-log.ts';

export interface ControlTools {
  readonly truth: TruthLog;
  readonly armed: ArmQueue;
  readonly clock: SimulatorClock;
  readonly openSockets: () => number;
}

interface ControlAnswer {
  readonly status: number;
  readonly value: unknown;
}

const MAX_CONTROL_BYTES = 1024 * 1024;
const MATCH_FIELDS: readonly string[] = ['vendor', 'host', 'model', 'path'];
const OK = { status: 200, value: { ok: true } } as const;

export async function serveControl(
  action: string,
  request: IncomingMessage,
  response: ServerResponse,
  tools: ControlTools,
): Promise<void> {
  const body = await readBody(request, MAX_CONTROL_BYTES);
  const { status, value } =
    body === undefined ? problem(413, 'the body is too large') : route(`${request.method} ${action}`, body, tools);
  const text = JSON.stringify(value);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) });
  response.end(text);
}

function route(what: string, body: Buffer, tools: ControlTools): ControlAnswer {
  switch (what) {
    case 'GET health':
      return OK;
    case 'GET truth':
      return { status: 200, value: tools.truth.read() };
    case 'DELETE truth':
      tools.truth.clear();
      return OK;
    case 'GET scenarios': {
      const about = Object.entries(scenarios).map(([name, scenario]) => [name, scenario.about]);
      return {
        status: 200,
        value: { scenarios: Object.fromEntries(about), faults: faultTable, keys: instructionKeys },
      };
    }
    case 'GET open': {
      const closed: object[] = [];
      let requests = 0;
      let streams = 0;
      for (const { id, vendor, host, streamed, outcome, closedAtMs } of tools.truth.read()) {
        if (outcome === 'open') {
          requests += 1;
          streams += streamed ? 1 : 0;
        } else closed.push({ id, vendor, host, streamed, outcome, closedAtMs });
      }
      const value = { nowMs: tools.clock.monotonicMs(), sockets: tools.openSockets(), requests, streams, closed };
      return { status: 200, value };
    }
    case 'POST arm':
      return arm(body, tools.armed);
    case 'DELETE arm':
      tools.armed.clear();
      return OK;
    default:
      return problem(404, `no such control: ${what}`);
  }
}

function problem(status: number, message: string): ControlAnswer {
  return { status, value: { error: { message, type: 'simulator_control_error' } } };
}

function arm(body: Buffer, armed: ArmQueue): ControlAnswer {
  const parsed = parseJsonBytes(body);
  if (!parsed.ok || !isRecord(parsed.value))
    return problem(400, 'expected {"instruction": …, "match": {…}, "times": n}');
  const { instruction, match, times } = parsed.value;
  const matcher: Record<string, string> = {};
  try {
    for (const [field, value] of Object.entries(asRecord(match))) {
      if (!MATCH_FIELDS.includes(field)) throw new Error(`match knows ${MATCH_FIELDS.join(', ')}, not "${field}"`);
      if (typeof value === 'string') matcher[field] = value;
    }
    armed.add(parseInstruction(instructionText(instruction)), { ...matcher, times: asNumber(times) ?? 1 });
  } catch (error) {
    return problem(400, error instanceof Error ? error.message : String(error));
  }
  return OK;
}

/** Text as after `@simulate`, or an object with the same keys. */
export function instructionText(instruction: unknown): string {
  if (typeof instruction === 'string') return instruction;
  return Object.entries(asRecord(instruction))
    .map(([key, value]) => `${key}=${String(value)}`)
    .join(' ');
}
