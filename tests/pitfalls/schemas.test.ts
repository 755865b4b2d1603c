// Pitfalls of schemas of tools and answers, for hosts that support fewer keywords or take them in another place.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chatRoad } from '../support/chat-road.ts';
import { EVERY_ROAD } from '../support/every-road.ts';
import { genaiRoad } from '../support/genai-road.ts';
import {
  BY_TOOL,
  CLAUDE,
  GEMINI,
  GPT,
  GPT_RESPONSES,
  hello,
  openPitfallStand,
  type PitfallStand,
  PLACE,
  SMALL_SCHEMA,
  under,
} from '../support/pitfall-stand.ts';
import { DESTINATIONS, type Json, type Road } from '../support/roads.ts';

let stand: PitfallStand;
beforeAll(async () => {
  stand = await openPitfallStand();
});
afterAll(() => stand.close());

const schemaOf = (road: Road, schema: Json): Json =>
  ({
    chat: { response_format: { type: 'json_schema', json_schema: { name: 'place', schema, strict: true } } },
    responses: { text: { format: { type: 'json_schema', name: 'place', schema, strict: true } } },
    messages: { output_config: { format: { type: 'json_schema', schema } } },
    genai: { generationConfig: { responseMimeType: 'application/json', responseJsonSchema: schema } },
  })[road.name];
/** Schemas of real tools, with keywords that the smaller schema language lacks. */
const RICH_SCHEMA = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  $defs: { point: { type: 'object', properties: { x: { type: 'number', exclusiveMinimum: 0 } } } },
  properties: {
    at: { $ref: '#/$defs/point' },
    kind: { const: 'road' },
    level: { enum: [1, 2, 3] },
    note: { type: ['string', 'null'] },
    either: { oneOf: [{ type: 'string' }, { type: 'integer' }] },
    rest: {
      type: 'object',
      properties: { a: { type: 'string' } },
      additionalProperties: { type: 'string' },
      propertyNames: { pattern: '^a' },
    },
  },
  required: ['at'],
  additionalProperties: false,
};

test.each([CLAUDE, BY_TOOL])('[P22] a structured answer from %s works together with thinking', async (model) => {
  for (const road of EVERY_ROAD) {
    // A shallow merge would hide members of one object.
    const { generationConfig } = road.body(model, [], { thinking: true }) as { generationConfig?: Json };
    const members = schemaOf(road, PLACE);
    const merged = generationConfig
      ? { generationConfig: { ...generationConfig, ...(members['generationConfig'] as Json) } }
      : members;
    const seen = await stand.served(road, model, hello(road), { thinking: true }, merged);
    if (model === CLAUDE) expect(JSON.parse(seen.parsed().text)).toEqual({ city: expect.any(String) });
  }
});

test('[P29] [A8] a tool with every keyword of JSON Schema reaches Gemini in a form it accepts', async () => {
  const tools = [{ type: 'function', function: { name: 'weather', parameters: RICH_SCHEMA, strict: false } }];
  const full = await stand.served(chatRoad, GEMINI, hello(chatRoad), {}, { tools });
  expect(under(full.sent, 'parametersJsonSchema')).toHaveLength(1);
  const small = await stand.served(chatRoad, SMALL_SCHEMA, hello(chatRoad), {}, { tools });
  const [parameters] = under(small.sent, 'parameters');
  for (const keyword of [
    '$schema',
    '$ref',
    '$defs',
    'const',
    'oneOf',
    'exclusiveMinimum',
    'propertyNames',
    'additionalProperties',
  ])
    expect(under(parameters, keyword), keyword).toEqual([]);
  const properties = (parameters as { properties: Record<string, Json> }).properties;
  expect(properties['at']).toMatchObject({ properties: { x: expect.anything() } });
  expect(properties['kind']).toMatchObject({ enum: ['road'] });
  expect(properties['note']).toMatchObject({ nullable: true });
});

test('[A8] a recursive schema is refused with its field name where it cannot be expanded', async () => {
  const parameters = {
    type: 'object',
    $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } },
    properties: { first: { $ref: '#/$defs/node' } },
  };
  const tools = [{ type: 'function', function: { name: 'weather', parameters } }];
  const full = await stand.served(chatRoad, GEMINI, hello(chatRoad), {}, { tools });
  expect(under(full.sent, '$ref').length).toBeGreaterThan(0);
  const seen = await stand.ask(chatRoad, SMALL_SCHEMA, hello(chatRoad), {}, { tools });
  expect(seen).toMatchObject({ status: 400, sent: [], refusals: [] });
  expect(seen.text).toContain("'tools' has a schema that refers to itself");
});

test('[P42] a tool declaration reaches Claude with its own fields only, without those of another dialect', async () => {
  const tools = [
    {
      type: 'function',
      function: { name: 'weather', description: 'd', parameters: PLACE, strict: true, x_vendor: 1 },
      x_other: true,
    },
  ];
  const seen = await stand.served(chatRoad, CLAUDE, hello(chatRoad), {}, { tools });
  const [declared] = under(seen.sent, 'tools').flat() as Json[];
  const known = ['name', 'description', 'input_schema', 'strict'];
  for (const member of Object.keys(declared ?? {})) expect(known).toContain(member);
  expect(declared).toMatchObject({ name: 'weather', description: 'd', input_schema: PLACE });
});

describe('[A9] the same schema from every protocol to every dialect', () => {
  test.each(DESTINATIONS)('[A9] $dialect', async ({ model }) => {
    for (const road of EVERY_ROAD)
      for (const stream of [false, true]) {
        const seen = await stand.served(road, model, hello(road), { stream }, schemaOf(road, PLACE));
        expect(JSON.parse(seen.parsed().text), `${road.name}, streamed: ${stream}`).toEqual({
          city: expect.any(String),
        });
      }
  });
});

test.each([GPT, CLAUDE, GPT_RESPONSES])(
  '[A11] instructions, tools and full schemas of generateContent reach %s',
  async (model) => {
    const seen = await stand.served(
      genaiRoad,
      model,
      hello(genaiRoad),
      {},
      {
        systemInstruction: { role: 'user', parts: [{ text: 'Be brief, always.' }] },
        tools: [{ functionDeclarations: [{ name: 'weather', description: 'Weather.', parametersJsonSchema: PLACE }] }],
      },
    );
    expect(seen.sentText).toContain('Be brief, always.');
    expect(seen.sentText).toContain(JSON.stringify(PLACE));
    expect(under(seen.sent, 'name')).toContain('weather');
  },
);
