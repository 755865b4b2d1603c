// A turn with very many tool calls takes linear time: quadratic work in one request would block all others.
import { expect, test } from 'vitest';
import type { Block, Turn } from '../canonical/content.ts';
import { scanMembers, splice } from '../framing/json-scan.ts';
import { normaliseTurns } from '../passes/normalise-turns.ts';
import { SafeIds } from '../passes/safe-names.ts';
import { refused, understand } from './google-generate/body.fixture.ts';
import { decodeMessages } from './openai-chat/decode-messages.ts';
import { decodeItems } from './openai-responses/decode-items.ts';

const MANY = 50_000;
const each = <T>(make: (index: number) => T): T[] => Array.from({ length: MANY }, (_, index) => make(index));

test('calls and their results, in the opposite order', () => {
  const call = (index: number): Block => ({
    kind: 'tool-call',
    id: `c${index}`,
    name: 'f',
    form: 'function',
    argumentsJson: '{}',
  });
  const result = (index: number): Block => ({
    kind: 'tool-result',
    callId: `c${MANY - 1 - index}`,
    content: [],
    isError: false,
  });
  const turns: Turn[] = [
    { role: 'assistant', blocks: each(call) },
    { role: 'user', blocks: each(result) },
  ];
  expect(normaliseTurns(turns, { systemTurns: 'as-user' })).toEqual({ turns, losses: [] });
});

test('consecutive turns of one role', () => {
  const turns = each((): Turn => ({ role: 'user', blocks: [{ kind: 'text', text: 'x' }] }));
  const [merged, ...others] = normaliseTurns(turns, { systemTurns: 'as-user' }).turns;
  expect([merged?.blocks.length, others]).toEqual([MANY, []]);
});

test('results that are messages of their own', () => {
  const messages = each((index) => ({ role: 'tool' as const, tool_call_id: `c${index}`, content: 'x' }));
  const { turns } = decodeMessages(messages, undefined);
  expect(turns.map(({ blocks }) => blocks.length)).toEqual([MANY]);
});

test('functions that are allowed by name', () => {
  const names = each((index) => `f${index}`);
  const contents = [{ parts: [{ text: 'x' }] }];
  const tools = [{ functionDeclarations: names.map((name) => ({ name })) }];
  const allowed = { mode: 'ANY', allowedFunctionNames: names.toReversed() };
  expect(refused({ contents, tools, toolConfig: { functionCallingConfig: allowed } })).toBeUndefined();
});

test('more functions than a function call can have arguments', () => {
  const functionDeclarations = Array.from({ length: 4 * MANY }, (_, index) => ({ name: `f${index}` }));
  expect(refused({ contents: [{ parts: [{ text: 'x' }] }], tools: [{ functionDeclarations }] })).toBeUndefined();
});

test('responses matched by the order of calls', () => {
  const functionCall = { name: 'f', args: {} };
  const functionResponse = { name: 'f', response: {} };
  const contents = [
    { role: 'user', parts: [{ text: 'x' }] },
    { role: 'model', parts: each(() => ({ functionCall })) },
    { role: 'user', parts: each(() => ({ functionResponse })) },
  ];
  const { turns } = understand({ contents }).call();
  const last = turns.at(-1)?.blocks.at(-1);
  expect(last).toMatchObject({ kind: 'tool-result', callId: `call_1_${MANY - 1}` });
});

test('items of the model and results, each an item of its own', () => {
  const call = (index: number) => ({
    type: 'function_call' as const,
    call_id: `c${index}`,
    name: 'f',
    arguments: '{}',
  });
  const output = (index: number) => ({ type: 'function_call_output' as const, call_id: `c${index}`, output: 'x' });
  const { turns } = decodeItems(undefined, [...each(call), ...each(output)], undefined);
  expect(turns.map(({ role, blocks }) => [role, blocks.length])).toEqual([
    ['assistant', MANY],
    ['user', MANY],
  ]);
});

test('consecutive contents of the model', () => {
  const said = each(() => ({ role: 'model', parts: [{ functionCall: { name: 'f', args: {} } }] }));
  const contents = [{ role: 'user', parts: [{ text: 'x' }] }, ...said];
  const { turns } = understand({ contents }).call();
  expect(turns.map(({ blocks }) => blocks.length)).toEqual([1, MANY]);
});

test('members that are removed from a text', () => {
  const text = JSON.stringify(Object.fromEntries(each((index) => [`m${index}`, index])));
  const edits = each((index) => ({ name: `m${index}`, value: undefined })).slice(1);
  expect(splice(text, scanMembers(text, 1), edits)).toBe('{"m0":0}');
});

test('one id for all calls', () => {
  const ids = new SafeIds(64);
  expect(new Set(each(() => ids.call('c'))).size).toBe(MANY);
});
