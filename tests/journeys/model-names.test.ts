// Models by their common names: the providers' own ids, on every protocol, and the errors for names that match nothing.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { get, idsOf, LIST_PATHS, PROTOCOLS } from '../support/model-lists.ts';
import { KEY, openStand, type Stand } from '../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ config: () => ({ aliases: { mine: 'gpt-5.5-2026-04-23', 'gpt-5.2': 'openai/gpt-5.5' } }) });
});
afterAll(() => stand.close());

const post = async (path: string, body: object, headers: Readonly<Record<string, string>> = {}) => {
  const response = await fetch(stand.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${KEY}`, ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, json: (await response.json()) as Record<string, unknown> };
};
const messages = [{ role: 'user', content: 'Where do three roads meet?' }];
const chat = (model: string) => post('/v1/chat/completions', { model, messages });
const refusalOf = async (model: string): Promise<string> => {
  const { status, json } = await chat(model);
  expect([status, json['error']]).toEqual([404, expect.objectContaining({ code: 'model_not_found', param: 'model' })]);
  return (json['error'] as { message: string }).message;
};

describe('a provider’s own id', () => {
  test.each([
    ['gpt-5.5', 'openai/gpt-5.5'],
    ['gpt-5.5-2026-04-23', 'openai/gpt-5.5'],
    ['openai/gpt-5.5-2026-04-23', 'openai/gpt-5.5'],
    ['claude-opus-4-5-20251101', 'anthropic/claude-opus-4.5'],
    ['gemini-3.5-flash', 'google/gemini-3.5-flash'],
    ['mine', 'openai/gpt-5.5'],
    // An operator's alias comes before the catalogue's.
    ['gpt-5.2', 'openai/gpt-5.5'],
  ])('the name %s resolves to %s', async (name, id) => {
    const { status, json } = await chat(name);
    expect([status, json['model']]).toEqual([200, id]);
  });

  test('a provider’s own id works in the other protocols, too', async () => {
    const version = { 'anthropic-version': '2023-06-01' };
    const ask = { model: 'claude-sonnet-4-6', max_tokens: 100, messages };
    expect((await post('/v1/messages', ask, version)).json['model']).toBe('anthropic/claude-sonnet-4.6');
    const contents = [{ role: 'user', parts: [{ text: 'hello' }] }];
    const made = await post('/v1beta/models/gemini-3.5-flash:generateContent', { contents });
    expect(made.json['modelVersion']).toBe('google/gemini-3.5-flash');
    for (const protocol of PROTOCOLS)
      expect((await get(stand, `${LIST_PATHS[protocol]}/gpt-5.5`)).json).toMatchObject(
        protocol === 'genai' ? { name: 'openai/gpt-5.5' } : { id: 'openai/gpt-5.5' },
      );
  });
});

describe('lists', () => {
  test.each(PROTOCOLS)('the list has the providers’ own ids beside the id: %s', async (protocol) => {
    const { json } = await get(stand, LIST_PATHS[protocol]);
    const list = (json['data'] ?? json['models']) as Record<string, unknown>[];
    const entry = list.find((one) => (one['id'] ?? one['name']) === 'openai/gpt-5.5');
    expect(entry?.['aliases']).toEqual(['gpt-5.5', 'gpt-5.5-2026-04-23']);
    // The operator's custom model has no other name.
    const own = list.find((one) => (one['id'] ?? one['name']) === 'compatible/any');
    expect(own).not.toHaveProperty('aliases');
  });

  test.each(PROTOCOLS)(
    'the list has the providers’ own ids as names for callers that ask for them: %s',
    async (protocol) => {
      const { json } = await get(stand, `${LIST_PATHS[protocol]}?names=makers`);
      const ids = idsOf((json['data'] ?? json['models']) as Record<string, unknown>[]);
      expect(ids).toEqual(
        expect.arrayContaining(['gpt-5.5', 'claude-sonnet-4-6', 'gemini-3.5-flash', 'compatible/any']),
      );
      expect(ids).not.toContain('openai/gpt-5.5');
      expect(new Set(ids).size).toBe(ids.length);
    },
  );
});

describe('a name that matches no model', () => {
  test('the error for a name that resembles no other suggests none, but where to look', async () => {
    for (const name of ['nope/x', 'no/such'])
      expect(await refusalOf(name)).toBe(`The model '${name}' does not exist here. The list of models has the names.`);
  });

  test('the error for a retired model has its date and its successor', async () => {
    expect(await refusalOf('claude-3-5-sonnet-20241022')).toBe(
      "The model 'claude-3-5-sonnet-20241022' is retired: its maker switched it off on 2025-10-28. Use 'anthropic/claude-sonnet-4.6' instead.",
    );
    expect(await refusalOf('google/gemini-2.5-pro')).toContain("Use 'google/gemini-3.1-pro-preview' instead.");
  });

  test('the error for a known model says when no configured provider serves it', async () => {
    expect(await refusalOf('grok-4.6')).toBe(
      "The model 'grok-4.6' is known, but no configured provider serves it (xai, google-vertex).",
    );
  });

  test('the error for an unknown model suggests the three nearest names', async () => {
    expect(await refusalOf('claude-opus-5-6')).toContain("The nearest names are 'claude-opus-5-5', 'claude-opus-5', ");
    expect(await refusalOf('openai/gpt-5.55')).toContain("'openai/gpt-5.5'");
    expect((await refusalOf('openai/gpt-5-5')).match(/'[^']+'/g)).toHaveLength(4);
    expect(await refusalOf('gpt-x'.repeat(50))).toContain('<provider>/<model>');
  });
});
