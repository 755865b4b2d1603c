import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../canonical/json.ts';
import { MAX_LISTED_LOSSES, MORE_LOSSES } from '../../canonical/loss.ts';
import { fieldOf } from '../dialect.fixture.ts';
import { refused, text, understand, withConfig } from './body.fixture.ts';
import { checkGenerate } from './check.ts';
import { HOME } from './seals.ts';
import { MIME_TYPES } from './wire.ts';

const withPart = (part: unknown): JsonObject => ({ contents: [{ parts: [part] }] }) as JsonObject;

describe('contents', () => {
  test('a minimal body is a user turn', () => {
    const call = understand({ contents: [{ parts: [{ text: 'hi' }] }] }).call();
    expect(call.turns).toEqual([{ role: 'user', blocks: [{ kind: 'text', text: 'hi' }] }]);
    expect(call.model).toBe('google/m');
  });
  test.each([{}, { contents: {} }, { contents: 'x' }, { contents: [] }])('%j has no contents', (body) => {
    expect(refused(body)).toBe('contents');
  });
  test('roles are user and model', () => {
    for (const role of ['user', 'model'])
      expect(refused({ contents: [{ role, parts: [{ text: 'x' }] }] })).toBeUndefined();
    for (const role of ['assistant', 'system', 1])
      expect(refused({ contents: [{ role, parts: [{ text: 'x' }] }] })).toBe('contents[0].role');
  });
  test.each([undefined, [], {}])('parts %j are no parts', (parts) => {
    expect(refused({ contents: [{ parts }] })).toBe('contents[0].parts');
  });
  test('history keeps its order', () => {
    const contents = ['user', 'model', 'user'].map((role, n) => ({ role, parts: [{ text: String(n) }] }));
    const { turns } = understand({ contents }).call();
    expect(turns.map((turn) => turn.role)).toEqual(['user', 'assistant', 'user']);
  });
  test('a part has exactly one data field', () => {
    const inlineData = { mimeType: 'image/png', data: 'QUJD' };
    for (const part of [{ text: 'x', inlineData }, {}, { mediaResolution: 'LOW' }])
      expect(refused(withPart(part))).toBe('contents[0].parts[0]');
  });
  test('a part that holds only a signature is an empty text of the model', () => {
    const parts = [{ thoughtSignature: 'c2ln' }];
    const [turn] = understand({ contents: [{ role: 'model', parts }] }).call().turns;
    expect(turn?.blocks).toEqual([{ kind: 'text', text: '', seal: { owner: HOME, kind: 'carry', data: 'c2ln' } }]);
    expect(refused({ contents: [{ role: 'user', parts }] })).toBe('contents[0].parts[0]');
    expect(refused({ contents: [{ role: 'model', parts: [{ thought: true }] }] })).toBe('contents[0].parts[0]');
  });
  test('text is a string, empty or not', () => {
    expect(refused(withPart({ text: 1 }))).toBe('contents[0].parts[0].text');
    expect(refused(withPart({ text: '' }))).toBeUndefined();
  });
  test('inline data needs a type and base64', () => {
    for (const inlineData of [{ mimeType: 'image/png' }, { data: 'QUJD' }, { mimeType: 'image/png', data: '%%' }])
      expect(refused(withPart({ inlineData }))).toMatch(/^contents\[0\]\.parts\[0\]\.inlineData\./);
    const [turn] = understand(withPart({ inlineData: { mimeType: 'image/png', data: 'a-_9' } })).call().turns;
    expect(turn?.blocks).toEqual([
      { kind: 'media', media: 'image', mimeType: 'image/png', source: { via: 'inline', base64: 'a+/9' } },
    ]);
  });
  test('a file needs a URL and a type', () => {
    for (const fileData of [{ mimeType: 'image/png' }, { fileUri: 'gs://x' }, { mimeType: 'image/png', fileUri: 1 }])
      expect(refused(withPart({ fileData }))).toMatch(/fileData/);
    expect(refused(withPart({ fileData: { mimeType: 'image/png', fileUri: 'gs://x' } }))).toBeUndefined();
  });
  test('the listed mime types are accepted, and each is reported as media', () => {
    for (const mimeType of MIME_TYPES) {
      const found = understand(withPart({ inlineData: { mimeType, data: 'QUJD' } })).media;
      expect(found).toEqual([{ kind: expect.any(String), path: 'contents[0].parts[0]' }]);
    }
    expect(MIME_TYPES).toHaveLength(17);
  });
  test.each([
    ['image/png', 'image'],
    ['audio/mp3', 'audio'],
    ['video/mp4', 'video'],
    ['application/pdf', 'document'],
    ['text/plain', 'document'],
  ])('mime type %s is the kind %s', (mimeType, kind) => {
    expect(understand(withPart({ inlineData: { mimeType, data: 'QUJD' } })).media[0]?.kind).toBe(kind);
  });
  test.each(['audio/x-wav', 'audio/wave'])('mime type %s is audio/wav, inline and by file', (mimeType) => {
    for (const part of [{ inlineData: { mimeType, data: 'QUJD' } }, { fileData: { mimeType, fileUri: 'gs://x' } }])
      expect(understand(withPart(part)).call().turns[0]?.blocks).toMatchObject([{ mimeType: 'audio/wav' }]);
  });
  test.each(['image/gif', 'application/zip', ''])('mime type %j is refused', (mimeType) => {
    expect(refused(withPart({ inlineData: { mimeType, data: 'QUJD' } }))).toBe(
      'contents[0].parts[0].inlineData.mimeType',
    );
  });
  test('calls and responses', () => {
    expect(refused(withPart({ functionCall: { args: {} } }))).toMatch(/functionCall\.name$/);
    expect(refused(withPart({ functionCall: { name: 'f', args: 'x' } }))).toMatch(/functionCall\.args$/);
    expect(refused(withPart({ functionResponse: { name: 'f', response: 'x' } }))).toMatch(/response$/);
    expect(refused(withPart({ functionResponse: { response: {} } }))).toMatch(/functionResponse\.name$/);
  });
  test('a response is matched to its call by id, else by name and order', () => {
    const call = (name: string, id?: string) => ({ functionCall: { name, args: {}, ...(id && { id }) } });
    const response = (name: string, id?: string) => ({ functionResponse: { name, response: {}, ...(id && { id }) } });
    const pairs = (calls: JsonObject[], responses: JsonObject[]): unknown[] => {
      const { turns } = understand({
        contents: [
          { role: 'model', parts: calls },
          { role: 'user', parts: responses },
        ],
      }).call();
      const ids = turns[0]?.blocks.map((block) => (block.kind === 'tool-call' ? block.id : ''));
      return (turns[1]?.blocks ?? []).map((block) =>
        block.kind === 'tool-result' ? ids?.indexOf(block.callId) : undefined,
      );
    };
    expect(pairs([call('f', 'a'), call('f', 'b')], [response('f', 'b'), response('f', 'a')])).toEqual([1, 0]);
    expect(pairs([call('f'), call('g'), call('f')], [response('g'), response('f'), response('f')])).toEqual([1, 0, 2]);
    expect(pairs([call('f'), call('g')], [response('h'), response('h')])).toEqual([0, 1]);
    expect(pairs([call('f', 'a')], [response('h', 'b')])).toEqual([-1]);
  });
  test('video metadata is only allowed on video, with durations', () => {
    const video = { inlineData: { mimeType: 'video/mp4', data: 'QUJD' } };
    const [turn] = understand(
      withPart({ ...video, videoMetadata: { startOffset: '1.5s', endOffset: '10s', fps: 2 } }),
    ).call().turns;
    expect(turn?.blocks[0]).toMatchObject({ clip: { start: '1.5s', end: '10s', framesPerSecond: 2 } });
    expect(refused(withPart({ ...video, videoMetadata: { startOffset: 'abc' } }))).toMatch(/startOffset$/);
    expect(refused(withPart({ ...video, videoMetadata: { fps: '2' } }))).toMatch(/fps$/);
    for (const part of [{ text: 'x' }, { inlineData: { mimeType: 'image/png', data: 'QUJD' } }])
      expect(refused(withPart({ ...part, videoMetadata: { fps: 2 } }))).toMatch(/videoMetadata$/);
  });
  test('every spelling of a resolution is accepted, and stays on its part', () => {
    const inlineData = { mimeType: 'image/png', data: 'QUJD' };
    for (const mediaResolution of [
      'LOW',
      'MEDIA_RESOLUTION_LOW',
      { level: 'LOW' },
      { level: 'MEDIA_RESOLUTION_LOW' },
    ]) {
      const call = understand({
        ...withPart({ inlineData, mediaResolution }),
        generationConfig: { mediaResolution: 'MEDIA_RESOLUTION_HIGH' },
      }).call();
      expect(call.turns[0]?.blocks[0]).toMatchObject({ detail: 'low' });
      expect(call.mediaResolution).toBe('high');
    }
    const details = ['LOW', 'MEDIUM', 'HIGH', 'ULTRA_HIGH', 'UNSPECIFIED'].map((mediaResolution) => {
      const [block] = understand(withPart({ inlineData, mediaResolution })).call().turns[0]?.blocks ?? [];
      return block?.kind === 'media' ? block.detail : block;
    });
    expect(details).toEqual(['low', 'medium', 'high', 'ultra', undefined]);
    expect(refused(withPart({ inlineData, mediaResolution: 'HUGE' }))).toMatch(/mediaResolution$/);
  });
  test('parts of an answer may be sent back', () => {
    const parts = [{ executableCode: { language: 'PYTHON', code: '1' } }, { codeExecutionResult: { outcome: 'OK' } }];
    expect(refused({ contents: [{ role: 'model', parts }] })).toBeUndefined();
  });
});

describe('around the contents', () => {
  test('cached content has its full name', () => {
    const good = 'projects/p/locations/l/cachedContents/1';
    expect(understand({ ...text, cachedContent: good }).call().cachedContent).toMatchObject({
      kind: 'ref',
      data: good,
    });
    for (const cachedContent of ['x', 1]) expect(refused({ ...text, cachedContent })).toBe('cachedContent');
    expect(refused({ ...text, cachedContent: good, tools: [{ googleSearch: {} }] })).toBe('cachedContent');
  });
  test('tools', () => {
    expect(refused({ ...text, tools: {} })).toBe('tools');
    expect(refused({ ...text, tools: [{ functionDeclarations: [{}] }] })).toMatch(/functionDeclarations\[0\]\.name$/);
    const schema = { type: 'object', properties: { a: { type: 'string' } } };
    const own = { type: 'OBJECT', properties: { a: { type: 'STRING' } } };
    const { tools, webSearch } = understand({
      ...text,
      tools: [
        {
          functionDeclarations: [
            { name: 'f', parameters: own },
            { name: 'g', parametersJsonSchema: schema },
          ],
        },
        { googleSearch: {} },
        { urlContext: {} },
        { codeExecution: {} },
        { retrieval: { x: 1 } },
      ],
    }).call();
    expect(tools.map((tool) => (tool.kind === 'function' ? tool.parameters : tool.name))).toEqual([
      schema,
      schema,
      'urlContext',
      'codeExecution',
      'retrieval',
    ]);
    expect(webSearch).toEqual({ amongTools: true });
  });
  test('tool config', () => {
    const tools = [{ functionDeclarations: [{ name: 'f' }, { name: 'g' }] }];
    const choice = (functionCallingConfig: JsonObject) =>
      understand({ ...text, tools, toolConfig: { functionCallingConfig } }).call().toolChoice;
    expect(refused({ ...text, toolConfig: [] })).toBe('toolConfig');
    const any = { functionCallingConfig: { mode: 'ANY' } };
    for (const none of [undefined, [], [{ googleSearch: {} }]])
      expect(refused({ ...text, tools: none, toolConfig: any })).toBe('toolConfig.functionCallingConfig.mode');
    expect(['AUTO', 'ANY', 'NONE', 'VALIDATED'].map((mode) => choice({ mode })?.mode)).toEqual([
      'auto',
      'any',
      'none',
      'validated',
    ]);
    expect(refused({ ...text, tools, toolConfig: { functionCallingConfig: { mode: 'X' } } })).toMatch(/mode$/);
    expect(choice({ mode: 'ANY', allowedFunctionNames: ['f'] })).toEqual({ mode: 'one', name: 'f' });
    expect(choice({ mode: 'ANY', allowedFunctionNames: ['f', 'g'] })).toEqual({
      mode: 'some',
      names: ['f', 'g'],
      required: true,
    });
    expect(
      refused({ ...text, tools, toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['h'] } } }),
    ).toBe('toolConfig.functionCallingConfig.allowedFunctionNames[0]');
  });
  test('safety settings', () => {
    const good = { category: 'HARM_CATEGORY_HARASSMENT', threshold: 'OFF' };
    const check = (setting: unknown) => refused({ ...text, safetySettings: [setting] });
    expect(check(good)).toBeUndefined();
    expect(refused({ ...text, safetySettings: {} })).toBe('safetySettings');
    expect(check({ category: good.category })).toBe('safetySettings[0].threshold');
    expect(check({ threshold: 'OFF' })).toBe('safetySettings[0].category');
    expect(check({ ...good, category: 'HARM_CATEGORY_X' })).toBe('safetySettings[0].category');
    expect(check({ ...good, threshold: 'BLOCK_ALL' })).toBe('safetySettings[0].threshold');
    expect(check({ ...good, method: 'X' })).toBe('safetySettings[0].method');
    expect(refused({ ...text, safetySettings: [good, good] })).toBe('safetySettings[1].category');
    expect(understand({ ...text, safetySettings: [{ ...good, method: 'SEVERITY' }] }).call().safety).toEqual([
      { ...good, method: 'SEVERITY' },
    ]);
  });
  test('system instructions are content whose role is ignored', () => {
    expect(refused({ ...text, systemInstruction: 'x' })).toBe('systemInstruction');
    const systemInstruction = { role: 'user', parts: [{ text: 'a' }, { text: 'b' }] };
    const call = understand({ ...text, systemInstruction }).call();
    expect(call.system).toEqual([
      { kind: 'text', text: 'a' },
      { kind: 'text', text: 'b' },
    ]);
    expect(call.turns).toHaveLength(1);
    const image = { parts: [{ inlineData: { mimeType: 'image/png', data: 'QUJD' } }] };
    expect(understand({ ...text, systemInstruction: image }).call().system[0]?.kind).toBe('media');
    for (const part of [{ functionCall: { name: 'f' } }, { functionResponse: { name: 'f', response: {} } }])
      expect(
        fieldOf(() => understand({ ...text, systemInstruction: { parts: [{ text: 'a' }, part] } }), ['unsupported']),
      ).toBe('systemInstruction.parts[1]');
  });
  test('unknown members are dropped and reported', () => {
    const understood = understand({ ...withConfig({ bar: 1 }), labels: { team: 'a' }, foo: 1 });
    expect(understood.losses.map(({ path }) => path)).toEqual(['labels', 'foo', 'generationConfig.bar']);
    expect(understood.metadata).toEqual({ team: 'a' });
  });
  test('members may be written in snake case, and null is absent; names chosen by the caller stay', () => {
    const call = understand({
      contents: [{ parts: [{ function_call: { name: 'f', args: { my_key: null } } }] }],
      system_instruction: { parts: [{ text: 's' }] },
      generation_config: { top_p: 0.5, temperature: null, thinking_config: { include_thoughts: true } },
      tools: [
        {
          function_declarations: [
            { name: 'f', parameters: { type: 'OBJECT', properties: { a_b: { type: 'STRING' } } } },
          ],
        },
      ],
    }).call();
    expect(call.turns[0]?.blocks[0]).toMatchObject({ argumentsJson: '{"my_key":null}' });
    expect(call.sampling).toEqual({ topP: 0.5 });
    expect(call.reasoning).toEqual({ show: 'summary' });
    expect(call.tools[0]).toMatchObject({ parameters: { type: 'object', properties: { a_b: { type: 'string' } } } });
    expect(refused({ ...text, generation_config: { top_p: 1 }, generationConfig: { topP: 0 } })).toBe(
      'generationConfig',
    );
    expect(refused({ ...text, generationConfig: { topP: 0 }, generation_config: { top_p: 1 } })).toBe(
      'generationConfig',
    );
    const beside = { ...text, generation_config: { top_p: 0.5 }, generationConfig: null };
    expect(understand(beside).call().sampling).toEqual({ topP: 0.5 });
  });
});

test('a hundred thousand unknown members are each examined once, and the list of them ends', () => {
  const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`unknown${at}`, at]));
  const { losses } = understand(withConfig(many));
  expect(losses).toHaveLength(MAX_LISTED_LOSSES + 1);
  expect(losses.at(-1)).toBe(MORE_LOSSES);
});

test('members beyond the end of the list are dropped as well', () => {
  const many = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`unknown${at}`, at]));
  const contents = [{ role: 'user', parts: [{ text: 'x' }] }];
  const { body, config, losses } = checkGenerate(
    { ...many, contents, generationConfig: { ...many, topK: 3 } },
    undefined,
  );
  expect(losses).toHaveLength(2 * (MAX_LISTED_LOSSES + 1));
  expect(Object.keys(body)).toEqual(['contents', 'generationConfig']);
  expect(config).toEqual({ topK: 3 });
});
