// The simulator as a whole: truth log, arming, hosts, control API, model lists, closing.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Simulator, startSimulator } from './main.ts';
import { type ProbeOptions, probe, waitFor } from './probe.fixture.ts';

let simulator: Simulator;
const lines: string[] = [];
beforeEach(async () => {
  lines.length = 0;
  simulator = await startSimulator({ log: (line) => lines.push(line) });
});
afterEach(() => simulator.close());

const body = { model: 'gpt-4o', messages: [{ role: 'user', content: 'Hello' }] };

async function send(given: object | undefined = body, options: ProbeOptions = {}) {
  const answer = probe(simulator.url, options.method === 'GET' ? undefined : given, options);
  await answer.ended;
  return answer;
}

async function control(method: string, action: string, value?: unknown) {
  const init = value === undefined ? { method } : { method, body: JSON.stringify(value) };
  const response = await fetch(`${simulator.url}/_simulator/${action}`, init);
  return { status: response.status, value: (await response.json()) as Record<string, unknown> };
}

describe('truth log', () => {
  test('keeps what was received and what was sent', async () => {
    await send({ ...body, stream: true }, { vendor: 'openai@east', headers: { 'x-trace': 't1' } });
    await waitFor(() => simulator.truth.last()?.outcome === 'finished', 'the end');
    const entry = simulator.truth.last();
    expect(entry).toMatchObject({
      vendor: 'openai',
      host: 'east',
      method: 'POST',
      path: '/v1/chat/completions',
      headers: { authorization: 'Bearer sk-test', 'x-trace': 't1' },
      bodyText: JSON.stringify({ ...body, stream: true }),
      body: { ...body, stream: true },
      scenario: 'text-basic',
      status: 200,
      streamed: true,
    });
    // Opening chunk, finish and end marker carry no token.
    expect(entry?.framesSent).toBe((entry?.tokensProduced ?? 0) + 3);
    expect(entry?.billed).toMatchObject({ completion: entry?.tokensProduced, cached: 0 });
    expect(lines).toEqual([expect.stringContaining('POST openai@east/v1/chat/completions 200 text-basic')]);
  });

  test('has one entry per request, refused ones included', async () => {
    await Promise.all([send(), send({ ...body, foo: 1 }), send({ ...body, model: 'nobody' })]);
    expect(simulator.truth.read()).toHaveLength(3);
    expect(simulator.truth.read().filter((entry) => entry.refusal !== undefined)).toHaveLength(2);
    simulator.truth.clear();
    expect(simulator.truth.read()).toEqual([]);
  });

  test('is read and cleared over HTTP, without adding an entry', async () => {
    await send();
    expect((await control('GET', 'truth')).value).toHaveLength(1);
    await control('DELETE', 'truth');
    expect((await control('GET', 'truth')).value).toEqual([]);
  });
});

describe('arming', () => {
  test('applies to the next matching requests, in order', async () => {
    simulator.arm('status=503', { host: 'a', times: 2 });
    simulator.arm({ status: 500 }, { model: 'gpt-4o' });
    const statuses: unknown[] = [];
    for (const vendor of ['openai@b', 'openai@a', 'openai@b', 'openai@a', 'openai@a']) {
      statuses.push((await send(body, { vendor })).status);
    }
    expect(statuses).toEqual([500, 503, 200, 503, 200]);
  });

  test('wins over an instruction in the messages', async () => {
    simulator.arm('scenario=refusal');
    const messages = [{ role: 'user', content: '@simulate scenario=length' }];
    await send({ ...body, messages });
    expect(simulator.truth.last()?.scenario).toBe('refusal');
  });

  test('is not used up by a refused request', async () => {
    simulator.arm('status=500');
    expect((await send({ ...body, foo: 1 })).status).toBe(400);
    expect((await send()).status).toBe(500);
  });

  test('works over HTTP and refuses unknown keys and faults', async () => {
    const match = { vendor: 'compatible' };
    expect((await control('POST', 'arm', { instruction: 'status=529', match, times: 1 })).status).toBe(200);
    expect((await send()).status).toBe(200);
    expect((await send(body, { vendor: 'compatible' })).status).toBe(529);
    expect((await control('POST', 'arm', { instruction: 'scenari=x' })).status).toBe(400);
    expect((await control('POST', 'arm', { instruction: 'status=500', match: { hots: 'a' } })).status).toBe(400);
    expect(() => simulator.arm('fault=explode')).toThrow('unknown fault "explode"');
  });

  test('applies to the model list', async () => {
    simulator.arm('status=503', { path: '/v1/models' });
    expect((await send(undefined, { path: '/v1/models', method: 'GET' })).status).toBe(503);
  });
});

describe('instructions in messages', () => {
  test('are read from system messages, too, and the user’s win', async () => {
    const messages = [
      { role: 'system', content: 'Be brief. @simulate scenario=length words=3' },
      { role: 'user', content: [{ type: 'text', text: 'Hi @simulate scenario=text-long' }] },
    ];
    const answer = await send({ ...body, messages });
    expect(answer.text()).toContain('"word1 word2 word3"');
  });

  test.each(['scenario=nothing', 'fault=nothing', 'status=200', 'speed=fast', 'tps=-1', 'nonsense'])(
    'are refused when wrong: %s',
    async (text) => {
      const answer = await send({ ...body, messages: [{ role: 'user', content: `@simulate ${text}` }] });
      expect(answer.status).toBe(400);
      expect(answer.json()).toMatchObject({ error: { type: 'simulator_instruction_error' } });
    },
  );
});

describe('other paths', () => {
  test('lists models and finds one whose id has a slash', async () => {
    const list = await send(undefined, { path: '/v1/models', method: 'GET' });
    expect(list.json()).toMatchObject({
      object: 'list',
      data: expect.arrayContaining([expect.objectContaining({ id: 'gpt-4o' })]),
    });
    const options = { vendor: 'compatible', path: '/v1/models/meta%2Fllama', method: 'GET' };
    expect((await send(undefined, options)).json()).toMatchObject({ id: 'meta/llama', object: 'model' });
    expect((await send(undefined, { path: '/v1/models/nobody', method: 'GET' })).status).toBe(404);
    expect((await send(undefined, { path: '/v1/models/%zz', method: 'GET' })).status).toBe(404);
    const anonymous = { path: '/v1/models', method: 'GET', headers: { authorization: '' } };
    expect((await send(undefined, anonymous)).status).toBe(401);
  });

  test('answers 404 for an unknown path, vendor or control action', async () => {
    expect((await send(body, { path: '/v1/poems' })).status).toBe(404);
    expect((await send(body, { vendor: 'nobody' })).status).toBe(404);
    expect((await control('GET', 'nothing')).status).toBe(404);
  });

  test('describes itself', async () => {
    expect((await control('GET', 'health')).value).toEqual({ ok: true });
    const { value } = await control('GET', 'scenarios');
    expect(value).toMatchObject({
      scenarios: { 'text-basic': expect.any(String) },
      faults: { 'no-done': expect.any(String) },
    });
  });
});

describe('open and close', () => {
  test('counts open streams and keeps when they closed', async () => {
    const messages = [{ role: 'user', content: '@simulate fault=stall-after-headers' }];
    const answer = probe(simulator.url, { ...body, messages, stream: true });
    await waitFor(() => answer.status === 200, 'the head');
    expect((await control('GET', 'open')).value).toMatchObject({ streams: 1, requests: 1, closed: [] });
    answer.abort();
    await waitFor(() => simulator.truth.last()?.outcome === 'aborted', 'the abort');
    const { value } = await control('GET', 'open');
    expect(value).toMatchObject({
      streams: 0,
      requests: 0,
      closed: [{ outcome: 'aborted', closedAtMs: expect.any(Number) }],
    });
    expect(value['nowMs']).toBeGreaterThan(simulator.truth.last()?.closedAtMs ?? Number.POSITIVE_INFINITY);
  });

  test('closes at once whatever is running, and frees the port', async () => {
    const faults = ['stall-before-headers', 'stall-after-headers', 'stall-mid-event', 'slow-drip'];
    const open = faults.map((fault) =>
      probe(simulator.url, {
        ...body,
        stream: true,
        messages: [{ role: 'user', content: `@simulate fault=${fault} ttft=1 drip=50` }],
      }),
    );
    await waitFor(() => simulator.truth.read().length === faults.length, 'all requests');
    await simulator.close();
    await Promise.all(open.map((answer) => answer.ended));
    expect(open.map((answer) => answer.failure)).toEqual(faults.map(() => 'ECONNRESET'));
    const again = await startSimulator({ port: simulator.port });
    expect(again.port).toBe(simulator.port);
    await again.close();
  });
});
