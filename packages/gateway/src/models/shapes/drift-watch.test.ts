import { expect, test } from 'vitest';
import type { AnswerSample, Target } from '../../kernel/target.ts';
import { DriftWatch, type FoundDrift } from './drift-watch.ts';
import type { KnownShapes } from './known.ts';
import { knownShapesOf } from './read-shapes.ts';

const TARGET = { provider: 'groq', dialect: { id: 'openai-chat', operation: 'text' } } as unknown as Target;
const ANSWER = {
  id: 'c1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
};
const MOODY = { ...ANSWER, mood: { said: 'a zebra' } };
const EVENT = { id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [] };
const SECRET = 'sk-a-credential';

const world = (oneIn = 1) => {
  const found: FoundDrift[] = [];
  const turns: (() => void)[] = [];
  const set = { oneIn, nowMs: 0 };
  const watch = new DriftWatch({
    oneIn: () => set.oneIn,
    random: () => 0.5,
    nowMs: () => set.nowMs,
    later: (run) => void turns.push(run),
    shapesOf: (format) => (format === 'openai-chat' ? (knownShapesOf(format) as KnownShapes) : undefined),
    redact: (text) => text.replaceAll(SECRET, '…'),
    onFound: (drift) => void found.push(drift),
  });
  const open = (): AnswerSample | undefined => watch.of(TARGET);
  const answer = (body: object | string, status = 200, isJudged = true): void => {
    const sample = open();
    sample?.head(status);
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    for (let at = 0; at < text.length; at += 1000) sample?.text(text.slice(at, at + 1000));
    sample?.end(isJudged);
  };
  const turn = (): void => {
    for (const run of turns.splice(0)) run();
  };
  const names = (): string[] => found.map(({ difference: { kind, at, seen } }) => `${kind} ${at} ${seen}`);
  return { watch, set, found, turns, open, answer, turn, names };
};

test('what an answer has is found in a later turn, once, without what it says', () => {
  const { answer, turns, turn, found, names } = world();
  answer(MOODY);
  expect([turns.length, found]).toEqual([1, []]);
  turn();
  answer(MOODY);
  turn();
  expect(names()).toEqual(['new member answer.mood object']);
  expect(JSON.stringify(found)).not.toContain('zebra');
  expect(found[0]?.skeleton).toContain('"mood":"<object>"');
});

test.each<[string, string | object, number, string[]]>([
  ['a faithful answer', ANSWER, 200, []],
  ['a member of an event', `data: ${JSON.stringify({ ...EVENT, mood: 1 })}\n\n`, 200, ['new member event.mood number']],
  ['an event of another name', `event: moody\ndata: ${JSON.stringify(EVENT)}\n\n`, 200, ['new event stream moody']],
  ['an event that is cut', 'data: {"mood":', 200, []],
  ['a status', { error: { message: 'no' } }, 218, ['status status 218']],
  ['a member of an error', { error: { message: 'no', mood: 1 } }, 400, ['new member error.error.mood number']],
  ['the page of a proxy', '<html>', 502, []],
  ['an answer that is cut', JSON.stringify(MOODY).slice(0, -1), 200, []],
  ['an answer without what is always there', { id: 'c1' }, 200, []],
])('in %s', (_name, body, status, expected) => {
  const { answer, turn, names } = world();
  answer(body, status);
  turn();
  expect(names()).toEqual(expected);
});

test('a name that is a credential of the operator is not shown', () => {
  const { answer, turn, found } = world();
  answer({ ...ANSWER, [SECRET]: 1 });
  turn();
  expect(found).toHaveLength(1);
  expect(JSON.stringify(found)).not.toContain(SECRET);
});

test('what was given up says nothing about the host', () => {
  const { answer, turn, names, watch } = world();
  answer(MOODY, 200, false);
  turn();
  expect([names(), watch.counts()]).toEqual([[], []]);
});

test('one of several answers is held, none if it is switched off, and it goes on when it is on again', () => {
  const { open, set, turn } = world(10);
  const held = (calls: number): number =>
    Array.from({ length: calls }, () => open()).filter((sample) => {
      sample?.end(false);
      turn();
      return sample !== undefined;
    }).length;
  expect(held(70)).toBe(7);
  set.oneIn = 0;
  held(10);
  expect(held(1000)).toBe(0);
  set.oneIn = 1;
  held(256);
  expect(held(1)).toBe(1);
});

test('no more are held at once than is named, and what follows is held again', () => {
  const { open, turn } = world();
  const samples = Array.from({ length: 20 }, () => open()).flatMap((sample) => sample ?? []);
  expect(samples).toHaveLength(8);
  for (const sample of samples) sample.end(true);
  expect(open()).toBeUndefined();
  turn();
  expect(open()).toBeDefined();
});

test('of a long stream the beginning is compared, and a long answer is not', () => {
  const { answer, turn, watch } = world();
  const long = 'x'.repeat(130 * 1024);
  answer({ ...MOODY, long });
  answer(`data: ${JSON.stringify({ ...EVENT, mood: 1 })}\n\ndata: "${long}"\n\n`);
  turn();
  expect(watch.counts()).toEqual([{ provider: 'groq', compared: 1, drifted: 1 }]);
});

test('a difference is reported with its share once there are enough answers, or after a while', () => {
  const { answer, turn, watch, set } = world();
  for (let at = 0; at < 50; at++) {
    answer(ANSWER);
    turn();
  }
  answer(MOODY);
  turn();
  expect(watch.found()).toEqual([]);
  set.nowMs = 60_000;
  expect(watch.found()).toMatchObject([{ provider: 'groq', compared: 1, seen: 1, sinceMs: 0 }]);
  set.nowMs = 1;
  for (let at = 0; at < 99; at++) {
    answer(ANSWER);
    turn();
  }
  expect(watch.found()).toMatchObject([{ compared: 100, seen: 1 }]);
});

test('a host that makes names up is reported so often and no more', () => {
  const { answer, turn, found } = world();
  for (const one of 'abcdefghij')
    for (const two of 'abcdefghij') {
      answer({ ...ANSWER, [`made_${one}${two}`]: 1 });
      turn();
    }
  expect(found).toHaveLength(32);
});
