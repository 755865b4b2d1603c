// Deviations of single hosts, seen in recorded traffic: the vendor's data in their form. Frames and bodies of other
// dialects stay unchanged.

import { asRecord, asRecords, asText, isRecord, type JsonRecord } from '../json-value.ts';
import type { StreamFrame } from '../wire.ts';
import type { FaultName } from './fault-names.ts';

const PADDING = 'abcdefghijklm';
const COMPACTED = { type: 'compaction', input_tokens: 1000, output_tokens: 50 };
const STOP_DETAILS = { type: 'refusal', category: null, explanation: null };
const CITATION = {
  type: 'url_citation',
  url_citation: { url: 'https://example.com/', title: '', start_index: 0, end_index: 0 },
};

/** Lists every pass of an answer, including one that compacted the conversation; the counters beside exclude that one. */
function withPasses(data: JsonRecord): JsonRecord {
  const { usage } = data;
  if (!isRecord(usage)) return data;
  const { input_tokens = 0, output_tokens = 0 } = usage;
  const iterations = [COMPACTED, { type: 'message', input_tokens, output_tokens }];
  return { ...data, usage: { ...usage, iterations } };
}

/** The event or chunk in the host's form; several if the host splits it. */
function frameInHabit(data: JsonRecord, fault: FaultName, kind: StreamFrame['kind']): readonly JsonRecord[] {
  const [choice] = asRecords(data['choices']);
  const isDelta = data['type'] === 'message_delta';
  const delta = asRecord(isDelta ? data['delta'] : choice?.['delta']);
  if (fault === 'usage-iterations' && isDelta) return [withPasses(data)];
  if (fault === 'stop-details' && isDelta) return [{ ...data, delta: { ...delta, stop_details: STOP_DETAILS } }];
  if (fault === 'content-index-1' && data['content_index'] === 0) return [{ ...data, content_index: 1 }];
  if (!Array.isArray(data['choices'])) return [data];
  if (fault === 'annotations-first' && kind === 'open')
    return [{ ...data, choices: [{ ...choice, delta: { ...delta, annotations: [CITATION] } }] }];
  if (fault === 'doubled-finish' && kind === 'finish') return [data, data];
  return [fault === 'padding-p' ? { ...data, p: PADDING } : data];
}

function answerInHabit(body: JsonRecord, fault: FaultName): JsonRecord {
  const isMessage = body['type'] === 'message';
  if (fault === 'usage-iterations' && isMessage) return withPasses(body);
  if (fault === 'stop-details' && isMessage) return { ...body, stop_details: STOP_DETAILS };
  if (fault === 'no-message' && Array.isArray(body['choices'])) {
    const { message: _, ...choice } = asRecord(body['choices'][0]);
    return { ...body, choices: [{ ...choice, finish_reason: 'content_filter', content_filter_results: {} }] };
  }
  const { message } = asRecord(body['error']);
  if (fault !== 'string-error' || message === undefined) return body;
  return { code: 'invalid-argument', error: asText(message) };
}

const OF_FRAMES: readonly FaultName[] = [
  'usage-iterations',
  'stop-details',
  'content-index-1',
  'annotations-first',
  'doubled-finish',
  'padding-p',
];
const OF_BODIES: readonly FaultName[] = ['usage-iterations', 'stop-details', 'no-message', 'string-error'];

export function* inHabit(frames: Iterable<StreamFrame>, faults: readonly FaultName[]): Iterable<StreamFrame> {
  const habits = faults.filter((fault) => OF_FRAMES.includes(fault));
  for (const frame of frames) {
    const data = habits.length === 0 ? undefined : parsed(frame.data);
    if (data === undefined) {
      yield frame;
      continue;
    }
    let said: readonly JsonRecord[] = [data];
    for (const fault of habits) said = said.flatMap((one) => frameInHabit(one, fault, frame.kind));
    for (const [at, one] of said.entries())
      yield { ...frame, data: JSON.stringify(one), tokens: at === 0 ? frame.tokens : 0 };
  }
}

/** The same body if no deviation applies to it. */
export function bodyInHabit(body: string | Buffer, faults: readonly FaultName[]): string | Buffer {
  const habits = faults.filter((fault) => OF_BODIES.includes(fault));
  const given = habits.length === 0 ? undefined : parsed(String(body));
  return given === undefined ? body : JSON.stringify(habits.reduce(answerInHabit, given));
}

function parsed(text: string): JsonRecord | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
