// One dialect, two providers: a conversation moves from one host to the other in the middle of a reasoning tool
// loop. Seals of the first are not sent to the second, which is reported as a loss, and are complete again at the first.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CLOUD_MODELS, cloudHosts } from '../support/cloud-hosts.ts';
import { EVERY_ROAD } from '../support/every-road.ts';
import { converse, type Json, type ParsedAnswer, post, type Road } from '../support/roads.ts';
import { openStand, type Stand } from '../support/stand.ts';

const CLAUDE = 'anthropic/claude-sonnet-4-5';
const GEMINI = 'google/gemini-2.5-flash';
const { vertexClaude, vertexGemini, bedrockClaude, azureResponses, openaiResponses, minimax } = CLOUD_MODELS;

const PAIRS = [
  [CLAUDE, minimax],
  [CLAUDE, vertexClaude],
  [bedrockClaude, vertexClaude],
  [GEMINI, vertexGemini],
  [openaiResponses, azureResponses],
].flatMap(([one = '', other = '']) => [
  { from: one, to: other },
  { from: other, to: one },
]);
const WAYS = PAIRS.flatMap((pair) =>
  EVERY_ROAD.flatMap((road) => [false, true].map((stream) => ({ ...pair, road, stream, name: road.name }))),
);

/** The prefix of every envelope of the gateway. */
const ENVELOPE = 'VFJWM';
const OPTIONS = { tools: ['weather', 'clock'], thinking: true };
const SLOTS = new Set(['signature', 'thoughtSignature', 'data', 'encrypted_content']);

/** Every opaque value in a tree, under any dialect's name; the documented placeholder for "no signature" does not count. */
function sealsIn(tree: unknown): string[] {
  if (typeof tree !== 'object' || tree === null) return [];
  return Object.entries(tree).flatMap(([name, value]) =>
    SLOTS.has(name) && typeof value === 'string'
      ? value === 'skip_thought_signature_validator'
        ? []
        : [value]
      : sealsIn(value),
  );
}

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: cloudHosts });
});
afterAll(() => stand.close());

const upstreamBody = (): string => {
  const entry = stand.simulator.truth.last();
  expect(entry?.refusal).toBeUndefined();
  return entry?.bodyText ?? '';
};

/** A question, its answer with reasoning and tool calls, and the tool results. */
async function begin(road: Road, model: string, stream: boolean): Promise<{ asked: ParsedAnswer; turns: Json[] }> {
  const question = road.user('Look around. @simulate scenario=reasoning-tools');
  const asked = await converse(stand, road, model, [question], { ...OPTIONS, stream });
  expect(asked.calls.length).toBeGreaterThan(0);
  const results = road.results(
    asked.calls,
    asked.calls.map((_, index) => `${21 + index} degrees`),
  );
  return { asked, turns: [question, asked.turn, ...results] };
}

describe.each(WAYS)('$name, streamed: $stream, from $from to $to', ({ road, from, to, stream }) => {
  test('the tool loop continues without the other provider’s seals, which are reported as a loss', async () => {
    const { asked, turns } = await begin(road, from, stream);
    // At its issuer first, to learn the raw seals.
    await converse(stand, road, from, turns, { ...OPTIONS, stream });
    const raw = sealsIn(JSON.parse(upstreamBody()));
    const reply = await post(stand, road, to, road.body(to, turns, { ...OPTIONS, stream }), { stream });
    expect(reply.status, reply.text).toBe(200);
    const answer = stream ? road.parseStream(reply.text) : road.parse(reply.text);
    expect(answer.text).toContain('21 degrees');
    const body = upstreamBody();
    expect(sealsIn(JSON.parse(body))).toEqual([]);
    expect(body).not.toContain(ENVELOPE);
    for (const seal of [...raw, ...sealsIn(asked.turn)]) expect(body).not.toContain(seal);
    if (raw.length > 0) {
      expect(stand.records.at(-1)?.losses?.map(({ why }) => why)).toContain('foreign-seal');
      expect(reply.headers.get('x-trivium-losses')).toBeTruthy();
    }
  });

  test('after another round at the second host, the first host gets only its own seals', async () => {
    const { turns } = await begin(road, from, stream);
    await converse(stand, road, from, turns, { ...OPTIONS, stream });
    const own = sealsIn(JSON.parse(upstreamBody()));
    stand.simulator.arm('scenario=reasoning-tools');
    const second = await converse(stand, road, to, turns, { ...OPTIONS, stream });
    expect(second.calls.length).toBeGreaterThan(0);
    const results = road.results(
      second.calls,
      second.calls.map((_, index) => `wind ${index}`),
    );
    const answer = await converse(stand, road, from, [...turns, second.turn, ...results], { ...OPTIONS, stream });
    expect(answer.text).toContain('wind 0');
    const body = upstreamBody();
    expect(sealsIn(JSON.parse(body))).toEqual(own);
    expect(body).not.toContain(ENVELOPE);
  });
});

test.each(PAIRS)('$from gets its own seals back from callers of every protocol', async ({ from }) => {
  for (const road of EVERY_ROAD) {
    const { turns } = await begin(road, from, false);
    await converse(stand, road, from, turns, OPTIONS);
    expect(sealsIn(JSON.parse(upstreamBody())).length, road.name).toBeGreaterThan(0);
  }
});

test('no host refused anything: no seal was sent to another provider, not even in one attempt', () => {
  const refusals = stand.simulator.truth.read().flatMap(({ refusal }) => refusal ?? []);
  expect(refusals).toEqual([]);
});
