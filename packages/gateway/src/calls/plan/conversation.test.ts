import { scanMembers } from '@trivium/protocol/framing';
import { expect, test } from 'vitest';
import { fractionOf } from '../../kernel/digest.ts';
import type { RouteFacts } from '../../kernel/route.ts';
import { planRoute } from '../../models/routing/plan.ts';
import type { Understood } from '../request.ts';
import { stickyDraw } from './conversation.ts';

type Body = Readonly<Record<string, unknown>>;

const CACHING = { prompt: ['tools', 'messages'], groupMember: 'prompt_cache_key' };
const understoodOf = (body: Body, keyId = 'ci', spaces?: number): Understood => {
  const text = JSON.stringify(body, undefined, spaces);
  return {
    caller: { accountId: 'acme', keyId },
    dialect: { server: { caching: CACHING } },
    text,
    members: scanMembers(text, 20),
  } as unknown as Understood;
};
const drawOf = (understood: Understood, policy = 'shares'): number | undefined =>
  stickyDraw(understood, 'weights', policy, { fractionOf });

const system = (content: string): Body => ({ role: 'system', content });
const user = (content: unknown, more: Body = {}): Body => ({ role: 'user', content, ...more });
const assistant = { content: 'Yes?', role: 'assistant' };
const chat = (...messages: readonly Body[]): Body => ({ model: 'a/b', messages });

const FIRST = drawOf(understoodOf(chat(user('Hello'))));

test.each<[string, Body]>([
  ['with later turns', chat(user('Hello'), assistant, user('Go on'))],
  ['with instructions, also those that change', chat(system('It is Monday. {"role":"user"} ] }'), user('Hello'))],
  ['of a developer', chat({ role: 'developer', content: [{ type: 'text', text: 'Be brief' }] }, user('Hello'))],
  ['with other members', { ...chat(user('Hello')), temperature: 1, tools: [{ type: 'function' }] }],
  ['with a mark for caching', chat(user('Hello', { cache_control: { type: 'ephemeral' } }), assistant)],
])('a conversation draws the same %s', (_case, body) => expect(drawOf(understoodOf(body))).toBe(FIRST));

test.each<[string, Understood]>([
  ['another first turn', understoodOf(chat(user('Hello!')))],
  ['another key', understoodOf(chat(user('Hello')), 'cd')],
  ['another group of the caller', understoodOf({ ...chat(user('Hello')), prompt_cache_key: 'b' })],
])('%s draws something else', (_case, understood) => {
  expect(drawOf(understood)).toBeDefined();
  expect(drawOf(understood)).not.toBe(FIRST);
});

test('each policy, and each purpose, draws for itself', () => {
  const understood = understoodOf(chat(user('Hello')));
  const draws = [
    drawOf(understood),
    drawOf(understood, 'other'),
    stickyDraw(understood, 'canary', 'shares', { fractionOf }),
  ];
  expect(new Set(draws).size).toBe(3);
});

test('of long first turns both ends and the length count', () => {
  const of = (middle: string) =>
    drawOf(understoodOf(chat(user(`${'a'.repeat(10_000)}${middle}${'b'.repeat(10_000)}`))));
  expect(of('x')).toBe(of('x'));
  expect(of('x')).not.toBe(of('xy'));
  // Of equal length, a change in the middle is not seen.
  expect(of('x')).toBe(of('y'));
});

test('a request without turns belongs to no conversation', () => {
  expect(drawOf(understoodOf({ model: 'a/b', input: 'x' }))).toBeUndefined();
  expect(
    drawOf({ ...understoodOf(chat(user('Hello'))), dialect: { server: {} } } as unknown as Understood),
  ).toBeUndefined();
});

test('a turn of a million spaces is read at once', () => {
  expect(drawOf(understoodOf(chat(user(`,${' '.repeat(1_000_000)}`))))).toBeDefined();
});

test('the draw of a text is the same after every start, on every node', () => {
  expect(fractionOf('trivium')).toBe(FRACTION);
});
const FRACTION = 0.38079596323675347;

test('over 100,000 conversations sticky weights of 70, 20 and 10 are kept within one percentage point', () => {
  const PLANS = 100_000;
  const weights = new Map(Object.entries({ a: 70, b: 20, c: 10 }));
  const group = ['c', 'a', 'd', 'b'].map((provider) => ({ provider, routeKey: provider, route: {} as RouteFacts }));
  const seenOf = () => ({ out: false, firstTokenMs: undefined, waiting: 0 });
  const firsts: Record<string, number> = {};
  for (let plan = 0; plan < PLANS; plan++) {
    const draw = drawOf(understoodOf(chat(system('You are helpful.'), user(`Question ${plan}`))))!;
    const { order } = planRoute([group], { weights }, { turn: 0, draw, seenOf });
    const first = order[0]!.provider;
    firsts[first] = (firsts[first] ?? 0) + 1;
  }
  expect(firsts['d']).toBeUndefined();
  for (const [host, percent] of weights)
    expect(Math.abs((firsts[host]! / PLANS) * 100 - percent), host).toBeLessThan(1);
});
