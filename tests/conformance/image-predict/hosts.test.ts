/** Hosts that take sizes in pixels, make sets of images, or take images inside JSON. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  dataOf,
  framesOf,
  GROK,
  imageConfig,
  imageHosts,
  type Json,
  made,
  PNG,
  postEdit,
  postImages,
  predict,
  predictionsOf,
  refused,
  SEEDREAM,
  startsAs,
  streamed,
} from '../../support/image-probe.ts';
import { openStand, type Stand } from '../../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: imageHosts, config: imageConfig });
});
afterAll(() => stand.close());

const ask =
  (model: string, parameters: object = {}, prompt = 'a cat') =>
  () =>
    predict(stand, model, { instances: [{ prompt }], parameters });
const sizeOf = async (parameters: object): Promise<unknown> =>
  (await made(stand, ask(SEEDREAM, parameters))).sent['size'];

test('[I-33] [I-34] size tier and aspect ratio give the pixels, and the tier alone gives a square', async () => {
  for (const [tier, side] of [
    ['1K', 1024],
    ['2K', 2048],
    ['4K', 4096],
  ] as const)
    for (const ratio of [{ aspectRatio: '1:1' }, {}])
      expect(await sizeOf({ sampleImageSize: tier, ...ratio })).toBe(`${side}x${side}`);
  expect(await sizeOf({ sampleImageSize: '2K', aspectRatio: '16:9' })).toBe('2736x1536');
  expect(await sizeOf({})).toBeUndefined();
  await refused(stand, ask(SEEDREAM, { imageSize: '512x512' }), 'parameters.imageSize');
});

test('[N-17] a host that makes sets of images makes at most fifteen', async () => {
  const { reply, sent } = await made(stand, ask(SEEDREAM, { sampleCount: 15 }));
  expect(predictionsOf(reply)).toHaveLength(15);
  expect(sent['sequential_image_generation_options']).toEqual({ max_images: 15 });
  await refused(stand, ask(SEEDREAM, { sampleCount: 16 }), 'parameters.sampleCount');
});

test('sets of images are JPEG with their true mime type, also by URL, and may be blocked in part or whole', async () => {
  const [plain] = predictionsOf((await made(stand, ask(SEEDREAM))).reply);
  expect([plain?.['mimeType'], startsAs(plain?.['bytesBase64Encoded'], 'jpeg')]).toEqual(['image/jpeg', true]);
  const [kept] = predictionsOf((await made(stand, ask(SEEDREAM, {}, 'a cat @simulate pictures=by-url'))).reply);
  expect([kept?.['mimeType'], startsAs(kept?.['bytesBase64Encoded'], 'jpeg')]).toEqual(['image/jpeg', true]);
  const half = await made(stand, ask(SEEDREAM, { sampleCount: 2 }, 'a cat @simulate pictures=partly-blocked'));
  expect(predictionsOf(half.reply).map((each) => Object.keys(each))).toEqual([
    ['raiFilteredReason'],
    ['bytesBase64Encoded', 'mimeType'],
  ]);
  const whole = await ask(SEEDREAM, {}, 'a cat @simulate pictures=blocked')();
  expect([whole.status, Object.keys(predictionsOf(whole)[0] ?? {})]).toEqual([200, ['raiFilteredReason']]);
});

test('a host of image sets gets images as data URLs, streams one image, and refuses masks', async () => {
  const form = [
    ['model', SEEDREAM],
    ['prompt', 'blue'],
    ['image', PNG],
    ['image', PNG],
  ] as const;
  const { sent } = await made(stand, () => postEdit(stand, form));
  expect(sent['image']).toEqual([1, 2].map(() => `data:image/png;base64,${PNG.toString('base64')}`));
  await refused(stand, () => postEdit(stand, [...form, ['mask', PNG]]), 'mask');
  const frames = framesOf(await streamed(stand, { model: SEEDREAM, prompt: 'a cat' }));
  expect(frames.map(({ event }) => event)).toEqual(['image_generation.completed']);
});

test('a host may get aspect ratios instead of sizes, and images inside JSON', async () => {
  const { sent, losses } = await made(stand, () =>
    postImages(stand, { model: GROK, prompt: 'a cat', size: '1024x1536' }),
  );
  expect(sent).toEqual({
    model: 'grok-imagine-image-2.0',
    prompt: 'a cat',
    aspect_ratio: '2:3',
    response_format: 'b64_json',
  });
  expect(losses).toEqual(['size']);
  const edited = await made(stand, () =>
    postEdit(stand, [
      ['model', GROK],
      ['prompt', 'blue'],
      ['image', PNG],
    ]),
  );
  expect((edited.sent['image'] as Json)['url']).toBe(`data:image/png;base64,${PNG.toString('base64')}`);
  expect(startsAs(dataOf(edited.reply)[0]?.['b64_json'], 'png')).toBe(true);
});
