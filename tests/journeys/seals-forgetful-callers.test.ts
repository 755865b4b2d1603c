// Most clients bring back nothing of an answer but its tool calls. Their models keep their thoughts all the same.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chatRoad } from '../support/chat-road.ts';
import { genaiRoad } from '../support/genai-road.ts';
import { messagesRoad } from '../support/messages-road.ts';
import { OTHER_MAKER, OWN_THINKER, responsesHosts } from '../support/responses-probe.ts';
import { converse, type Heard, type Json, post, type Road } from '../support/roads.ts';
import { KEY, openStand, type Stand, standConfig } from '../support/stand.ts';

const CLAUDE = 'anthropic/claude-sonnet-4-5';
const GEMINI = 'google/gemini-2.5-flash';
const GEMINI_3 = 'google/gemini-3-pro-preview';
const OTHER_ACCOUNT_KEY = 'sk-trivium-other-0123456789abcdefghijklmnopqrstuvw';
const WISHES = { tools: ['weather', 'clock'], thinking: true };

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

/** What the upstream sealed in its last answer, by asking it the same as its own client would. */
const question = (road: Road): Json => road.user('Look around. @simulate scenario=reasoning-tools');
const think = (road: Road, model: string, stream: boolean): Promise<Heard> =>
  converse(stand, road, model, [question(road)], { ...WISHES, stream });

/** The turn as a client keeps it that knows text and tool calls, and nothing else. */
const forgetful: Readonly<Record<string, (turn: Json) => Json>> = {
  chat: ({ role, content, tool_calls }) => ({ role, content, tool_calls }),
  messages: ({ role, content }) => ({
    role,
    content: (content as Json[]).filter(({ type }) => type === 'text' || type === 'tool_use'),
  }),
};
const nextTurns = (road: Road, asked: Heard): Json[] => [
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
  // The simulator refuses whatever it did not seal itself, so being answered means that the seal was its own.
  test.each(WAYS)('$name, streamed: $stream', async ({ road, model, stream }) => {
    const asked = await think(road, model, stream);
    expect(sealsIn(nextTurns(road, asked))).toEqual([]);
    const answer = await converse(stand, road, model, nextTurns(road, asked), { ...WISHES, stream });
    expect(answer.text).toContain('21 degrees');
    expect(genuine(lastSeals())).toHaveLength(1);
  });

  test('without a loss, so that strict callers have it too', async () => {
    const asked = await think(chatRoad, CLAUDE, false);
    const body = chatRoad.body(CLAUDE, nextTurns(chatRoad, asked), WISHES);
    const reply = await post(stand, chatRoad, CLAUDE, body);
    expect(reply.status).toBe(200);
    expect(reply.headers.get('x-trivium-losses') ?? '').not.toMatch(/signature|reasoning_details/);
  });
});

describe('nobody else does', () => {
  test('not the caller of another account who knows the ids', async () => {
    const asked = await think(chatRoad, CLAUDE, false);
    const body = chatRoad.body(CLAUDE, nextTurns(chatRoad, asked), WISHES);
    expect((await post(stand, chatRoad, CLAUDE, body, { key: OTHER_ACCOUNT_KEY })).status).toBe(200);
    expect(lastSeals()).toEqual([]);
  });

  test.each(
    [CLAUDE, GEMINI, OWN_THINKER].flatMap((from) =>
      [CLAUDE, GEMINI, OWN_THINKER, OTHER_MAKER].filter((to) => to !== from).map((to) => ({ from, to })),
    ),
  )('not $to, of what $from sealed', async ({ from, to }) => {
    const asked = await think(chatRoad, from, false);
    const answer = await converse(stand, chatRoad, to, nextTurns(chatRoad, asked), WISHES);
    expect(answer.text).toContain('21 degrees');
    expect(lastSeals()).toEqual([]);
  });

  test('not for a call the caller has changed', async () => {
    const asked = await think(chatRoad, GEMINI, false);
    const turns = JSON.parse(
      JSON.stringify(nextTurns(chatRoad, asked)).replaceAll(
        /"arguments":"[^}]*}"/g,
        '"arguments":"{\\"city\\":\\"Rome\\"}"',
      ),
    ) as Json[];
    expect((await converse(stand, chatRoad, GEMINI, turns, WISHES)).text).toContain('21 degrees');
    expect(lastSeals()).toEqual([]);
  });
});

test('what is put back and refused is left out again, and no loss of the caller’s', async () => {
  const asked = await think(chatRoad, CLAUDE, false);
  stand.simulator.arm('fault=seal-refused', { vendor: 'anthropic', times: 2 });
  const reply = await post(stand, chatRoad, CLAUDE, chatRoad.body(CLAUDE, nextTurns(chatRoad, asked), WISHES));
  expect(reply.status).toBe(200);
  expect(lastSeals()).toEqual([]);
  expect(reply.headers.get('x-trivium-losses') ?? '').not.toMatch(/signature|reasoning_details/);
});

test('with a memory of none, thoughts are lost and the conversation is not', async () => {
  await stand.gateway.reload(standConfig(stand.simulator.url, options({ maxEntries: 0 })));
  const asked = await think(chatRoad, GEMINI, false);
  expect((await converse(stand, chatRoad, GEMINI, nextTurns(chatRoad, asked), WISHES)).text).toContain('21 degrees');
  expect(lastSeals()).toEqual([]);
});

test('callers of the home who leave signatures out are not helped: theirs is passed on as it is', async () => {
  await stand.gateway.reload(standConfig(stand.simulator.url, options()));
  const asked = await think(genaiRoad, GEMINI, false);
  const bare = JSON.parse(JSON.stringify(asked.turn), (name, value: unknown) =>
    name === 'thoughtSignature' ? undefined : value,
  ) as Json;
  const turns = [question(genaiRoad), bare, ...genaiRoad.results(asked.calls, ['21 degrees', 'noon'])];
  await converse(stand, genaiRoad, GEMINI, turns, WISHES);
  expect(lastSeals()).toEqual([]);
});
