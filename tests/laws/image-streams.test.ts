/** Image events of many megabytes arrive whole and in order, wherever their text is cut, and the completed one is last. */
import type { AnswerContext, TargetFacts } from '@trivium/protocol/dialects';
import { describe, expect, test } from 'vitest';
import { ImageStream } from '../../packages/gateway/src/calls/lanes/images.ts';
import { openaiImages } from '../../packages/protocol/src/dialects/openai-images/index.ts';

const CONTEXT: AnswerContext = {
  requestId: 'r',
  model: 'm',
  createdAtSeconds: 1,
  responseOptions: {
    usageInStream: false,
    withCost: false,
    hideReasoning: false,
    logprobs: false,
    image: { action: 'generation', count: 1, asUrl: false, format: undefined, blockReasons: true, traits: {} },
  },
};
const FACTS = { quirks: openaiImages.quirks({}) } as unknown as TargetFacts;
const MEGABYTE = 1_048_576;
const MAX_EVENT = 64 * MEGABYTE;

const pump = (): ImageStream => {
  const [callers, hosts] = [openaiImages.server.streaming, openaiImages.client.streaming];
  if (callers === undefined || hosts === undefined) throw new Error('images are not streamed');
  return new ImageStream(hosts.eventDecoder(FACTS), callers.eventEncoder(CONTEXT), MAX_EVENT);
};

/** Base64 of a PNG's head, then a filler that differs from image to image. */
const imageOf = (length: number, filler: string): string => `iVBORw0KGgoA${filler.repeat(length - 12)}`;
const PARTS = ['A', 'B', 'C'] as const;

function upstreamText(length: number): string {
  const event = (name: string, filler: string, more: object): string => {
    const type = `image_generation.${name}`;
    return `event: ${type}\ndata: ${JSON.stringify({ type, b64_json: imageOf(length, filler), created_at: 5, ...more })}\n\n`;
  };
  return (
    event('partial_image', 'A', { partial_image_index: 0 }) +
    event('partial_image', 'B', { partial_image_index: 1 }) +
    event('completed', 'C', { size: '1024x1024', quality: 'high', background: 'opaque' })
  );
}

function pumped(text: string, cuts: readonly number[]): string {
  const machine = pump();
  let out = '';
  let from = 0;
  for (const cut of [...cuts, text.length]) {
    out += machine.push(text.slice(from, cut));
    from = cut;
  }
  out += machine.end();
  expect(machine.fault).toBeUndefined();
  return out;
}

/** By hand: what a reader of the stream sees. */
function check(out: string, length: number): void {
  const data = out
    .split('\n\n')
    .filter((block) => block !== '')
    .map((block) => JSON.parse(block.slice(block.indexOf('data: ') + 6)) as Record<string, unknown>);
  expect(data.map(({ type }) => type)).toEqual([
    'image_generation.partial_image',
    'image_generation.partial_image',
    'image_generation.completed',
  ]);
  expect(data.map(({ partial_image_index }) => partial_image_index)).toEqual([0, 1, undefined]);
  // Compared as a whole, and reported by length only: a diff of megabytes is of no use.
  const isWhole = data.map(({ b64_json }, at) => b64_json === imageOf(length, PARTS[at] ?? ''));
  expect(isWhole).toEqual([true, true, true]);
}

/** A small generator with a seed of its own, so that a failure can be played again. */
function* randoms(seed: number): Generator<number> {
  let state = seed;
  for (;;) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state / 2 ** 32;
  }
}

function randomCuts(length: number, count: number, seed: number): readonly number[] {
  const dice = randoms(seed);
  const cuts = new Set<number>();
  while (cuts.size < count) cuts.add(1 + Math.floor((dice.next().value ?? 0) * (length - 1)));
  return [...cuts].sort((one, other) => one - other);
}

const EDGE = 256;
const edges = (length: number): readonly number[] => [
  ...Array.from({ length: EDGE }, (_, at) => at + 1),
  ...Array.from({ length: EDGE }, (_, at) => length - EDGE + at),
];

describe('events of 20 MB', () => {
  const length = 20 * MEGABYTE;
  const text = upstreamText(length);

  test('an image stream arrives whole in one piece', () => check(pumped(text, []), length));
  test('an image stream arrives whole when cut at 1,000 random places', () =>
    check(pumped(text, randomCuts(text.length, 1000, 7)), length));
  test('an image stream arrives whole when cut at each of its first and last 256 places', () =>
    check(pumped(text, edges(text.length)), length));
});

test('small image events arrive whole when cut once at each of the first and last 256 places', () => {
  const length = 4096;
  const text = upstreamText(length);
  const whole = pumped(text, []);
  for (const cut of edges(text.length)) expect(pumped(text, [cut]) === whole, `cut at ${cut}`).toBe(true);
  check(whole, length);
});

test('small image events arrive whole when cut at random places, a thousand times', () => {
  const length = 4096;
  const text = upstreamText(length);
  const whole = pumped(text, []);
  for (let seed = 1; seed <= 1000; seed++)
    expect(pumped(text, randomCuts(text.length, 5, seed)) === whole, `seed ${seed}`).toBe(true);
});

test('events after a completed image, and a second image, never reach the caller', () => {
  const text = upstreamText(64);
  const machine = pump();
  const out = machine.push(text + text);
  expect(out.match(/event: /g)).toHaveLength(3);
  expect([machine.over, machine.fault]).toEqual(['ended', undefined]);
});

test('a stream without a completed image has failed', () => {
  const machine = pump();
  machine.push(upstreamText(64).split('event: image_generation.completed')[0] ?? '');
  machine.end();
  expect(machine.fault?.kind).toBe('upstream-broken');
});
