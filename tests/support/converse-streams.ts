/** Streams of the simulator's converse host as bytes in random pieces, some of them broken, and what our readers make of them. */
import type { Event } from '@trivium/protocol/canonical';
import { findTextDialect } from '@trivium/protocol/dialects';
import { SseReader } from '@trivium/protocol/framing';
import { grammarProblem } from '@trivium/protocol/stream';
import { type Simulator, scenarioNames } from '@trivium/simulator';
import { AwsEventStream } from '../../packages/gateway/src/upstream/aws-event-stream.ts';

/** `cut` is inside a message; `border` between two, or before the length of one is known. */
type StreamFault = 'checksum' | 'prelude' | 'exception' | 'malformed' | 'cut' | 'border';
type CapturedStream = {
  readonly name: string;
  readonly fault: StreamFault | undefined;
  readonly pieces: readonly Buffer[];
};

export type Said = {
  readonly text: string;
  readonly thinking: string;
  readonly signatures: readonly string[];
  readonly redacted: number;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input: string }[];
  readonly citations: number;
  readonly stop: string;
  readonly usage: readonly number[] | undefined;
};

/** Signed reasoning, open reasoning, sealed reasoning, none. */
const MODELS = [
  'eu.anthropic.claude-sonnet-4-5-20250929-v1:0',
  'us.amazon.nova-2-lite-v1:0',
  'global.openai.gpt-5.6-sol',
  'meta.llama3-3-70b-instruct-v1:0',
];
/** Usage in forms that no reader of this format knows, and prompts that have to say more. */
const LEFT_OUT = /^(?:usage-|task$)/;
const FAULTS: readonly StreamFault[] = ['checksum', 'prelude', 'exception', 'malformed', 'cut', 'border'];
const INSTRUCTIONS: Readonly<Partial<Record<StreamFault, string>>> = {
  checksum: 'fault=bad-checksum after=1',
  exception: 'fault=error-frame-mid after=1',
  malformed: 'fault=malformed-frame after=1',
};

export async function makeStreams(
  simulator: Simulator,
  count: number,
  seed: number,
): Promise<readonly CapturedStream[]> {
  const random = randomFrom(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const names = scenarioNames().filter((name) => !LEFT_OUT.test(name));
  const streams: CapturedStream[] = [];
  for (let at = 0; at < count; at++) {
    const name = names[at % names.length] as string;
    const fault = random() < 0.4 ? pick(FAULTS) : undefined;
    const instruction = fault === undefined ? '' : (INSTRUCTIONS[fault] ?? '');
    const whole = await capture(simulator, pick(MODELS), `Hello @simulate scenario=${name} ${instruction}`);
    const bytes = broken(whole, fault, random);
    const pieces: Buffer[] = [];
    for (let from = 0; from < bytes.length; ) {
      const to = from + 1 + Math.floor(random() * 400);
      pieces.push(bytes.subarray(from, to));
      from = to;
    }
    streams.push({ name, fault, pieces });
  }
  return streams;
}

async function capture(simulator: Simulator, model: string, text: string): Promise<Buffer> {
  const reply = await fetch(`${simulator.url}/bedrock/model/${encodeURIComponent(model)}/converse-stream`, {
    method: 'POST',
    headers: { authorization: 'Bearer key', 'content-type': 'application/json' },
    body: JSON.stringify({ messages: [{ role: 'user', content: [{ text }] }] }),
  });
  if (reply.status !== 200) throw new Error(await reply.text());
  return Buffer.from(await reply.arrayBuffer());
}

const LENGTH_BYTES = 4;

function broken(bytes: Buffer, fault: StreamFault | undefined, random: () => number): Buffer {
  if (fault === 'prelude') bytes.writeUInt8(bytes.readUInt8(9) ^ 1, 9);
  if (fault !== 'cut' && fault !== 'border') return bytes;
  const starts: number[] = [];
  for (let at = 0; at < bytes.length; at += bytes.readUInt32BE(at)) starts.push(at);
  const below = (count: number): number => Math.floor(random() * count);
  const start = starts[below(starts.length)] as number;
  const within = bytes.readUInt32BE(start) - LENGTH_BYTES;
  return bytes.subarray(0, start + (fault === 'border' ? below(LENGTH_BYTES) : LENGTH_BYTES + below(within)));
}

function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const MAX_EVENT_LENGTH = 1_000_000;

function eventsOf(pieces: readonly Buffer[]): readonly Event[] {
  const dialect = findTextDialect('amazon-converse');
  if (dialect === undefined) throw new Error('the dialect is not built');
  const decoder = dialect.client.eventDecoder({
    upstreamModel: '',
    quirks: dialect.quirks({}),
    sealOwner: { dialect: 'amazon-converse', family: 'maker' },
  } as never);
  const [stream, reader] = [new AwsEventStream(), new SseReader(MAX_EVENT_LENGTH)];
  const events: Event[] = [];
  for (const piece of pieces) reader.push(stream.write(piece), (frame) => events.push(...decoder.push(frame)));
  return [...events, ...decoder.end()];
}

export function saidBy(pieces: readonly Buffer[]): Said | { readonly error: string } {
  let events: readonly Event[];
  try {
    events = eventsOf(pieces);
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
  const problem = grammarProblem(events);
  if (problem !== undefined) throw new Error(problem);
  const kinds = new Map<number, string>();
  const said = { text: '', thinking: '', signatures: [] as string[], redacted: 0, citations: 0, stop: '' };
  const calls = new Map<number, { id: string; name: string; input: string }>();
  let usage: readonly number[] | undefined;
  for (const event of events) {
    if (event.type === 'answer-fault') return { error: event.fault.kind };
    if (event.type === 'block-start') {
      kinds.set(event.index, event.block.kind);
      if (event.block.kind === 'redacted') said.redacted++;
      if (event.block.kind === 'tool-call')
        calls.set(event.index, { id: event.block.id, name: event.block.name, input: '' });
    } else if (event.type === 'block-delta') {
      const call = calls.get(event.index);
      if (call !== undefined) call.input += event.text;
      else if (kinds.get(event.index) === 'thinking') said.thinking += event.text;
      else said.text += event.text;
    } else if (event.type === 'block-seal') said.signatures.push(event.seal.data);
    else if (event.type === 'block-note' && event.note.citation !== undefined) said.citations++;
    else if (event.type === 'usage-update') {
      const { prompt, completion, inputCacheRead, inputCacheWrite, inputCacheWrite5Min, inputCacheWrite1H } =
        event.usage;
      const written = (inputCacheWrite ?? 0) + (inputCacheWrite5Min ?? 0) + (inputCacheWrite1H ?? 0);
      usage = [prompt ?? 0, completion ?? 0, inputCacheRead ?? 0, written];
    } else if (event.type === 'answer-end') said.stop = event.finish.raw ?? '';
  }
  return { ...said, calls: [...calls.values()], usage };
}
