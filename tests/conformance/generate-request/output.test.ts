/** The form of the answer: plain text, JSON, an enum value, log probabilities, and the schemas for them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { moreModels } from '../../support/generate-models.ts';
import {
  ALL_MODELS,
  ask,
  CHAT,
  config,
  GEMINI,
  type Json,
  lossless,
  MESSAGES,
  pathOf,
  post,
  refused,
  sentConfig,
  served,
  text,
  user,
} from '../../support/generate-probe.ts';
import { openStand, type Stand } from '../../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: moreModels });
});
afterAll(() => stand.close());

const at = (name: string): string => `generationConfig.${name}`;
const JSON_TYPE = { responseMimeType: 'application/json' };
const ENUM_TYPE = { responseMimeType: 'text/x.enum' };
/** OpenAI refuses JSON mode unless the prompt contains the word "JSON". */
const inJson = (generationConfig: Json): Json => ({ contents: [user(text('Answer in JSON.'))], generationConfig });
const CITY = { type: 'OBJECT', properties: { city: { type: 'STRING' } }, required: ['city'] };
const CITY_JSON = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const WORDS = { type: 'STRING', enum: ['red', 'green'] };
/** The schema in the request to a chat upstream. */
const chatSchema = async (given: Json): Promise<Json> => {
  const { sent } = await served(stand, config(given), { model: CHAT });
  return (sent['response_format'] as { json_schema: { schema: Json } }).json_schema.schema;
};

describe('mime type', () => {
  test.each([[{ responseMimeType: 'text/plain' }], [JSON_TYPE], [{ ...ENUM_TYPE, responseSchema: WORDS }]])(
    '[G-53] the response format %j is accepted',
    async (given) => {
      expect(sentConfig(await lossless(stand, config(given)))).toEqual(given);
      await served(stand, inJson(given), { model: CHAT });
    },
  );
  test.each(['text/html', 'application/xml', '', 1])('[G-53] responseMimeType %j is refused', (responseMimeType) =>
    refused(stand, config({ responseMimeType }), at('responseMimeType')),
  );
  test('[G-54] without responseMimeType there is no JSON mode upstream', async () => {
    expect((await lossless(stand, ask())).sent).toEqual(ask());
    expect((await lossless(stand, ask(), { model: CHAT })).sent).not.toHaveProperty('response_format');
    expect((await lossless(stand, ask(), { model: CHAT })).said).not.toMatch(/^\{/);
    expect((await lossless(stand, inJson(JSON_TYPE), { model: CHAT })).sent).toMatchObject({
      response_format: { type: 'json_object' },
    });
  });
});

describe('schemas', () => {
  test.each([
    ['JSON', { ...JSON_TYPE, responseSchema: CITY }],
    ['one word of several', { ...ENUM_TYPE, responseSchema: WORDS }],
  ])('[G-55] a response schema is accepted with %s', async (_case, given) => {
    expect(sentConfig(await lossless(stand, config(given)))).toEqual(given);
  });
  test.each([[{}], [{ responseMimeType: 'text/plain' }]])('[G-55] a response schema is refused with %j', (type) =>
    refused(stand, config({ ...type, responseSchema: CITY }), at('responseSchema')),
  );
  test.each(ALL_MODELS)('[G-55] the answer of %s conforms to the response schema', async (model) => {
    const { said } = await served(stand, config({ ...JSON_TYPE, responseSchema: CITY }), { model });
    expect(JSON.parse(said)).toEqual({ city: expect.any(String) });
  });

  test('[G-56] responseJsonSchema is accepted with JSON output', async () => {
    const given = { ...JSON_TYPE, responseJsonSchema: CITY_JSON };
    expect(sentConfig(await lossless(stand, config(given)))).toEqual(given);
    expect(await chatSchema(given)).toMatchObject(CITY_JSON);
  });
  test.each([[{}], [{ responseMimeType: 'text/plain' }], [ENUM_TYPE]])(
    '[G-56] responseJsonSchema is refused with %j',
    (type) => refused(stand, config({ ...type, responseJsonSchema: CITY_JSON }), at('responseJsonSchema')),
  );
  test('[G-57] both kinds of response schema together are refused', async () => {
    await refused(
      stand,
      config({ ...JSON_TYPE, responseSchema: CITY, responseJsonSchema: CITY_JSON }),
      at('responseJsonSchema'),
    );
    await lossless(stand, config({ ...JSON_TYPE, responseSchema: CITY }));
    await lossless(stand, config({ ...JSON_TYPE, responseJsonSchema: CITY_JSON }));
  });
  test.each(['x', [], 1, true])('[G-58] responseJsonSchema %j is refused', (responseJsonSchema) =>
    refused(stand, config({ ...JSON_TYPE, responseJsonSchema }), at('responseJsonSchema')),
  );
  test('[G-58] responseJsonSchema may be any object', () =>
    lossless(stand, config({ ...JSON_TYPE, responseJsonSchema: { type: 'object' } })));

  test.each([CHAT, GEMINI])('[G-59] %s answers with exactly one of the enum values', async (model) => {
    const body = config({ ...ENUM_TYPE, responseSchema: WORDS });
    expect(WORDS.enum).toContain((await served(stand, body, { model })).said);
    const reply = await post(stand, pathOf(model, 'streamGenerateContent'), body);
    const said = reply.text
      .split('\n\n')
      .filter((frame) => frame !== '')
      .map((frame) => JSON.parse(frame.slice(6)).candidates[0].content.parts[0].text as string)
      .join('');
    expect(WORDS.enum).toContain(said);
  });
  test('[G-59] a target without enum output gets a schema, and the caller gets the bare enum value', async () => {
    const body = config({ ...ENUM_TYPE, responseSchema: WORDS });
    const { sent, said, losses } = await served(stand, body, { model: MESSAGES });
    expect(JSON.stringify(sent['output_config'])).toContain(JSON.stringify(WORDS.enum));
    expect(WORDS.enum).toContain(said);
    expect(losses).toEqual([]);
  });
  test('[G-59] without a list of enum values the answer is free text', async () => {
    expect(WORDS.enum).not.toContain((await served(stand, ask())).said);
  });

  test('[G-98] a schema that refers to itself is refused', async () => {
    const tree = { type: 'object', properties: { child: { $ref: '#' } } };
    await refused(stand, config({ ...JSON_TYPE, responseJsonSchema: tree }), at('responseJsonSchema'));
    const named = { $ref: '#/$defs/a', $defs: { a: { type: 'object', properties: { b: { $ref: '#/$defs/a' } } } } };
    await refused(stand, config({ ...JSON_TYPE, responseJsonSchema: named }), at('responseJsonSchema'), {
      model: CHAT,
    });
  });
  test('[G-98] a schema that refers to a definition is accepted', () =>
    lossless(
      stand,
      config({
        ...JSON_TYPE,
        responseJsonSchema: {
          type: 'object',
          properties: { a: { $ref: '#/$defs/word' } },
          $defs: { word: { type: 'string' } },
        },
      }),
    ));
});

describe('the schema language', () => {
  const wrap = (schema: unknown): Json => config({ ...JSON_TYPE, responseSchema: schema });
  const property = (schema: unknown): Json => ({ type: 'OBJECT', properties: { a: schema } });

  const MINIMAL: Record<string, Json> = {
    STRING: { type: 'STRING' },
    INTEGER: { type: 'INTEGER' },
    NUMBER: { type: 'NUMBER' },
    BOOLEAN: { type: 'BOOLEAN' },
    ARRAY: { type: 'ARRAY', items: { type: 'STRING' } },
    OBJECT: { type: 'OBJECT', properties: { b: { type: 'STRING' } } },
  };
  test.each(Object.entries(MINIMAL))('[G-94] the schema type %s is case-insensitive', async (type, schema) => {
    for (const word of [type, type.toLowerCase()]) {
      await lossless(stand, wrap(property({ ...schema, type: word })));
      const seen = await chatSchema({ ...JSON_TYPE, responseSchema: property({ ...schema, type: word }) });
      expect(seen).toMatchObject({ type: 'object', properties: { a: { type: type.toLowerCase() } } });
    }
  });
  test.each([['FLOAT'], ['DATE'], [undefined]])('[G-94] the schema type %j is refused', (type) =>
    refused(stand, wrap(property({ type })), `${at('responseSchema')}.properties.a.type`),
  );
  test('[G-94] a schema with anyOf needs no type', () =>
    lossless(stand, wrap(property({ anyOf: [{ type: 'STRING' }, { type: 'INTEGER' }] }))));

  const EVERY_KEYWORD = {
    type: 'OBJECT',
    title: 'A title',
    description: 'A description',
    properties: {
      word: { type: 'STRING', enum: ['x', 'y'] },
      mail: { type: 'STRING', format: 'email', minLength: 3, maxLength: 40, pattern: '^.+@.+$' },
      size: { type: 'NUMBER', minimum: 1, maximum: 9 },
      list: { type: 'ARRAY', items: { type: 'STRING' }, minItems: 1, maxItems: 3 },
      none: { type: 'STRING', nullable: true },
      either: { anyOf: [{ type: 'STRING' }, { type: 'INTEGER' }] },
    },
    required: ['word', 'size'],
    propertyOrdering: ['size', 'word', 'mail', 'list', 'none', 'either'],
  };
  test('[G-95] every schema keyword reaches a host of the same dialect', async () => {
    const given = { ...JSON_TYPE, responseSchema: EVERY_KEYWORD };
    expect(sentConfig(await lossless(stand, config(given)))).toEqual(given);
  });
  test('[G-95] every schema keyword is translated to JSON Schema', async () => {
    const seen = (await chatSchema({ ...JSON_TYPE, responseSchema: EVERY_KEYWORD })) as { properties: Json } & Json;
    expect(seen).toMatchObject({
      type: 'object',
      title: 'A title',
      description: 'A description',
      properties: {
        word: { type: 'string', enum: ['x', 'y'] },
        mail: { type: 'string', format: 'email', minLength: 3, maxLength: 40, pattern: '^.+@.+$' },
        size: { type: 'number', minimum: 1, maximum: 9 },
        list: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 3 },
        either: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
      },
      required: ['word', 'size'],
    });
    expect(JSON.stringify(seen.properties['none'])).toContain('"null"');
    expect(Object.keys(seen.properties)).toEqual(EVERY_KEYWORD.propertyOrdering);
  });
  test.each([
    ['enum', { type: 'STRING', enum: [1] }],
    ['required', { type: 'OBJECT', required: 'a' }],
    ['items', { type: 'ARRAY', items: [] }],
    ['minItems', { type: 'ARRAY', minItems: 'one' }],
    ['minItems', { type: 'ARRAY', minItems: '1.5' }],
    ['maxLength', { type: 'STRING', maxLength: '-1' }],
    ['nullable', { type: 'STRING', nullable: 'x' }],
    ['properties', { type: 'OBJECT', properties: [] }],
    ['maximum', { type: 'NUMBER', maximum: '9' }],
    ['pattern', { type: 'STRING', pattern: 1 }],
    ['anyOf', { anyOf: {} }],
  ])('[G-96] a value of the wrong type for the schema keyword %s is refused', async (name, schema) => {
    const reply = await post(stand, pathOf(GEMINI, 'generateContent'), wrap(property(schema)));
    expect(reply.json).toMatchObject({ error: { code: 400, status: 'INVALID_ARGUMENT' } });
    expect(reply.text).toContain(`${at('responseSchema')}.properties.a.${name}`);
  });
  test('[G-96] schema keywords of the right type are accepted', () =>
    lossless(stand, wrap(property({ type: 'STRING', enum: ['1'], nullable: true }))));

  test('[G-96] whole numbers written as digits in text, as Google’s SDK writes them, are numbers', async () => {
    const asText = (schema: Json): Json => ({ type: 'OBJECT', properties: { a: schema } });
    const LIST = asText({
      type: 'ARRAY',
      minItems: '1',
      maxItems: '3',
      items: { type: 'STRING', minLength: '2', maxLength: '20' },
    });
    const numbers = { minItems: 1, maxItems: 3, items: { type: 'string', minLength: 2, maxLength: 20 } };
    expect(await chatSchema({ ...JSON_TYPE, responseSchema: LIST })).toMatchObject({ properties: { a: numbers } });
    await lossless(stand, wrap(LIST));
    const tools = [{ functionDeclarations: [{ name: 'f', parameters: LIST }] }];
    for (const model of ALL_MODELS) await served(stand, { ...ask(), tools }, { model });
  });

  test('[G-97] oneOf is read as anyOf', async () => {
    const alternatives = [{ type: 'STRING' }, { type: 'INTEGER' }];
    const { sent } = await served(stand, wrap(property({ oneOf: alternatives })));
    expect(sent).toMatchObject({ generationConfig: { responseSchema: property({ anyOf: alternatives }) } });
    expect(JSON.stringify(sent)).not.toContain('oneOf');
    const seen = await chatSchema({ ...JSON_TYPE, responseSchema: property({ oneOf: alternatives }) });
    expect(seen).toMatchObject({ properties: { a: { anyOf: [{ type: 'string' }, { type: 'integer' }] } } });
  });
});

describe('log probabilities', () => {
  test('[G-60] log probabilities are returned only when requested', async () => {
    for (const model of [GEMINI, CHAT]) {
      const asked = await lossless(stand, config({ responseLogprobs: true }), { model });
      expect(asked.candidate['logprobsResult']).toMatchObject({
        chosenCandidates: expect.arrayContaining([
          expect.objectContaining({ token: expect.any(String), logProbability: expect.any(Number) }),
        ]),
      });
      expect((await lossless(stand, config({ responseLogprobs: false }), { model })).candidate).not.toHaveProperty(
        'logprobsResult',
      );
    }
  });
  test.each(['true', 1])('[G-60] responseLogprobs %j is refused', (responseLogprobs) =>
    refused(stand, config({ responseLogprobs }), at('responseLogprobs')),
  );
  test.each([[{ logprobs: 5 }], [{ logprobs: 5, responseLogprobs: false }]])('[G-61] %j is refused', (given) =>
    refused(stand, config(given), at('logprobs')),
  );
  test('[G-61] logprobs sets the number of alternatives when log probabilities are requested', async () => {
    expect(sentConfig(await lossless(stand, config({ responseLogprobs: true, logprobs: 5 })))).toEqual({
      responseLogprobs: true,
      logprobs: 5,
    });
  });
  test.each([1, 20])('[N-08] %d alternatives are returned', async (logprobs) => {
    expect(sentConfig(await lossless(stand, config({ responseLogprobs: true, logprobs })))).toMatchObject({ logprobs });
    expect((await lossless(stand, config({ responseLogprobs: true, logprobs }), { model: CHAT })).sent).toMatchObject({
      logprobs: true,
      top_logprobs: logprobs,
    });
  });
  test.each([0, 21, 1.5, '5'])('[N-08] %j alternatives are refused', (logprobs) =>
    refused(stand, config({ responseLogprobs: true, logprobs }), at('logprobs')),
  );
  test('[GR-21] a refusal by a host of another protocol names the field as the caller does', async () => {
    const asked = config({ responseLogprobs: true, logprobs: 5 });
    const reply = await post(stand, pathOf('openai/o3', 'generateContent'), asked);
    expect(reply.json['error']).toMatchObject({
      code: 400,
      message: expect.stringContaining("'generationConfig.logprobs' was refused by the provider: "),
    });
  });
  test('[GR-21] log probabilities are refused for a model without them', async () => {
    const before = stand.simulator.truth.read().length;
    const reply = await post(stand, pathOf(MESSAGES, 'generateContent'), config({ responseLogprobs: true }));
    expect(reply.json).toMatchObject({ error: { code: 400 } });
    expect(stand.simulator.truth.read().length).toBe(before);
    await served(stand, config({ responseLogprobs: false }), { model: MESSAGES });
  });
});
