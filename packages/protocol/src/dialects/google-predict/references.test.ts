import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../canonical/json.ts';
import { readReferences } from './references.ts';
import { Members } from './settings.ts';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAA';
const referenceImage = { bytesBase64Encoded: PNG, mimeType: 'image/png' };
const raw: JsonObject = { referenceId: 1, referenceType: 'REFERENCE_TYPE_RAW', referenceImage };
const mask: JsonObject = {
  referenceId: 2,
  referenceType: 'REFERENCE_TYPE_MASK',
  referenceImage,
  maskImageConfig: { maskMode: 'MASK_MODE_USER_PROVIDED' },
};
const read = (instance: JsonObject) => readReferences(new Members(instance, 'i'));
const several = (length: number): JsonObject[] => Array.from({ length }, (_, id) => ({ ...raw, referenceId: id }));

describe('the error names the field and the problem', () => {
  test.each<[string, Json]>([
    ["'i.referenceImages' must be a list", {}],
    ["'i.referenceImages' must not be empty", []],
    ["'i.referenceImages' holds more than 64 images", several(65)],
    ["'i.referenceImages' holds a mask and no image to edit", [mask]],
    ["'i.referenceImages[1]' must be an object", [raw, 'x']],
    ["'i.referenceImages[0].referenceId' is required", [{ ...raw, referenceId: null }]],
    ["'i.referenceImages[1].referenceId' is the id of another", [raw, raw]],
    ["'i.referenceImages[0].referenceType' must be one of REFERENCE_TYPE_RAW,", [{ ...raw, referenceType: null }]],
    ["'i.referenceImages[0].referenceImage' is required", [{ ...raw, referenceImage: null }]],
    ["'i.referenceImages[0].referenceImage' must be an object", [{ ...raw, referenceImage: 'x' }]],
    ["'i.referenceImages[1].maskImageConfig' is required", [raw, { ...mask, maskImageConfig: null }]],
    ["'i.referenceImages[1].maskImageConfig.maskMode' is required", [raw, { ...mask, maskImageConfig: {} }]],
    ["'i.referenceImages[1].referenceImage' is required", [raw, { ...mask, referenceImage: null }]],
  ])('%s', (problem, referenceImages) => {
    expect(() => read({ referenceImages })).toThrow(problem);
  });

  test.each<[string, Json]>([
    ["'i.image' must be an object", 'x'],
    ["'i.image.bytesBase64Encoded' is required", { mimeType: 'image/png' }],
    ["'i.image.bytesBase64Encoded' must be base64", { bytesBase64Encoded: '%%%' }],
    ["'i.image.mimeType' must be the type of an image", { ...referenceImage, mimeType: 'video/mp4' }],
    ["'i.image.gcsUri' cannot be read from here", { gcsUri: 'gs://bucket/one.png' }],
  ])('%s', (problem, image) => {
    expect(() => read({ image })).toThrow(problem);
  });

  test('an image in two places', () => {
    expect(() => read({ image: referenceImage, referenceImages: [raw] })).toThrow(
      "'i.referenceImages' must not be given beside 'i.image'",
    );
  });
});

test.each([
  ['RAW', 'source'],
  ['CONTROL', 'control'],
  ['STYLE', 'style'],
  ['SUBJECT', 'subject'],
  ['CONTENT', 'content'],
])('a reference of type %s is for %s', (type, role) => {
  expect(read({ referenceImages: [{ ...raw, referenceType: `REFERENCE_TYPE_${type}` }] })).toEqual([
    { role, path: 'i.referenceImages[0]', id: 1, file: { base64: PNG, mimeType: 'image/png' }, extras: {} },
  ]);
});

test.each(['mask', 'control', 'style', 'subject'])(
  'the %s settings of a reference are kept for hosts that have them',
  (kind) => {
    const config = { [`${kind}ImageConfig`]: { odd: 1 } };
    expect(read({ referenceImages: [{ ...raw, ...config }] })[0]?.extras).toEqual({ 'google-predict': config });
  },
);

test('takes as many references as allowed', () => {
  expect(read({ referenceImages: several(64) })).toHaveLength(64);
  expect(read({})).toEqual([]);
});

test.each(['DEFAULT', 'BACKGROUND', 'FOREGROUND', 'SEMANTIC'])(
  'a mask that the model finds (%s) needs no image',
  (mode) => {
    const maskImageConfig = { maskMode: `MASK_MODE_${mode}` };
    const { referenceImage: _, ...given } = mask;
    const found = { ...given, maskImageConfig };
    expect(read({ referenceImages: [raw, found] })[1]).toEqual({
      role: 'mask',
      path: 'i.referenceImages[1]',
      id: 2,
      extras: { 'google-predict': { maskImageConfig } },
    });
  },
);
