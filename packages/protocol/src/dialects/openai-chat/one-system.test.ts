import { expect, test } from 'vitest';
import { textCall } from '../../canonical/call.fixture.ts';
import type { TextCall } from '../../canonical/call.ts';
import type { Block, Turn } from '../../canonical/content.ts';
import { targetFacts } from '../dialect.fixture.ts';
import { openaiChat } from './index.ts';

const encoded = (call: Partial<TextCall>) =>
  openaiChat.client.encodeCall(
    textCall(call),
    targetFacts({ dialect: 'openai-chat', family: 'f' }, openaiChat.quirks({ multipleSystem: false })),
  );
const said = (text: string): Block[] => [{ kind: 'text', text }];
const turns: Turn[] = [
  { role: 'user', blocks: said('hi') },
  { role: 'system', blocks: said('Be kind.') },
  { role: 'user', blocks: said('go') },
];
const user = [
  { role: 'user', content: 'hi' },
  { role: 'user', content: 'go' },
];

test('for hosts with one system message at the start, later instructions are added to it', () => {
  const { body, losses } = encoded({ system: said('Be brief.'), turns, output: { kind: 'json' } });
  const texts = ['Be brief.', 'Be kind.', 'Answer with one JSON object.'];
  expect(body['messages']).toEqual([
    { role: 'system', content: texts.map((text) => ({ type: 'text', text })) },
    ...user,
  ]);
  expect(losses).toEqual([{ field: 'turn.system', why: 'approximated' }]);
});

test('they become the first message if there is none', () => {
  expect(encoded({ turns }).body['messages']).toEqual([{ role: 'system', content: 'Be kind.' }, ...user]);
});

test('names of instructions that are added to another message are reported as lost', () => {
  const named: Block[] = [
    { kind: 'text', text: 'Be calm.', extras: { 'openai-chat': { newMessage: true, name: 'n' } } },
  ];
  const namedTurns = turns.map((turn) => (turn.role === 'system' ? { ...turn, name: 'n' } : turn));
  const lost = [{ field: 'turn.name', why: 'no-equivalent' }];
  expect(encoded({ system: [...said('Be brief.'), ...named], turns: turns.slice(0, 1) }).losses).toEqual(lost);
  expect(encoded({ system: said('Be brief.'), turns: namedTurns }).losses).toEqual(expect.arrayContaining(lost));
  expect(encoded({ system: named, turns: turns.slice(0, 1) }).losses).toEqual([]);
});

test('several refusals of one turn are sent whole', () => {
  const refusals: Block[] = [
    { kind: 'refusal', text: 'No' },
    { kind: 'refusal', text: ', never.' },
  ];
  const given: Turn[] = [turns[0] as Turn, { role: 'assistant', blocks: refusals }, turns[2] as Turn];
  expect(encoded({ turns: given }).body['messages']).toContainEqual({
    role: 'assistant',
    content: null,
    refusal: 'No, never.',
  });
});
