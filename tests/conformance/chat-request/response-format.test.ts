/** response_format: text, JSON object and JSON schema. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { modelAt, peculiarHosts } from '../../support/chat-hosts.ts';
import { ask, lossless, lossy, refused, user } from '../../support/chat-probe.ts';
import { openStand, type Stand } from '../../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: peculiarHosts });
});
afterAll(() => stand.close());

const SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' }, population: { type: 'integer' } },
  required: ['city', 'population'],
  additionalProperties: false,
};
const schemaFormat = (members: Record<string, unknown> = {}) => ({
  type: 'json_schema',
  json_schema: { name: 'place', schema: SCHEMA, ...members },
});
const messages = [user('A place as json, please.')];
const parsed = (content: unknown): unknown => JSON.parse(String(content));

describe('text', () => {
  test.each([[{ type: 'text' }], [null], [undefined]])(
    '[C-31] response_format %j gives plain text',
    async (response_format) => {
      const { message } = await lossless(stand, ask({ response_format }));
      expect(message['content']).toMatch(/simulated answer/);
      expect(() => parsed(message['content'])).toThrow();
    },
  );
});

describe('json_object', () => {
  test('[C-32] the answer to response_format json_object is JSON', async () => {
    const { sent, message } = await lossless(stand, ask({ messages, response_format: { type: 'json_object' } }));
    expect(sent['response_format']).toEqual({ type: 'json_object' });
    expect(parsed(message['content'])).toBeTypeOf('object');
  });

  test('[C-32] a target without JSON mode gets the instruction in the prompt, and the loss is reported', async () => {
    const { sent } = await lossy(
      stand,
      ask({ model: modelAt('plain-host'), messages, response_format: { type: 'json_object' } }),
      'response_format',
    );
    expect(sent).not.toHaveProperty('response_format');
    expect(sent['messages']).toEqual([
      ...messages,
      { role: 'system', content: expect.stringContaining('JSON object') },
    ]);
  });
});

describe('json_schema', () => {
  test.each([
    ['name and schema', {}],
    ['a strict schema', { strict: true }],
    ['a loose schema', { strict: false }],
    ['a description', { description: 'A place on earth' }],
  ])('[C-33] %s reaches the model, and the answer conforms', async (_case, members) => {
    const { sent, message } = await lossless(stand, ask({ messages, response_format: schemaFormat(members) }));
    expect(sent['response_format']).toEqual(schemaFormat(members));
    expect(parsed(message['content'])).toEqual({ city: expect.any(String), population: expect.any(Number) });
  });

  test('[C-33] null for strict or description counts as absent', async () => {
    const { sent } = await lossless(
      stand,
      ask({ messages, response_format: schemaFormat({ strict: null, description: null }) }),
    );
    expect(sent['response_format']).toEqual(schemaFormat());
  });

  test.each([
    ['object-host', { type: 'json_object' }],
    ['plain-host', undefined],
  ] as const)(
    '[C-33] %s, which has no schemas, gets the schema in the prompt, and the loss is reported',
    async (host, format) => {
      const { sent } = await lossy(
        stand,
        ask({ model: modelAt(host), messages, response_format: schemaFormat() }),
        'response_format',
      );
      expect(sent['response_format']).toEqual(format);
      expect(JSON.stringify(sent['messages'])).toContain('population');
    },
  );

  test.each([
    ['no json_schema', { type: 'json_schema' }, 'response_format.json_schema'],
    ['no name', { type: 'json_schema', json_schema: { schema: SCHEMA } }, 'response_format.json_schema.name'],
    ['a name that is no text', schemaFormat({ name: 5 }), 'response_format.json_schema.name'],
    ['a schema that is text', schemaFormat({ schema: 'x' }), 'response_format.json_schema.schema'],
    ['a schema that is a list', schemaFormat({ schema: [] }), 'response_format.json_schema.schema'],
    ['strict as text', schemaFormat({ strict: 'x' }), 'response_format.json_schema.strict'],
    ['description as number', schemaFormat({ description: 5 }), 'response_format.json_schema.description'],
  ])('[C-33] %s is refused', (_case, response_format, param) =>
    refused(stand, ask({ messages, response_format }), param),
  );

  test.each([['a'], ['aZ0_-'], ['a'.repeat(64)]])('[N-13] [N-14] the schema name %s is served', async (name) => {
    expect(
      (await lossless(stand, ask({ messages, response_format: schemaFormat({ name }) }))).sent['response_format'],
    ).toMatchObject({ json_schema: { name } });
  });

  test.each([[''], ['a'.repeat(65)]])('[N-13] the schema name "%s" is refused for its length', (name) =>
    refused(stand, ask({ messages, response_format: schemaFormat({ name }) }), 'response_format.json_schema.name'),
  );

  test.each([['a b'], ['é'], ['a.b'], ['a/b'], ['a\n']])(
    '[N-14] the schema name %j is refused for its characters',
    (name) =>
      refused(stand, ask({ messages, response_format: schemaFormat({ name }) }), 'response_format.json_schema.name'),
  );
});

test.each([
  ['an unknown type', { type: 'xml' }, 'response_format.type'],
  ['no type', {}, 'response_format.type'],
  ['a text', 'json', 'response_format'],
  ['a list', [], 'response_format'],
])('[C-34] %s is refused', (_case, response_format, param) =>
  refused(stand, ask({ messages, response_format }), param),
);

test.each(['text', 'json_object'])('[C-34] response_format of type %s is served', async (type) => {
  await lossless(stand, ask({ messages, response_format: { type } }));
});
