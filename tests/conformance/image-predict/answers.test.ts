/** Predictions: one for each image that was asked for, truly labelled, with a reason where there is none. */
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

test('[I-58] [I-63] [E-26] a blocked image is an element of its own, with a reason and no bytes, and no error', async () => {
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

test('[I-64] the reason is general unless its words were asked for', async () => {
  for (const parameters of [{}, { includeRaiReason: false }])
    expect(predictionsOf((await made(stand, ask(IMAGEN, 'blocked', parameters))).reply)).toEqual([
      { raiFilteredReason: 'The image was held back by a safety filter.' },
    ]);
  const [told] = predictionsOf((await made(stand, ask(IMAGEN, 'blocked', { includeRaiReason: true }))).reply);
  expect(told?.['raiFilteredReason']).toContain('Support codes');
});

test('[I-59] [I-60] bytes are those of the host, and are called what they are', async () => {
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

test('[I-61] an image by address keeps its address, and has its bytes', async () => {
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

test('[I-62] the prompt that the model made of it is told where there is one', async () => {
  for (const model of [IMAGEN, GPT])
    expect(predictionsOf((await made(stand, ask(model, 'revised'))).reply)[0]?.['prompt']).toBe('A better prompt.');
  expect(predictionsOf((await made(stand, ask(IMAGEN, 'plain'))).reply)[0]).not.toHaveProperty('prompt');
});

const counted = (model: string, sampleCount: number) => ask(model, 'plain', { sampleCount });

test('[N-15] [N-16] [N-18] more images than a host makes at once are refused, and its maximum is named', async () => {
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

test('[N-19] [N-21] one reference where a host takes one, and a mask is none', async () => {
  await made(stand, referencing(SQUARE, 1));
  await made(stand, referencing(SQUARE, 1, true));
  await refused(stand, referencing(SQUARE, 2), 'instances[0].referenceImages');
});

test('[N-22] [N-23] [N-24] sizes of one’s own keep to steps, sides and shape', async () => {
  const sized = (imageSize: string) => ask(CUSTOM, 'plain', { imageSize });
  for (const size of ['1040x1024', '3840x1280', '3072x1024', '1024x3072']) await made(stand, sized(size));
  for (const size of ['1041x1024', '1024x1000', '3856x1936', '3088x1024', '1024x3088'])
    await refused(stand, sized(size), 'parameters.imageSize');
});
