/** Checks one recorded exchange against the codecs: is it understood, decoded and metered as the vendor counts it; if not, why. */
import {
  type Event,
  type Fault,
  GatewayError,
  inputTokens,
  isJsonObject,
  type Json,
  type JsonObject,
  numberAt,
  objectAt,
  outputTokens,
  type TextAnswer,
  type Usage,
} from '@trivium/protocol/canonical';
import {
  type AnswerContext,
  type Dialect,
  findDialect,
  type RequestHead,
  type TargetFacts,
} from '@trivium/protocol/dialects';
import { SseReader } from '@trivium/protocol/framing';
import { Fold } from '@trivium/protocol/stream';

const MAX_EVENT_LENGTH = 16_000_000;

export function dialectOf(id: string): Dialect {
  const dialect = findDialect(id);
  if (dialect === undefined) throw new Error(`no text dialect is called ${id}`);
  return dialect;
}

export const recordedContext: AnswerContext = {
  requestId: '01RECORDED',
  model: 'maker/model',
  createdAtSeconds: 1_770_000_000,
  responseOptions: { usageInStream: true, withCost: false, hideReasoning: false, logprobs: true },
};

export const recordedHead = (model: string): RequestHead => ({
  model,
  stream: false,
  header: (name) => (name === 'anthropic-version' ? '2023-06-01' : undefined),
});

export type Refused = { readonly fault: Fault };

/** The value, or the fault with which a codec turned it down; anything else thrown is a mistake of ours. */
export function attempt<T>(work: () => T): T | Refused {
  try {
    return work();
  } catch (error) {
    if (error instanceof GatewayError) return { fault: error.fault };
    throw error;
  }
}

export const isRefused = (value: object): value is Refused => 'fault' in value && !('type' in value);

export function decodedEvents(pieces: readonly string[], dialect: Dialect, facts: TargetFacts): Event[] {
  const reader = new SseReader(MAX_EVENT_LENGTH);
  const decoder = dialect.client.eventDecoder(facts);
  const events: Event[] = [];
  for (const piece of pieces) reader.push(piece, (frame) => events.push(...decoder.push(frame)));
  reader.end((frame) => events.push(...decoder.push(frame)));
  events.push(...decoder.end());
  return events;
}

export type StreamReading = {
  readonly events: readonly Event[];
  readonly answer: TextAnswer;
  readonly fault: Fault | undefined;
};

export function readStream(text: string, dialect: Dialect, facts: TargetFacts): StreamReading {
  const events = decodedEvents([text], dialect, facts);
  const fold = new Fold();
  for (const event of events) fold.push(event);
  return { events, answer: fold.answer(), fault: fold.fault };
}

/** All tokens by the vendor's own account; undefined where it gives none. */
export function vendorTotal(dialect: string, usage: JsonObject | undefined): number | undefined {
  if (usage === undefined) return undefined;
  if (dialect === 'anthropic-messages') return messagesTotal(usage);
  const total = numberAt(usage, dialect === 'google-generate' ? 'totalTokenCount' : 'total_tokens');
  return total === 0 ? undefined : total;
}

/** This format names no total: it is the sum of its counters, of every pass where it lists them. */
function messagesTotal(usage: JsonObject): number | undefined {
  const passes = Array.isArray(usage['iterations']) ? usage['iterations'].filter(isJsonObject) : [];
  const counted = passes.length > 0 ? passes : [usage];
  const sum = (name: string): number => counted.reduce((total, pass) => total + (numberAt(pass, name) ?? 0), 0);
  if (counted.every((pass) => numberAt(pass, 'input_tokens') === undefined)) return undefined;
  return (
    sum('input_tokens') + sum('output_tokens') + sum('cache_read_input_tokens') + sum('cache_creation_input_tokens')
  );
}

export const meteredTotal = (usage: Usage): number => inputTokens(usage) + outputTokens(usage);

/** The vendor's own usage in a whole answer. */
export function usageOfAnswer(dialect: string, body: Json): JsonObject | undefined {
  if (!isJsonObject(body)) return undefined;
  return objectAt(body, dialect === 'google-generate' ? 'usageMetadata' : 'usage');
}

/** The vendor's own usage at the end of a stream: the last one given, laid over the first where it comes in two halves. */
export function usageOfFrames(dialect: string, datas: readonly string[]): JsonObject | undefined {
  let found: JsonObject | undefined;
  for (const data of datas) {
    const wire = parsed(data);
    if (wire === undefined) continue;
    const usage =
      usageOfAnswer(dialect, wire) ??
      objectAt(objectAt(wire, 'response'), 'usage') ??
      objectAt(objectAt(wire, 'message'), 'usage') ??
      objectAt(objectAt(wire, 'x_groq'), 'usage') ??
      objectAt(firstOf(wire['choices']), 'usage');
    if (usage !== undefined) found = dialect === 'anthropic-messages' ? { ...found, ...usage } : usage;
  }
  return found;
}

const firstOf = (list: Json | undefined): JsonObject | undefined => {
  const first = Array.isArray(list) ? list[0] : undefined;
  return isJsonObject(first) ? first : undefined;
};

function parsed(data: string): JsonObject | undefined {
  try {
    const value = JSON.parse(data) as Json;
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
