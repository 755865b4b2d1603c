// Each fault as a peer sees it, and its entry in the truth log.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Simulator, startSimulator, type TruthEntry } from '../main.ts';
import { type Probe, probe, waitFor } from '../probe.fixture.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());
beforeEach(() => simulator.truth.clear());

function send(instruction: string, extra: object = { stream: true }): Probe {
  const content = `Hello\n@simulate scenario=text-long words=6 ${instruction}`;
  return probe(simulator.url, { model: 'gpt-4o', messages: [{ role: 'user', content }], ...extra });
}

async function finished(instruction: string, extra?: object): Promise<Probe> {
  const answer = send(instruction, extra);
  await answer.ended;
  return answer;
}

/** The entry once the simulator has seen the connection end. */
async function truthOf(answer: Probe): Promise<TruthEntry> {
  await answer.ended;
  await waitFor(() => (simulator.truth.last()?.outcome ?? 'open') !== 'open', 'the outcome');
  return simulator.truth.last() as TruthEntry;
}

function contentOf(answer: Probe): string {
  return answer
    .events()
    .filter((event) => event.startsWith('{') && event.endsWith('}'))
    .flatMap((event) => (JSON.parse(event) as { choices?: { delta: { content?: string } }[] }).choices ?? [])
    .map((choice) => choice.delta.content ?? '')
    .join('');
}

const WHOLE = 'word1 word2 word3 word4 word5 word6';
const PLAIN = { stream: false };

describe('status', () => {
  test.each([
    [400, 'invalid_request_error', null],
    [401, 'invalid_request_error', 'invalid_api_key'],
    [403, 'request_forbidden', 'unsupported_country_region_territory'],
    [404, 'invalid_request_error', 'model_not_found'],
    [429, 'requests', 'rate_limit_exceeded'],
    [500, 'server_error', null],
    [503, 'server_error', null],
    [529, 'overloaded_error', null],
  ])('%d has the vendor’s format', async (status, type, code) => {
    const answer = await finished(`status=${status}`);
    expect(answer.status).toBe(status);
    expect(answer.json()).toEqual({ error: { message: expect.stringMatching(/./), type, param: null, code } });
    expect(answer.headers['retry-after']).toBe(status === 429 ? '1' : undefined);
    const truth = await truthOf(answer);
    expect(truth).toMatchObject({ status, faults: [`status=${status}`], tokensProduced: 0, outcome: 'finished' });
    expect(truth.billed).toBeUndefined();
  });

  test('502 is a web page of a proxy', async () => {
    const answer = await finished('status=502');
    expect(answer.headers['content-type']).toContain('text/html');
    expect(answer.text()).toContain('<h1>502 Bad Gateway</h1>');
  });

  test('takes a code and a retry delay', async () => {
    const answer = await finished('status=429 code=insufficient_quota retry-after=7');
    expect(answer.headers['retry-after']).toBe('7');
    expect(answer.json()).toMatchObject({ error: { type: 'insufficient_quota', code: 'insufficient_quota' } });
  });
});

describe('stalls end when the peer closes', () => {
  /** An answer to a later request proves that the stall is not mere slowness. */
  async function later(): Promise<void> {
    await finished('', PLAIN);
  }

  test.each([
    ['stall-before-headers', { stream: true }, undefined, 0],
    ['stall-before-headers', PLAIN, undefined, 0],
    ['stall-after-headers', { stream: true }, 200, 0],
    ['stall-after-headers', PLAIN, 200, 0],
    ['stall-mid-event', { stream: true }, 200, 3],
  ])('%s %o', async (fault, extra, status, events) => {
    const answer = send(`fault=${fault} after=2`, extra);
    await waitFor(() => simulator.truth.last()?.faults.includes(fault) === true, 'the request');
    await waitFor(() => answer.status === status && answer.events().length === events, 'all that will come');
    const entry = simulator.truth.last() as TruthEntry;
    await later();
    expect({ status: answer.status, events: answer.events().length }).toEqual({ status, events });
    expect(entry.outcome).toBe('open');
    answer.abort();
    await waitFor(() => entry.outcome === 'aborted', 'the abort');
    expect(entry.closedAtMs).toBeGreaterThan(entry.receivedAtMs);
  });

  test('leaves half an event', async () => {
    const answer = send('fault=stall-mid-event after=2');
    await waitFor(() => answer.events().length === 3 && !answer.text().endsWith('\n\n'), 'half an event');
    expect(answer.text().split('\n\n').at(-1)).toMatch(/^data: \{"id":"chatcmpl/);
    answer.abort();
    const truth = await truthOf(answer);
    expect(truth.tokensProduced).toBe(2);
  });
});

describe('broken connections', () => {
  test.each([{ stream: true }, PLAIN])('reset-before-headers %o', async (extra) => {
    const answer = await finished('fault=reset-before-headers', extra);
    expect({ status: answer.status, failure: answer.failure }).toEqual({ status: undefined, failure: 'ECONNRESET' });
    expect((await truthOf(answer)).outcome).toBe('severed');
  });

  test('reset-mid-stream after the given number of pieces', async () => {
    const answer = await finished('fault=reset-mid-stream after=3');
    expect({ content: contentOf(answer), failure: answer.failure }).toEqual({
      content: 'word1 word2 word3',
      failure: 'ECONNRESET',
    });
    expect(await truthOf(answer)).toMatchObject({ outcome: 'severed', tokensProduced: 3, billed: { completion: 3 } });
  });

  test('close-mid-stream leaves the message unfinished', async () => {
    const answer = await finished('fault=close-mid-stream after=1');
    expect({ content: contentOf(answer), failure: answer.failure }).toEqual({
      content: 'word1',
      failure: 'ECONNRESET',
    });
    expect((await truthOf(answer)).outcome).toBe('severed');
  });

  test('end-mid-stream ends cleanly on the wire, but without a finish', async () => {
    const answer = await finished('fault=end-mid-stream after=1');
    expect({ content: contentOf(answer), failure: answer.failure }).toEqual({ content: 'word1', failure: undefined });
    expect(answer.text()).not.toContain('[DONE]');
  });

  test.each(['truncated-json', 'reset-mid-stream', 'close-mid-stream'])('%s truncates a plain body', async (fault) => {
    const answer = await finished(`fault=${fault}`, PLAIN);
    expect({ status: answer.status, failure: answer.failure }).toEqual({ status: 200, failure: 'ECONNRESET' });
    expect(Number(answer.headers['content-length'])).toBeGreaterThan(Buffer.concat(answer.chunks).length);
    expect(() => answer.json()).toThrow();
  });

  test('strikes at the finish of an answer shorter than `after`', async () => {
    const answer = await finished('fault=end-mid-stream after=99');
    expect(contentOf(answer)).toBe(WHOLE);
    expect(answer.text()).not.toContain('"finish_reason":"stop"');
  });
});

describe('frames', () => {
  test('malformed-frame has one event that is not JSON', async () => {
    const events = (await finished('fault=malformed-frame after=2')).events().slice(0, -1);
    const bad = events.flatMap((event, at) => (isJson(event) ? [] : [at]));
    expect(bad).toEqual([3]);
    const plain = await finished('fault=malformed-frame', PLAIN);
    expect(isJson(plain.text())).toBe(false);
    expect(plain.failure).toBeUndefined();
  });

  test('error-frame-first is one error under HTTP 200', async () => {
    const answer = await finished('fault=error-frame-first');
    expect(answer.status).toBe(200);
    expect(answer.events().map((event) => JSON.parse(event))).toEqual([
      { error: expect.objectContaining({ type: 'server_error' }) },
    ]);
  });

  test('error-frame-mid ends the stream with an error', async () => {
    const answer = await finished('fault=error-frame-mid after=2');
    expect(contentOf(answer)).toBe('word1 word2');
    expect(JSON.parse(answer.events().at(-1) ?? '')).toHaveProperty('error.message');
  });

  test.each([
    ['no-done', 0, 1],
    ['no-finish', 1, 0],
    ['duplicate-done', 2, 1],
    ['data-after-done', 1, 1],
    ['comments', 1, 1],
    ['crlf', 1, 1],
    ['multi-line', 1, 1],
  ])('%s has %d end markers and %d finishes', async (fault, done, finish) => {
    const answer = await finished(`fault=${fault}`);
    const events = answer.events();
    expect(events.filter((event) => event === '[DONE]')).toHaveLength(done);
    const chunks = events.filter((event) => event !== '[DONE]').map((event) => JSON.parse(event));
    expect(chunks.filter((chunk) => chunk.choices[0]?.finish_reason === 'stop')).toHaveLength(finish);
    expect(contentOf(answer)).toBe(fault === 'data-after-done' ? `${WHOLE} word6` : WHOLE);
  });

  test('frames in the requested form', async () => {
    expect((await finished('fault=crlf')).text()).toMatch(/\r\n\r\n$/);
    expect((await finished('fault=comments')).text()).toMatch(/^: keep-alive\n\n/);
    expect((await finished('fault=multi-line')).text()).toMatch(/^data: \{\ndata: /);
    expect((await finished('fault=crlf,comments')).text()).toMatch(/^: keep-alive\r\n\r\n/);
  });

  test('usage-missing removes usage', async () => {
    const asked = { stream: true, stream_options: { include_usage: true } };
    expect((await finished('', asked)).text()).toContain('"total_tokens"');
    expect((await finished('fault=usage-missing', asked)).text()).not.toContain('"total_tokens"');
    expect((await finished('fault=usage-missing', PLAIN)).json()).not.toHaveProperty('usage');
  });

  test('html-200 and json-error-200 hide an error behind a 200', async () => {
    const html = await finished('fault=html-200');
    expect([html.status, html.headers['content-type']]).toEqual([200, 'text/html; charset=UTF-8']);
    const json = await finished('fault=json-error-200');
    expect([json.status, json.json()]).toEqual([200, { error: expect.objectContaining({ type: 'server_error' }) }]);
  });
});

describe('bytes', () => {
  test('split-bytes writes one byte at a time and changes nothing', async () => {
    const answer = await finished('fault=split-bytes');
    expect(contentOf(answer)).toBe(WHOLE);
    expect(Math.max(...answer.chunks.map((chunk) => chunk.length))).toBe(1);
  });

  test('split=7 writes seven bytes at a time', async () => {
    const answer = await finished('split=7', PLAIN);
    expect(answer.chunks.slice(0, -1).every((chunk) => chunk.length <= 7)).toBe(true);
    expect(answer.json()).toHaveProperty('choices');
  });

  test('cut=n splits the body at one byte', async () => {
    const answer = await finished('cut=10', PLAIN);
    expect(answer.chunks[0]?.length).toBe(10);
    expect(answer.json()).toHaveProperty('choices');
  });

  test('slow-drip delays each byte', async () => {
    const answer = await finished('fault=slow-drip drip=1 split=64', PLAIN);
    const truth = await truthOf(answer);
    const writes = Buffer.concat(answer.chunks).length / 64;
    expect((truth.closedAtMs ?? 0) - truth.receivedAtMs).toBeGreaterThan(writes - 1);
    expect(answer.json()).toHaveProperty('choices');
  });
});

describe('pacing', () => {
  test('waits for the first token and between tokens', async () => {
    const truth = await truthOf(await finished('ttft=60 tps=100'));
    const tookMs = (truth.closedAtMs ?? 0) - truth.receivedAtMs;
    expect(tookMs).toBeGreaterThanOrEqual(60 + 5 * 10 - 2);
  });

  test('bills a peer that closes for the tokens produced until then', async () => {
    const answer = send('tps=50');
    await waitFor(() => contentOf(answer).includes('word2'), 'two words');
    answer.abort();
    const truth = await truthOf(answer);
    expect(truth.outcome).toBe('aborted');
    expect(truth.tokensProduced).toBeGreaterThanOrEqual(2);
    expect(truth.tokensProduced).toBeLessThan(6);
    expect(truth.billed?.completion).toBe(truth.tokensProduced);
  });

  test('stops producing a plain answer when the peer closes', async () => {
    const answer = send('tps=50', PLAIN);
    await waitFor(() => (simulator.truth.last()?.tokensProduced ?? 0) >= 2, 'two tokens');
    answer.abort();
    const truth = await truthOf(answer);
    expect(truth.outcome).toBe('aborted');
    expect(truth.billed?.completion).toBeLessThan(6);
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
