// Pitfalls of failures: errors that look like answers, answers that look like errors, and disconnected callers.
import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EVERY_PAIR, EVERY_ROAD } from '../support/every-road.ts';
import { failureOf } from '../support/failure-of.ts';
import { CLAUDE, openPitfallStand, type PitfallStand } from '../support/pitfall-stand.ts';
import type { Json, Road } from '../support/roads.ts';
import { KEY, UPSTREAM_SECRET } from '../support/stand.ts';
import { waitUntil } from '../support/wait-until.ts';

let stand: PitfallStand;
beforeAll(async () => {
  stand = await openPitfallStand();
});
afterAll(() => stand.close());

const play = (road: Road, instruction: string): Json[] => [road.user(`Go on. @simulate ${instruction}`)];
const FINISHED = /\[DONE\]|message_stop|finishReason|response\.(?:completed|incomplete)/;

test.each(EVERY_PAIR)(
  '[P36] $pair: an error in the middle of a stream reaches the caller, and the answer never looks complete',
  async ({ road, model }) => {
    const turns = play(road, 'scenario=text-long words=20 tps=30 fault=error-frame-mid after=5');
    const seen = await stand.ask(road, model, turns, { stream: true });
    expect(seen.status).toBe(200);
    expect(seen.text).toContain('word3');
    expect(seen.text).toContain('"error"');
    expect(seen.text).not.toMatch(FINISHED);
    expect(seen.complete).toBe(false);
  },
);

test.each(EVERY_ROAD)('[P36] $name: after an error in the first frame the next host is tried', async (road) => {
  stand.simulator.arm('fault=error-frame-first', { times: 1 });
  const seen = await stand.ask(road, 'twice/served', [road.user('Hello')], { stream: true });
  expect(seen.parsed().text).toContain('Hello');
  expect(seen.sent).toHaveLength(2);
});

test.each(EVERY_PAIR)(
  '[P39] $pair: a disconnect closes the upstream, and the usage so far is recorded',
  async ({ road, model }) => {
    const before = stand.records.length;
    const leaving = new AbortController();
    const turns = play(road, 'scenario=text-long words=5000 tps=400');
    const response = await fetch(`${stand.url}${road.path(model, true)}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${KEY}`, ...road.headers },
      body: JSON.stringify(road.body(model, turns, { stream: true })),
      signal: leaving.signal,
    });
    let text = '';
    await failureOf(
      (async () => {
        for await (const bytes of response.body ?? []) {
          text += Buffer.from(bytes).toString();
          if (text.includes('word9')) leaving.abort();
        }
      })(),
    );
    await waitUntil('the upstream closed', () => stand.simulator.truth.last()?.outcome === 'aborted');
    await waitUntil('the record was written', () => stand.records.length > before);
    const record = stand.records.at(-1);
    expect(record?.how).toBe('gone');
    // The usage that the upstream had reported by then, and the length of its text: the basis of an estimate.
    expect(record?.reading?.producedCharacters).toBeGreaterThan(0);
  },
);

describe('[P45] clients that take every stream for a success', () => {
  test.each(EVERY_PAIR)(
    '[P45] $pair: a failure before the first word has its own HTTP status',
    async ({ road, model }) => {
      for (const fault of ['fault=error-frame-first', 'status=503']) {
        const seen = await stand.ask(road, model, play(road, fault), { stream: true });
        expect(seen.status).toBeGreaterThanOrEqual(500);
        expect(seen.headers.get('content-type')).toContain('application/json');
      }
    },
  );
  test('[P45] an error inside a stream has its precise code', async () => {
    const client = new Anthropic({ apiKey: KEY, baseURL: `${stand.url}/api/anthropic`, maxRetries: 0 });
    const failure = await failureOf(
      client.messages
        .stream({
          model: CLAUDE,
          max_tokens: 4096,
          messages: [
            {
              role: 'user',
              content: 'Go on. @simulate scenario=text-long words=20 tps=30 fault=error-frame-mid after=5',
            },
          ],
        })
        .finalMessage(),
    );
    expect(failure).toBeInstanceOf(Anthropic.APIError);
    expect((failure as InstanceType<typeof Anthropic.APIError>).type).toMatch(/^(?:api_error|overloaded_error)$/);
  });
});

describe('[A13] an upstream’s error in the caller’s own format', () => {
  /** Statuses for callers: a failure of the gateway's upstream key is not the caller's. */
  const EXPECTED: Readonly<Record<number, readonly number[]>> = {
    400: [400],
    401: [502],
    403: [502],
    404: [502],
    408: [504],
    413: [413, 400],
    429: [429],
    500: [502],
    503: [503, 529],
    529: [503, 529],
  };
  const FORM: Readonly<Record<Road['name'], (status: number) => object>> = {
    chat: () => ({ error: { message: expect.any(String), type: expect.any(String) } }),
    responses: () => ({ error: { message: expect.any(String), type: expect.any(String) } }),
    messages: () => ({ type: 'error', error: { type: expect.any(String), message: expect.any(String) } }),
    genai: (status) => ({ error: { code: status, message: expect.any(String), status: expect.any(String) } }),
  };
  test.each(EVERY_PAIR)('[A13] $pair', async ({ road, model }) => {
    for (const [status, expected] of Object.entries(EXPECTED))
      for (const stream of [false, true]) {
        const seen = await stand.ask(road, model, play(road, `status=${status} retry-after=7`), { stream });
        expect(expected, `${status}, streamed: ${stream}: ${seen.text}`).toContain(seen.status);
        expect(seen.json).toMatchObject(FORM[road.name](seen.status));
        expect(seen.text).not.toContain(UPSTREAM_SECRET);
        if (status === '429') expect(seen.headers.get('retry-after')).toBe('7');
      }
  });
});
