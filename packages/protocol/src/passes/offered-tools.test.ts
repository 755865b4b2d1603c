import { expect, test } from 'vitest';
import type { TextCall, Tool } from '../canonical/call.ts';
import { withOfferedTools } from './offered-tools.ts';

const FUNCTION: Tool = { kind: 'function', name: 'f' };
const OTHER: Tool = { kind: 'built-in', dialect: 'openai-chat', family: 'other', name: 'c', settings: {} };
const call = (members: Partial<TextCall>): TextCall => ({
  operation: 'text',
  model: 'm',
  stream: false,
  system: [],
  turns: [],
  tools: [FUNCTION, OTHER],
  sampling: {},
  usageWanted: { inStream: true, withCost: false },
  extras: {},
  ...members,
});
const offered = (members: Partial<TextCall>, kinds: readonly Tool['kind'][] = ['function'], webSearch = false) =>
  withOfferedTools(call(members), { takes: ({ kind }) => kinds.includes(kind), webSearch });

test('a call whose tools are all offered stays the same object', () => {
  const given = call({});
  expect(withOfferedTools(given, { takes: () => true, webSearch: false }).call).toBe(given);
});

test('tools that are not offered are dropped, with one loss per kind', () => {
  const { call: kept, losses } = offered({ tools: [OTHER, FUNCTION, OTHER], webSearch: { amongTools: true } });
  expect(kept.tools).toEqual([FUNCTION]);
  expect(kept).not.toHaveProperty('webSearch');
  expect(losses.map(({ field }) => field)).toEqual(['tool.built-in', 'call.webSearch']);
});

test('a search that is the purpose of the call stays, for the host to refuse', () => {
  expect(offered({ webSearch: {} }).call.webSearch).toEqual({});
});

test.each<[TextCall['toolChoice'], readonly Tool['kind'][], TextCall['toolChoice']]>([
  [{ mode: 'one', name: 'f' }, ['function'], { mode: 'one', name: 'f' }],
  [{ mode: 'some', names: ['f', 'c'], required: true }, ['function'], { mode: 'some', names: ['f'], required: true }],
  [{ mode: 'some', names: ['c'], required: false }, ['function'], { mode: 'none' }],
  [{ mode: 'any' }, ['function'], { mode: 'any' }],
  [{ mode: 'auto' }, [], undefined],
])('the choice %j among tools of kinds %j becomes %j', (toolChoice, kinds, expected) => {
  expect(offered({ toolChoice } as Partial<TextCall>, kinds).call.toolChoice).toEqual(expected);
});

test.each<[NonNullable<TextCall['toolChoice']>, readonly Tool['kind'][]]>([
  [{ mode: 'one', name: 'c' }, ['function']],
  [{ mode: 'some', names: ['c'], required: true }, ['function']],
  [{ mode: 'any' }, []],
])('the choice %j is refused when only %j are offered', (toolChoice, kinds) => {
  expect(() => offered({ toolChoice }, kinds)).toThrow(/offered for this model/);
});
