/** `:predict` with input images: the source alone, or numbered references and masks. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  GEMINI,
  GPT,
  IMAGEN,
  imageConfig,
  imageHosts,
  JPEG,
  type Json,
  made,
  PNG,
  predict,
  predictionsOf,
  refused,
  startsAs,
} from '../../support/image-probe.ts';
import { openStand, type Stand } from '../../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: imageHosts, config: imageConfig });
});
afterAll(() => stand.close());

const png = { bytesBase64Encoded: PNG.toString('base64'), mimeType: 'image/png' };
const raw = { referenceId: 1, referenceType: 'REFERENCE_TYPE_RAW', referenceImage: png };
const mask = {
  referenceId: 2,
  referenceType: 'REFERENCE_TYPE_MASK',
  referenceImage: png,
  maskImageConfig: { maskMode: 'MASK_MODE_USER_PROVIDED' },
};
const edit = (model: string, instance: object, parameters?: object) => () =>
  predict(stand, model, {
    instances: [{ prompt: 'make it blue', ...instance }],
    ...(parameters !== undefined && { parameters }),
  });
const filesOf = (sent: Json, name: string): readonly string[] =>
  (sent['files'] as { name: string; base64: string }[])
    .filter((file) => file.name === name)
    .map(({ base64 }) => base64);
const referencesOf = (sent: Json): readonly Json[] =>
  ((sent['instances'] as Json[])[0]?.['referenceImages'] ?? []) as Json[];

test('[I-04] [I-05] an image makes the call an edit, and its mime type is detected from its bytes', async () => {
  const own = await made(stand, edit(GPT, { image: png }));
  expect(own.upstream.path).toBe('/v1/images/edits');
  expect(filesOf(own.sent, 'image')).toEqual([png.bytesBase64Encoded]);
  const jpeg = { bytesBase64Encoded: JPEG.toString('base64') };
  const sniffed = await made(stand, edit(IMAGEN, { image: jpeg }));
  expect(referencesOf(sniffed.sent)[0]?.['referenceImage']).toEqual({ ...jpeg, mimeType: 'image/jpeg' });
  const inline = await made(stand, edit(GEMINI, { image: png }));
  expect(JSON.stringify(inline.sent)).toContain(png.bytesBase64Encoded);
  const at = 'instances[0].image';
  await refused(stand, edit(GPT, { image: { ...png, bytesBase64Encoded: '%%%' } }), `${at}.bytesBase64Encoded`);
  await refused(stand, edit(GPT, { image: { mimeType: 'image/png' } }), `${at}.bytesBase64Encoded`);
  await refused(stand, edit(GPT, { image: { gcsUri: 'gs://bucket/one.png' } }), `${at}.gcsUri`);
  await refused(stand, edit(GPT, { image: { ...png, mimeType: 5 } }), `${at}.mimeType`);
  await refused(stand, edit(GPT, { image: 'x' }), at);
});

test('[I-40] [I-51] a raw reference is the image to edit, with or without a mime type', async () => {
  for (const referenceImage of [png, { bytesBase64Encoded: png.bytesBase64Encoded }]) {
    const reference = { ...raw, referenceImage };
    expect(filesOf((await made(stand, edit(GPT, { referenceImages: [reference] }))).sent, 'image')).toEqual([
      png.bytesBase64Encoded,
    ]);
    expect(referencesOf((await made(stand, edit(IMAGEN, { referenceImages: [reference] }))).sent)).toEqual([raw]);
  }
  await refused(
    stand,
    edit(GPT, { referenceImages: [{ ...raw, referenceType: 'REFERENCE_TYPE_X' }] }),
    'referenceType',
  );
});

test('[I-41] [I-42] an edit needs references and a prompt', async () => {
  for (const referenceImages of [[], {}, 'x'])
    await refused(stand, edit(GPT, { referenceImages }), 'instances[0].referenceImages');
  await refused(stand, edit(GPT, { prompt: undefined, referenceImages: [raw] }), 'instances[0].prompt');
  await made(stand, edit(GPT, { referenceImages: [raw] }));
});

test('[I-43] [I-44] a reference has a unique number and an image', async () => {
  const at = 'instances[0].referenceImages[0]';
  for (const referenceId of [undefined, '1', 1.5])
    await refused(stand, edit(GPT, { referenceImages: [{ ...raw, referenceId }] }), `${at}.referenceId`);
  await refused(stand, edit(GPT, { referenceImages: [raw, raw] }), 'referenceImages[1].referenceId');
  await refused(stand, edit(GPT, { referenceImages: [{ ...raw, referenceImage: undefined }] }), `${at}.referenceImage`);
  await refused(stand, edit(GPT, { referenceImages: [{ ...raw, referenceImage: {} }] }), 'bytesBase64Encoded');
  await made(stand, edit(GPT, { referenceImages: [raw, { ...raw, referenceId: 9 }] }));
});

test('[I-45] [I-46] [I-48] a mask from the caller is sent as a mask, and needs its config and its image', async () => {
  const { sent } = await made(stand, edit(GPT, { referenceImages: [raw, mask] }));
  expect([filesOf(sent, 'image'), filesOf(sent, 'mask')]).toEqual([[png.bytesBase64Encoded], [png.bytesBase64Encoded]]);
  expect(referencesOf((await made(stand, edit(IMAGEN, { referenceImages: [raw, mask] }))).sent)[1]).toEqual(mask);
  const at = 'instances[0].referenceImages[1]';
  await refused(
    stand,
    edit(GPT, { referenceImages: [raw, { ...mask, maskImageConfig: undefined }] }),
    `${at}.maskImageConfig`,
  );
  await refused(
    stand,
    edit(GPT, { referenceImages: [raw, { ...mask, referenceImage: undefined }] }),
    `${at}.referenceImage`,
  );
});

test('[I-47] automatic masks are forwarded to hosts that compute them, and refused elsewhere', async () => {
  const found = {
    referenceId: 2,
    referenceType: 'REFERENCE_TYPE_MASK',
    maskImageConfig: { maskMode: 'MASK_MODE_BACKGROUND' },
  };
  expect(referencesOf((await made(stand, edit(IMAGEN, { referenceImages: [raw, found] }))).sent)[1]).toEqual(found);
  await refused(stand, edit(GPT, { referenceImages: [raw, found] }), 'instances[0].referenceImages[1]');
  const odd = { ...mask, maskImageConfig: { maskMode: 'MASK_MODE_X' } };
  await refused(stand, edit(IMAGEN, { referenceImages: [raw, odd] }), 'maskMode');
});

test('[I-49] [I-53] a mask without an image is refused, and so is an image in two places', async () => {
  await refused(stand, edit(GPT, { referenceImages: [mask] }), 'instances[0].referenceImages');
  await refused(stand, edit(GPT, { image: png, referenceImages: [raw] }), 'instances[0].referenceImages');
  await made(stand, edit(GPT, { referenceImages: [raw, mask] }));
});

test('[I-52] other kinds of references reach hosts that have them, and the error names them elsewhere', async () => {
  for (const kind of ['CONTROL', 'STYLE', 'SUBJECT', 'CONTENT']) {
    const other = { referenceId: 3, referenceType: `REFERENCE_TYPE_${kind}`, referenceImage: png };
    expect(referencesOf((await made(stand, edit(IMAGEN, { referenceImages: [raw, other] }))).sent)[1]).toEqual(other);
    for (const model of [GPT, GEMINI])
      await refused(stand, edit(model, { referenceImages: [raw, other] }), 'instances[0].referenceImages[1]');
  }
});

test('[I-54] [I-55] an edit takes the parameters of a generation, and the edit mode where hosts have one', async () => {
  const jpeg = { sampleCount: 2, outputOptions: { mimeType: 'image/jpeg' } };
  for (const model of [GPT, IMAGEN]) {
    const predictions = predictionsOf((await made(stand, edit(model, { referenceImages: [raw] }, jpeg))).reply);
    expect(predictions.map((each) => startsAs(each['bytesBase64Encoded'], 'jpeg'))).toEqual([true, true]);
  }
  const editing = { editMode: 'EDIT_MODE_OUTPAINT', editConfig: { baseSteps: 5 } };
  const own = await made(stand, edit(IMAGEN, { referenceImages: [raw] }, editing));
  expect(own.sent['parameters']).toMatchObject(editing);
  expect((await made(stand, edit(GPT, { referenceImages: [raw] }, editing))).losses).toContain('parameters.editMode');
});
