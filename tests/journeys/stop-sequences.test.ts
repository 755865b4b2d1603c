// Stop sequences for upstreams without them: the gateway ends the answer, in every caller's protocol, and stops the upstream.
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { chatRoad } from '../support/chat-road.ts';
import { genaiRoad } from '../support/genai-road.ts';
import { messagesRoad } from '../support/messages-road.ts';
import { OWN, responsesHosts } from '../support/responses-probe.ts';
import { type Json, post, type Road } from '../support/roads.ts';
import { openStand, STRICT_KEY, type Stand } from '../support/stand.ts';

const THINKER = 'openai/gpt-5';
let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: responsesHosts });
});
afterAll(() => stand.close());

const LONG = 'Go on. @simulate scenario=text-long words=400';
const OPTIONS: Readonly<Record<string, (stop: string[]) => Json>> = {
  chat: (stop) => ({ stop }),
  messages: (stop) => ({ stop_sequences: stop }),
  genai: (stop) => ({ generationConfig: { stopSequences: stop } }),
};
/** The finish reason of each protocol, and the matched sequence where the protocol has it. */
const FINISH: Readonly<Record<string, string>> = { chat: 'stop', messages: 'stop_sequence', genai: 'STOP' };

const bodyOf = (road: Road, model: string, stop: string[], stream: boolean): Json => {
  const body = road.body(model, [road.user(LONG)], { stream });
  const responseOptions = OPTIONS[road.name]?.(stop) ?? {};
  const config = body['generationConfig'] as Json | undefined;
  return {
    ...body,
    ...responseOptions,
    ...(config && { generationConfig: { ...config, ...(responseOptions['generationConfig'] as Json) } }),
  };
};
const lastEntry = () => stand.simulator.truth.last();

const WAYS = [chatRoad, messagesRoad, genaiRoad]
  .flatMap((road) => [OWN, THINKER].map((model) => ({ road, model, name: `${road.name} to ${model}` })))
  .flatMap((way) => [false, true].map((stream) => ({ ...way, stream })));

describe('the answer ends before the first match', () => {
  test.each(WAYS)(
    '$name: the answer ends before the first match, streamed: $stream',
    async ({ road, model, stream }) => {
      const body = bodyOf(road, model, ['no such thing', 'ord7 wo'], stream);
      const reply = await post(stand, road, model, body, { stream, key: STRICT_KEY });
      expect({ status: reply.status, complete: reply.complete }).toEqual({ status: 200, complete: true });
      const parsed = stream ? road.parseStream(reply.text) : road.parse(reply.text);
      expect(parsed.text).toBe('word1 word2 word3 word4 word5 word6 w');
      expect(parsed.finish.replace('FINISH_REASON_', '')).toBe(FINISH[road.name]);
      if (road === messagesRoad) expect(reply.text).toContain('"stop_sequence":"ord7 wo"');
      expect(reply.headers.get('x-trivium-losses')).toBeNull();
      expect(lastEntry()?.bodyText).not.toMatch(/no such thing|ord7 wo/);
    },
  );
});

test.each([chatRoad, messagesRoad, genaiRoad])(
  '$name: the upstream of a stream is stopped, and usage is reported as an estimate',
  async (road) => {
    stand.simulator.arm('tps=200', { vendor: 'openai' });
    const reply = await post(stand, road, OWN, bodyOf(road, OWN, ['word9'], true), { stream: true });
    const parsed = road.parseStream(reply.text);
    expect(parsed.text).toBe(`${[1, 2, 3, 4, 5, 6, 7, 8].map((n) => `word${n}`).join(' ')} `);
    expect(parsed.inputTokens).toBeGreaterThan(0);
    expect(parsed.outputTokens).toBe(9);
    const entry = lastEntry();
    await vi.waitFor(() => expect(entry?.outcome).toBe('aborted'));
    expect(entry?.tokensProduced).toBeLessThan(200);
    const record = await vi.waitFor(() => {
      const found = stand.records.find(({ requestId }) => requestId === reply.headers.get('x-request-id'));
      if (found === undefined) throw new Error('no record yet');
      return found;
    });
    expect(record).toMatchObject({ how: 'done', lane: 'translated', reading: { reported: false } });
    expect(record.reading?.producedCharacters).toBeGreaterThanOrEqual(parsed.text.length);
    await vi.waitFor(() =>
      expect(stand.gateway.gauges).toMatchObject({ upstreamExchanges: 0, watched: 0, openHolds: 0 }),
    );
  },
);

test('the usage of a non-streamed answer counts all that was generated', async () => {
  const cut = await post(stand, chatRoad, OWN, bodyOf(chatRoad, OWN, ['word9'], false));
  const { billed } = lastEntry() ?? {};
  const parsed = chatRoad.parse(cut.text);
  expect(parsed.outputTokens).toBeGreaterThan(300);
  expect(billed).toBeDefined();
});

test('a stream as one JSON array is closed properly where it is cut', async () => {
  const path = genaiRoad.path(OWN, true).replace('alt=sse', 'alt=json');
  const response = await fetch(`${stand.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${STRICT_KEY}` },
    body: JSON.stringify(bodyOf(genaiRoad, OWN, ['word3'], true)),
  });
  const chunks = (await response.json()) as { candidates: { content: { parts: { text?: string }[] } }[] }[];
  const text = chunks.flatMap(({ candidates }) => candidates[0]?.content.parts.map((part) => part.text ?? '') ?? []);
  expect(text.join('')).toBe('word1 word2 ');
});

test('more stop sequences than the gateway can enforce are refused with the field name', async () => {
  const stop = Array.from({ length: 65 }, (_, at) => `stop${at}`);
  const reply = await post(stand, messagesRoad, OWN, bodyOf(messagesRoad, OWN, stop, false));
  expect(reply.status).toBe(400);
  expect(reply.text).toContain('stop_sequences');
  const fewer = await post(stand, messagesRoad, OWN, bodyOf(messagesRoad, OWN, stop.slice(1), false));
  expect(fewer.status).toBe(200);
});
