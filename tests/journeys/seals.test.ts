// Opaque state of providers returns to its issuer byte for byte, to no other provider, and never after tampering.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { modelAt, peculiarHosts } from '../support/chat-hosts.ts';
import { chatRoad } from '../support/chat-road.ts';
import { genaiRoad } from '../support/genai-road.ts';
import { messagesRoad } from '../support/messages-road.ts';
import { converse, type Json, type ParsedAnswer, post, type RequestOptions, type Road } from '../support/roads.ts';
import { KEY, openStand, type Stand } from '../support/stand.ts';

const CLAUDE = 'anthropic/claude-sonnet-4-5';
const GEMINI = 'google/gemini-2.5-flash';
const GPT = 'openai/gpt-4o';
/** A chat host that reads sealed details, and so could receive seals of others. */
const DETAILED = modelAt('detail-host');
const OTHER_ACCOUNT_KEY = 'sk-trivium-other-0123456789abcdefghijklmnopqrstuvw';
const OPTIONS = { tools: ['weather', 'clock'], thinking: true };
/** Thinking is not requested from a model without it. */
const optionsFor = (model: string): RequestOptions => ({ ...OPTIONS, thinking: model !== GPT });
const RESULTS = ['21 degrees', 'noon'];
/** The prefix of every envelope of the gateway. */
const ENVELOPE = 'VFJWM';

let stand: Stand;
/** The simulator's seals depend only on issuer and content, so the issuer's own protocol shows the expected seal. */
const minted: Record<string, string> = {};
beforeAll(async () => {
  // One gateway, one set of sealing keys, two accounts: their envelopes differ only by the account.
  stand = await openStand({
    alsoHosts: peculiarHosts,
    config: () => ({
      keys: [
        { name: 'test', secret: KEY, account: 'test' },
        { name: 'other', secret: OTHER_ACCOUNT_KEY, account: 'other' },
      ],
      // Without the gateway's own seal store, only what the caller sends back counts.
      seals: { memory: { maxEntries: 0 } },
    }),
  });
  for (const [model, road] of [
    [CLAUDE, messagesRoad],
    [GEMINI, genaiRoad],
  ] as const) {
    const [seal, ...more] = sealsIn((await think(road, model)).turn);
    expect(more).toEqual([]);
    minted[model] = seal ?? '';
    expect(minted[model]).toMatch(/^[\w+/=]{20,}$/);
  }
});
afterAll(() => stand.close());

const question = (road: Road): Json => road.user('Look around. @simulate scenario=reasoning-tools');
const think = (road: Road, model: string, stream = false): Promise<ParsedAnswer> =>
  converse(stand, road, model, [question(road)], { ...OPTIONS, stream });
const nextTurns = (road: Road, asked: ParsedAnswer, turn: Json = asked.turn): Json[] => [
  question(road),
  turn,
  ...road.results(asked.calls, RESULTS),
];

const SLOTS = new Set(['signature', 'thoughtSignature', 'data', 'encrypted_content']);

/** Every opaque value in a tree, under any dialect's name. */
function sealsIn(tree: unknown): string[] {
  if (typeof tree !== 'object' || tree === null) return [];
  return Object.entries(tree).flatMap(([name, value]) =>
    SLOTS.has(name) && typeof value === 'string' ? [value] : sealsIn(value),
  );
}

const mapSeals = (tree: Json, change: (seal: string) => string): Json =>
  JSON.parse(JSON.stringify(tree), (name, value: unknown) =>
    SLOTS.has(name) && typeof value === 'string' ? change(value) : value,
  ) as Json;

const upstreamBody = (): string => {
  const entry = stand.simulator.truth.last();
  expect(entry?.refusal).toBeUndefined();
  return entry?.bodyText ?? '';
};

const WAYS = [
  { road: messagesRoad, model: CLAUDE, raw: true },
  { road: genaiRoad, model: GEMINI, raw: true },
  { road: chatRoad, model: CLAUDE, raw: false },
  { road: genaiRoad, model: CLAUDE, raw: false },
  { road: messagesRoad, model: GEMINI, raw: false },
  { road: chatRoad, model: GEMINI, raw: false },
].flatMap((way) => [false, true].map((stream) => ({ ...way, stream, name: `${way.road.name} to ${way.model}` })));

describe('seals return to their issuer', () => {
  test.each(WAYS)('$name, streamed: $stream', async ({ road, model, raw, stream }) => {
    const asked = await think(road, model, stream);
    const seals = sealsIn(asked.turn);
    if (raw) expect(seals).toEqual([minted[model]]);
    expect(seals.length).toBeGreaterThan(0);
    const answer = await converse(stand, road, model, nextTurns(road, asked), { ...OPTIONS, stream });
    expect(answer.text).toContain('21 degrees');
    expect(sealsIn(JSON.parse(upstreamBody()))).toEqual([minted[model]]);
  });
});

const FOREIGN = WAYS.filter(({ stream }) => !stream).flatMap((way) =>
  [CLAUDE, GEMINI, GPT, 'compatible/thinker', DETAILED].filter((to) => to !== way.model).map((to) => ({ ...way, to })),
);

describe('seals go to no other upstream', () => {
  test.each(FOREIGN)('seals of $name are not sent when the conversation moves to $to', async ({ road, model, to }) => {
    const asked = await think(road, model);
    const answer = await converse(stand, road, to, nextTurns(road, asked), optionsFor(to));
    expect(answer.text).toContain('21 degrees');
    const body = upstreamBody();
    for (const seal of [minted[model] ?? '', ...sealsIn(asked.turn)]) expect(body).not.toContain(seal);
    expect(body).not.toContain(ENVELOPE);
    await expect
      .poll(() => stand.records.at(-1)?.losses?.map(({ why }) => why))
      .toEqual(expect.arrayContaining(['foreign-seal']));
  });
});

describe('seals that the gateway did not issue are dropped', () => {
  const enveloped = WAYS.filter(({ raw, stream }) => !raw && !stream);
  const flip = (seal: string): string => `${seal.slice(0, 40)}${seal[40] === 'A' ? 'B' : 'A'}${seal.slice(41)}`;
  const flipEnd = (seal: string): string => {
    const bytes = Buffer.from(seal, 'base64');
    bytes[bytes.length - 20] = (bytes[bytes.length - 20] ?? 0) ^ 1;
    return bytes.toString('base64');
  };
  const forgeries = [
    { how: 'a changed header', change: flip },
    { how: 'a changed payload', change: flipEnd },
    { how: 'a cut envelope', change: (seal: string) => seal.slice(0, -8) },
  ];

  test.each(enveloped.flatMap((way) => forgeries.map((forgery) => ({ ...way, ...forgery }))))(
    '$name: $how',
    async ({ road, model, change }) => {
      const asked = await think(road, model);
      const isEnvelope = (seal: string): boolean => seal.startsWith(ENVELOPE);
      expect(sealsIn(asked.turn).some(isEnvelope)).toBe(true);
      const forged = mapSeals(asked.turn, (seal) => (isEnvelope(seal) ? change(seal) : seal));
      const before = stand.simulator.truth.read().length;
      const reply = await post(stand, road, model, road.body(model, nextTurns(road, asked, forged), OPTIONS));
      if (reply.status === 200) expect(reply.headers.get('x-trivium-losses')).toMatch(/signature|data/i);
      for (const { bodyText, refusal } of stand.simulator.truth.read().slice(before)) {
        expect(refusal).toBeUndefined();
        for (const seal of sealsIn(forged)) expect(bodyText).not.toContain(seal);
        expect(bodyText).not.toContain(ENVELOPE);
        expect(bodyText).not.toContain(minted[model]);
      }
    },
  );

  test.each(enveloped)('$name: the envelope of another account is dropped', async ({ road, model }) => {
    const asked = await think(road, model);
    const before = stand.simulator.truth.read().length;
    const body = road.body(model, nextTurns(road, asked), OPTIONS);
    const reply = await post(stand, road, model, body, { key: OTHER_ACCOUNT_KEY });
    expect(reply.status).toBe(200);
    expect(reply.headers.get('x-trivium-losses')).toMatch(/signature|data/i);
    const entries = stand.simulator.truth.read().slice(before);
    expect(entries).toHaveLength(1);
    for (const { bodyText, refusal } of entries) {
      expect(refusal).toBeUndefined();
      expect(bodyText).not.toContain(ENVELOPE);
      expect(bodyText).not.toContain(minted[model]);
    }
  });
});

describe('another model in the middle of a reasoning loop', () => {
  test.each([chatRoad, messagesRoad, genaiRoad])(
    '$name: a tool loop moves from anthropic to google, openai and back',
    async (road) => {
      const turns: Json[] = [];
      for (const [round, model] of [CLAUDE, GEMINI, GPT, CLAUDE].entries()) {
        const next = [GEMINI, GPT, CLAUDE, GEMINI][round] ?? CLAUDE;
        turns.push(
          road.user(`Round ${round}. @simulate scenario=${model === GPT ? 'tools-parallel' : 'reasoning-tools'}`),
        );
        const asked = await converse(stand, road, model, turns, optionsFor(model));
        expect(asked.calls.length).toBeGreaterThanOrEqual(2);
        const contents = asked.calls.map(({ name }) => `${name} of round ${round}`);
        turns.push(asked.turn, ...road.results(asked.calls, contents));
        // The results of one model's calls are read by the next.
        const answer = await converse(stand, road, next, turns, optionsFor(next));
        expect(answer.text).toContain(`of round ${round}`);
        turns.push(answer.turn);
      }
      for (const { refusal } of stand.simulator.truth.read()) expect(refusal).toBeUndefined();
    },
  );
});
