/** `:predict` with a prompt: what a request may hold, and what reaches hosts of each dialect. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  CUSTOM,
  GEMINI,
  GPT,
  GROK,
  IMAGEN,
  imageConfig,
  imageHosts,
  type Json,
  made,
  predict,
  predictionsOf,
  refused,
  SEEDREAM,
  SEEDREAM_5,
  SEEDREAM_TWICE,
  SMALL,
  SQUARE,
  STRICT,
  startsAs,
  WAN,
} from '../../support/image-probe.ts';
import { openStand, type Stand } from '../../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: imageHosts, config: imageConfig });
});
afterAll(() => stand.close());

const body = (parameters?: object, root: object = {}): Json => ({
  instances: [{ prompt: 'a cat' }],
  ...(parameters !== undefined && { parameters }),
  ...root,
});
const ask = (model: string, parameters?: object, root?: object) => () => predict(stand, model, body(parameters, root));
const sentParameters = ({ sent }: { readonly sent: Json }): Json => (sent['parameters'] ?? {}) as Json;
const imageConfigOf = ({ sent }: { readonly sent: Json }): unknown =>
  (sent['generationConfig'] as Json | undefined)?.['imageConfig'];

test('[I-01] [I-06] a prompt without parameters gives predictions, at hosts of every dialect', async () => {
  for (const model of [IMAGEN, GEMINI, GPT, SMALL]) {
    const [first, ...more] = predictionsOf((await made(stand, ask(model))).reply);
    expect(first?.['mimeType']).toBe('image/png');
    expect(more).toEqual([]);
  }
  await refused(stand, () => predict(stand, IMAGEN, {}), 'instances');
  await refused(stand, ask(IMAGEN, 'none' as unknown as object), 'parameters');
});

test('[I-02] [I-03] a request holds exactly one instance, with a prompt that is a string', async () => {
  for (const instances of [undefined, [], {}, [{ prompt: 'a' }, { prompt: 'b' }], [null], ['x'], 'x'])
    await refused(stand, () => predict(stand, IMAGEN, { instances }), 'instances');
  for (const prompt of [undefined, '', 7, null])
    await refused(stand, () => predict(stand, IMAGEN, { instances: [{ prompt }] }), 'instances[0].prompt');
  expect(JSON.stringify((await made(stand, ask(IMAGEN))).sent['instances'])).toBe('[{"prompt":"a cat"}]');
});

test('[I-07] sampleCount is an integer of at least 1 (default: 1)', async () => {
  for (const model of [IMAGEN, GPT]) {
    expect(predictionsOf((await made(stand, ask(model))).reply)).toHaveLength(1);
    expect(predictionsOf((await made(stand, ask(model, { sampleCount: 2 }))).reply)).toHaveLength(2);
  }
  for (const sampleCount of [0, 1.5, '2', -1]) await refused(stand, ask(IMAGEN, { sampleCount }), 'sampleCount');
});

/** Values that reach one family of hosts unchanged and are a loss at all others; then invalid values. */
const OWN: readonly (readonly [rule: string, name: string, good: readonly unknown[], bad: readonly unknown[]])[] = [
  ['[I-08] [I-09]', 'negativePrompt', ['dogs'], [3]],
  ['[I-18]', 'seed', [7, 0], [1.5, 'x']],
  ['[I-19]', 'enhancePrompt', [true, false], [1]],
  ['[I-21]', 'safetySetting', ['BLOCK_LOW_AND_ABOVE'], [1]],
  ['[I-22]', 'includeRaiReason', [true, false], ['true']],
  ['[I-23]', 'addWatermark', [true, false], [0]],
  ['[I-24]', 'guidanceScale', [3, 7.5], ['7']],
];

describe('parameters of one family of hosts', () => {
  test.each(OWN)('%s %s reaches the hosts that have it, and is a loss at others', async (_rule, name, good, bad) => {
    for (const value of good) {
      const own = await made(stand, ask(IMAGEN, { [name]: value }));
      expect(sentParameters(own)[name]).toBe(value);
      expect(own.losses).toEqual([]);
      expect((await made(stand, ask(GPT, { [name]: value }))).losses).toEqual([`parameters.${name}`]);
      await refused(stand, () => predict(stand, GPT, body({ [name]: value }), STRICT), `parameters.${name}`);
    }
    for (const value of bad) await refused(stand, ask(IMAGEN, { [name]: value }), `parameters.${name}`);
  });
});

test('[I-20] personGeneration is case-insensitive', async () => {
  for (const word of ['dont_allow', 'allow_adult', 'DONT_ALLOW', 'ALLOW_ADULT'])
    expect(sentParameters(await made(stand, ask(IMAGEN, { personGeneration: word })))['personGeneration']).toBe(
      word.toLowerCase(),
    );
  expect((await made(stand, ask(GPT, { personGeneration: 'allow_adult' }))).losses).toEqual([
    'parameters.personGeneration',
  ]);
  for (const word of ['no', 'allow_all', 1])
    await refused(stand, ask(IMAGEN, { personGeneration: word }), 'personGeneration');
});

test('[I-10] [I-11] aspectRatio takes the common values that the model has, and the error lists them', async () => {
  for (const aspectRatio of ['1:1', '4:3', '3:4', '16:9', '9:16', '2:3', '3:2', '21:9'])
    expect(imageConfigOf(await made(stand, ask(GEMINI, { aspectRatio })))).toEqual({ aspectRatio });
  for (const aspectRatio of ['5:7', 1, '']) await refused(stand, ask(GEMINI, { aspectRatio }), 'aspectRatio');
  const error = await refused(stand, ask(SQUARE, { aspectRatio: '21:9' }), 'parameters.aspectRatio');
  expect(error['message']).toContain('must be one of 1:1');
  await made(stand, ask(SQUARE, { aspectRatio: '1:1' }));
  // The nearest shape that the host has, reported as a loss.
  const near = await made(stand, ask(GPT, { aspectRatio: '4:3' }));
  expect([near.sent['size'], near.losses]).toEqual(['1536x1024', ['parameters.aspectRatio']]);
  await refused(stand, ask(GPT, { aspectRatio: '21:9' }), 'parameters.aspectRatio');
});

test('[I-12] [I-13] [I-14] images are PNG, or the format in outputOptions', async () => {
  for (const model of [IMAGEN, GPT])
    for (const [mimeType, format] of [
      [undefined, 'png'],
      ['image/png', 'png'],
      ['image/jpeg', 'jpeg'],
    ] as const) {
      const outputOptions = mimeType === undefined ? {} : { mimeType };
      const [first] = predictionsOf((await made(stand, ask(model, { outputOptions }))).reply);
      expect(first?.['mimeType']).toBe(`image/${format}`);
      expect(startsAs(first?.['bytesBase64Encoded'], format)).toBe(true);
    }
  for (const mimeType of ['image/webp', 1])
    await refused(stand, ask(IMAGEN, { outputOptions: { mimeType } }), 'outputOptions.mimeType');
  await refused(stand, ask(IMAGEN, { outputOptions: 'png' }), 'outputOptions');
});

test('[I-14] PNG is a loss at a host that makes none, and asking for the host’s own format is none (M8)', async () => {
  const plain = await made(stand, ask(SEEDREAM));
  expect(plain.losses).toEqual(['parameters.outputOptions.mimeType']);
  const strict = (parameters: object) => () => predict(stand, SEEDREAM, body(parameters), STRICT);
  await refused(stand, strict({}), 'parameters.outputOptions.mimeType');
  const [jpeg] = predictionsOf((await made(stand, strict({ outputOptions: { mimeType: 'image/jpeg' } }))).reply);
  expect(startsAs(jpeg?.['bytesBase64Encoded'], 'jpeg')).toBe(true);
  const png = { outputOptions: { mimeType: 'image/png' } };
  for (const parameters of [{}, png])
    expect((await predict(stand, WAN, body(parameters), STRICT)).status, JSON.stringify(parameters)).toBe(200);
  for (const [parameters, format] of [
    [{}, 'png'],
    [png, 'png'],
    [{ outputOptions: { mimeType: 'image/jpeg' } }, 'jpeg'],
  ] as const) {
    const [first] = predictionsOf(await predict(stand, SEEDREAM_5, body(parameters), STRICT));
    expect(startsAs(first?.['bytesBase64Encoded'], format), format).toBe(true);
  }
});

test('[I-13] PNG, the usual format, may be asked for at hosts whose formats are not known; the bytes decide', async () => {
  const asked = (mimeType: string) => body({ outputOptions: { mimeType } });
  for (const model of [GROK, GEMINI]) {
    const reply = await predict(stand, model, asked('image/png'), STRICT);
    expect([reply.status, reply.headers.get('x-trivium-losses')]).toEqual([200, null]);
    const strict = () => predict(stand, model, asked('image/jpeg'), STRICT);
    await refused(stand, strict, 'parameters.outputOptions.mimeType');
  }
});

test('a caller who names no host gets one that needs no loss', async () => {
  const { status, headers } = await ask(SEEDREAM_TWICE)();
  expect([status, headers.get('x-trivium-losses'), headers.get('x-trivium-provider')]).toEqual([200, null, 'fal']);
});

test('the error names the highest limit of several hosts (M10)', async () => {
  const error = await refused(stand, ask(SEEDREAM_TWICE, { sampleCount: 16 }), 'parameters.sampleCount');
  expect(error['message']).toContain('at most 15');
});

test('[I-15] [I-16] [I-17] compressionQuality is for JPEG, from 0 to 100 (default: 100)', async () => {
  const jpeg = { mimeType: 'image/jpeg' };
  for (const [given, seen] of [
    [0, 0],
    [100, 100],
    [undefined, 100],
  ] as const) {
    const outputOptions = { ...jpeg, ...(given !== undefined && { compressionQuality: given }) };
    const own = sentParameters(await made(stand, ask(IMAGEN, { outputOptions })));
    expect(own['outputOptions']).toEqual({ ...jpeg, compressionQuality: seen });
    expect((await made(stand, ask(GPT, { outputOptions }))).sent['output_compression']).toBe(seen);
  }
  for (const compressionQuality of [-1, 101, 50.5, '80'])
    await refused(stand, ask(IMAGEN, { outputOptions: { ...jpeg, compressionQuality } }), 'compressionQuality');
  for (const outputOptions of [{ compressionQuality: 80 }, { mimeType: 'image/png', compressionQuality: 80 }])
    await refused(stand, ask(IMAGEN, { outputOptions }), 'compressionQuality');
});

test('[I-25] [I-26] [I-27] imageSize reaches the hosts that have it unchanged; arbitrary sizes only the model that takes any', async () => {
  for (const imageSize of ['1024x1024', '1536x1024', '1024x1536', 'auto'])
    for (const model of [GPT, CUSTOM])
      expect((await made(stand, ask(model, { imageSize }))).sent['size']).toBe(imageSize);
  expect((await made(stand, ask(CUSTOM, { imageSize: '2048x1024' }))).sent['size']).toBe('2048x1024');
  await refused(stand, ask(GPT, { imageSize: '2048x1024' }), 'parameters.imageSize');
  for (const imageSize of ['big', '1024*1024', '1024x', 1024])
    await refused(stand, ask(GPT, { imageSize }), 'parameters.imageSize');
});

test('[I-28] imageSize is a loss at other hosts', async () => {
  for (const model of [IMAGEN, GEMINI]) {
    expect((await made(stand, ask(model, { imageSize: '1024x1024' }))).losses).toEqual(['parameters.imageSize']);
    await refused(stand, () => predict(stand, model, body({ imageSize: '1024x1024' }), STRICT), 'parameters.imageSize');
  }
});

test('[I-29] [I-30] [I-31] quality reaches the hosts that have it, is not sent when absent, and is a loss at others', async () => {
  for (const quality of ['low', 'medium', 'high', 'auto'])
    expect((await made(stand, ask(GPT, { quality }))).sent['quality']).toBe(quality);
  expect((await made(stand, ask(GPT))).sent).not.toHaveProperty('quality');
  for (const quality of ['hd', 1]) await refused(stand, ask(GPT, { quality }), 'parameters.quality');
  expect((await made(stand, ask(IMAGEN, { quality: 'low' }))).losses).toEqual(['parameters.quality']);
  await refused(stand, () => predict(stand, IMAGEN, body({ quality: 'low' }), STRICT), 'parameters.quality');
});

test('[I-32] [I-35] sampleImageSize is one of three tiers where hosts have them, and a loss elsewhere', async () => {
  for (const tier of ['1K', '2K', '4K'])
    expect(imageConfigOf(await made(stand, ask(GEMINI, { sampleImageSize: tier })))).toEqual({ imageSize: tier });
  expect(sentParameters(await made(stand, ask(IMAGEN, { sampleImageSize: '2K' })))['sampleImageSize']).toBe('2K');
  for (const tier of ['8K', '2k ', 2]) await refused(stand, ask(GEMINI, { sampleImageSize: tier }), 'sampleImageSize');
  await refused(stand, ask(IMAGEN, { sampleImageSize: '4K' }), 'parameters.sampleImageSize');
  expect((await made(stand, ask(GPT, { sampleImageSize: '2K' }))).losses).toEqual(['parameters.sampleImageSize']);
  await refused(stand, () => predict(stand, GPT, body({ sampleImageSize: '2K' }), STRICT), 'sampleImageSize');
});

test('[I-36] fields at the root count as parameters, and may not contradict them', async () => {
  expect((await made(stand, ask(GPT, undefined, { quality: 'high' }))).sent['quality']).toBe('high');
  expect((await made(stand, ask(GPT, { quality: 'high' }, { quality: 'high' }))).sent['quality']).toBe('high');
  expect((await made(stand, ask(CUSTOM, {}, { imageSize: '2048x1024' }))).sent['size']).toBe('2048x1024');
  await refused(stand, ask(GPT, { quality: 'low' }, { quality: 'high' }), 'quality');
});

test('[I-39] [I-56] fields that SDKs add are losses, and other uses of the path are refused as unsupported', async () => {
  const extra = { includeSafetyAttributes: true, language: 'en', storageUri: 'gs://bucket' };
  for (const model of [IMAGEN, GPT]) {
    const { losses } = await made(stand, ask(model, extra, { labels: { team: 'a' } }));
    expect(losses).toEqual([...Object.keys(extra).map((name) => `parameters.${name}`), 'labels']);
  }
  const { losses } = await made(stand, ask(GPT, { foo: 1, bar: true }));
  expect(losses).toEqual(['parameters.foo', 'parameters.bar']);
  const image = { bytesBase64Encoded: 'iVBORw0KGgo=', mimeType: 'image/png' };
  for (const other of [
    { instances: [{ prompt: '', image }], parameters: { mode: 'upscale', upscaleConfig: { upscaleFactor: 'x2' } } },
    { instances: [{ content: 'words' }] },
    { instances: [{ prompt: 'a', productImages: [{ image }] }] },
  ]) {
    const reply = await predict(stand, IMAGEN, other);
    expect([reply.status, (reply.json['error'] as Json)['status']]).toEqual([400, 'INVALID_ARGUMENT']);
  }
});
