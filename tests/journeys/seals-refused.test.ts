// An upstream that cannot read its own seals (a rotated key, another account) must not end a conversation.
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { chatRoad } from '../support/chat-road.ts';
import { genaiRoad } from '../support/genai-road.ts';
import { messagesRoad } from '../support/messages-road.ts';
import { OWN_THINKER, post as postResponses, responsesHosts, WEATHER } from '../support/responses-probe.ts';
import { converse, type Json, type ParsedAnswer, post, type Road, type RoadReply } from '../support/roads.ts';
import { openStand, STRICT_KEY, type Stand, standConfig } from '../support/stand.ts';

const CLAUDE = 'anthropic/claude-sonnet-4-5';
const GEMINI = 'google/gemini-2.5-flash';
const OPTIONS = { tools: ['weather', 'clock'], thinking: true };

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: responsesHosts });
});
afterEach(() => stand.gateway.reload(standConfig(stand.simulator.url, { alsoHosts: responsesHosts })));
afterAll(() => stand.close());

const question = (road: Road): Json => road.user('Look around. @simulate scenario=reasoning-tools');
const think = (road: Road, model: string): Promise<ParsedAnswer> =>
  converse(stand, road, model, [question(road)], OPTIONS);
const nextTurns = (road: Road, asked: ParsedAnswer): Json[] => [
  question(road),
  asked.turn,
  ...road.results(asked.calls, ['21 degrees', 'noon']),
];
const parsedFrom = (road: Road, reply: RoadReply, stream: boolean): ParsedAnswer =>
  stream ? road.parseStream(reply.text) : road.parse(reply.text);

const SLOTS = /"(?:signature|thoughtSignature|encrypted_content)":"[^"]+"|"redacted_thinking"/;
/** The requests to the upstream since then: whether each had seals, and its status. */
const sentSince = (before: number): { sealed: boolean; status: number | undefined }[] =>
  stand.simulator.truth
    .read()
    .slice(before)
    .map(({ bodyText, status }) => ({ sealed: SLOTS.test(bodyText), status }));

const recordOf = (id: string | null): Promise<Stand['records'][number]> =>
  vi.waitFor(() => {
    const found = stand.records.find(({ requestId }) => requestId === id);
    if (found === undefined) throw new Error('no record yet');
    return found;
  });

const WAYS = [
  { road: messagesRoad, model: CLAUDE, vendor: 'anthropic' },
  { road: genaiRoad, model: GEMINI, vendor: 'google' },
  { road: chatRoad, model: CLAUDE, vendor: 'anthropic' },
  { road: chatRoad, model: GEMINI, vendor: 'google' },
  { road: messagesRoad, model: GEMINI, vendor: 'google' },
].flatMap((way) => [false, true].map((stream) => ({ ...way, stream, name: `${way.road.name} to ${way.model}` })));

describe('a refused seal is dropped once, and the request is answered', () => {
  test.each(WAYS)('$name, streamed: $stream', async ({ road, model, vendor, stream }) => {
    const asked = await think(road, model);
    const before = stand.simulator.truth.read().length;
    stand.simulator.arm('fault=seal-refused', { vendor, times: 2 });
    const body = road.body(model, nextTurns(road, asked), { ...OPTIONS, stream });
    const reply = await post(stand, road, model, body, { stream });
    expect({ status: reply.status, error: reply.status === 200 ? '' : reply.text }).toEqual({ status: 200, error: '' });
    expect(parsedFrom(road, reply, stream).text).toContain('21 degrees');
    expect(sentSince(before)).toEqual([
      { sealed: true, status: 400 },
      { sealed: false, status: 200 },
    ]);
    expect(reply.headers.get('x-trivium-losses')).toMatch(/signature|thoughtSignature|redacted/i);
    const { attempts, losses } = await recordOf(reply.headers.get('x-request-id'));
    expect(attempts).toMatchObject([{ fault: 'refused' }, { lane: 'translated', sealsStripped: true }]);
    expect(attempts[0]).not.toHaveProperty('sealsStripped');
    expect(losses?.some(({ why }) => why === 'foreign-seal')).toBe(true);
  });

  test('refused encrypted reasoning of a Responses request is dropped', async () => {
    const input: Json[] = [{ role: 'user', content: 'Look around. @simulate scenario=reasoning-tools' }];
    const members = { model: OWN_THINKER, tools: [WEATHER], reasoning: { effort: 'low', summary: 'auto' } };
    const include = ['reasoning.encrypted_content'];
    const asked = await postResponses(stand, { ...members, include, input });
    const output = asked.json['output'] as Json[];
    const calls = output.filter(({ type }) => type === 'function_call');
    const results = calls.map(({ call_id }) => ({ type: 'function_call_output', call_id, output: '21 degrees' }));
    const before = stand.simulator.truth.read().length;
    stand.simulator.arm('fault=seal-refused', { vendor: 'openai', times: 2 });
    const reply = await postResponses(stand, { ...members, input: [...input, ...output, ...results] });
    expect({ status: reply.status, error: reply.json['error'] ?? null }).toEqual({ status: 200, error: null });
    expect(sentSince(before)).toEqual([
      { sealed: true, status: 400 },
      { sealed: false, status: 200 },
    ]);
    expect(reply.headers.get('x-trivium-losses')).toContain('encrypted_content');
  });

  test('raw seals from before a change of credential are dropped for messages', async () => {
    const asked = await think(messagesRoad, CLAUDE);
    await changeCredential();
    const before = stand.simulator.truth.read().length;
    const answer = await converse(stand, messagesRoad, CLAUDE, nextTurns(messagesRoad, asked), OPTIONS);
    expect(answer.text).toContain('21 degrees');
    expect(sentSince(before)).toEqual([
      { sealed: true, status: 400 },
      { sealed: false, status: 200 },
    ]);
  });

  test('a chat envelope names the upstream account of a seal, so another account never gets it', async () => {
    const asked = await think(chatRoad, CLAUDE);
    await changeCredential();
    const before = stand.simulator.truth.read().length;
    const body = chatRoad.body(CLAUDE, nextTurns(chatRoad, asked), OPTIONS);
    const reply = await post(stand, chatRoad, CLAUDE, body);
    expect(parsedFrom(chatRoad, reply, false).text).toContain('21 degrees');
    expect(sentSince(before)).toEqual([{ sealed: false, status: 200 }]);
    expect(reply.headers.get('x-trivium-losses')).toContain('signature');
  });
});

function changeCredential(): Promise<unknown> {
  const config = (url: string): Record<string, unknown> => ({
    providers: { anthropic: { credential: 'sk-another-account-0123456789', baseUrl: `${url}/anthropic` } },
  });
  return stand.gateway.reload(
    standConfig(stand.simulator.url, { config: (url) => ({ ...config(url), models: own(url) }) }),
  );
}

/** Only the model under test: the other hosts are not configured then. */
const own = (_url: string): unknown[] => [
  {
    id: CLAUDE,
    contextLength: 128_000,
    maxOutputTokens: 16_384,
    capabilities: {
      tools: true,
      structuredOutput: true,
      temperature: true,
      thinking: { kind: 'budget', canDisable: true, min: 1024, max: 16_000 },
    },
    endpoints: [{ provider: 'anthropic', dialect: 'anthropic-messages' }],
  },
];

describe('limits of the retry', () => {
  test('an upstream that keeps refusing seals is not tried a third time', async () => {
    const asked = await think(messagesRoad, CLAUDE);
    const before = stand.simulator.truth.read().length;
    stand.simulator.arm('status=400 code=invalid_encrypted_content', { vendor: 'anthropic', times: 2 });
    const reply = await post(
      stand,
      messagesRoad,
      CLAUDE,
      messagesRoad.body(CLAUDE, nextTurns(messagesRoad, asked), OPTIONS),
    );
    expect(reply.status).toBe(400);
    expect(sentSince(before)).toEqual([
      { sealed: true, status: 400 },
      { sealed: false, status: 400 },
    ]);
  });

  test('a refused request without seals is not retried', async () => {
    const before = stand.simulator.truth.read().length;
    stand.simulator.arm('status=400 code=invalid_encrypted_content', { vendor: 'anthropic' });
    const body = messagesRoad.body(CLAUDE, [messagesRoad.user('Hello')], {});
    expect((await post(stand, messagesRoad, CLAUDE, body)).status).toBe(400);
    expect(sentSince(before)).toHaveLength(1);
  });

  test('a refusal for another reason is not retried without seals', async () => {
    const asked = await think(messagesRoad, CLAUDE);
    const before = stand.simulator.truth.read().length;
    stand.simulator.arm('status=400', { vendor: 'anthropic' });
    const body = messagesRoad.body(CLAUDE, nextTurns(messagesRoad, asked), OPTIONS);
    expect((await post(stand, messagesRoad, CLAUDE, body)).status).toBe(400);
    expect(sentSince(before)).toHaveLength(1);
  });

  test('a strict request with a refused seal fails instead of dropping it', async () => {
    const asked = await think(messagesRoad, CLAUDE);
    const before = stand.simulator.truth.read().length;
    stand.simulator.arm('fault=seal-refused', { vendor: 'anthropic' });
    const body = messagesRoad.body(CLAUDE, nextTurns(messagesRoad, asked), OPTIONS);
    const reply = await post(stand, messagesRoad, CLAUDE, body, { key: STRICT_KEY });
    expect(reply.status).toBe(400);
    expect(reply.text).toContain('Invalid `signature`');
    expect(sentSince(before)).toHaveLength(1);
  });
});
