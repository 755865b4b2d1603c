// Seals over HTTP in each dialect: a vendor accepts its own seals back unchanged, and nothing else.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Simulator, startSimulator } from './main.ts';
import { probe } from './probe.fixture.ts';
import { isSealValid, mintSeal } from './seals.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());

type Json = Record<string, unknown>;

async function post(vendor: string, path: string, body: object, credential = 'k') {
  const headers = {
    authorization: `Bearer ${credential}`,
    'x-goog-api-key': credential,
    'anthropic-version': '2023-06-01',
  };
  const answer = probe(simulator.url, body, { vendor, path, headers });
  await answer.ended;
  const value = answer.json() as Json & { error?: { message: string; code?: unknown } };
  return { status: answer.status, value, message: value.error?.message ?? '' };
}

/** Changes one character in the middle; the format stays valid. */
function tamper(seal: string): string {
  const at = Math.floor(seal.length / 2);
  return `${seal.slice(0, at)}${seal[at] === 'A' ? 'B' : 'A'}${seal.slice(at + 1)}`;
}

describe('the seal itself', () => {
  const issuer = { vendor: 'v', host: 'h', credential: 'c' };
  const seal = mintSeal(issuer, 'thinking', 'shown', 'hidden');

  test('verifies only for its issuer, purpose and content', () => {
    expect(isSealValid(issuer, 'thinking', 'shown', seal)).toBe(true);
    expect(isSealValid(issuer, 'thinking', 'shown ', seal)).toBe(false);
    expect(isSealValid(issuer, 'thought', 'shown', seal)).toBe(false);
    for (const other of [{ vendor: 'x' }, { host: 'x' }, { credential: 'x' }]) {
      expect(isSealValid({ ...issuer, ...other }, 'thinking', 'shown', seal)).toBe(false);
    }
  });

  test.each([tamper(seal), `${seal} `, seal.slice(0, -4), '', 'AAAA'])(
    'does not verify when changed: %j',
    (changed) => {
      expect(isSealValid(issuer, 'thinking', 'shown', changed)).toBe(false);
    },
  );

  test('does not reveal its hidden text', () => {
    expect(Buffer.from(seal, 'base64').toString('latin1')).not.toContain('hidden');
  });
});

describe('messages', () => {
  const user = (content: string) => ({ role: 'user', content });
  const base = { model: 'claude-sonnet-4-5', max_tokens: 2000 };

  async function minted(scenario: string) {
    const { value } = await post('anthropic', '/v1/messages', {
      ...base,
      messages: [user(`@simulate scenario=${scenario}`)],
    });
    return value['content'] as Json[];
  }

  async function replay(content: readonly Json[], vendor = 'anthropic', credential = 'k') {
    const calls = content.filter((block) => block['type'] === 'tool_use');
    const results = calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: 'r' }));
    const next = results.length === 0 ? user('Go on') : { role: 'user', content: results };
    const messages = [user('Hello'), { role: 'assistant', content }, next];
    return post(vendor, '/v1/messages', { ...base, messages }, credential);
  }

  test.each(['reasoning', 'reasoning-sealed', 'reasoning-tools', 'web-search', 'citations'])(
    'takes back %s as it was',
    async (scenario) => {
      expect((await replay(await minted(scenario))).status).toBe(200);
    },
  );

  test('refuses it from another host, with another credential, or changed', async () => {
    const content = await minted('reasoning');
    const [thinking = {}, ...rest] = content;
    const message = 'messages.1.content.0: Invalid `signature` in `thinking` block';
    expect(await replay(content, 'anthropic@west')).toMatchObject({ status: 400, message });
    expect(await replay(content, 'anthropic', 'other')).toMatchObject({ status: 400, message });
    const reworded = { ...thinking, thinking: `${String(thinking['thinking'])} ` };
    expect(await replay([reworded, ...rest])).toMatchObject({ status: 400, message });
    const resigned = { ...thinking, signature: tamper(String(thinking['signature'])) };
    expect(await replay([resigned, ...rest])).toMatchObject({ status: 400, message });
  });

  test('refuses changed redacted thinking, search results and citations', async () => {
    const [sealed = {}, ...rest] = await minted('reasoning-sealed');
    expect((await replay([{ ...sealed, data: tamper(String(sealed['data'])) }, ...rest])).message).toMatch(
      /Invalid `data`/,
    );
    const search = await minted('web-search');
    const renamed = JSON.parse(JSON.stringify(search).replace('"title":"Three roads"', '"title":"Roads"')) as Json[];
    expect((await replay(renamed)).message).toMatch(/Invalid `encrypted_content`/);
    const requoted = JSON.parse(JSON.stringify(search).replace('"cited_text":"Three', '"cited_text":"3')) as Json[];
    expect((await replay(requoted)).message).toMatch(/Invalid `encrypted_index`/);
  });
});

describe('generateContent', () => {
  const PATH = '/v1beta/models/gemini-3-pro-preview:generateContent';
  const user = (text: string) => ({ role: 'user', parts: [{ text }] });

  async function minted(scenario: string) {
    const { value } = await post('google', PATH, { contents: [user(`@simulate scenario=${scenario}`)] });
    const [candidate] = value['candidates'] as [{ content: { parts: Json[] } }];
    return candidate.content.parts;
  }

  async function replay(parts: readonly Json[], vendor = 'google', credential = 'k') {
    const calls = parts.flatMap((part) => (part['functionCall'] === undefined ? [] : [part['functionCall'] as Json]));
    const responses = calls.map(({ name }) => ({ functionResponse: { name, response: {} } }));
    const next = responses.length === 0 ? user('Go on') : { role: 'user', parts: responses };
    return post(vendor, PATH, { contents: [user('Hello'), { role: 'model', parts }, next] }, credential);
  }

  test.each(['reasoning', 'tools-parallel', 'tools-with-text', 'image', 'tool-large-integers'])(
    'takes back %s as it was',
    async (scenario) => {
      expect((await replay(await minted(scenario))).status).toBe(200);
    },
  );

  test('accepts back what it streamed, part by part', async () => {
    const body = { contents: [user('@simulate scenario=reasoning')] };
    const path = PATH.replace(':generateContent', ':streamGenerateContent?alt=sse');
    const answer = probe(simulator.url, body, { vendor: 'google', path, headers: { 'x-goog-api-key': 'k' } });
    await answer.ended;
    const chunks = answer
      .events()
      .map((event) => JSON.parse(event) as { candidates: { content: { parts: Json[] } }[] });
    const parts = chunks.flatMap((chunk) => chunk.candidates[0]?.content.parts ?? []);
    expect(parts.filter((part) => part['thoughtSignature'] !== undefined)).toHaveLength(1);
    expect((await replay(parts)).status).toBe(200);
  });

  test('refuses a signature that is missing, changed, moved, or of another issuer', async () => {
    const parts = await minted('tools-parallel');
    const [first = {}, second = {}, third = {}] = parts;
    const { thoughtSignature, ...bare } = first;
    expect((await replay([bare, second, third])).message).toMatch(/missing a thought_signature/);
    expect((await replay([second, first, third])).message).toMatch(/missing a thought_signature/);
    const corrupted = { status: 400, message: 'Corrupted thought signature.' };
    expect(await replay([bare, { ...second, thoughtSignature }, third])).toMatchObject(corrupted);
    expect(
      await replay([{ ...first, thoughtSignature: tamper(String(thoughtSignature)) }, second, third]),
    ).toMatchObject(corrupted);
    expect(await replay(parts, 'google@west')).toMatchObject(corrupted);
    expect(await replay(parts, 'google', 'other')).toMatchObject(corrupted);
  });
});

describe('responses', () => {
  const settings = {
    model: 'gpt-5',
    store: false,
    include: ['reasoning.encrypted_content'],
    reasoning: { summary: 'auto' },
  };
  const user = (content: string) => ({ role: 'user', content });

  async function minted(scenario: string, extra: object = {}) {
    const body = { ...settings, input: [user(`@simulate scenario=${scenario}`)], ...extra };
    return (await post('openai', '/v1/responses', body)).value;
  }

  async function replay(items: readonly Json[], vendor = 'openai', credential = 'k') {
    const calls = items.filter((item) => item['type'] === 'function_call');
    const outputs = calls.map(({ call_id }) => ({ type: 'function_call_output', call_id, output: 'r' }));
    const input = [user('Hello'), ...items, ...outputs, user('Go on')];
    return post(vendor, '/v1/responses', { ...settings, input }, credential);
  }

  test.each(['reasoning', 'reasoning-tools', 'reasoning-sealed', 'web-search', 'image'])(
    'takes back %s as it was',
    async (scenario) => {
      expect((await replay((await minted(scenario))['output'] as Json[])).status).toBe(200);
    },
  );

  test('refuses a seal that is changed or of another issuer', async () => {
    const output = (await minted('reasoning'))['output'] as Json[];
    const [reasoning = {}, ...rest] = output;
    const refusal = { status: 400, value: { error: { code: 'invalid_encrypted_content' } } };
    const changed = { ...reasoning, encrypted_content: tamper(String(reasoning['encrypted_content'])) };
    expect(await replay([changed, ...rest])).toMatchObject(refusal);
    expect(await replay([{ ...reasoning, summary: [] }, ...rest])).toMatchObject(refusal);
    expect(await replay(output, 'openai@west')).toMatchObject(refusal);
    expect(await replay(output, 'openai', 'other')).toMatchObject(refusal);
  });

  test('keeps reasoning and its output together', async () => {
    const [reasoning = {}, ...rest] = (await minted('reasoning-tools'))['output'] as Json[];
    expect((await replay([reasoning])).message).toMatch(/'reasoning' was provided without its required following item/);
    expect((await replay(rest)).message).toMatch(/was provided without its required 'reasoning' item/);
    const anonymous = rest.map(({ id, ...item }) => item);
    expect((await replay(anonymous)).status).toBe(200);
  });

  test('finds unsealed items only if they were stored', async () => {
    const bare = { include: [], reasoning: {} };
    const output = (await minted('reasoning', bare))['output'] as Json[];
    expect(await replay(output)).toMatchObject({ status: 404, message: expect.stringMatching(/not persisted/) });
    const stored = await minted('reasoning', { ...bare, store: true });
    expect((await replay(stored['output'] as Json[])).status).toBe(200);
    const next = { model: 'gpt-5', input: 'Go on', previous_response_id: stored['id'] };
    expect((await post('openai', '/v1/responses', next)).status).toBe(200);
    expect((await post('openai', '/v1/responses', next, 'other')).status).toBe(400);
  });
});
