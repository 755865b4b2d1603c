import { afterAll, beforeAll, expect, test } from 'vitest';
import { streamedAnswer } from '../support/canned-upstream.ts';
import { chatRoad } from '../support/chat-road.ts';
import { EVERY_ROAD } from '../support/every-road.ts';
import { genaiRoad } from '../support/genai-road.ts';
import { THIRD_PRO } from '../support/generate-models.ts';
import { messagesRoad } from '../support/messages-road.ts';
import {
  CANNED,
  CLAUDE,
  GEMINI,
  GPT_RESPONSES,
  GPT_THINKER,
  messagesIn,
  objectsWhere,
  openPitfallStand,
  type PitfallStand,
  under,
} from '../support/pitfall-stand.ts';
import { responsesRoad } from '../support/responses-road.ts';
import type { Json, ParsedAnswer, Road } from '../support/roads.ts';
import { KEY } from '../support/stand.ts';
import { after, bare, OPTIONS, question, RESULTS, think } from '../support/thinking-turns.ts';

let stand: PitfallStand;
beforeAll(async () => {
  stand = await openPitfallStand();
});
afterAll(() => stand.close());

const stripped = (road: Road, asked: ParsedAnswer): Json =>
  road === chatRoad
    ? bare(asked)
    : {
        role: 'assistant',
        content: (asked.turn['content'] as Json[]).filter(({ type }) => type === 'text' || type === 'tool_use'),
      };

test('[P1] Claude accepts tool results of a chat client that drops the reasoning of a turn', async () => {
  const asked = await think(stand, chatRoad, CLAUDE);
  const seen = await stand.served(chatRoad, CLAUDE, after(chatRoad, asked, bare(asked)), OPTIONS);
  expect(seen.parsed().text).toContain('21 degrees');
  const sent = seen.sent[0];
  const [, assistant] = messagesIn(seen) as { content: Json[] }[];
  const begins = assistant?.content[0]?.['type'];
  // Either the reasoning is restored in its place, or thinking is off for this turn: never on without it.
  const mode = ((sent?.['thinking'] ?? { type: 'disabled' }) as Json)['type'];
  if (begins !== 'thinking') expect(mode).toBe('disabled');
});

test('[P3] signed thinking returns to its issuer with exactly the caller’s bytes', async () => {
  const asked = await think(stand, messagesRoad, CLAUDE);
  const [{ thinking, signature }, ...rest] = asked.turn['content'] as [Json, ...Json[]];
  const odd = `{ "signature" :${JSON.stringify(signature)},\n  "thinking":  ${JSON.stringify(thinking).replace('I', '\\u0049')}, "type":"thinking"}`;
  const body = JSON.stringify(
    messagesRoad.body(CLAUDE, after(messagesRoad, asked, { role: 'assistant', content: ['@', ...rest] }), OPTIONS),
  ).replace('"@"', () => odd);
  const response = await fetch(`${stand.url}/api/anthropic/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': KEY, 'anthropic-version': '2023-06-01' },
    body,
  });
  expect(response.status).toBe(200);
  expect(stand.simulator.truth.last()?.refusal).toBeUndefined();
  expect(stand.simulator.truth.last()?.bodyText).toContain(odd);
});

test('[P4] thinking without a signature never reaches Claude, and no signature is invented', async () => {
  const call = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Rome"}' } };
  const history = [
    chatRoad.user('Weather?'),
    { role: 'assistant', content: 'Let me see.', reasoning_content: 'A foreign thought.', tool_calls: [call] },
    { role: 'tool', tool_call_id: 'call_1', content: 'rain' },
  ];
  const chat = await stand.served(chatRoad, CLAUDE, history, OPTIONS);
  const contents = [
    genaiRoad.user('Hello'),
    { role: 'model', parts: [{ text: 'A foreign thought.', thought: true }, { text: 'Hi.' }] },
    genaiRoad.user('Go on.'),
  ];
  const genai = await stand.served(genaiRoad, CLAUDE, contents, { thinking: true });
  for (const { sent, sentText } of [chat, genai]) {
    expect(objectsWhere(sent, ({ type }) => type === 'thinking' || type === 'redacted_thinking')).toEqual([]);
    expect(sentText).not.toContain('signature');
    expect(sentText).not.toContain('foreign thought');
  }
});

test('[P5] a thinking block with a signature and no text is valid, and is kept', async () => {
  const silent = { type: 'enabled', budget_tokens: 2048, display: 'omitted' };
  const first = await stand.served(messagesRoad, CLAUDE, [question(messagesRoad)], OPTIONS, { thinking: silent });
  const asked = first.parsed();
  const [signature] = under(asked.turn, 'signature');
  const thought = { type: 'thinking', thinking: '', signature };
  expect(asked.turn['content']).toContainEqual(thought);
  const messages = await stand.served(messagesRoad, CLAUDE, after(messagesRoad, asked), OPTIONS, { thinking: silent });
  const chatTurn = {
    role: 'assistant',
    content: null,
    tool_calls: asked.calls.map(({ id, name, argumentsJson }) => ({
      id,
      type: 'function',
      function: { name, arguments: argumentsJson },
    })),
    reasoning_details: [{ type: 'reasoning.text', text: '', signature, format: 'anthropic-claude-v1', index: 0 }],
  };
  const chat = await stand.served(chatRoad, CLAUDE, after(chatRoad, asked, chatTurn), OPTIONS);
  for (const { sent } of [messages, chat])
    expect(objectsWhere(sent, ({ type }) => type === 'thinking')).toContainEqual(thought);
});

test('[P6] calls of Gemini 3 return with their signature, or with the documented placeholder on the first of a step', async () => {
  const asked = await think(stand, chatRoad, THIRD_PRO);
  const signatures = (sent: readonly Json[]): unknown[] =>
    objectsWhere(sent, (part) => part['functionCall'] !== undefined).map(({ thoughtSignature }) => thoughtSignature);
  const kept = await stand.served(chatRoad, THIRD_PRO, after(chatRoad, asked), OPTIONS);
  const genai = await think(stand, genaiRoad, THIRD_PRO);
  expect(signatures(kept.sent)).toEqual([under(genai.turn, 'thoughtSignature')[0], undefined]);
  const dropped = await stand.served(chatRoad, THIRD_PRO, after(chatRoad, asked, bare(asked)), OPTIONS);
  const [first, ...others] = signatures(dropped.sent);
  expect(first).toMatch(/\S/);
  expect(others).toEqual([undefined]);
  // A history without signatures: the placeholder, once.
  const foreign = await stand.served(
    chatRoad,
    THIRD_PRO,
    [
      chatRoad.user('Weather?'),
      {
        role: 'assistant',
        content: null,
        tool_calls: ['a', 'b'].map((id) => ({
          id,
          type: 'function',
          function: { name: 'weather', arguments: '{"city":"Rome"}' },
        })),
      },
      { role: 'tool', tool_call_id: 'a', content: 'rain' },
      { role: 'tool', tool_call_id: 'b', content: 'sun' },
    ],
    OPTIONS,
  );
  expect(signatures(foreign.sent)).toEqual(['skip_thought_signature_validator', undefined]);
});

test('[P7] encrypted reasoning that its issuer refuses is dropped once, and the call succeeds', async () => {
  const asked = await think(stand, responsesRoad, GPT_THINKER);
  const spoiled = JSON.parse(JSON.stringify(asked.turn), (name, value: unknown) =>
    name === 'encrypted_content' ? `${String(value).slice(0, -8)}AAAAAAA=` : value,
  ) as Json;
  const seen = await stand.ask(responsesRoad, GPT_THINKER, after(responsesRoad, asked, spoiled), OPTIONS);
  expect(seen.parsed().text).toContain('21 degrees');
  expect(seen.refusals).toHaveLength(1);
  expect(seen.sent).toHaveLength(2);
  expect(under(seen.sent[1], 'encrypted_content')).toEqual([]);
  expect(seen.losses).not.toEqual([]);
});

test('[P8] encrypted reasoning is requested where nothing is stored, and only from models that have it', async () => {
  const thinker = await stand.served(chatRoad, GPT_THINKER, [chatRoad.user('Hello')], { thinking: true });
  expect(thinker.sent[0]).toMatchObject({ store: false, include: ['reasoning.encrypted_content'] });
  const plain = await stand.served(chatRoad, GPT_RESPONSES, [chatRoad.user('Hello')]);
  expect(plain.sent[0]).toMatchObject({ store: false });
  expect(plain.sent[0]?.['include'] ?? []).not.toContain('reasoning.encrypted_content');
});

test('[P41] a late signature makes no empty thinking block, and is not lost', async () => {
  const chunk = (part: Json, more: Json = {}) => ({
    candidates: [{ content: { role: 'model', parts: [part] }, index: 0, ...more }],
    usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 },
  });
  stand.say(
    streamedAnswer([
      chunk({ text: 'I think', thought: true }),
      chunk({ text: ' it over.', thought: true }),
      chunk({ text: 'Hello.' }),
      chunk({ text: '', thoughtSignature: 'bGF0ZQ==' }, { finishReason: 'STOP' }),
    ]),
  );
  for (const road of [messagesRoad, chatRoad]) {
    const seen = await stand.ask(road, CANNED.google, [road.user('Hello')], { thinking: true, stream: true });
    const { thinking, text, turn } = seen.parsed();
    expect([thinking, text], road.name).toEqual(['I think it over.', 'Hello.']);
    const thoughts = objectsWhere(
      turn,
      (object) => object['type'] === 'thinking' || object['type'] === 'reasoning.text',
    );
    for (const thought of thoughts) expect(thought['thinking'] ?? thought['text'], road.name).toMatch(/\S/);
    expect(JSON.stringify(turn), road.name).toContain('VFJWM');
  }
});

test.each(EVERY_ROAD)(
  '[A1] $name: signed and redacted thinking of Claude returns byte for byte, streamed or not, and goes to no other upstream',
  async (road) => {
    const responseOptions = { thinking: true };
    const minted = (
      await stand.served(messagesRoad, CLAUDE, [question(messagesRoad, 'reasoning-sealed')], responseOptions)
    ).parsed();
    const seals = ['data', 'signature'].map((slot) => under(minted.turn, slot)[0]);
    for (const stream of [false, true]) {
      const asked = await stand.served(road, CLAUDE, [question(road, 'reasoning-sealed')], {
        ...responseOptions,
        stream,
      });
      const turns = [question(road, 'reasoning-sealed'), asked.parsed().turn, road.user('And then?')];
      const own = await stand.served(road, CLAUDE, turns, { ...responseOptions, stream });
      expect(['data', 'signature'].map((slot) => under(own.sent, slot)[0])).toEqual(seals);
      const foreign = await stand.served(road, GEMINI, turns, { ...responseOptions, stream });
      for (const seal of seals) expect(foreign.sentText).not.toContain(seal);
    }
  },
);

test.each([chatRoad, messagesRoad])(
  '[A2] $name: three tool turns with Gemini 3 work for clients that echo signatures and for those that do not',
  async (road) => {
    for (const strips of [false, true]) {
      const turns: Json[] = [];
      for (const round of [1, 2, 3]) {
        turns.push(road.user(`Round ${round}. @simulate scenario=reasoning-tools`));
        const asked = (await stand.served(road, THIRD_PRO, turns, OPTIONS)).parsed();
        turns.push(strips ? stripped(road, asked) : asked.turn, ...road.results(asked.calls, RESULTS));
        const answer = (await stand.served(road, THIRD_PRO, turns, OPTIONS)).parsed();
        expect(answer.text).toContain('21 degrees');
        turns.push(answer.turn);
      }
    }
  },
);
