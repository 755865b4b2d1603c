// The official SDKs as judges of images, JavaScript and Python: made, edited and streamed, at hosts of every format.
import { createOpenAI } from '@ai-sdk/openai';
import { GoogleGenAI, MaskReferenceImage, PersonGeneration, RawReferenceImage, SafetyFilterLevel } from '@google/genai';
import { generateImage } from 'ai';
import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  FLUX,
  GEMINI,
  GPT,
  GROK,
  IMAGEN,
  imageConfig,
  imageHosts,
  type Json,
  PNG,
  QUEUED_FLUX,
  QWEN,
  SEEDREAM,
  startsAs,
  WAN,
} from '../support/image-probe.ts';
import { type Judgement, judgeWithPython } from '../support/python-judge.ts';
import { KEY, openStand, type Stand } from '../support/stand.ts';

const MODELS = [GPT, IMAGEN, GEMINI];
/** Formats that only hosts speak, some of them with jobs, and what their pictures are. */
const ELSEWHERE = [
  { model: SEEDREAM, format: 'jpeg', edits: true },
  { model: GROK, format: 'png', edits: true },
  { model: FLUX, format: 'png', edits: true },
  { model: WAN, format: 'png', edits: true },
  { model: QWEN, format: 'png', edits: false },
  { model: QUEUED_FLUX, format: 'png', edits: true },
];

let stand: Stand;
let python: Judgement;
beforeAll(async () => {
  // A short keep-alive interval: the gateway polls jobs at this interval.
  const config = (url: string) => ({ ...imageConfig(url), timeouts: { keepAliveToCallerMs: 400 } });
  stand = await openStand({ alsoHosts: imageHosts, config });
  python = await judgeWithPython(stand, 'test_images.py');
});
afterAll(() => stand.close());

const openai = (): OpenAI => new OpenAI({ apiKey: KEY, baseURL: stand.chatUrl, maxRetries: 0 });
const genai = (): GoogleGenAI =>
  new GoogleGenAI({
    vertexai: true,
    apiKey: KEY,
    httpOptions: { baseUrl: `${stand.url}/api/vertex-ai`, apiVersion: 'v1' },
  });
const png = (): Promise<File> => toFile(PNG, 'a.png', { type: 'image/png' });
const image = { imageBytes: PNG.toString('base64'), mimeType: 'image/png' };
const kinds = (model: string, kind: string): readonly string[] => [
  ...(model === GPT ? [`${kind}.partial_image`, `${kind}.partial_image`] : []),
  `${kind}.completed`,
];

function references(): (RawReferenceImage | MaskReferenceImage)[] {
  const source = new RawReferenceImage();
  source.referenceId = 1;
  source.referenceImage = image;
  const mask = new MaskReferenceImage();
  mask.referenceId = 2;
  mask.referenceImage = image;
  mask.config = { maskMode: 'MASK_MODE_USER_PROVIDED' as never };
  return [source, mask];
}

describe.each(MODELS)('%s', (model) => {
  test('[IS-31] openai for JavaScript generates and edits images, whole and streamed', async () => {
    const { images } = openai();
    const made = await images.generate({ model, prompt: 'a cat' });
    expect(startsAs(made.data?.[0]?.b64_json, 'png')).toBe(true);
    const edited = await images.edit({ model, prompt: 'a cat', image: [await png(), await png()] });
    expect(startsAs(edited.data?.[0]?.b64_json, 'png')).toBe(true);
    const [making, editing] = [
      await images.generate({ model, prompt: 'a cat', stream: true, partial_images: 2 }),
      await images.edit({ model, prompt: 'a cat', image: await png(), stream: true, partial_images: 2 }),
    ];
    const seen: { type: string; b64_json: string }[] = [];
    for await (const event of making) seen.push(event);
    for await (const event of editing) seen.push(event);
    expect(seen.map(({ type }) => type)).toEqual([...kinds(model, 'image_generation'), ...kinds(model, 'image_edit')]);
    for (const { b64_json } of seen) expect(startsAs(b64_json, 'png')).toBe(true);
  });

  test('[IS-31] openai for Python generates and edits images, whole and streamed', () => {
    expect(python.seen(`openai_images ${model}`)).toEqual({ made: true, edited: true });
    expect(python.seen(`openai_streams ${model}`)).toEqual({
      made: kinds(model, 'image_generation'),
      edited: kinds(model, 'image_edit'),
      whole: true,
    });
  });

  test('[I-65] generateImages of both Google SDKs works', async () => {
    const { generatedImages } = await genai().models.generateImages({ model, prompt: 'a cat' });
    expect(generatedImages?.[0]?.image?.mimeType).toBe('image/png');
    expect(startsAs(generatedImages?.[0]?.image?.imageBytes, 'png')).toBe(true);
    expect(python.seen(`genai_images ${model}`)).toEqual({ png: true, type: 'image/png' });
  });

  test('Vercel’s image model of the chat protocol works', async () => {
    const chat = await generateImage({
      model: createOpenAI({ apiKey: KEY, baseURL: stand.chatUrl }).image(model),
      prompt: 'a cat',
    });
    expect(startsAs(chat.image.base64, 'png')).toBe(true);
  });
});

test('every other host works with both SDKs in both languages', async () => {
  const seen = ELSEWHERE.map(async ({ model, format, edits }) => {
    const [chat, google, streams, edited] = await Promise.all([
      openai().images.generate({ model, prompt: 'a cat' }),
      genai().models.generateImages({ model, prompt: 'a cat' }),
      openai().images.generate({ model, prompt: 'a cat', stream: true }),
      edits ? openai().images.edit({ model, prompt: 'a cat', image: await png() }) : undefined,
    ]);
    const events: string[] = [];
    for await (const { type, b64_json } of streams) events.push(`${type} ${startsAs(b64_json, format)}`);
    const [painted] = google.generatedImages ?? [];
    expect([model, painted?.image?.mimeType, ...events]).toEqual([
      model,
      `image/${format}`,
      'image_generation.completed true',
    ]);
    const files = [
      chat.data?.[0]?.b64_json,
      painted?.image?.imageBytes,
      ...(edits ? [edited?.data?.[0]?.b64_json] : []),
    ];
    expect(files.map((file) => startsAs(file, format))).toEqual(files.map(() => true));
  });
  await Promise.all(seen);
  expect(python.seen('elsewhere')).toEqual(
    Object.fromEntries(
      ELSEWHERE.map(({ model, format, edits }) => {
        const type = `image/${format}`;
        return [model, [type, type, type, ...(edits ? [type] : [])]];
      }),
    ),
  );
});

test.each([GPT, IMAGEN])('[I-57] editImage of both Google SDKs works with a mask at %s', async (model) => {
  const { generatedImages } = await genai().models.editImage({
    model,
    prompt: 'a cat',
    referenceImages: references(),
  });
  expect(startsAs(generatedImages?.[0]?.image?.imageBytes, 'png')).toBe(true);
  expect(JSON.stringify(stand.simulator.truth.last()?.body)).toContain(
    model === GPT ? 'mask.png' : 'REFERENCE_TYPE_MASK',
  );
  expect(python.seen(`genai_edits ${model}`)).toEqual({ png: true });
});

const SETTINGS = {
  sampleCount: 2,
  negativePrompt: 'dogs',
  aspectRatio: '16:9',
  outputOptions: { mimeType: 'image/jpeg', compressionQuality: 80 },
  seed: 7,
  enhancePrompt: true,
  personGeneration: 'allow_adult',
  safetySetting: 'BLOCK_LOW_AND_ABOVE',
  includeRaiReason: true,
  addWatermark: false,
  guidanceScale: 3,
  sampleImageSize: '2K',
};

test('[I-37] [I-38] parameters of the Google SDKs reach the host under its own names', async () => {
  const config = {
    numberOfImages: 2,
    negativePrompt: 'dogs',
    aspectRatio: '16:9',
    outputMimeType: 'image/jpeg',
    outputCompressionQuality: 80,
    seed: 7,
    enhancePrompt: true,
    personGeneration: PersonGeneration.ALLOW_ADULT,
    safetyFilterLevel: SafetyFilterLevel.BLOCK_LOW_AND_ABOVE,
    includeRaiReason: true,
    addWatermark: false,
    guidanceScale: 3,
    imageSize: '2K',
  };
  const { generatedImages } = await genai().models.generateImages({ model: IMAGEN, prompt: 'a cat', config });
  expect(generatedImages?.map((each) => each.image?.mimeType)).toEqual(['image/jpeg', 'image/jpeg']);
  expect(python.seen('genai_settings')).toEqual({ types: ['image/jpeg', 'image/jpeg'] });
  const sent = stand.simulator.truth.read().map(({ body }) => (body as Json | undefined)?.['parameters']);
  expect(sent.filter((parameters) => JSON.stringify(parameters)?.includes('dogs'))).toEqual([SETTINGS, SETTINGS]);
});
