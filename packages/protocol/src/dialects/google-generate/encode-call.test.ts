import { describe, expect, test } from 'vitest';
import type { Block } from '../../canonical/content.ts';
import type { JsonObject } from '../../canonical/json.ts';
import type { Sealed } from '../../canonical/sealed.ts';
import { fieldOf } from '../dialect.fixture.ts';
import type { RequestHead, Sealing } from '../dialect.ts';
import { asked, assistant, call, contents, encode, older, target, text, user } from './call.fixture.ts';
import { googleGenerate } from './index.ts';
import { NO_SIGNATURE } from './seals.ts';

const toolCall = (id: string, name = 'f', seal?: Sealed): Block => ({
  kind: 'tool-call',
  id,
  name,
  form: 'function',
  argumentsJson: '{"n":12345678901234567890}',
  ...(seal && { seal }),
});
const result = (callId: string, content: Block[] = [text('ok')]): Block => ({
  kind: 'tool-result',
  callId,
  content,
  isError: false,
});
const seal = (family: string): Sealed => ({
  owner: { dialect: 'google-generate', family },
  kind: 'carry',
  data: 'c2ln',
});

const head: RequestHead = { model: 'google/m', header: () => undefined };
const verbatim = (body: JsonObject, facts = target(), own: RequestHead = head) =>
  googleGenerate.server.understand(body, own).verbatim(facts);
const edits = (body: JsonObject, facts = target()): Record<string, unknown> => {
  const request = verbatim(body, facts);
  if ('why' in request) throw new Error(request.why);
  return Object.fromEntries(
    request.edits.map((edit) => [
      edit.name,
      'value' in edit && edit.value !== undefined ? JSON.parse(edit.value) : undefined,
    ]),
  );
};

describe('turns', () => {
  test('there are as many responses as calls, in their order and alone; other parts follow', () => {
    const turns = [
      user(text('q')),
      assistant(toolCall('a'), toolCall('b', 'g')),
      user(result('b'), text('and'), result('a')),
    ];
    expect(contents(turns).slice(2)).toEqual([
      {
        role: 'user',
        parts: [
          { functionResponse: { id: 'a', name: 'f', response: { output: 'ok' } } },
          { functionResponse: { id: 'b', name: 'g', response: { output: 'ok' } } },
        ],
      },
      { role: 'user', parts: [{ text: 'and' }] },
    ]);
  });
  test('ids are left out if the host refuses them, or the caller gave none', () => {
    const turns = [user(text('q')), assistant(toolCall('a')), user(result('a'))];
    expect(JSON.stringify(contents(turns, target({}, { functionIds: false })))).not.toContain('"id"');
    const minted = [user(text('q')), assistant({ ...toolCall('a'), idMinted: true } as Block), user(result('a'))];
    expect(JSON.stringify(contents(minted))).not.toContain('"id"');
  });
  test('arguments keep every digit', () => {
    expect(JSON.stringify(contents([user(text('q')), assistant(toolCall('a'))]))).toContain('12345678901234567890');
  });
  test('an image in a result is inside it on the newest generation, after it on others', () => {
    const image: Block = {
      kind: 'media',
      media: 'image',
      mimeType: 'image/png',
      source: { via: 'inline', base64: 'QUJD' },
    };
    const turns = [user(text('q')), assistant(toolCall('a')), user(result('a', [image]))];
    const inside = contents(turns)[2]?.['parts'];
    expect(inside).toMatchObject([{ functionResponse: { parts: [{ inlineData: { data: 'QUJD' } }] } }]);
    expect(contents(turns, older())[3]).toEqual({
      role: 'user',
      parts: [{ inlineData: { mimeType: 'image/png', data: 'QUJD' } }],
    });
  });
  test('an image inside a result has no resolution, which is a loss', () => {
    const image: Block = {
      kind: 'media',
      media: 'image',
      mimeType: 'image/png',
      source: { via: 'inline', base64: 'QUJD' },
      detail: 'high',
    };
    const turns = [user(text('q')), assistant(toolCall('a')), user(result('a', [image]))];
    const { body, losses } = encode(call(turns));
    expect(JSON.stringify(body)).not.toContain('mediaResolution');
    expect(losses).toEqual([{ field: 'call.mediaResolution', why: 'no-equivalent' }]);
    expect(encode(call([user(image)])).losses).toEqual([]);
  });
  test('results that contain references are sent as text', () => {
    const structured = { schema: { $ref: '#/x' } };
    const block: Block = { kind: 'tool-result', callId: 'a', content: [], structured, isError: false };
    expect(JSON.stringify(contents([user(text('q')), assistant(toolCall('a')), user(block)])[2])).toContain(
      '{"output":"{\\"schema\\"',
    );
  });
});

describe('signatures', () => {
  test('are sent back on their own part to their owner', () => {
    const [, model] = contents([user(text('q')), assistant(toolCall('a', 'f', seal('gemini')), toolCall('b'))]);
    expect(model?.['parts']).toMatchObject([{ thoughtSignature: 'c2ln' }, { functionCall: { id: 'b' } }]);
    expect(JSON.stringify(model).match(/thoughtSignature/g)).toHaveLength(1);
  });
  test('of other owners are dropped with a loss, and the first call of a step gets the sentinel', () => {
    const given = call([user(text('q')), assistant(toolCall('a', 'f', seal('other')), toolCall('b'))]);
    const { body, losses } = encode(given);
    expect(losses).toEqual([{ field: 'block.seal', why: 'foreign-seal' }]);
    expect(JSON.stringify(body).match(new RegExp(NO_SIGNATURE, 'g'))).toHaveLength(1);
    expect(JSON.stringify(encode(given, older()).body)).not.toContain(NO_SIGNATURE);
  });
  test('in a block of its own belong to the next call', () => {
    const redacted: Block = { kind: 'redacted', seal: { ...seal('gemini'), kind: 'sealed' } };
    const [, model] = contents([user(text('q')), assistant(redacted, toolCall('a'))]);
    expect(model?.['parts']).toMatchObject([{ functionCall: { id: 'a' }, thoughtSignature: 'c2ln' }]);
  });
  test('thoughts of other owners are dropped, its own are sent back', () => {
    const foreign: Block = { kind: 'thinking', text: 't', form: 'full' };
    const own: Block = { ...foreign, seal: { ...seal('gemini'), kind: 'signature' } };
    const { body, losses } = encode(call([user(text('q')), assistant(foreign, own, text('a'))]));
    expect(losses).toEqual([{ field: 'block.thinking', why: 'no-equivalent' }]);
    expect((body['contents'] as unknown as JsonObject[])[1]?.['parts']).toEqual([
      { text: 't', thought: true, thoughtSignature: 'c2ln' },
      { text: 'a' },
    ]);
  });
});

describe('config', () => {
  test('effort becomes a level of the model, a budget stays one', () => {
    expect(asked({ reasoning: { effort: 'xhigh' } })).toMatchObject({
      body: { generationConfig: { thinkingConfig: { thinkingLevel: 'HIGH', includeThoughts: true } } },
      losses: [{ field: 'reasoning.effort', why: 'approximated' }],
    });
    const budget = target({
      thinking: { kind: 'budget', canDisable: true, levels: [], budgetMin: 512, budgetMax: 24576 },
    });
    expect(asked({ reasoning: { budgetTokens: 100, show: 'none' } }, budget)).toMatchObject({
      body: { generationConfig: { thinkingConfig: { thinkingBudget: 512 } } },
      losses: [{ field: 'reasoning.budgetTokens', why: 'clamped' }],
    });
    expect(asked({ reasoning: { enabled: false } }, budget).body).toMatchObject({
      generationConfig: { thinkingConfig: { thinkingBudget: 0 } },
    });
  });
  test('formats, tools and choice in this format', () => {
    const { body, losses } = asked({
      output: { kind: 'schema', schema: { type: 'object' } },
      tools: [{ kind: 'function', name: 'f', parameters: { type: 'object', properties: {} } }],
      toolChoice: { mode: 'one', name: 'f' },
      parallelToolCalls: false,
    });
    expect(body).toMatchObject({
      generationConfig: { responseMimeType: 'application/json', responseJsonSchema: { type: 'object' } },
      tools: [{ functionDeclarations: [{ name: 'f' }] }],
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f'] } },
    });
    expect(losses).toEqual([{ field: 'call.parallelToolCalls', why: 'no-equivalent' }]);
  });
  test('schemas are in the smaller language if the host supports no other', () => {
    const parameters = { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false };
    const { body, losses } = asked(
      { tools: [{ kind: 'function', name: 'f', parameters }], output: { kind: 'schema', schema: parameters } },
      target({}, { jsonSchemaTools: false, jsonSchemaOutput: false }),
    );
    const own = { type: 'OBJECT', properties: { a: { type: 'STRING' } }, propertyOrdering: ['a'] };
    expect(body).toMatchObject({
      tools: [{ functionDeclarations: [{ name: 'f', parameters: own }] }],
      generationConfig: { responseSchema: own },
    });
    expect(body['generationConfig']).not.toHaveProperty('responseJsonSchema');
    expect(losses.map(({ field }) => field)).toEqual(['output.schema', 'tool.function']);
  });
  test('a penalty at the bound is clamped just below it, and reported', () => {
    expect(asked({ sampling: { presencePenalty: 2, frequencyPenalty: -2 } })).toEqual({
      body: expect.objectContaining({ generationConfig: { presencePenalty: 1.99, frequencyPenalty: -2 } }),
      losses: [{ field: 'sampling.presencePenalty', why: 'clamped' }],
    });
  });
  test('fields are refused if dropping them would change the meaning', () => {
    expect(() => asked({ cachedContent: { ...seal('other'), kind: 'ref' } })).toThrow('cachedContent');
    expect(() => asked({ webSearch: { allowedDomains: ['x'] } })).toThrow('domains');
    expect(() => asked({ modalities: ['image', 'text'] })).toThrow('image');
  });
});

describe('limits of a model', () => {
  test('more candidates than it returns are refused', () => {
    const field = (candidates: number) =>
      fieldOf(() => asked({ sampling: { candidates } }, target({ candidatesMax: 2 })), ['unsupported']);
    expect([1, 2, 3].map(field)).toEqual([undefined, undefined, 'sampling.candidates']);
    expect(asked({ sampling: { candidates: 3 } }).body).toMatchObject({ generationConfig: { candidateCount: 3 } });
  });
  test('models of older generations refuse functions beside built-in tools', () => {
    const tools = [
      { kind: 'function', name: 'f' },
      { kind: 'built-in', dialect: 'google-generate', family: 'code', name: 'codeExecution', settings: {} },
    ] as const;
    expect(fieldOf(() => asked({ tools }, older()), ['unsupported'])).toBe('tool.built-in');
    expect(asked({ tools }).body['tools']).toEqual([{ functionDeclarations: [{ name: 'f' }] }, { codeExecution: {} }]);
    for (const tool of tools) expect(asked({ tools: [tool] }, older()).body['tools']).toHaveLength(1);
  });
});

describe('verbatim requests', () => {
  const body: JsonObject = { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] };
  test('a request that needs no change has no edits', () => {
    expect(
      edits({
        ...body,
        generationConfig: { topP: 0.5, responseSchema: { type: 'STRING' }, responseMimeType: 'application/json' },
      }),
    ).toEqual({});
  });
  test('a call of another model has no signature, and a model that needs one gets the sentinel (M7)', () => {
    const called = (part: JsonObject): JsonObject => ({
      contents: [
        { role: 'user', parts: [{ text: 'hi' }] },
        { role: 'model', parts: [{ functionCall: { name: 'f', args: {} }, ...part }] },
        { role: 'user', parts: [{ functionResponse: { name: 'f', response: {} } }] },
      ],
    });
    const needing = target({ thinking: { kind: 'level', canDisable: false, levels: ['low', 'high'] } });
    expect(verbatim(called({}), needing)).toHaveProperty('why');
    expect(verbatim(called({ thoughtSignature: 'c2ln' }), needing)).toHaveProperty('edits');
    expect(verbatim(called({}), older())).toHaveProperty('edits');
  });
  test('each change is in its own member', () => {
    const given = {
      contents: [
        { role: 'user', parts: [{ inlineData: { mimeType: 'image/png', data: 'QUJD' }, mediaResolution: 'LOW' }] },
      ],
      generationConfig: { maxOutputTokens: 5000, routingConfig: { autoMode: {} }, foo: 1 },
      labels: {},
      foo: 1,
    };
    expect(edits(given)).toEqual({
      contents: [
        {
          role: 'user',
          parts: [
            { inlineData: { mimeType: 'image/png', data: 'QUJD' }, mediaResolution: { level: 'MEDIA_RESOLUTION_LOW' } },
          ],
        },
      ],
      generationConfig: { maxOutputTokens: 1000 },
      labels: undefined,
      foo: undefined,
    });
    expect(verbatim(given)).toMatchObject({ losses: [{ field: 'sampling.maxOutputTokens', why: 'clamped' }] });
  });
  test('both forms of image output become one, and a loss if the host has none', () => {
    const image = (imageConfig: JsonObject) => ({
      ...body,
      generationConfig: { responseModalities: ['TEXT', 'IMAGE'], imageConfig },
    });
    const painter = { outputModalities: ['text', 'image'] };
    const nested = { imageOutputOptions: { mimeType: 'image/jpeg', compressionQuality: 80 } };
    const flat = { outputMimeType: 'image/jpeg', outputCompressionQuality: 80 };
    expect(edits(image(nested), target(painter))).toEqual({});
    expect(edits(image(flat), target(painter))).toMatchObject({ generationConfig: { imageConfig: nested } });
    expect(verbatim(image(flat), target(painter, { cloudFields: false }))).toMatchObject({
      losses: [{ field: 'call.imageOutput', why: 'approximated' }],
    });
  });
  test('function ids are removed for hosts that refuse them', () => {
    const called = (functionCall: JsonObject) => ({
      contents: [{ role: 'model', parts: [{ functionCall, thoughtSignature: 'c2ln' }] }],
    });
    const given = called({ id: 'a', name: 'f', args: {} });
    expect(edits(given, target({}, { functionIds: false }))).toEqual(called({ name: 'f', args: {} }));
  });
  test('signatures of the home vendor pass; envelopes and other hosts need rebuilding', () => {
    const sealing: Sealing = { wrap: () => 'ENV', unwrap: () => undefined, isEnvelope: (each) => each === 'ENV' };
    const signed = (thoughtSignature: string) => ({
      contents: [{ role: 'model', parts: [{ text: 'x', thoughtSignature }] }],
    });
    expect(edits(signed('c2ln'))).toEqual({});
    expect(verbatim(signed('ENV'), target(), { ...head, sealing })).toHaveProperty('why');
    const elsewhere = { ...target(), sealOwner: { dialect: 'google-generate', family: 'other' } } as const;
    expect(verbatim(signed('c2ln'), elsewhere)).toHaveProperty('why');
  });
  test('a model without thinking refuses a thinking config on this lane, too', () => {
    const plain = target({ thinking: { kind: 'none', canDisable: true, levels: [] } });
    expect(() => verbatim({ ...body, generationConfig: { thinkingConfig: {} } }, plain)).toThrow('does not think');
  });
});

describe('a call decoded and encoded again', () => {
  test('is the same call', () => {
    const body: JsonObject = {
      contents: [
        { role: 'user', parts: [{ text: 'a' }, { inlineData: { mimeType: 'image/png', data: 'QUJD' } }] },
        {
          role: 'model',
          parts: [
            { text: 'thought', thought: true, thoughtSignature: 'c2ln' },
            { functionCall: { id: 'x', name: 'f', args: { a: 1 } }, thoughtSignature: 'c2ln' },
          ],
        },
        { role: 'user', parts: [{ functionResponse: { id: 'x', name: 'f', response: { r: 1 } } }] },
      ],
      systemInstruction: { parts: [{ text: 's' }] },
      tools: [
        {
          functionDeclarations: [
            {
              name: 'f',
              description: 'd',
              parametersJsonSchema: { type: 'object', properties: { a: { type: 'integer' } } },
            },
          ],
        },
        { googleSearch: {} },
      ],
      toolConfig: { retrievalConfig: { languageCode: 'de' }, functionCallingConfig: { mode: 'AUTO' } },
      safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'OFF' }],
      generationConfig: {
        temperature: 1,
        topK: 3,
        stopSequences: ['x'],
        candidateCount: 1,
        responseMimeType: 'application/json',
        responseJsonSchema: { type: 'object' },
        thinkingConfig: { thinkingLevel: 'LOW', includeThoughts: true },
        mediaResolution: 'MEDIA_RESOLUTION_LOW',
      },
    };
    const again = encode(googleGenerate.server.understand(body, head).call());
    expect(again.losses).toEqual([]);
    const { tools, ...rest } = again.body;
    const { tools: givenTools, ...given } = body;
    expect(rest).toEqual(given);
    expect(tools).toEqual(givenTools);
  });
});

test('built-in tools of this format are restored unchanged', () => {
  const tools = [
    { codeExecution: {} },
    { urlContext: {} },
    { googleMaps: { enableWidget: true } },
    { fileSearch: { fileSearchStoreNames: ['s'] } },
    { retrieval: { disableAttribution: true } },
    { computerUse: { environment: 'ENVIRONMENT_BROWSER' } },
    { enterpriseWebSearch: {} },
  ];
  const head: RequestHead = { model: 'google/m', stream: false, header: () => undefined };
  const body = { contents: [{ role: 'user', parts: [{ text: 'hi' }] }], tools };
  const understood = googleGenerate.server.understand(body, head).call();
  expect(googleGenerate.client.encodeCall(understood, target()).body['tools']).toEqual(tools);
});
