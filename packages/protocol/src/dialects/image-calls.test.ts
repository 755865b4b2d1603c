// Parts of an image call that a format has no field for: reported, never dropped silently.
import { describe, expect, test } from 'vitest';
import type { ImageCall } from '../canonical/image.ts';
import { bflImages } from './bfl-images/index.ts';
import { imageCall as call, targetFacts } from './dialect.fixture.ts';
import type { TargetFacts } from './dialect.ts';
import { googleImage } from './google-image/index.ts';
import { googlePredict } from './google-predict/index.ts';
import type { ImageDialect } from './image-dialect.ts';
import { openaiImages } from './openai-images/index.ts';

const target = (dialect: ImageDialect, quirks: object = {}): TargetFacts =>
  targetFacts({ dialect: dialect.id, family: 'any', scope: 'any' }, dialect.quirks(quirks));
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
  const { body, losses } = googlePredict.client.encodeCall(call({ tier }), target(googlePredict));
  expect(body).toMatchObject({ parameters: { sampleImageSize: tier } });
  expect(losses).toEqual([]);
});
