// Every category of request that Google refuses, over HTTP, and a similar accepted one where the border matters.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Simulator, startSimulator } from '../../main.ts';
import { probe } from '../../probe.fixture.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());

const user = { role: 'user', parts: [{ text: 'Hello' }] };
const call = (name: string, more: object = {}) => ({ functionCall: { name, args: {}, ...more } });
const response = (name: string) => ({ functionResponse: { name, response: { ok: true } } });
const model = (...parts: object[]) => ({ role: 'model', parts });
const from = (...parts: object[]) => ({ role: 'user', parts });
const declare = (parameters: object, name = 'f') => ({ tools: [{ functionDeclarations: [{ name, parameters }] }] });
const config = (generationConfig: object) => ({ generationConfig });
const thinking = (thinkingConfig: object) => config({ thinkingConfig });

interface Options {
  readonly vendor?: 'google' | 'vertex';
  readonly model?: string;
  readonly action?: string;
  readonly headers?: Record<string, string>;
}

async function send(extra: object, options: Options = {}) {
  const { vendor = 'google', model: name = 'gemini-2.5-flash', action = 'generateContent' } = options;
  const stem = vendor === 'google' ? '/v1beta' : '/v1/projects/p/locations/l/publishers/google';
  const headers = vendor === 'google' ? { authorization: '', 'x-goog-api-key': 'k' } : { authorization: 'Bearer k' };
  const answer = probe(
    simulator.url,
    { contents: [user], ...extra },
    { vendor, path: `${stem}/models/${name}:${action}`, headers: { ...headers, ...options.headers } },
  );
  await answer.ended;
  return {
    status: answer.status,
    body: answer.json() as { error?: { code: number; status: string; message: string } },
  };
}

type Case = readonly [name: string, extra: object, message: RegExp, options?: Options];

const refused: readonly Case[] = [
  ['an unknown field', { foo: 1 }, /^Invalid JSON payload received\. Unknown name "foo": Cannot find field\.$/],
  ['an unknown field below', config({ foo: 1 }), /Unknown name "foo" at 'generation_config': Cannot find field/],
  [
    'a wrong type',
    config({ temperature: 'hot' }),
    /^Invalid value at 'generation_config\.temperature' \(TYPE_FLOAT\), "hot"$/,
  ],
  ['no contents', { contents: [] }, /contents is not specified/],
  [
    'an unknown role',
    { contents: [{ role: 'assistant', parts: [{ text: 'x' }] }] },
    /Please use a valid role: user, model/,
  ],
  ['a missing role on Vertex', { contents: [{ parts: [{ text: 'x' }] }] }, /valid role/, { vendor: 'vertex' }],
  ['no parts', { contents: [from()] }, /contents\[0\]\.parts: contents\.parts must not be empty/],
  ['a part without data', { contents: [from({})] }, /required oneof field 'data'/],
  ['a part with two', { contents: [from({ text: 'x', ...response('f') })] }, /oneof field 'data' is already set/],
  ['an empty text on Vertex', { contents: [from({ text: '' })] }, /empty text parameter/, { vendor: 'vertex' }],
  ['one turn of the model', { contents: [model({ text: 'x' })] }, /single turn requests end with a user role/],
  [
    'fewer responses than calls',
    { contents: [user, model(call('f'), call('g')), from(response('f'))] },
    /number of function response parts/,
  ],
  ['a response without call', { contents: [from(response('f'))] }, /immediately after a function call turn/],
  ['a call that nothing came before', { contents: [model(call('f')), from(response('f'))] }, /after a user turn/],
  [
    'a call without name',
    { contents: [user, model(call('')), from(response('f'))] },
    /function_call\.name: Name cannot be empty/,
  ],
  [
    'additionalProperties',
    declare({ type: 'OBJECT', properties: { a: { type: 'STRING' } }, additionalProperties: false }),
    /Unknown name "additionalProperties" at 'tools\[0\]\.function_declarations\[0\]\.parameters'/,
  ],
  ['a $ref', declare({ type: 'OBJECT', properties: { a: { $ref: '#/x' } } }), /Unknown name "\$ref"/],
  ['a list of types', declare({ type: ['STRING', 'NULL'] }), /Invalid value at 'tools\[0\].*\.type' \(TYPE_ENUM\)/],
  ['an array without items', declare({ type: 'OBJECT', properties: { a: { type: 'ARRAY' } } }), /items: missing field/],
  [
    'an enum of numbers',
    declare({ type: 'OBJECT', properties: { a: { type: 'INTEGER', enum: [1] } } }),
    /enum\[0\]' \(TYPE_STRING\), 1/,
  ],
  [
    'a required name that is not there',
    declare({ type: 'OBJECT', properties: { a: { type: 'STRING' } }, required: ['b'] }),
    /required\[0\]: property is not defined/,
  ],
  ['a function name with a space', declare({ type: 'STRING' }, 'a b'), /Invalid function name/],
  [
    'functions beside a search',
    { tools: [{ googleSearch: {} }, { functionDeclarations: [{ name: 'f' }] }] },
    /Tool use with function calling is unsupported/,
  ],
  [
    'allowed names without ANY',
    { ...declare({ type: 'STRING' }), toolConfig: { functionCallingConfig: { allowedFunctionNames: ['f'] } } },
    /should be ANY/,
  ],
  [
    'budget and level',
    thinking({ thinkingBudget: 1, thinkingLevel: 'LOW' }),
    /only one of thinking budget and thinking level/,
  ],
  ['a level before Gemini 3', thinking({ thinkingLevel: 'LOW' }), /Thinking level is not supported/],
  ['a budget above the range', thinking({ thinkingBudget: 24_577 }), /between 1 and 24576/],
  [
    'no thinking where it cannot stop',
    thinking({ thinkingBudget: 0 }),
    /only works in thinking mode/,
    { model: 'gemini-2.5-pro' },
  ],
  ['thinking where there is none', thinking({ thinkingBudget: 5 }), /not supported/, { model: 'gemini-2.0-flash' }],
  [
    'a level the model lacks',
    thinking({ thinkingLevel: 'MINIMAL' }),
    /MINIMAL is not supported/,
    { model: 'gemini-3-pro-preview' },
  ],
  ['a temperature above 2', config({ temperature: 2.1 }), /supported range is from 0 \(inclusive\) to 2/],
  ['a penalty of 2', config({ presencePenalty: 2 }), /\(exclusive\)/],
  ['too many output tokens', config({ maxOutputTokens: 65_537 }), /maxOutputTokens value of 65537/],
  ['six stop sequences', config({ stopSequences: ['1', '2', '3', '4', '5', '6'] }), /at most 5/],
  ['a schema without JSON', config({ responseSchema: { type: 'STRING' } }), /only allowed with response_mime_type/],
  ['logprobs alone', config({ logprobs: 2 }), /response_logprobs is not true/],
  ['images from a model of text', config({ responseModalities: ['TEXT', 'IMAGE'] }), /response modalities/],
  ['one category twice', { safetySettings: [{ category: 'A' }, { category: 'A' }] }, /duplicate safety category/],
  [
    'a cached prompt with tools',
    { cachedContent: 'cachedContents/x', ...declare({ type: 'STRING' }) },
    /CachedContent can not be used/,
  ],
  [
    'a call without signature on Gemini 3',
    { contents: [user, model(call('f')), from(response('f'))] },
    /Function call is missing a thought_signature.*position 2/,
    { model: 'gemini-3-pro-preview' },
  ],
  [
    'a signature that is no base64',
    { contents: [user, model({ text: 'x', thoughtSignature: '?' }), user] },
    /TYPE_BYTES/,
  ],
];

describe('refused', () => {
  test.each(refused.map((entry) => ({ name: entry[0], entry })))(
    '$name',
    async ({ entry: [, extra, message, options = {}] }) => {
      const { status, body } = await send(extra, options);
      expect({ status, code: body.error?.code, word: body.error?.status }).toEqual({
        status: 400,
        code: 400,
        word: 'INVALID_ARGUMENT',
      });
      expect(body.error?.message).toMatch(message);
    },
  );

  test('invalid credentials, as each vendor reports them', async () => {
    expect((await send({}, { headers: { 'x-goog-api-key': '' } })).body.error?.status).toBe('PERMISSION_DENIED');
    expect(await send({}, { headers: { 'x-goog-api-key': 'sk-invalid' } })).toMatchObject({
      status: 400,
      body: { error: { message: 'API key not valid. Please pass a valid API key.' } },
    });
    expect(await send({}, { vendor: 'vertex', headers: { authorization: '' } })).toMatchObject({
      status: 401,
      body: { error: { status: 'UNAUTHENTICATED' } },
    });
  });

  test('an unknown model, as an array if the answer would be one', async () => {
    expect(await send({}, { model: 'gemini-9' })).toMatchObject({
      status: 404,
      body: { error: { status: 'NOT_FOUND' } },
    });
    const streamed = await send({}, { model: 'gemini-9', action: 'streamGenerateContent' });
    expect(streamed).toMatchObject({ status: 404, body: [{ error: { code: 404 } }] });
  });
});

describe('accepted', () => {
  test.each<[name: string, extra: object, options?: Options]>([
    ['snake case', { generation_config: { max_output_tokens: 1000 }, system_instruction: { parts: [{ text: 'x' }] } }],
    ['an object without properties', declare({ type: 'OBJECT', properties: {} })],
    [
      'responses over two turns',
      { contents: [user, model(call('f'), call('g')), from(response('f')), from(response('g'))] },
    ],
    ['an id on Vertex', { contents: [user, model(call('f', { id: '1' })), from(response('f'))] }, { vendor: 'vertex' }],
    ['bytes in the other alphabet', { contents: [from({ inlineData: { mimeType: 'image/png', data: '-_-_' } })] }],
    [
      'one tool in place of a list',
      {
        tools: { functionDeclarations: [{ name: 'f', description: null }] },
        toolConfig: { functionCallingConfig: { mode: 'none' } },
      },
    ],
    ['a missing role', { contents: [{ parts: [{ text: 'x' }] }] }],
    ['an id on the Gemini API', { contents: [user, model(call('f', { id: '1' })), from(response('f'))] }],
    ['a full JSON Schema', { tools: [{ functionDeclarations: [{ name: 'f', parametersJsonSchema: { $ref: '#' } }] }] }],
    [
      'a turn kept chunk by chunk',
      { contents: [user, model(call('f')), model(call('g')), model({ text: '' }), from(response('f'), response('g'))] },
    ],
    ['a dynamic budget', thinking({ thinkingBudget: -1 })],
    ['a level on Gemini 3', thinking({ thinkingLevel: 'low' }), { model: 'gemini-3-pro-preview' }],
    [
      'an unsigned call of an earlier turn',
      { contents: [user, model(call('f')), from(response('f')), model({ text: 'x' }), user] },
      { model: 'gemini-3-pro-preview' },
    ],
    [
      'the sentinel',
      {
        contents: [
          user,
          model({ ...call('f'), thoughtSignature: 'skip_thought_signature_validator' }),
          from(response('f')),
        ],
      },
      { model: 'gemini-3-pro-preview' },
    ],
    ['a call without id on Vertex', { contents: [user, model(call('f')), from(response('f'))] }, { vendor: 'vertex' }],
  ])('%s', async (_name, extra, options = {}) => {
    expect(await send(extra, options)).toMatchObject({ status: 200, body: { candidates: [{ finishReason: 'STOP' }] } });
  });

  test('token counting, in the form of each vendor', async () => {
    const action = 'countTokens';
    expect(await send({}, { action })).toMatchObject({ status: 200, body: { totalTokens: expect.any(Number) } });
    expect((await send({ tools: [] }, { action })).status).toBe(400);
    const vertex = await send({ systemInstruction: user }, { action, vendor: 'vertex' });
    expect(vertex.body).toMatchObject({ totalBillableCharacters: expect.any(Number) });
  });
});
