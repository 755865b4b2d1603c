// Pitfalls of reasoning: it arrives once, in order and under the names that callers read, and returns to hosts that need it.
import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chatRoad } from '../support/chat-road.ts';
import { EVERY_ROAD } from '../support/every-road.ts';
import { genaiRoad } from '../support/genai-road.ts';
import { messagesRoad } from '../support/messages-road.ts';
import {
  CANNED,
  CHAT_THINKER,
  CLAUDE,
  GEMINI,
  GPT_THINKER,
  messagesIn,
  openPitfallStand,
  type PitfallStand,
  WANTS_REASONING,
} from '../support/pitfall-stand.ts';
import type { Json } from '../support/roads.ts';
import { KEY } from '../support/stand.ts';
import { after, bare, OPTIONS, question, think } from '../support/thinking-turns.ts';

let stand: PitfallStand;
beforeAll(async () => {
  stand = await openPitfallStand();
});
afterAll(() => stand.close());

const block = (index: number, content_block: Json, ...deltas: Json[]) => [
  { type: 'content_block_start', index, content_block },
  ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
  { type: 'content_block_stop', index },
];

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

test('[P31] a host that requires its reasoning gets it back, and an empty one where the caller sends none', async () => {
  const asked = await think(stand, chatRoad, WANTS_REASONING);
  const reasoningSent = async (turn: Json): Promise<unknown> => {
    const seen = await stand.served(chatRoad, WANTS_REASONING, after(chatRoad, asked, turn), OPTIONS);
    return messagesIn(seen)[1]?.['reasoning_content'];
  };
  expect(await reasoningSent(asked.turn)).toBe(asked.thinking);
  expect(await reasoningSent(bare(asked))).toBe('');
});

test.each(['reasoning', 'reasoning-field', 'reasoning-both-fields'])(
  '[P32] reasoning arrives once, whatever the host’s field name: scenario %s',
  async (scenario) => {
    for (const road of EVERY_ROAD)
      for (const stream of [false, true]) {
        const responseOptions = { thinking: true, stream };
        const { thinking } = (
          await stand.served(road, CHAT_THINKER, [question(road, scenario)], responseOptions)
        ).parsed();
        expect(thinking, road.name).toBe('The question is simple. I compare the options and pick the first.');
      }
  },
);

test('[P40] thinking between texts keeps the order of blocks in both directions', async () => {
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
  const parts = seen.parsed().turn['parts'] as Json[];
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
    { tools: OPTIONS.tools },
  );
  const [, assistant] = messagesIn(back) as { content: Json[] }[];
  expect(assistant?.content.map(({ type }) => type)).toEqual(['text', 'tool_use']);
});

test.each(['reasoning', 'reasoning-tools', 'reasoning-sealed', 'tool-single', 'tools-parallel-interleaved'])(
  '[A3] the messages stream of %s is valid for upstreams of every dialect',
  async (scenario) => {
    for (const model of [CHAT_THINKER, CLAUDE, GEMINI, GPT_THINKER]) {
      const seen = await stand.served(messagesRoad, model, [question(messagesRoad, scenario)], {
        ...OPTIONS,
        stream: true,
      });
      // The parser requires one start, paired blocks without a gap, deltas of the block's kind, and the stop last.
      seen.parsed();
      expect(seen.text.match(/event: message_start\n/g)).toHaveLength(1);
      for (const [, index, delta] of seen.text.matchAll(
        /"type":"content_block_delta","index":(\d+),"delta":\{"type":"(\w+)"/g,
      )) {
        const start = new RegExp(`"type":"content_block_start","index":${index},"content_block":\\{"type":"(\\w+)"`);
        const opened = start.exec(seen.text)?.[1];
        const allowed: Record<string, string[]> = {
          text: ['text_delta', 'citations_delta'],
          thinking: ['thinking_delta', 'signature_delta'],
          tool_use: ['input_json_delta'],
        };
        expect(allowed[opened ?? '']).toContain(delta);
      }
      for (const [, start] of seen.text.matchAll(/"content_block":(\{"type":"tool_use"[^\n]*?\})\}/g))
        expect(start).toContain('"input":{}');
    }
  },
);

test.each([CHAT_THINKER, CLAUDE, GEMINI, GPT_THINKER])(
  '[A15] chat callers get the reasoning of %s under every known name, and may send it back',
  async (model) => {
    for (const stream of [false, true]) {
      const seen = await stand.served(chatRoad, model, [question(chatRoad)], { ...OPTIONS, stream });
      // The verbatim lane changes nothing: details are there only if the host sent them.
      const names = [
        '"reasoning":',
        '"reasoning_content":',
        ...(model === CHAT_THINKER ? [] : ['"reasoning_details":']),
      ];
      for (const name of names) expect(seen.text).toContain(name);
      const asked = seen.parsed();
      expect(asked.thinking).toContain('two tools');
      const back = await stand.served(chatRoad, model, after(chatRoad, asked), { ...OPTIONS, stream });
      expect(back.parsed().text).toContain('21 degrees');
    }
  },
);
