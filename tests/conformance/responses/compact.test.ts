// Compactions: made by the maker of the format where it has the path, from a summary elsewhere.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AdminStand } from '../../support/admin-stand.ts';
import { openPricedStand } from '../../support/priced-stand.ts';
import { OTHER_MAKER, OWN } from '../../support/responses-probe.ts';
import { KEY } from '../../support/stand.ts';
import { chargedNanoUsd, HOSTS, nanoUsdOf, openStoredStand, pricedTwin } from '../../support/stored-checks.ts';

type Json = Record<string, unknown>;
let stand: AdminStand;
let secret: string;
beforeAll(async () => {
  stand = await openStoredStand();
  ({ secret } = await stand.newAccount('compacting'));
});
afterAll(() => stand.close());

async function send(path: string, body: unknown): Promise<{ status: number; headers: Headers; json: Json }> {
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
  const response = await fetch(`${stand.chatUrl}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: response.status, headers: response.headers, json: (await response.json()) as Json };
}

const lastSent = (): { readonly path?: string; readonly body?: Json } =>
  stand.simulator.truth.read().at(-1) as unknown as { path?: string; body?: Json };

const SUMMARIZED = Object.entries({ ...HOSTS, 'openai-responses': OTHER_MAKER });
const CALLED = [
  { role: 'user', content: 'Weather in Ulm?' },
  { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: '{"city":"Ulm"}' },
  { type: 'function_call_output', call_id: 'call_1', output: '21 degrees' },
];
const TOOLS = [{ type: 'function', name: 'weather', parameters: { type: 'object', properties: {} } }];

test.each(SUMMARIZED)('[R-85] a host of %s is asked for a summary, which goes on anywhere', async (_, model) => {
  const { status, headers, json } = await send('/responses/compact', { model, input: CALLED, tools: TOOLS });
  expect({ status, error: json['error'] }).toEqual({ status: 200, error: undefined });
  expect(headers.get('x-trivium-compacted-by')).toBe('summary');
  expect(JSON.stringify(lastSent())).toMatch(/21 degrees.*Summarize this conversation/);
  expect(json['object']).toBe('response.compaction');
  expect(json['usage']).toMatchObject({ input_tokens: expect.any(Number) });
  const output = json['output'] as Json[];
  expect(JSON.stringify(output)).toMatch(/Summary of the conversation so far/);
  for (const next of Object.values(HOSTS)) {
    const on = await send('/responses', {
      model: next,
      store: false,
      input: [...output, { role: 'user', content: 'Go on' }],
    });
    expect({ next, status: on.status, error: on.json['error'] }).toEqual({ next, status: 200, error: null });
    expect(JSON.stringify(lastSent())).toMatch(/Summary of the conversation so far.*Go on/);
  }
});

test('[R-85] the maker compacts what it is sent, and reads its compaction again', async () => {
  const asked = { model: OWN, instructions: 'Be brief.', input: 'My name is Ann.', text: { verbosity: 'low' } };
  const { status, headers, json } = await send('/responses/compact', asked);
  expect({ status, error: json['error'] }).toEqual({ status: 200, error: undefined });
  expect(headers.get('x-trivium-compacted-by')).toBe('maker');
  expect(JSON.stringify(lastSent())).toMatch(/responses\/compact/);
  expect(JSON.stringify(lastSent())).not.toMatch(/Summarize this conversation/);
  expect(json).toMatchObject({ object: 'response.compaction', output: [{ type: 'compaction' }] });
  const on = await send('/responses', {
    model: OWN,
    input: [...(json['output'] as Json[]), { role: 'user', content: 'Hm' }],
  });
  expect(on.status).toBe(200);
  expect(JSON.stringify(lastSent())).toMatch(/encrypted_content/);
});

test('[R-85] what is stored is compacted by its id', async () => {
  const model = HOSTS['anthropic-messages'];
  const { json: first } = await send('/responses', { model, input: 'My name is Ann.' });
  const { status } = await send('/responses/compact', { model, previous_response_id: first['id'] });
  expect(status).toBe(200);
  expect(JSON.stringify(lastSent())).toMatch(/My name is Ann.*Summarize this conversation/);
});

test('[R-85] a summary that is not whole compacts nothing', async () => {
  const model = HOSTS['openai-chat'];
  const before = stand.simulator.truth.read().length;
  const input = 'Hello';
  const headers = { instructions: '@simulate scenario=length' };
  const { status, json } = await send('/responses/compact', { model, input, ...headers });
  expect(stand.simulator.truth.read().length).toBe(before + 1);
  expect({ status, output: json['output'] }).toEqual({ status: 502, output: undefined });
});

test.each([
  ['conversation', { conversation: 'conv_1' }],
  ['stream', { stream: true }],
  ['input', { input: 7 }],
])('[R-85] %s that cannot be compacted is refused', async (field, more) => {
  const { status, json } = await send('/responses/compact', { model: OWN, input: 'Hello', ...more });
  expect({ status, param: (json['error'] as Json)['param'] }).toEqual({ status: 400, param: field });
});

test('[R-85] a summary costs what its call costs', async () => {
  const priced = await openPricedStand();
  try {
    const model = 'priced/cached';
    const cost = await priced.charge(model, { input_tokens: 100, output_tokens: 10 });
    const response = await fetch(`${priced.chatUrl}/responses/compact`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${KEY}` },
      body: JSON.stringify({ model, input: 'My name is Ann.' }),
    });
    expect(await response.json()).toMatchObject({ object: 'response.compaction' });
    expect(Number(cost)).toBeGreaterThan(0);
    expect(response.headers.get('x-trivium-cost')).toBe(cost);
  } finally {
    await priced.close();
  }
});

test('[R-85] a compaction by the maker costs what the maker counts', async () => {
  const model = pricedTwin('openai-responses');
  const { headers, json } = await send('/responses/compact', {
    model,
    input: 'My name is Ann, and I like long walks.',
  });
  expect(headers.get('x-trivium-compacted-by')).toBe('maker');
  const usage = json['usage'] as Parameters<typeof nanoUsdOf>[0];
  expect(usage.input_tokens).toBe(stand.simulator.truth.last()?.billed?.prompt);
  expect(usage.output_tokens).toBeGreaterThan(0);
  expect(chargedNanoUsd(headers)).toBe(nanoUsdOf(usage));
});
