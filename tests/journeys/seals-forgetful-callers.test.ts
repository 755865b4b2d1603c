// Most clients send back only the tool calls of an answer. The gateway restores the reasoning for the model all the same.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chatRoad } from '../support/chat-road.ts';
import { genaiRoad } from '../support/genai-road.ts';
import { messagesRoad } from '../support/messages-road.ts';
import { OTHER_MAKER, OWN_THINKER, responsesHosts } from '../support/responses-probe.ts';
import { converse, type Json, type ParsedAnswer, post, type Road } from '../support/roads.ts';
import { KEY, openStand, type Stand, standConfig } from '../support/stand.ts';

const CLAUDE = 'anthropic/claude-sonnet-4-5';
const GEMINI = 'google/gemini-2.5-flash';
const GEMINI_3 = 'google/gemini-3-pro-preview';
const OTHER_ACCOUNT_KEY = 'sk-trivium-other-0123456789abcdefghijklmnopqrstuvw';
const OPTIONS = { tools: ['weather', 'clock'], thinking: true };

const options = (memory: object = {}) => ({
  config: () => ({
    keys: [
      { name: 'test', secret: KEY, account: 'test' },
      { name: 'other', secret: OTHER_ACCOUNT_KEY, account: 'other' },
    ],
    seals: { memory },
  }),
  alsoHosts: (url: string) => {
    const { providers, models } = responsesHosts(url);
    const levelled = {
      id: GEMINI_3,
      contextLength: 128_000,
      maxOutputTokens: 16_384,
      capabilities: {
        tools: true,
        structuredOutput: true,
        temperature: true,
        thinking: { kind: 'level', levels: ['low', 'high'] },
      },
      endpoints: [{ provider: 'google', dialect: 'google-generate' }],
    };
    return { providers, models: [...models, levelled] };
  },
});

let stand: Stand;
beforeAll(async () => {
  stand = await openStand(options());
});
afterAll(() => stand.close());

const SLOTS = new Set(['signature', 'thoughtSignature', 'data', 'encrypted_content']);
function sealsIn(tree: unknown): string[] {
  if (typeof tree !== 'object' || tree === null) return [];
  return Object.entries(tree).flatMap(([name, value]) =>
    SLOTS.has(name) && typeof value === 'string' ? [value] : sealsIn(value),
  );
}
const SENTINEL = 'skip_thought_signature_validator';

/** The upstream's seals of its last answer, from the same question of its own client. */
const question = (road: Road): Json => road.user('Look around. @simulate scenario=reasoning-tools');
const think = (road: Road, model: string, stream: boolean): Promise<ParsedAnswer> =>
  converse(stand, road, model, [question(road)], { ...OPTIONS, stream });

/** The turn as kept by a client that knows only text and tool calls. */
const forgetful: Readonly<Record<string, (turn: Json) => Json>> = {
  chat: ({ role, content, tool_calls }) => ({ role, content, tool_calls }),
  messages: ({ role, content }) => ({
    role,
    content: (content as Json[]).filter(({ type }) => type === 'text' || type === 'tool_use'),
  }),
};
const nextTurns = (road: Road, asked: ParsedAnswer): Json[] => [
  question(road),
  forgetful[road.name]?.(asked.turn) ?? asked.turn,
  ...road.results(asked.calls, ['21 degrees', 'noon']),
];
const lastSeals = (): string[] => {
  const entry = stand.simulator.truth.last();
  expect(entry?.refusal).toBeUndefined();
  return sealsIn(JSON.parse(entry?.bodyText ?? ''));
};
const genuine = (seals: readonly string[]): string[] => seals.filter((seal) => seal !== SENTINEL);

const WAYS = [
  { road: chatRoad, model: CLAUDE },
  { road: chatRoad, model: GEMINI },
  { road: chatRoad, model: GEMINI_3 },
  { road: chatRoad, model: OWN_THINKER },
  { road: messagesRoad, model: GEMINI },
  { road: messagesRoad, model: OWN_THINKER },
].flatMap((way) => [false, true].map((stream) => ({ ...way, stream, name: `${way.road.name} to ${way.model}` })));

describe('the upstream gets back what it sealed', () => {
  // The simulator refuses seals of others, so an answer means that the seal was its own.
  test.each(WAYS)('$name, streamed: $stream', async ({ road, model, stream }) => {
    const asked = await think(road, model, stream);
    expect(sealsIn(nextTurns(road, asked))).toEqual([]);
    const answer = await converse(stand, road, model, nextTurns(road, asked), { ...OPTIONS, stream });
    expect(answer.text).toContain('21 degrees');
    expect(genuine(lastSeals())).toHaveLength(1);
  });

  test('restored seals are no loss, so strict requests get them too', async () => {
    const asked = await think(chatRoad, CLAUDE, false);
    const body = chatRoad.body(CLAUDE, nextTurns(chatRoad, asked), OPTIONS);
    const reply = await post(stand, chatRoad, CLAUDE, body);
    expect(reply.status).toBe(200);
    expect(reply.headers.get('x-trivium-losses') ?? '').not.toMatch(/signature|reasoning_details/);
  });
});

describe('no other upstream gets it', () => {
  test('seals are not restored for another account that knows the ids', async () => {
    const asked = await think(chatRoad, CLAUDE, false);
    const body = chatRoad.body(CLAUDE, nextTurns(chatRoad, asked), OPTIONS);
    expect((await post(stand, chatRoad, CLAUDE, body, { key: OTHER_ACCOUNT_KEY })).status).toBe(200);
    expect(lastSeals()).toEqual([]);
  });

  test.each(
    [CLAUDE, GEMINI, OWN_THINKER].flatMap((from) =>
      [CLAUDE, GEMINI, OWN_THINKER, OTHER_MAKER].filter((to) => to !== from).map((to) => ({ from, to })),
    ),
  )('seals of $from are not sent to $to', async ({ from, to }) => {
    const asked = await think(chatRoad, from, false);
    const answer = await converse(stand, chatRoad, to, nextTurns(chatRoad, asked), OPTIONS);
    expect(answer.text).toContain('21 degrees');
    expect(lastSeals()).toEqual([]);
  });

  test('seals are not restored for a tool call that the caller has changed', async () => {
    const asked = await think(chatRoad, GEMINI, false);
    const turns = JSON.parse(
      JSON.stringify(nextTurns(chatRoad, asked)).replaceAll(
        /"arguments":"[^}]*}"/g,
        '"arguments":"{\\"city\\":\\"Rome\\"}"',
      ),
    ) as Json[];
    expect((await converse(stand, chatRoad, GEMINI, turns, OPTIONS)).text).toContain('21 degrees');
    expect(lastSeals()).toEqual([]);
  });
});

test('a restored seal that the host refuses is dropped, and is no loss for the caller', async () => {
  const asked = await think(chatRoad, CLAUDE, false);
  stand.simulator.arm('fault=seal-refused', { vendor: 'anthropic', times: 2 });
  const reply = await post(stand, chatRoad, CLAUDE, chatRoad.body(CLAUDE, nextTurns(chatRoad, asked), OPTIONS));
  expect(reply.status).toBe(200);
  expect(lastSeals()).toEqual([]);
  expect(reply.headers.get('x-trivium-losses') ?? '').not.toMatch(/signature|reasoning_details/);
});

test('without a seal store the reasoning is lost and the conversation continues', async () => {
  await stand.gateway.reload(standConfig(stand.simulator.url, options({ maxEntries: 0 })));
  const asked = await think(chatRoad, GEMINI, false);
  expect((await converse(stand, chatRoad, GEMINI, nextTurns(chatRoad, asked), OPTIONS)).text).toContain('21 degrees');
  expect(lastSeals()).toEqual([]);
});

test('seals are not restored on the verbatim lane: a turn without signatures is forwarded unchanged', async () => {
  await stand.gateway.reload(standConfig(stand.simulator.url, options()));
  const asked = await think(genaiRoad, GEMINI, false);
  const bare = JSON.parse(JSON.stringify(asked.turn), (name, value: unknown) =>
    name === 'thoughtSignature' ? undefined : value,
  ) as Json;
  const turns = [question(genaiRoad), bare, ...genaiRoad.results(asked.calls, ['21 degrees', 'noon'])];
  await converse(stand, genaiRoad, GEMINI, turns, OPTIONS);
  expect(lastSeals()).toEqual([]);
});
