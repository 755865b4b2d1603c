/** Predictions: one for each requested image, with its true mime type, or with a reason where there is no image. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  CUSTOM,
  GPT,
  IMAGEN,
  imageConfig,
  imageHosts,
  made,
  PNG,
  predict,
  predictionsOf,
  refused,
  SMALL,
  SQUARE,
  startsAs,
} from '../../support/image-probe.ts';
import { openStand, type Stand } from '../../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: imageHosts, config: imageConfig });
});
afterAll(() => stand.close());

const ask =
  (model: string, manner: string, parameters: object = {}) =>
  () =>
    predict(stand, model, { instances: [{ prompt: `a cat @simulate pictures=${manner}` }], parameters });

test('[I-58] [I-63] [E-26] a blocked image is a separate prediction, with a reason and no bytes, and not an error', async () => {
  const { reply } = await made(stand, ask(IMAGEN, 'partly-blocked', { sampleCount: 2, includeRaiReason: true }));
  const [blocked, shown] = predictionsOf(reply);
  expect(blocked).toEqual({ raiFilteredReason: expect.stringContaining('usage guidelines') });
  expect(shown).not.toHaveProperty('raiFilteredReason');
  expect(startsAs(shown?.['bytesBase64Encoded'], 'png')).toBe(true);
  const refusedAll = await predict(stand, GPT, {
    instances: [{ prompt: 'a cat @simulate pictures=blocked' }],
    parameters: { sampleCount: 2, includeRaiReason: true },
  });
  expect(refusedAll.status).toBe(200);
  expect(predictionsOf(refusedAll)).toEqual(
    Array.from({ length: 2 }, () => ({ raiFilteredReason: expect.stringContaining('safety system') })),
  );
});

test('[I-64] the filter reason is generic unless the caller asked for details', async () => {
  for (const parameters of [{}, { includeRaiReason: false }])
    expect(predictionsOf((await made(stand, ask(IMAGEN, 'blocked', parameters))).reply)).toEqual([
      { raiFilteredReason: 'The image was held back by a safety filter.' },
    ]);
  const [detailed] = predictionsOf((await made(stand, ask(IMAGEN, 'blocked', { includeRaiReason: true }))).reply);
  expect(detailed?.['raiFilteredReason']).toContain('Support codes');
});

test('[I-59] [I-60] the bytes are the host’s, with their true mime type', async () => {
  const first = predictionsOf((await made(stand, ask(GPT, 'plain'))).reply)[0];
  const again = predictionsOf((await made(stand, ask(GPT, 'plain'))).reply)[0];
  expect(first).toEqual(again);
  for (const format of ['jpeg', 'webp']) {
    const { reply, losses } = await made(stand, ask(IMAGEN, format, { outputOptions: { mimeType: 'image/png' } }));
    const [image] = predictionsOf(reply);
    expect(image?.['mimeType']).toBe(`image/${format}`);
    expect(startsAs(image?.['bytesBase64Encoded'], format)).toBe(true);
    expect(losses).toEqual(['parameters.outputOptions.mimeType']);
  }
});

test('[I-61] an image that the host sends by URL has its URL and its bytes', async () => {
  for (const model of [IMAGEN, SMALL]) {
    const [image] = predictionsOf((await made(stand, ask(model, 'by-url'))).reply);
    expect(image?.['gcsUri']).toContain('/pictures/kept/');
    expect(image?.['mimeType']).toBe('image/png');
    expect(startsAs(image?.['bytesBase64Encoded'], 'png')).toBe(true);
  }
  expect(predictionsOf((await made(stand, ask(IMAGEN, 'plain'))).reply)[0]).not.toHaveProperty('gcsUri');
  const gone = await ask(SMALL, 'url-gone')();
  expect(gone.status).toBe(502);
});

test('[I-62] the enhanced prompt is returned where the model has one', async () => {
  for (const model of [IMAGEN, GPT])
    expect(predictionsOf((await made(stand, ask(model, 'revised'))).reply)[0]?.['prompt']).toBe('A better prompt.');
  expect(predictionsOf((await made(stand, ask(IMAGEN, 'plain'))).reply)[0]).not.toHaveProperty('prompt');
});

const counted = (model: string, sampleCount: number) => ask(model, 'plain', { sampleCount });

test('[N-15] [N-16] [N-18] more images than a host makes at once are refused, with the maximum in the error', async () => {
  for (const [model, maximum] of [
    [IMAGEN, 4],
    [GPT, 10],
    [SQUARE, 1],
  ] as const) {
    await made(stand, counted(model, maximum));
    const error = await refused(stand, counted(model, maximum + 1), 'parameters.sampleCount');
    expect(error['message']).toContain(String(maximum));
  }
});

const referencing =
  (model: string, references: number, withMask = false) =>
  () =>
    predict(stand, model, {
      instances: [
        {
          prompt: 'a cat',
          referenceImages: Array.from({ length: references + (withMask ? 1 : 0) }, (_, at) => ({
            referenceId: at + 1,
            referenceType: at < references ? 'REFERENCE_TYPE_RAW' : 'REFERENCE_TYPE_MASK',
            referenceImage: { bytesBase64Encoded: PNG.toString('base64') },
            ...(at >= references && { maskImageConfig: { maskMode: 'MASK_MODE_USER_PROVIDED' } }),
          })),
        },
      ],
    });

test('[N-19] [N-21] only one reference is accepted where a host takes one, and a mask does not count', async () => {
  await made(stand, referencing(SQUARE, 1));
  await made(stand, referencing(SQUARE, 1, true));
  await refused(stand, referencing(SQUARE, 2), 'instances[0].referenceImages');
});

test('[N-22] [N-23] [N-24] custom sizes must keep to the steps, side lengths and aspect ratio of the model', async () => {
  const sized = (imageSize: string) => ask(CUSTOM, 'plain', { imageSize });
  for (const size of ['1040x1024', '3840x1280', '3072x1024', '1024x3072']) await made(stand, sized(size));
  for (const size of ['1041x1024', '1024x1000', '3856x1936', '3088x1024', '1024x3088'])
    await refused(stand, sized(size), 'parameters.imageSize');
});
