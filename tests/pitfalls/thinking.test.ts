// Pitfalls of thinking: what a model thought has an owner, an order and a seal, and other gateways lost all three.
import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { streamedAnswer } from '../support/canned-upstream.ts';
import { chatRoad } from '../support/chat-road.ts';
import { EVERY_ROAD } from '../support/every-road.ts';
import { genaiRoad } from '../support/genai-road.ts';
import { THIRD_PRO } from '../support/generate-models.ts';
import { messagesRoad } from '../support/messages-road.ts';
import {
  CANNED,
  CHAT_THINKER,
  CLAUDE,
  GEMINI,
  GPT_RESPONSES,
  GPT_THINKER,
  messagesIn,
  objectsWhere,
  openPitfallStand,
  type PitfallStand,
  under,
  WANTS_REASONING,
} from '../support/pitfall-stand.ts';
import { responsesRoad } from '../support/responses-road.ts';
import type { Heard, Json, Road } from '../support/roads.ts';
import { KEY } from '../support/stand.ts';

let stand: PitfallStand;
beforeAll(async () => {
  stand = await openPitfallStand();
});
afterAll(() => stand.close());

const TOOLS = ['weather', 'clock'];
const WISHES = { tools: TOOLS, thinking: true };
const RESULTS = ['21 degrees', 'noon'];
const question = (road: Road, scenario = 'reasoning-tools'): Json => road.user(`Go on. @simulate scenario=${scenario}`);
const think = async (road: Road, model: string, stream = false): Promise<Heard> =>
  (await stand.served(road, model, [question(road)], { ...WISHES, stream })).heard();
const after = (road: Road, asked: Heard, turn: Json = asked.turn): Json[] => [
  question(road),
  turn,
  ...road.results(asked.calls, RESULTS),
];
/** A chat answer as clients keep it that know the standard fields only. */
const bare = ({ turn }: Heard): Json => ({
  role: 'assistant',
  content: turn['content'],
  tool_calls: turn['tool_calls'],
});

test('[P1] a chat client that drops the reasoning of a turn still gets its tool results read by Claude', async () => {
  const asked = await think(chatRoad, CLAUDE);
  const seen = await stand.served(chatRoad, CLAUDE, after(chatRoad, asked, bare(asked)), WISHES);
  expect(seen.heard().text).toContain('21 degrees');
  const sent = seen.sent[0];
  const [, assistant] = messagesIn(seen) as { content: Json[] }[];
  const begins = assistant?.content[0]?.['type'];
  // Either the thought is back in its place, or thinking is off for this turn: never on without the thought.
  const mode = ((sent?.['thinking'] ?? { type: 'disabled' }) as Json)['type'];
  if (begins !== 'thinking') expect(mode).toBe('disabled');
});

test('[P2] reasoning of a chat host reaches messages callers as a signed thinking block, closed before the text', async () => {
  const seen = await stand.served(messagesRoad, CHAT_THINKER, [question(messagesRoad, 'reasoning')], {
    thinking: true,
    stream: true,
  });
  const steps = [...seen.text.matchAll(/^data: (.*)$/gm)]
    .map(([, data]) => JSON.parse(data ?? '') as { type: string; index?: number; delta?: Json; content_block?: Json })
    .filter(({ type }) => type.startsWith('content_block'))
    .map(({ type, delta, content_block }) => delta?.['type'] ?? content_block?.['type'] ?? type);
  const runs = steps.filter((step, at) => step !== steps[at - 1]);
  expect(runs).toEqual([
    'thinking',
    'thinking_delta',
    'signature_delta',
    'content_block_stop',
    'text',
    'text_delta',
    'content_block_stop',
  ]);
  const client = new Anthropic({ apiKey: KEY, baseURL: `${stand.url}/api/anthropic`, maxRetries: 0 });
  const body = messagesRoad.body(CHAT_THINKER, [question(messagesRoad, 'reasoning')], { thinking: true });
  const [thought] = (await client.messages.stream(body as never).finalMessage()).content;
  expect(thought).toMatchObject({ type: 'thinking', thinking: expect.stringMatching(/\S/) });
  expect((thought as { signature: string }).signature).toMatch(/\S/);
});

test('[P3] signed thinking goes back to its maker with the very bytes the caller wrote', async () => {
  const asked = await think(messagesRoad, CLAUDE);
  const [{ thinking, signature }, ...rest] = asked.turn['content'] as [Json, ...Json[]];
  const odd = `{ "signature" :${JSON.stringify(signature)},\n  "thinking":  ${JSON.stringify(thinking).replace('I', '\\u0049')}, "type":"thinking"}`;
  const body = JSON.stringify(
    messagesRoad.body(CLAUDE, after(messagesRoad, asked, { role: 'assistant', content: ['@', ...rest] }), WISHES),
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

test('[P4] thoughts without a signature never reach Claude, and none is made up for them', async () => {
  const call = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Rome"}' } };
  const history = [
    chatRoad.user('Weather?'),
    { role: 'assistant', content: 'Let me see.', reasoning_content: 'A foreign thought.', tool_calls: [call] },
    { role: 'tool', tool_call_id: 'call_1', content: 'rain' },
  ];
  const chat = await stand.served(chatRoad, CLAUDE, history, WISHES);
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

test('[P5] a thinking block with a signature and no words is legal, and is kept', async () => {
  const silent = { type: 'enabled', budget_tokens: 2048, display: 'omitted' };
  const first = await stand.served(messagesRoad, CLAUDE, [question(messagesRoad)], WISHES, { thinking: silent });
  const asked = first.heard();
  const [signature] = under(asked.turn, 'signature');
  const thought = { type: 'thinking', thinking: '', signature };
  expect(asked.turn['content']).toContainEqual(thought);
  const messages = await stand.served(messagesRoad, CLAUDE, after(messagesRoad, asked), WISHES, { thinking: silent });
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
  const chat = await stand.served(chatRoad, CLAUDE, after(chatRoad, asked, chatTurn), WISHES);
  for (const { sent } of [messages, chat])
    expect(objectsWhere(sent, ({ type }) => type === 'thinking')).toContainEqual(thought);
});

test('[P6] calls of Gemini 3 go back with their signature, or with the documented stand-in on the first of a step', async () => {
  const asked = await think(chatRoad, THIRD_PRO);
  const signatures = (sent: readonly Json[]): unknown[] =>
    objectsWhere(sent, (part) => part['functionCall'] !== undefined).map(({ thoughtSignature }) => thoughtSignature);
  const kept = await stand.served(chatRoad, THIRD_PRO, after(chatRoad, asked), WISHES);
  const genai = await think(genaiRoad, THIRD_PRO);
  expect(signatures(kept.sent)).toEqual([under(genai.turn, 'thoughtSignature')[0], undefined]);
  const dropped = await stand.served(chatRoad, THIRD_PRO, after(chatRoad, asked, bare(asked)), WISHES);
  const [first, ...others] = signatures(dropped.sent);
  expect(first).toMatch(/\S/);
  expect(others).toEqual([undefined]);
  // A history nobody can have kept signatures of: the stand-in, once.
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
    WISHES,
  );
  expect(signatures(foreign.sent)).toEqual(['skip_thought_signature_validator', undefined]);
});

test('[P7] hidden reasoning that its maker refuses is left out, once, and the call succeeds', async () => {
  const asked = await think(responsesRoad, GPT_THINKER);
  const spoiled = JSON.parse(JSON.stringify(asked.turn), (name, value: unknown) =>
    name === 'encrypted_content' ? `${String(value).slice(0, -8)}AAAAAAA=` : value,
  ) as Json;
  const seen = await stand.ask(responsesRoad, GPT_THINKER, after(responsesRoad, asked, spoiled), WISHES);
  expect(seen.heard().text).toContain('21 degrees');
  expect(seen.refusals).toHaveLength(1);
  expect(seen.sent).toHaveLength(2);
  expect(under(seen.sent[1], 'encrypted_content')).toEqual([]);
  expect(seen.losses).not.toEqual([]);
});

test('[P8] hidden reasoning is asked for where nothing is stored, and only of models that have it', async () => {
  const thinker = await stand.served(chatRoad, GPT_THINKER, [chatRoad.user('Hello')], { thinking: true });
  expect(thinker.sent[0]).toMatchObject({ store: false, include: ['reasoning.encrypted_content'] });
  const plain = await stand.served(chatRoad, GPT_RESPONSES, [chatRoad.user('Hello')]);
  expect(plain.sent[0]).toMatchObject({ store: false });
  expect(plain.sent[0]?.['include'] ?? []).not.toContain('reasoning.encrypted_content');
});

test('[P31] a host that wants its reasoning back gets it, and an empty one where the caller kept none', async () => {
  const asked = await think(chatRoad, WANTS_REASONING);
  const reasoningSent = async (turn: Json): Promise<unknown> => {
    const seen = await stand.served(chatRoad, WANTS_REASONING, after(chatRoad, asked, turn), WISHES);
    return messagesIn(seen)[1]?.['reasoning_content'];
  };
  expect(await reasoningSent(asked.turn)).toBe(asked.thinking);
  expect(await reasoningSent(bare(asked))).toBe('');
});

test.each(['reasoning', 'reasoning-field', 'reasoning-both-fields'])(
  '[P32] reasoning arrives once, whichever name the host has for it: scenario %s',
  async (scenario) => {
    for (const road of EVERY_ROAD)
      for (const stream of [false, true]) {
        const wishes = { thinking: true, stream };
        const { thinking } = (await stand.served(road, CHAT_THINKER, [question(road, scenario)], wishes)).heard();
        expect(thinking, road.name).toBe('The question is simple. I compare the options and pick the first.');
      }
  },
);

test('[P40] thinking may stand between texts: blocks keep their order there and back', async () => {
  const events = [
    {
      type: 'message_start',
      message: {
        id: 'm',
        type: 'message',
        role: 'assistant',
        model: 'any',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 3, output_tokens: 0 },
      },
    },
    ...block(0, { type: 'text', text: '' }, { type: 'text_delta', text: 'First.' }),
    ...block(
      1,
      { type: 'thinking', thinking: '', signature: '' },
      { type: 'thinking_delta', thinking: 'Hm.' },
      { type: 'signature_delta', signature: 'c2lnbmVk' },
    ),
    ...block(2, { type: 'text', text: '' }, { type: 'text_delta', text: 'Second.' }),
    { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 9 } },
    { type: 'message_stop' },
  ];
  stand.say({ pieces: events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`) });
  const seen = await stand.ask(genaiRoad, CANNED.messages, [genaiRoad.user('Hello')], { thinking: true, stream: true });
  const parts = seen.heard().turn['parts'] as Json[];
  const order = parts.map(({ thought, text }) => `${thought === true ? 'thought' : 'text'}:${text}`);
  expect(order.filter((part) => !part.endsWith(':'))).toEqual(['text:First.', 'thought:Hm.', 'text:Second.']);
  const back = await stand.served(
    messagesRoad,
    CLAUDE,
    [
      messagesRoad.user('Hello'),
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'First.' },
          { type: 'tool_use', id: 't1', name: 'weather', input: {} },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'rain' }] },
    ],
    { tools: TOOLS },
  );
  const [, assistant] = messagesIn(back) as { content: Json[] }[];
  expect(assistant?.content.map(({ type }) => type)).toEqual(['text', 'tool_use']);
});

const block = (index: number, content_block: Json, ...deltas: Json[]) => [
  { type: 'content_block_start', index, content_block },
  ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
  { type: 'content_block_stop', index },
];

test('[P41] a signature that comes late makes no new empty thought, and is not lost', async () => {
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
    const { thinking, text, turn } = seen.heard();
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
  '[A1] $name: signed and hidden thinking of Claude comes back byte for byte, streamed or not, and is kept from others',
  async (road) => {
    const wishes = { thinking: true };
    const minted = (
      await stand.served(messagesRoad, CLAUDE, [question(messagesRoad, 'reasoning-sealed')], wishes)
    ).heard();
    const seals = ['data', 'signature'].map((slot) => under(minted.turn, slot)[0]);
    for (const stream of [false, true]) {
      const asked = await stand.served(road, CLAUDE, [question(road, 'reasoning-sealed')], { ...wishes, stream });
      const turns = [question(road, 'reasoning-sealed'), asked.heard().turn, road.user('And then?')];
      const own = await stand.served(road, CLAUDE, turns, { ...wishes, stream });
      expect(['data', 'signature'].map((slot) => under(own.sent, slot)[0])).toEqual(seals);
      const foreign = await stand.served(road, GEMINI, turns, { ...wishes, stream });
      for (const seal of seals) expect(foreign.sentText).not.toContain(seal);
    }
  },
);

test.each([chatRoad, messagesRoad])(
  '[A2] $name: three turns of tools with Gemini 3, by clients that echo what they got and by those that do not',
  async (road) => {
    for (const strips of [false, true]) {
      const turns: Json[] = [];
      for (const round of [1, 2, 3]) {
        turns.push(road.user(`Round ${round}. @simulate scenario=reasoning-tools`));
        const asked = (await stand.served(road, THIRD_PRO, turns, WISHES)).heard();
        turns.push(strips ? stripped(road, asked) : asked.turn, ...road.results(asked.calls, RESULTS));
        const answer = (await stand.served(road, THIRD_PRO, turns, WISHES)).heard();
        expect(answer.text).toContain('21 degrees');
        turns.push(answer.turn);
      }
    }
  },
);

const stripped = (road: Road, asked: Heard): Json =>
  road === chatRoad
    ? bare(asked)
    : {
        role: 'assistant',
        content: (asked.turn['content'] as Json[]).filter(({ type }) => type === 'text' || type === 'tool_use'),
      };

test.each(['reasoning', 'reasoning-tools', 'reasoning-sealed', 'tool-single', 'tools-parallel-interleaved'])(
  '[A3] the messages stream of %s obeys its grammar whatever the upstream speaks',
  async (scenario) => {
    for (const model of [CHAT_THINKER, CLAUDE, GEMINI, GPT_THINKER]) {
      const seen = await stand.served(messagesRoad, model, [question(messagesRoad, scenario)], {
        ...WISHES,
        stream: true,
      });
      // One start, blocks paired and without a gap, deltas of the block's own kind, the stop last: hearing demands it.
      seen.heard();
      expect(seen.text.match(/event: message_start\n/g)).toHaveLength(1);
      for (const [, kind, index] of seen.text.matchAll(
        /"type":"content_block_delta","index":(\d+),"delta":\{"type":"(\w+)"/g,
      )) {
        const start = new RegExp(`"type":"content_block_start","index":${kind},"content_block":\\{"type":"(\\w+)"`);
        const opened = start.exec(seen.text)?.[1];
        const allowed: Record<string, string[]> = {
          text: ['text_delta', 'citations_delta'],
          thinking: ['thinking_delta', 'signature_delta'],
          tool_use: ['input_json_delta'],
        };
        expect(allowed[opened ?? '']).toContain(index);
      }
      for (const [, start] of seen.text.matchAll(/"content_block":(\{"type":"tool_use"[^\n]*?\})\}/g))
        expect(start).toContain('"input":{}');
    }
  },
);

test.each([CHAT_THINKER, CLAUDE, GEMINI, GPT_THINKER])(
  '[A15] chat callers get the reasoning of %s under every name they may look for, and may send it back',
  async (model) => {
    for (const stream of [false, true]) {
      const seen = await stand.served(chatRoad, model, [question(chatRoad)], { ...WISHES, stream });
      // A host of the caller's own format says what it says: details are there where it gave any.
      const names = [
        '"reasoning":',
        '"reasoning_content":',
        ...(model === CHAT_THINKER ? [] : ['"reasoning_details":']),
      ];
      for (const name of names) expect(seen.text).toContain(name);
      const asked = seen.heard();
      expect(asked.thinking).toContain('two tools');
      const back = await stand.served(chatRoad, model, after(chatRoad, asked), { ...WISHES, stream });
      expect(back.heard().text).toContain('21 degrees');
    }
  },
);
