// Deviations of single hosts, seen in recorded traffic: the vendor's data in their form. Frames and bodies of other
// dialects stay unchanged.
import type { StreamFrame } from '../dialects/dialect.ts';
import { asList, asNumber, asRecord, asText, isRecord, type JsonRecord } from '../json-value.ts';
import type { FaultName } from './fault-names.ts';

interface Habit {
  /** The event or chunk in this host's form; several if the host splits it. */
  readonly frame?: (data: JsonRecord, frame: StreamFrame) => readonly JsonRecord[];
  readonly body?: (body: JsonRecord) => JsonRecord;
}

const PADDING = 'abcdefghijklm';
const COMPACTED = { input: 1000, output: 50 };

/**
 * Lists every pass of an answer, including one that compacted the conversation; the counters beside exclude that one.
 */
function withPasses(usage: unknown): unknown {
  if (!isRecord(usage)) return usage;
  const { input_tokens = 0, output_tokens = 0 } = usage;
  const compaction = { type: 'compaction', input_tokens: COMPACTED.input, output_tokens: COMPACTED.output };
  return { ...usage, iterations: [compaction, { type: 'message', input_tokens, output_tokens }] };
}

const stopDetails = { type: 'refusal', category: null, explanation: null };
const firstChoice = (data: JsonRecord): JsonRecord => asRecord(asList(data['choices'])[0]);
const withChoice = (data: JsonRecord, choice: JsonRecord): JsonRecord => ({ ...data, choices: [choice] });
const citation = {
  type: 'url_citation',
  url_citation: { url: 'https://example.com/', title: '', start_index: 0, end_index: 0 },
};

const habits: Readonly<Partial<Record<FaultName, Habit>>> = {
  'usage-iterations': {
    frame: (data) => [data['type'] === 'message_delta' ? { ...data, usage: withPasses(data['usage']) } : data],
    body: (body) => (body['type'] === 'message' ? { ...body, usage: withPasses(body['usage']) } : body),
  },
  'stop-details': {
    frame: (data) => [
      data['type'] === 'message_delta'
        ? { ...data, delta: { ...asRecord(data['delta']), stop_details: stopDetails } }
        : data,
    ],
    body: (body) => (body['type'] === 'message' ? { ...body, stop_details: stopDetails } : body),
  },
  'no-message': {
    body: (body) => {
      if (!Array.isArray(body['choices'])) return body;
      const { message: _, ...choice } = firstChoice(body);
      return withChoice(body, { ...choice, finish_reason: 'content_filter', content_filter_results: {} });
    },
  },
  'content-index-1': {
    frame: (data) => [asNumber(data['content_index']) === 0 ? { ...data, content_index: 1 } : data],
  },
  'annotations-first': {
    frame: (data, { kind }) => {
      if (kind !== 'open' || !Array.isArray(data['choices'])) return [data];
      const choice = firstChoice(data);
      return [withChoice(data, { ...choice, delta: { ...asRecord(choice['delta']), annotations: [citation] } })];
    },
  },
  'doubled-finish': {
    frame: (data, { kind }) => (kind === 'finish' && Array.isArray(data['choices']) ? [data, data] : [data]),
  },
  'padding-p': { frame: (data) => [Array.isArray(data['choices']) ? { ...data, p: PADDING } : data] },
  'string-error': {
    body: (body) => {
      const error = asRecord(body['error']);
      return error['message'] === undefined ? body : { code: 'invalid-argument', error: asText(error['message']) };
    },
  },
};

export function* inHabit(frames: Iterable<StreamFrame>, faults: readonly FaultName[]): Iterable<StreamFrame> {
  const wanted = faults.flatMap((fault) => habits[fault]?.frame ?? []);
  for (const frame of frames) {
    const data = wanted.length === 0 ? undefined : parsed(frame.data);
    if (data === undefined) yield frame;
    else {
      const said = wanted.reduce<readonly JsonRecord[]>(
        (all, habit) => all.flatMap((one) => habit(one, frame)),
        [data],
      );
      for (const [at, one] of said.entries())
        yield { ...frame, data: JSON.stringify(one), tokens: at === 0 ? frame.tokens : 0 };
    }
  }
}

/** The same body if no deviation applies to it. */
export function bodyInHabit(body: string | Buffer, faults: readonly FaultName[]): string | Buffer {
  const wanted = faults.flatMap((fault) => habits[fault]?.body ?? []);
  const given = wanted.length === 0 ? undefined : parsed(String(body));
  return given === undefined ? body : JSON.stringify(wanted.reduce((said, habit) => habit(said), given));
}

function parsed(text: string): JsonRecord | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
