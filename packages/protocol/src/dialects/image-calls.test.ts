// Parts of an image call that a format has no field for: reported, never dropped silently.
import { describe, expect, test } from 'vitest';
import type { ImageCall, ImageFormat, ImageReference } from '../canonical/image.ts';
import type { ImageLimits } from '../canonical/image-limits.ts';
import { arkImages } from './ark-images/index.ts';
import { bflImages } from './bfl-images/index.ts';
import { imageCall as call, targetFacts } from './dialect.fixture.ts';
import type { TargetFacts } from './dialect.ts';
import { googleImage } from './google-image/index.ts';
import { googlePredict } from './google-predict/index.ts';
import type { ImageDialect } from './media-dialects.ts';
import { openaiImages } from './openai-images/index.ts';

const target = (dialect: ImageDialect, quirks: object = {}, image: ImageLimits = {}): TargetFacts =>
  targetFacts({ dialect: dialect.id, family: 'any', scope: 'any' }, dialect.quirks(quirks), { image });
const file = { base64: 'iVBORw0KGgoAAAANSUhEUgAA', mimeType: 'image/png' };

describe('compression', () => {
  const lostAt = (dialect: ImageDialect, own: Partial<ImageCall>, quirks?: object): boolean =>
    dialect.client
      .encodeCall(call(own), target(dialect, quirks))
      .losses.some(({ field }) => field === 'image.compression');

  test.each([googlePredict, googleImage])('$id: without JPEG to compress, it is a reported loss', (dialect) => {
    expect(lostAt(dialect, { compression: 50 })).toBe(true);
    expect(lostAt(dialect, { format: 'jpeg', compression: 50 })).toBe(false);
  });

  test.each([
    { dialect: bflImages, quirks: {} },
    { dialect: openaiImages, quirks: {} },
    { dialect: googleImage, quirks: { cloudFields: false } },
  ])('$dialect.id: a compression of 100 (the default) is not a loss, any other is', ({ dialect, quirks }) => {
    expect(lostAt(dialect, { format: 'jpeg', compression: 100 }, quirks)).toBe(false);
    expect(lostAt(dialect, { format: 'jpeg', compression: 99 }, quirks)).toBe(true);
  });
});

test('has no field for a mask inside JSON, and refuses it', () => {
  const masked = call({
    references: [
      { role: 'source', path: 'image', file, extras: {} },
      { role: 'mask', path: 'mask', file, extras: {} },
    ],
  });
  const encode = (editsAs: 'form' | 'json') =>
    openaiImages.client.encodeCall(masked, target(openaiImages, { editsAs }));
  expect(encode('form').form?.map(({ name }) => name)).toContain('mask');
  expect(() => encode('json')).toThrow("'mask' is a mask, which this model does not take");
});

describe('without known limits of the model', () => {
  const reference = (role: ImageReference['role'], path: string): ImageReference => ({ role, path, file, extras: {} });
  const sent = (dialect: ImageDialect, own: Partial<ImageCall>, image: ImageLimits = {}) =>
    expect(() => dialect.client.encodeCall(call(own), target(dialect, {}, image)));

  test.each([arkImages, googleImage, bflImages])('$id: a mask is refused', (dialect) => {
    const references = [reference('source', 'image'), reference('mask', 'mask')];
    sent(dialect, { references }).toThrow("'mask' is a mask, which this model does not take.");
    sent(dialect, { references: references.slice(0, 1) }).not.toThrow();
  });

  test.each([googleImage, bflImages])('$id: more than one image is refused', (dialect) => {
    sent(dialect, { count: 2 }).toThrow(/image\.count/);
    sent(dialect, { count: 1 }).not.toThrow();
  });

  test('a second mask is refused', () => {
    const references = [reference('source', 'image'), reference('mask', 'mask'), reference('mask', 'mask[1]')];
    sent(openaiImages, { references }).toThrow("'mask[1]' is a second mask, and this model takes one.");
    sent(openaiImages, { references: references.slice(0, 2) }).not.toThrow();
  });

  test('a mask goes with exactly one image where the model fills it', () => {
    const masks = { masks: true };
    const [first, second] = [reference('source', 'image'), reference('source', 'image[1]')];
    const mask = reference('mask', 'mask');
    for (const references of [[mask], [first, second, mask]])
      sent(bflImages, { references }, masks).toThrow("'mask' goes with exactly one image.");
    sent(bflImages, { references: [first, mask] }, masks).not.toThrow();
  });
});

test.each([bflImages, googlePredict])('$id: WebP, which the host does not make, is a reported loss', (dialect) => {
  const lost = (format: ImageFormat): readonly string[] =>
    dialect.client.encodeCall(call({ format }), target(dialect)).losses.map(({ field }) => field);
  expect(lost('webp')).toEqual(['image.format']);
  for (const format of ['png', 'jpeg'] as const) expect(lost(format)).toEqual([]);
});

test('repeats a refusal for each requested image, up to a limit', () => {
  const answer = { images: [{ blocked: 'no cats' }], usage: { pictures: 0 }, traits: {} };
  const imagesFor = (count: number): number => {
    const responseOptions = { image: { action: 'generation', count, asUrl: false, blockReasons: true, traits: {} } };
    const { body } = googlePredict.server.encodeAnswer(answer, { responseOptions } as never);
    return (body as { predictions: unknown[] }).predictions.length;
  };
  expect(imagesFor(4)).toBe(4);
  expect(imagesFor(1_000_000)).toBeLessThanOrEqual(64);
});

test.each(['1K', '2K', '4K'] as const)('requests %s unchanged from a model with unknown sizes', (tier) => {
  const predicted = googlePredict.client.encodeCall(call({ tier }), target(googlePredict));
  expect(predicted).toMatchObject({ body: { parameters: { sampleImageSize: tier } }, losses: [] });
  const generated = googleImage.client.encodeCall(call({ tier }), target(googleImage));
  expect(generated).toMatchObject({ body: { generationConfig: { imageConfig: { imageSize: tier } } }, losses: [] });
});

test('more input images than a model takes are refused; the error says how many, or that it edits none', () => {
  const references = [1, 2].map((at) => ({ role: 'source', path: `image[${at}]`, file, extras: {} }) as const);
  const sent = (referencesMax: number) =>
    expect(() => openaiImages.client.encodeCall(call({ references }), target(openaiImages, {}, { referencesMax })));
  sent(0).toThrow('this model edits no images');
  sent(1).toThrow('may hold at most 1 images');
  sent(2).not.toThrow();
});
