// Seals of chat callers: sent in envelopes, returned to their owner, and without an owner if an envelope cannot be
// opened.
import { describe, expect, test } from 'vitest';
import { textCall } from '../../canonical/call.fixture.ts';
import type { Block } from '../../canonical/content.ts';
import type { JsonObject } from '../../canonical/json.ts';
import type { Sealed, SealKind, SealOwner } from '../../canonical/sealed.ts';
import { unfold } from '../../stream/unfold.ts';
import { NO_OPTIONS, targetFacts } from '../dialect.fixture.ts';
import type { AnswerContext, Sealing, TargetFacts } from '../dialect.ts';
import { openaiChat } from './index.ts';
import { chatQuirks } from './quirks.ts';

/** Readable envelopes of one account. */
const sealingOf = (account: string): Sealing => ({
  wrap: (seal) => `ENV:${account}:${JSON.stringify(seal)}`,
  unwrap: (text) =>
    text.startsWith(`ENV:${account}:`) ? (JSON.parse(text.slice(`ENV:${account}:`.length)) as Sealed) : undefined,
  isEnvelope: (text) => text.startsWith('ENV:'),
});
const sealing = sealingOf('mine');
const context: AnswerContext = {
  requestId: 'r',
  model: 'm/m',
  createdAtSeconds: 1,
  responseOptions: NO_OPTIONS,
  sealing,
};
const sealed = (owner: SealOwner, kind: SealKind, more: { itemId?: string } = {}): Sealed => ({
  owner,
  kind,
  data: `${owner.dialect} ${kind}`,
  ...more,
});
const messagesOf = (blocks: readonly Block[], given: AnswerContext = context): JsonObject => {
  const answer = { id: 'a', model: 'm', candidates: [{ blocks, finish: { reason: 'stop' as const } }], usage: {} };
  const [choice] = openaiChat.server.encodeAnswer(answer, given).body['choices'] as { message: JsonObject }[];
  return choice?.message ?? {};
};
const understand = (message: JsonObject, own: Sealing | undefined) =>
  openaiChat.server.understand(
    { model: 'm/m', messages: [{ role: 'user', content: 'q' }, message] },
    { header: () => undefined, ...(own !== undefined && { sealing: own }) },
  );
const target = (sealOwner: SealOwner): TargetFacts =>
  targetFacts(sealOwner, chatQuirks({ reasoningRead: ['reasoning_details'] }));

const MINIMAX: SealOwner = { dialect: 'anthropic-messages', family: 'minimax', scope: 'here' };
const VERTEX: SealOwner = { dialect: 'google-generate', family: 'gemini', scope: 'there' };
const AZURE: SealOwner = { dialect: 'openai-responses', family: 'gpt', scope: 'there' };
const DETAILED: SealOwner = { dialect: 'openai-chat', family: 'f', scope: 'here' };
const text = (seal?: Sealed): Block => ({ kind: 'text', text: 'said', ...(seal && { seal }) });
const call = (seal?: Sealed): Block => ({
  kind: 'tool-call',
  id: 'a',
  name: 'f',
  form: 'function',
  argumentsJson: '{}',
  ...(seal && { seal }),
});
const ROWS: [string, Block[]][] = [
  ['a signed thought', [{ kind: 'thinking', text: 't', form: 'full', seal: sealed(MINIMAX, 'signature') }, text()]],
  ['a hidden thought', [{ kind: 'redacted', seal: sealed(MINIMAX, 'sealed') }, text()]],
  ['a call that carries state', [text(), call(sealed(VERTEX, 'carry'))]],
  ['a text that carries state', [text(sealed(VERTEX, 'carry')), call()]],
  [
    'a sealed summary and its item',
    [{ kind: 'thinking', text: 't', form: 'summary', seal: sealed(AZURE, 'sealed', { itemId: 'rs_1' }) }, text()],
  ],
  ['a hidden item', [{ kind: 'redacted', seal: sealed(AZURE, 'sealed', { itemId: 'rs_1' }) }, text()]],
  ['a chat host’s own', [{ kind: 'thinking', text: 't', form: 'full', seal: sealed(DETAILED, 'signature') }, text()]],
];

describe.each(ROWS)('%s', (_name, blocks) => {
  test('is sent in an envelope, complete and streamed, and restored unchanged', () => {
    const message = messagesOf(blocks);
    expect(JSON.stringify(message['reasoning_details'])).toContain('ENV:mine:');
    expect(understand(message, sealing).call().turns[1]?.blocks).toEqual(blocks);
    expect(understand(message, sealing).losses).toEqual([]);

    const encoder = openaiChat.server.eventEncoder(context);
    const answer = { id: 'a', model: 'm', candidates: [{ blocks, finish: { reason: 'stop' as const } }], usage: {} };
    const frames = unfold(answer).flatMap((event) => encoder.push(event));
    const chunks = frames.filter(({ data }) => data !== '[DONE]').map(({ data }) => JSON.parse(data));
    const streamed = chunks.flatMap(({ choices }) => choices[0].delta.reasoning_details ?? []);
    expect(streamed.flatMap(({ signature, data }) => signature ?? data ?? [])).toEqual(
      (message['reasoning_details'] as JsonObject[]).flatMap(({ signature, data }) => signature ?? data ?? []),
    );
  });

  test('of another account has no owner, and is reported', () => {
    const understood = understand(messagesOf(blocks, { ...context, sealing: sealingOf('theirs') }), sealing);
    expect(understood.losses).toEqual([
      { path: expect.stringMatching(/^messages\[1\]\.reasoning_details\[0\]\.(signature|data)$/), why: 'foreign-seal' },
    ]);
    expect(JSON.stringify(understood.call().turns)).not.toMatch(/seal|ENV:|redacted/);
  });

  test('never passes unchanged, not even to a chat host that reads such details', () => {
    for (const own of [sealing, sealingOf('theirs')])
      expect(understand(messagesOf(blocks), own).verbatim(target(DETAILED))).toEqual({
        why: expect.stringContaining('envelope'),
      });
  });

  test('is hidden from callers if there are no envelopes', () => {
    const { sealing: _, ...bare } = context;
    const message = JSON.stringify(messagesOf(blocks, bare));
    for (const block of blocks) if ('seal' in block) expect(message).not.toContain(block.seal?.data);
  });
});

test('a chat host gets back its own seals, and none of others', () => {
  const sentTo = (owner: SealOwner, minted: SealOwner) => {
    const thought: Block = { kind: 'thinking', text: 't', form: 'full', seal: sealed(minted, 'signature') };
    const { body, losses } = openaiChat.client.encodeCall(
      understand(messagesOf([thought, text()]), sealing).call(),
      target(owner),
    );
    return { said: (body['messages'] as JsonObject[])[1], losses };
  };
  const detail = { type: 'reasoning.text', text: 't', signature: 'openai-chat signature', format: 'unknown', index: 0 };
  expect(sentTo(DETAILED, DETAILED).said).toEqual({ role: 'assistant', content: 'said', reasoning_details: [detail] });
  for (const stranger of [MINIMAX, { ...DETAILED, scope: 'there' }, { ...MINIMAX, family: 'f' }]) {
    const { said, losses } = sentTo(DETAILED, stranger);
    expect(said).toEqual({ role: 'assistant', content: 'said', reasoning_content: 't' });
    expect(losses).toContainEqual({ field: 'block.seal', why: 'foreign-seal' });
  }
});

test('a misplaced envelope is not passed on either', () => {
  const astray = { type: 'reasoning.text', text: 't', data: sealing.wrap(sealed(MINIMAX, 'sealed')) };
  const understood = understand({ role: 'assistant', content: 'said', reasoning_details: [astray] }, sealing);
  expect(understood.verbatim(target(DETAILED))).toHaveProperty('why');
  expect(JSON.stringify(openaiChat.client.encodeCall(understood.call(), target(DETAILED)).body)).not.toContain('ENV:');
});

test('details without an envelope pass unchanged', () => {
  const details = [{ type: 'reasoning.text', text: 't', signature: 's', format: 'anthropic-claude-v1', index: 0 }];
  const message = { role: 'assistant', content: 'said', reasoning_details: details };
  expect(understand(message, sealing).verbatim(target(DETAILED))).not.toHaveProperty('why');
});

test('the id of an encrypted item goes back to the host that sent it', () => {
  const target = targetFacts(
    { dialect: 'openai-chat', family: 'f' },
    chatQuirks({ reasoningRead: ['reasoning_details'] }),
  );
  const reasoning_details = [{ type: 'reasoning.encrypted', data: 'E', id: 'rs_1', index: 0 }];
  const message = { role: 'assistant', content: 'hi', reasoning_details };
  const { candidates } = openaiChat.client.decodeAnswer({ choices: [{ finish_reason: 'stop', message }] }, target);
  const blocks = candidates[0]?.blocks ?? [];
  const { body } = openaiChat.client.encodeCall(textCall({ turns: [{ role: 'assistant', blocks }] }), target);
  expect(body['messages']).toMatchObject([
    { reasoning_details: [{ type: 'reasoning.encrypted', data: 'E', id: 'rs_1' }] },
  ]);

  const chunk = { data: JSON.stringify({ choices: [{ delta: { reasoning_details } }] }) };
  expect(openaiChat.client.eventDecoder(target).push(chunk)).toContainEqual(
    expect.objectContaining({ block: { kind: 'redacted', seal: expect.objectContaining({ itemId: 'rs_1' }) } }),
  );
});
