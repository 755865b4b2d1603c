import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../canonical/json.ts';
import { checkVideo, videoSpelling } from './check.ts';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAA';
const JPEG = '/9j/4AAQSkZJRgABAQAA';
const body = (instance: JsonObject, parameters?: JsonObject): JsonObject => ({
  instances: [instance],
  ...(parameters !== undefined && { parameters }),
});
const callOf = (given: JsonObject) => checkVideo(given, 'google/veo').call;
const image = (more: JsonObject = {}): JsonObject => ({ bytesBase64Encoded: PNG, mimeType: 'image/png', ...more });

describe('accepted', () => {
  test('text alone, with one clip by default', () => {
    expect(callOf(body({ prompt: 'a cat' }))).toEqual({
      operation: 'video',
      model: 'google/veo',
      prompt: 'a cat',
      count: 1,
    });
  });

  test('frames, each in its place, with or without text', () => {
    const first = { base64: PNG, mimeType: 'image/png' };
    expect(callOf(body({ image: image() }))).toMatchObject({ firstFrame: first });
    expect(callOf(body({ image: image(), lastFrame: { bytesBase64Encoded: JPEG } }))).toMatchObject({
      firstFrame: first,
      lastFrame: { base64: JPEG, mimeType: 'image/jpeg' },
    });
  });

  const parameters = {
    aspectRatio: '9:16',
    resolution: '1080p',
    durationSeconds: 8,
    generateAudio: false,
    negativePrompt: 'rain',
    enhancePrompt: true,
    personGeneration: 'ALLOW_ADULT',
    sampleCount: 2,
    seed: -1,
    fps: 24,
  };

  test('every setting', () => {
    expect(callOf(body({ prompt: 'a cat' }, parameters))).toEqual({
      operation: 'video',
      model: 'google/veo',
      prompt: 'a cat',
      aspectRatio: '9:16',
      resolution: '1080p',
      seconds: 8,
      audio: false,
      negativePrompt: 'rain',
      enhancePrompt: true,
      people: 'adults',
      count: 2,
      seed: -1,
      framesPerSecond: 24,
    });
  });

  const instance = { prompt: 'a cat', image: image(), lastFrame: image() };
  test.each(Object.entries(videoSpelling))('%s is read from the member that errors name, %s', (field, path) => {
    const [place, member = ''] = path.split(/\.(?=\w+$)/);
    const without =
      place === 'parameters'
        ? body(instance, { ...parameters, [member]: null })
        : body({ ...instance, [member]: null }, parameters);
    const { [field.replace('video.', '') as 'prompt']: _absent, ...others } = callOf(body(instance, parameters));
    expect(callOf(without)).toEqual({ ...others, ...(field === 'video.count' && { count: 1 }) });
  });

  test('null, which counts as absent', () => {
    expect(callOf(body({ prompt: 'a cat', image: null }, { seed: null }))).toEqual(callOf(body({ prompt: 'a cat' })));
  });

  test('unknown members, as a loss', () => {
    const { losses } = checkVideo({ ...body({ prompt: 'a', foo: 1 }, { bar: 2, storageUri: 'gs://x' }), baz: 3 }, 'm');
    expect(losses.map(({ path }) => path)).toEqual([
      'baz',
      'instances[0].foo',
      'parameters.bar',
      'parameters.storageUri',
    ]);
  });
});

describe('refused by name', () => {
  test.each([
    ['instances', {}],
    ['instances', { instances: {} }],
    ['instances', { instances: [] }],
    ['instances', { instances: [{ prompt: 'a' }, { prompt: 'b' }] }],
    ['instances[0]', { instances: [null] }],
    ['instances[0]', { instances: ['x'] }],
    ['instances[0].prompt', body({})],
    ['instances[0].prompt', body({ prompt: '' })],
    ['instances[0].prompt', body({ prompt: 5 })],
    ['instances[0].prompt', body({ lastFrame: image() })],
    ['instances[0].image', body({ image: 'x' })],
    ['instances[0].image.bytesBase64Encoded', body({ image: {} })],
    ['instances[0].image.bytesBase64Encoded', body({ image: image({ bytesBase64Encoded: '%%%' }) })],
    ['instances[0].image.bytesBase64Encoded', body({ image: image({ bytesBase64Encoded: 5 }) })],
    ['instances[0].image.mimeType', body({ image: image({ mimeType: 5 }) })],
    ['instances[0].image.mimeType', body({ image: image({ mimeType: 'text/plain' }) })],
    ['instances[0].image.mimeType', body({ image: { bytesBase64Encoded: 'AAAA' } })],
    ['instances[0].lastFrame.bytesBase64Encoded', body({ prompt: 'a', lastFrame: { bytesBase64Encoded: 'A' } })],
    ['instances[0].video', body({ prompt: 'a', video: {} })],
    ['instances[0].mask', body({ prompt: 'a', mask: {} })],
    ['instances[0].referenceImages', body({ prompt: 'a', referenceImages: [] })],
    ['parameters', { instances: [{ prompt: 'a' }], parameters: [] }],
    ...[
      ['aspectRatio', ['4:3', '16x9', 1.77]],
      ['resolution', ['360p', '720', 720]],
      ['durationSeconds', ['8', 5.5, 0, -1]],
      ['generateAudio', ['true', 1]],
      ['negativePrompt', [1]],
      ['enhancePrompt', ['yes']],
      ['personGeneration', ['maybe', true, 'ALLOW_ALL', 'constructor']],
      ['sampleCount', [0, -1, 1.5, '2']],
      ['seed', [1.5, 'a']],
      ['fps', [0, 23.9, '24']],
    ].flatMap(([name, values]) =>
      (values as (string | number | boolean)[]).map((value): [string, JsonObject] => [
        `parameters.${String(name)}`,
        body({ prompt: 'a' }, { [String(name)]: value }),
      ]),
    ),
  ] satisfies [string, JsonObject][])('%s in %j', (field, given) => {
    expect(() => checkVideo(given, 'm')).toThrow(
      expect.objectContaining({ fault: expect.objectContaining({ field }) }),
    );
  });
});
