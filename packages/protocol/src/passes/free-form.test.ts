import { expect, test } from 'vitest';
import { textCall } from '../canonical/call.fixture.ts';
import type { Tool } from '../canonical/call.ts';
import type { Event } from '../canonical/events.ts';
import { FreeFormText, textInArguments } from './free-form.ts';
import { withOfferedTools } from './offered-tools.ts';
import { restoreAnswer, ToolRestorer, withSafeToolNames } from './tool-names.ts';

const TEXTS = ['*** Begin Patch\n+ "a"\t\\ é 😀 \u2028', '', '"', '\\u0041', 'x'.repeat(200), '\ud83d', '/\b\f\r'];
const spellings = (text: string): string[] => [
  JSON.stringify({ input: text }),
  JSON.stringify({ input: text }, null, 4),
  `{"input":"${[...JSON.stringify(text).slice(1, -1)].join('')}"  , "more": {"input": "no"}}`,
  `{"input":"${Array.from(text, (_, at) => unit(text, at)).join('')}"}`,
  JSON.stringify({ why: 'first', input: text }),
];
/** Every unit of the characters as an escape, surrogates too. */
const unit = (text: string, at: number): string =>
  [...([...text][at] ?? '')]
    .join('')
    .split('')
    .map((part) => `\\u${part.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');

test.each(TEXTS)('the text %j comes out of arguments of every spelling, whatever pieces they arrive in', (text) => {
  for (const spelled of spellings(text))
    for (const size of [1, 2, 3, 7, spelled.length]) {
      const reader = new FreeFormText();
      let read = '';
      for (let at = 0; at < spelled.length; at += size) read += reader.push(spelled.slice(at, at + size));
      expect(read + reader.end(), `${spelled} by ${size}`).toBe(text);
    }
});

test.each([
  ['*** Begin Patch', '*** Begin Patch'],
  ['{"patch":"x"}', '{"patch":"x"}'],
  ['{"input":5}', '{"input":5}'],
  ['{"input":"cut of', 'cut of'],
  ['', ''],
])('arguments %j that are not one text are handed on: %j', (given, expected) => {
  expect(textInArguments(given)).toBe(expected);
});

test('a pair of escapes is never cut into two halves of a character', () => {
  const reader = new FreeFormText();
  const pieces = ['{"input":"\\ud83', 'd', '\\', 'ude', '00!"}'].map((piece) => reader.push(piece));
  expect(pieces).toEqual(['', '', '', '', '😀!']);
});

const GRAMMAR = { type: 'grammar', grammar: { syntax: 'lark', definition: 'start: "x"' } };
const PATCH: Tool = { kind: 'custom', name: 'apply patch', description: 'Edits files.', format: GRAMMAR };
const ONLY_FUNCTIONS = { takes: ({ kind }: Tool) => kind === 'function', webSearch: false };
const RULE = { fits: (name: string) => /^\w+$/.test(name), maxLength: 32 };
const past = { kind: 'tool-call', id: 'c', name: 'apply patch', form: 'custom', argumentsJson: 'x\n' } as const;

test('a free-form tool and its calls become functions, and answers are turned back', () => {
  const given = textCall({ tools: [PATCH], turns: [{ role: 'assistant', blocks: [past] }] });
  const offered = withOfferedTools(given, ONLY_FUNCTIONS);
  expect(offered.losses).toEqual([{ field: 'tool.custom', why: 'approximated' }]);
  const { call, toolNames = new Map() } = withSafeToolNames(offered.call, RULE);
  const [tool] = call.tools;
  expect(tool).toMatchObject({ kind: 'function', parameters: { required: ['input'] } });
  expect(tool?.kind === 'function' && tool.description).toContain('start: "x"');
  expect(call.turns[0]?.blocks).toMatchObject([
    { form: 'function', name: tool?.name, argumentsJson: '{"input":"x\\n"}' },
  ]);
  const answer = { ...past, name: tool?.name ?? '', form: 'function', argumentsJson: '{"input":"y\\n"}' } as const;
  const whole = { id: '', model: '', usage: {}, candidates: [{ blocks: [answer], finish: { reason: 'tool-call' } }] };
  expect(restoreAnswer(whole as never, toolNames).candidates[0]?.blocks).toEqual([{ ...past, argumentsJson: 'y\n' }]);
  const { argumentsJson, ...block } = answer;
  const events: Event[] = [
    { type: 'block-start', index: 3, candidate: 0, block },
    ...[...argumentsJson].map((text): Event => ({ type: 'block-delta', index: 3, text })),
    { type: 'block-end', index: 3 },
  ];
  const restorer = new ToolRestorer(toolNames);
  const restored = events.flatMap((event) => restorer.push(event));
  expect(restored[0]).toMatchObject({ block: { name: 'apply patch', form: 'custom' } });
  expect(restored.slice(1)).toEqual([
    { type: 'block-delta', index: 3, text: 'y' },
    { type: 'block-delta', index: 3, text: '\n' },
    { type: 'block-end', index: 3 },
  ]);
});

test('without a grammar nothing is lost, and a host with free-form tools gets the same call', () => {
  const { format: _, ...plain } = PATCH as Extract<Tool, { kind: 'custom' }>;
  const given = textCall({ tools: [plain], turns: [{ role: 'assistant', blocks: [past] }] });
  expect(withOfferedTools(given, ONLY_FUNCTIONS).losses).toEqual([]);
  expect(withOfferedTools(given, { takes: () => true, webSearch: false }).call).toBe(given);
});
