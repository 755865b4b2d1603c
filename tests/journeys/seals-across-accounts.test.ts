// S12: envelopes of one account, sent by another: on every protocol, at every host, in every field that takes
// one. They are never opened, and nothing of them goes upstream.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EVERY_PAIR, type Pair } from '../support/every-road.ts';
import { responsesHosts } from '../support/responses-probe.ts';
import { converse, DESTINATIONS, type Json, type ParsedAnswer, post, type Road } from '../support/roads.ts';
import { KEY, openStand, type Stand } from '../support/stand.ts';

const THIEF_KEY = 'sk-trivium-thief-0123456789abcdefghijklmnopqrstuvw';
const RESULTS = ['21 degrees', 'noon'];
const OPTIONS = { tools: ['weather', 'clock'], thinking: true };
/** The prefix of every envelope of the gateway. */
const ENVELOPE = 'VFJWM';
const SLOTS = new Set(['signature', 'thoughtSignature', 'data', 'encrypted_content']);

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({
    alsoHosts: responsesHosts,
    config: () => ({
      keys: [
        { name: 'owner', secret: KEY, account: 'owner' },
        { name: 'thief', secret: THIEF_KEY, account: 'thief' },
      ],
      // Without the gateway's own seal store, only what the caller sends back counts.
      seals: { memory: { maxEntries: 0 } },
    }),
  });
});
afterAll(() => stand.close());

const isSeal = (name: string, value: unknown): value is string => SLOTS.has(name) && typeof value === 'string';

/** Every opaque value in a tree, under any dialect's name. */
function sealsIn(tree: unknown): string[] {
  if (typeof tree !== 'object' || tree === null) return [];
  return Object.entries(tree).flatMap(([name, value]) => (isSeal(name, value) ? [value] : sealsIn(value)));
}

const question = (road: Road): Json => road.user('Look around. @simulate scenario=reasoning-tools');
const nextTurns = (road: Road, asked: ParsedAnswer): Json[] => [
  question(road),
  asked.turn,
  ...road.results(asked.calls, RESULTS),
];

type Loot = { readonly asked: ParsedAnswer; readonly envelopes: readonly string[]; readonly minted: readonly string[] };
const loot = new Map<string, Loot>();

/** What the owner has, and what the host receives of it in the owner's next turn. */
async function lootOf({ pair, road, thinker }: Pair, stream: boolean): Promise<Loot> {
  const known = loot.get(`${pair} ${stream}`);
  if (known !== undefined) return known;
  const asked = await converse(stand, road, thinker, [question(road)], { ...OPTIONS, stream });
  const envelopes = sealsIn(asked.turn).filter((text) => text.startsWith(ENVELOPE));
  await converse(stand, road, thinker, nextTurns(road, asked), OPTIONS);
  const minted = sealsIn(JSON.parse(stand.simulator.truth.last()?.bodyText ?? '{}'));
  const made = { asked, envelopes, minted };
  loot.set(`${pair} ${stream}`, made);
  return made;
}

/** One request of the thief: its reply, and all that was sent upstream for it. */
async function tried(road: Road, model: string, body: Json) {
  const before = stand.simulator.truth.read().length;
  const reply = await post(stand, road, model, body, { key: THIEF_KEY });
  const sent = stand.simulator.truth.read().slice(before);
  return { reply, sent: sent.map(({ bodyText }) => bodyText).join('\n') };
}

const TRIES = EVERY_PAIR.flatMap((pair) => [false, true].map((stream) => ({ ...pair, stream, name: pair.pair })));

describe.each(TRIES)('$name, streamed: $stream', (way) => {
  const { road, stream } = way;

  test.each(DESTINATIONS)('a stolen turn reaches $dialect without its envelopes', async ({ thinker: to }) => {
    const { asked, envelopes, minted } = await lootOf(way, stream);
    const { reply, sent } = await tried(road, to, road.body(to, nextTurns(road, asked), OPTIONS));
    expect([200, 400]).toContain(reply.status);
    expect(sent).not.toContain(ENVELOPE);
    for (const text of [...envelopes, ...(envelopes.length > 0 ? minted : [])]) expect(sent).not.toContain(text);
    if (envelopes.length > 0 && reply.status === 200) expect(reply.headers.get('x-trivium-losses')).not.toBeNull();
  });
});

test('every protocol returns envelopes that could be stolen', async () => {
  const stolenFrom = new Set<string>();
  for (const way of TRIES) if ((await lootOf(way, way.stream)).envelopes.length > 0) stolenFrom.add(way.road.name);
  expect([...stolenFrom].sort()).toEqual(['chat', 'genai', 'messages', 'responses']);
});

describe.each(EVERY_PAIR)("a turn of the thief's own with stolen envelopes in it, $pair", (own) => {
  const { road, thinker } = own;

  test.each(EVERY_PAIR)('stolen envelopes from $pair are not opened', async (from) => {
    const { envelopes, minted } = await lootOf(from, false);
    const mine = await converse(stand, road, thinker, [question(road)], OPTIONS, THIEF_KEY);
    let next = 0;
    const swapped = JSON.parse(JSON.stringify(mine), (name, value: unknown) =>
      isSeal(name, value) && envelopes.length > 0 ? envelopes[next++ % envelopes.length] : value,
    ) as ParsedAnswer;
    const { reply, sent } = await tried(road, thinker, road.body(thinker, nextTurns(road, swapped), OPTIONS));
    expect([200, 400]).toContain(reply.status);
    for (const text of [...envelopes, ...(envelopes.length > 0 ? minted : [])]) expect(sent).not.toContain(text);
    expect(sent).not.toContain(ENVELOPE);
  });
});
