// Vendors with asynchronous images refuse unsupported requests, bad credentials, and unknown jobs.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Simulator, startSimulator } from '../main.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());

const CREDENTIALS: Readonly<Record<string, Record<string, string>>> = {
  bfl: { 'x-key': 'k' },
  dashscope: { authorization: 'Bearer k', 'x-dashscope-async': 'enable' },
  fal: { authorization: 'Key k' },
};
const vendorOf = (path: string): string => path.split('/')[1] ?? '';

const post = async (path: string, body: object, headers = CREDENTIALS[vendorOf(path)] ?? {}): Promise<number> => {
  const response = await fetch(`${simulator.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  await response.arrayBuffer();
  return response.status;
};

const MESSAGES = '/dashscope/api/v1/services/aigc/image-generation/generation';
const PROMPT = '/dashscope/api/v1/services/aigc/text2image/image-synthesis';
const inMessage = (...content: object[]) => ({ input: { messages: [{ role: 'user', content }] } });
const WAN = { model: 'wan2.7-image', ...inMessage({ text: 'a cat' }) };
const QWEN = { model: 'qwen-image-plus', input: { prompt: 'a cat' } };
const GIF = `data:image/png;base64,${Buffer.from('GIF89a').toString('base64')}`;

describe('accepted and refused requests', () => {
  test.each([
    [200, '/bfl/v1/flux-2-pro', { prompt: 'a cat' }],
    [422, '/bfl/v1/flux-2-pro', { prompt: 'a cat', n: 2 }],
    [200, MESSAGES, WAN],
    [400, MESSAGES, { ...WAN, parameters: { n: 5 } }],
    [400, MESSAGES, { ...WAN, parameters: { size: '1024x1024' } }],
    [400, MESSAGES, { ...WAN, parameters: { size: '16*16' } }],
    [400, MESSAGES, { model: 'wan2.7-image', ...inMessage({ image: GIF }, { text: 'a cat' }) }],
    [400, MESSAGES, QWEN],
    [200, PROMPT, QWEN],
    [400, PROMPT, WAN],
    [400, PROMPT, { ...QWEN, model: 'wan2.7-image' }],
    [400, PROMPT, { ...QWEN, parameters: { style: 'any' } }],
    [200, '/fal/fal-ai/flux-2-pro', { prompt: 'a cat' }],
    [422, '/fal/fal-ai/flux-2-pro', { prompt: 'a cat', aspect_ratio: '1:1' }],
    [422, '/fal/fal-ai/flux-2-pro/edit', { prompt: 'a cat' }],
    [422, '/fal/fal-ai/flux-pro/kontext', { prompt: 'a cat' }],
    [404, '/fal/fal-ai/unheard-of', { prompt: 'a cat' }],
  ])('%i at %s for %j', async (status, path, body) => {
    expect(await post(path, body)).toBe(status);
  });
});

test('unknown credentials and synchronous calls are refused', async () => {
  expect(await post('/bfl/v1/flux-2-pro', { prompt: 'a cat' }, {})).toBe(403);
  expect(await post(MESSAGES, WAN, { 'x-dashscope-async': 'enable' })).toBe(401);
  expect(await post(MESSAGES, WAN, { authorization: 'Bearer k' })).toBe(403);
  expect(await post('/fal/fal-ai/flux-2-pro', { prompt: 'a cat' }, { authorization: 'Bearer k' })).toBe(401);
});

test('a queue’s entry is found only below its own app, and its result once it is done', async () => {
  const headers = { 'content-type': 'application/json', ...CREDENTIALS['fal'] };
  const url = `${simulator.url}/fal/fal-ai/flux-2-pro`;
  const taken = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ prompt: 'a cat' }) });
  const { request_id: id, response_url: result } = (await taken.json()) as { request_id: string; response_url: string };
  const statusOf = async (address: string): Promise<number> => (await fetch(address, { headers })).status;
  expect(await statusOf(`${simulator.url}/fal/fal-ai/other/requests/${id}/status`)).toBe(404);
  expect(await statusOf(`${url}/requests/picture-odd/status`)).toBe(404);
  expect(await statusOf(result)).toBe(400);
  expect(await statusOf(`${result}/status`)).toBe(200);
  expect(await statusOf(result)).toBe(200);
});
