import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../canonical/json.ts';
import { refused, text, understand, withConfig } from './body.fixture.ts';
import { waveFormat } from './wav.ts';

const bytes = (...parts: readonly (string | number)[]): string =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from([part])))).toString(
    'base64',
  );
const wave = (samplesPerSecond: number, bits: number, coding = 1): string => {
  const format = Buffer.alloc(16);
  format.writeUInt16LE(coding, 0);
  format.writeUInt16LE(1, 2);
  format.writeUInt32LE(samplesPerSecond, 4);
  format.writeUInt16LE(bits, 14);
  const size = Buffer.alloc(4);
  size.writeUInt32LE(16);
  const header = [Buffer.from('RIFF....WAVEfmt '), size, format, Buffer.from('data'), Buffer.alloc(8)];
  return Buffer.concat(header).toString('base64');
};

describe('generation config', () => {
  test('is an object', () => {
    for (const config of [[], 'x']) expect(refused(withConfig(config))).toBe('generationConfig');
  });
  test.each([
    ['temperature', 'temperature', [0, 2], [-0.01, '1']],
    ['topP', 'topP', [0, 1], [-0.01, 1.01, '1']],
    ['topK', 'topK', [1, 40], [0, -1, 1.5]],
    ['candidateCount', 'candidateCount', [1, 8], [0, 1.5]],
    ['maxOutputTokens', 'maxOutputTokens', [1], [0, 1.5, '9']],
    ['stopSequences', 'stopSequences', [['a'], Array(5).fill('x')], ['x', [1], Array(6).fill('x')]],
    ['presencePenalty', 'presencePenalty', [-2, 1.99], [2, -2.01, '0']],
    ['frequencyPenalty', 'frequencyPenalty', [-2, 1.99], [2, -2.01, '0']],
    ['seed', 'seed', [5], [1.5]],
    ['responseMimeType', 'responseMimeType', ['text/plain', 'application/json', 'text/x.enum'], ['text/html']],
    ['responseLogprobs', 'responseLogprobs', [true], ['true']],
    ['responseModalities', 'responseModalities', [['TEXT'], ['IMAGE', 'TEXT']], ['TEXT', ['VIDEO'], ['IMAGE']]],
    ['audioTimestamp', 'audioTimestamp', [true], [1]],
    ['mediaResolution', 'mediaResolution', ['MEDIA_RESOLUTION_LOW'], ['MEDIA_RESOLUTION_X']],
    ['speechConfig', 'speechConfig', [{ languageCode: 'en-US' }], ['x', { languageCode: 1 }]],
    [
      'routingConfig',
      'routingConfig',
      [{ autoMode: { modelRoutingPreference: 'BALANCED' } }, { manualMode: { modelName: 'm' } }],
      [{ autoMode: {}, manualMode: {} }],
    ],
    [
      'imageConfig',
      'imageConfig',
      [{ aspectRatio: '21:9' }, { imageSize: '4K' }],
      [[], { aspectRatio: '7:5' }, { imageSize: '3K' }],
    ],
    [
      'image output',
      'imageConfig',
      [
        { outputMimeType: 'image/jpeg', outputCompressionQuality: 80 },
        { imageOutputOptions: { mimeType: 'image/jpeg', compressionQuality: 80 } },
      ],
      [
        { outputMimeType: 'image/png', outputCompressionQuality: 80 },
        { imageOutputOptions: { mimeType: 'image/png', compressionQuality: 80 } },
      ],
    ],
    ['enableAffectiveDialog', 'enableAffectiveDialog', [true], ['x']],
    [
      'thinkingConfig',
      'thinkingConfig',
      [{ thinkingBudget: -1 }, { thinkingLevel: 'LOW' }, { thinkingLevel: 'THINKING_LEVEL_UNSPECIFIED' }],
      [
        { thinkingBudget: 1, thinkingLevel: 'LOW' },
        { thinkingLevel: 'XHIGH' },
        { includeThoughts: 'x' },
        { thinkingBudget: -2 },
        { thinkingBudget: 1.5 },
      ],
    ],
  ] as [string, string, unknown[], unknown[]][])('%s', (_title, name, good, bad) => {
    for (const value of good) expect(refused(withConfig({ [name]: value })), JSON.stringify(value)).toBeUndefined();
    for (const value of bad)
      expect(refused(withConfig({ [name]: value })), JSON.stringify(value)).toMatch(
        new RegExp(`^generationConfig\\.${name}`),
      );
  });
  test('absent members are not added', () => {
    const call = understand(text).call();
    expect(call.sampling).toEqual({});
    expect(call.output).toBeUndefined();
  });
  test('schemas and their mime type', () => {
    const responseSchema = { type: 'STRING', enum: ['a'] };
    const responseJsonSchema = { type: 'object' };
    const ok = (config: JsonObject) => refused(withConfig(config)) === undefined;
    expect(ok({ responseSchema, responseMimeType: 'application/json' })).toBe(true);
    expect(ok({ responseSchema, responseMimeType: 'text/x.enum' })).toBe(true);
    expect(ok({ responseSchema, responseMimeType: 'text/plain' })).toBe(false);
    expect(ok({ responseSchema })).toBe(false);
    expect(ok({ responseJsonSchema, responseMimeType: 'application/json' })).toBe(true);
    for (const responseMimeType of ['text/x.enum', 'text/plain', null])
      expect(ok({ responseJsonSchema, responseMimeType })).toBe(false);
    expect(ok({ responseSchema, responseJsonSchema, responseMimeType: 'application/json' })).toBe(false);
    for (const bad of ['x', []])
      expect(ok({ responseJsonSchema: bad, responseMimeType: 'application/json' })).toBe(false);
  });
  test('an enum is an output format of its own', () => {
    const understood = understand(
      withConfig({ responseMimeType: 'text/x.enum', responseSchema: { type: 'STRING', enum: ['a', 'b'] } }),
    );
    expect(understood.call().output).toEqual({ kind: 'enum', values: ['a', 'b'] });
    expect(understood.responseOptions.enumValues).toEqual(['a', 'b']);
  });
  test('logprobs must be requested, within their range', () => {
    for (const config of [{ logprobs: 5 }, { logprobs: 5, responseLogprobs: false }])
      expect(refused(withConfig(config))).toBe('generationConfig.logprobs');
    for (const logprobs of [0, 21])
      expect(refused(withConfig({ logprobs, responseLogprobs: true }))).toBe('generationConfig.logprobs');
    for (const logprobs of [1, 20]) expect(refused(withConfig({ logprobs, responseLogprobs: true }))).toBeUndefined();
  });
  test('speech and image options without such output are losses', () => {
    const { losses } = understand(
      withConfig({ speechConfig: { languageCode: 'de' }, imageConfig: { imageSize: '1K' } }),
    );
    expect(losses.map(({ path }) => path)).toEqual(['generationConfig.speechConfig', 'generationConfig.imageConfig']);
    expect(understand(withConfig({ responseModalities: ['AUDIO'], speechConfig: {} })).losses).toEqual([]);
  });
  test('voices', () => {
    const speech = (speechConfig: unknown) => refused(withConfig({ speechConfig, responseModalities: ['AUDIO'] }));
    const voiceConfig = { prebuiltVoiceConfig: { voiceName: 'Kore' } };
    expect(speech({ voiceConfig })).toBeUndefined();
    expect(speech({ voiceConfig: { prebuiltVoiceConfig: { voiceName: 1 } } })).toMatch(/voiceName$/);
    const many = { speakerVoiceConfigs: [{ speaker: 'a', voiceConfig }] };
    expect(speech({ multiSpeakerVoiceConfig: many })).toBeUndefined();
    expect(speech({ multiSpeakerVoiceConfig: many, voiceConfig })).toMatch(/multiSpeakerVoiceConfig$/);
    expect(speech({ multiSpeakerVoiceConfig: {} })).toMatch(/speakerVoiceConfigs$/);
    expect(speech({ multiSpeakerVoiceConfig: { speakerVoiceConfigs: [{ voiceConfig }] } })).toMatch(/speaker$/);
  });
  test('a voice to replicate must be a wave file of one form', () => {
    const replicated = (mimeType: string, voiceSample: string) =>
      refused(
        withConfig({
          responseModalities: ['AUDIO'],
          speechConfig: { voiceConfig: { replicatedVoiceConfig: { mimeType, voiceSample } } },
        }),
      );
    expect(waveFormat(wave(24_000, 16))).toEqual({ pcm: true, samplesPerSecond: 24_000, bitsPerSample: 16 });
    expect(replicated('audio/wav', wave(24_000, 16))).toBeUndefined();
    const [extensible, aLaw] = [0xfffe, 6].map((coding) => wave(24_000, 16, coding));
    expect(replicated('audio/wav', extensible ?? '')).toBeUndefined();
    expect(replicated('audio/wav', aLaw ?? '')).toMatch(/voiceSample$/);
    expect(replicated('audio/mp3', wave(24_000, 16))).toMatch(/mimeType$/);
    for (const sample of ['%%', bytes('RIFF', 0), wave(44_100, 16), wave(24_000, 8)])
      expect(replicated('audio/wav', sample)).toMatch(/voiceSample$/);
  });
  test('schema types and keywords', () => {
    const schema = (responseSchema: unknown) =>
      refused(withConfig({ responseMimeType: 'application/json', responseSchema }));
    for (const type of ['STRING', 'integer', 'Number', 'BOOLEAN', 'ARRAY', 'OBJECT'])
      expect(schema({ type })).toBeUndefined();
    expect(schema({ type: 'FLOAT' })).toMatch(/type$/);
    expect(schema({})).toMatch(/type$/);
    expect(schema({ anyOf: [{ type: 'STRING' }] })).toBeUndefined();
    expect(schema({ anyOf: [{ type: 'STRING' }, { type: 'NULL' }] })).toBeUndefined();
    expect(schema({ type: 'OBJECT', properties: { a: { type: 'X' } } })).toBe(
      'generationConfig.responseSchema.properties.a.type',
    );
    for (const bad of [{ enum: [1] }, { required: 'a' }, { items: [] }, { minItems: 'one' }, { nullable: 'x' }])
      expect(schema({ type: 'STRING', ...bad })).toMatch(/responseSchema\./);
    for (const bad of [{ minProperties: 'x' }, { maxProperties: -1 }])
      expect(schema({ type: 'OBJECT', ...bad })).toMatch(/responseSchema\.m/);
    expect(schema({ type: 'OBJECT', minProperties: '1', maxProperties: 2 })).toBeUndefined();
  });
  test('a recursive schema is refused', () => {
    const schema = (responseJsonSchema: JsonObject) =>
      refused(withConfig({ responseMimeType: 'application/json', responseJsonSchema }));
    expect(schema({ type: 'object', properties: { next: { $ref: '#' } } })).toBe('generationConfig.responseJsonSchema');
    expect(schema({ $defs: { a: { type: 'string' } }, properties: { x: { $ref: '#/$defs/a' } } })).toBeUndefined();
  });
});
