// Answers of image hosts without an image: a fault inside a 200, a verdict of a filter, or nothing at all.
import { describe, expect, test } from 'vitest';
import { faultOf } from '../canonical/gateway-error.ts';
import type { GeneratedImage } from '../canonical/image.ts';
import type { Json, JsonObject } from '../canonical/json.ts';
import { arkImages } from './ark-images/index.ts';
import { targetFacts } from './dialect.fixture.ts';
import { googleImage } from './google-image/index.ts';
import { googlePredict } from './google-predict/index.ts';
import { HELD_BACK } from './images.ts';
import type { ImageDialect } from './media-dialects.ts';
import { openaiImages } from './openai-images/index.ts';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAA';
const image = { base64: PNG, mimeType: 'image/png' };

const read = (dialect: ImageDialect, body: Json) =>
  dialect.client.decodeAnswer(body, targetFacts({ dialect: dialect.id, family: 'f' }, dialect.quirks({})));
const imagesIn = (dialect: ImageDialect, body: Json): readonly GeneratedImage[] => read(dialect, body).images;
function faultIn(dialect: ImageDialect, body: Json): object {
  try {
    read(dialect, body);
  } catch (error) {
    return faultOf(error);
  }
  throw new Error('nothing was wrong');
}

const NO_IMAGES = { kind: 'upstream-broken', message: 'The upstream provider sent no images.' };

test.each<{ dialect: ImageDialect; bodies: readonly Json[] }>([
  { dialect: arkImages, bodies: [{}, 'odd', { data: [] }, { data: ['odd'] }, { data: [{ size: '1x1' }] }] },
  {
    dialect: openaiImages,
    bodies: [{}, 'odd', { data: [] }, { data: ['odd'] }, { data: [{ revised_prompt: 'a cat' }] }],
  },
  {
    dialect: googlePredict,
    bodies: [{}, 'odd', { predictions: [] }, { predictions: [{ contentType: 'Positive Prompt' }] }],
  },
  {
    dialect: googleImage,
    bodies: [
      {},
      'odd',
      { candidates: [] },
      { candidates: [{ content: { parts: [{ text: 'a cat' }] }, finishReason: 'STOP' }] },
      { candidates: [{ content: { parts: [{ thought: true, inlineData: { data: PNG } }] } }] },
    ],
  },
])('$dialect.id: an answer without an image is a fault of the host', ({ dialect, bodies }) => {
  for (const body of bodies) expect([body, faultIn(dialect, body)]).toEqual([body, NO_IMAGES]);
});

describe('image sets', () => {
  const failed = (code: string): JsonObject => ({ error: { code, message: 'no cats' } });

  test('if every image failed, the caller gets the fault', () => {
    expect(faultIn(arkImages, { data: [failed('InternalServiceError')] })).toEqual({
      kind: 'upstream-broken',
      message: 'The upstream provider failed to answer.',
    });
  });

  test('one that failed leaves the others, and a blocked one has its reason', () => {
    const data = [failed('InternalServiceError'), failed('OutputImageSensitiveContentDetected'), { b64_json: PNG }];
    expect(imagesIn(arkImages, { data })).toEqual([{ blocked: 'no cats' }, image]);
    expect(read(arkImages, { data }).usage).toEqual({ pictures: 1 });
  });
});

describe.each([googleImage, googlePredict])('$id', (dialect) => {
  test('an error inside a 200 is a fault, with its own status', () => {
    const error = { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'slow down' };
    expect(faultIn(dialect, { error })).toMatchObject({ kind: 'upstream-over-rate' });
    expect(faultIn(dialect, { error: { message: 'odd' } })).toMatchObject({
      kind: 'upstream-broken',
      message: 'The upstream provider failed to answer.',
    });
  });
});

describe('an image model that answers like a chat model', () => {
  test.each<[JsonObject, string]>([
    [{ blockReason: 'SAFETY' }, 'SAFETY'],
    [{ blockReason: 'SAFETY', blockReasonMessage: 'no cats' }, 'no cats'],
  ])('a blocked prompt has its reason: %j', (promptFeedback, blocked) => {
    expect(imagesIn(googleImage, { promptFeedback })).toEqual([{ blocked }]);
    expect(read(googleImage, { promptFeedback }).usage).toEqual({ pictures: 0 });
  });

  test.each<[string, JsonObject, string]>([
    ['its message', { finishMessage: 'no cats', content: { parts: [{ text: 'Sorry.' }] } }, 'no cats'],
    ['its text', { content: { parts: [{ text: 'Sorry, ' }, { text: 'no.' }] } }, 'Sorry, no.'],
    ['neither', { content: { parts: [{ inlineData: {} }] } }, HELD_BACK],
  ])('a filtered image has as its reason %s', (_what, candidate, blocked) => {
    for (const finishReason of ['IMAGE_SAFETY', 'FINISH_REASON_SAFETY', 'NO_IMAGE'])
      expect(imagesIn(googleImage, { candidates: [{ ...candidate, finishReason }] })).toEqual([{ blocked }]);
  });

  test('images it made while thinking are left out, and the type of the bytes counts', () => {
    const inlineData = { data: PNG, mimeType: 'image/jpeg' };
    const parts = [{ thought: true, inlineData }, { text: 'Here.' }, { inlineData }];
    expect(imagesIn(googleImage, { candidates: [{ content: { parts }, finishReason: 'SAFETY' }] })).toEqual([image]);
  });

  test('image tokens are counted apart from text, on both sides', () => {
    const usageOf = (usageMetadata: JsonObject) =>
      read(googleImage, { candidates: [{ content: { parts: [{ inlineData: { data: PNG } }] } }], usageMetadata }).usage;
    const details = (text: number, images: number): JsonObject[] => [
      { modality: 'TEXT', tokenCount: text },
      { modality: 'IMAGE', tokenCount: images },
    ];
    expect(
      usageOf({
        promptTokenCount: 10,
        promptTokensDetails: details(7, 3),
        candidatesTokenCount: 25,
        candidatesTokensDetails: details(5, 20),
        thoughtsTokenCount: 2,
      }),
    ).toStrictEqual({ prompt: 7, inputImage: 3, completion: 5, outputImage: 20, internalReasoning: 2, pictures: 1 });
    expect(usageOf({ promptTokenCount: 10 })).toStrictEqual({ prompt: 10, completion: 0, outputImage: 0, pictures: 1 });
    expect(usageOf({ candidatesTokenCount: 5 })).toStrictEqual({ pictures: 1 });
  });
});
