// The official Google SDKs as judges of videos, JavaScript and Python: from words and frames to the end, at every provider.
import { type GenerateVideosOperation, GoogleGenAI } from '@google/genai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { failureOf } from '../support/failure-of.ts';
import { type Judgement, judgeWithPython } from '../support/python-judge.ts';
import {
  CLOUD,
  GROK,
  HAILUO,
  type Json,
  KEY,
  KLING,
  openVideoStand,
  PNG,
  QUEUED,
  SEEDANCE,
  SORA,
  VEO,
  type VideoStand,
  WAN,
  WAN_IMAGE,
} from '../support/video-probe.ts';

const FROM_TEXT = [VEO, CLOUD, SEEDANCE, WAN, HAILUO, GROK, KLING, QUEUED];
const FROM_IMAGE = [VEO, CLOUD, SEEDANCE, WAN_IMAGE, HAILUO, GROK, KLING, SORA, QUEUED];
const FROM_BOTH = [VEO, CLOUD, SEEDANCE, WAN_IMAGE, HAILUO, KLING, QUEUED];
const image = { imageBytes: PNG, mimeType: 'image/png' };

let stand: VideoStand;
let python: Judgement;
beforeAll(async () => {
  stand = await openVideoStand();
  python = await judgeWithPython(stand, 'test_videos.py');
});
afterAll(() => stand.close());

const genai = (apiKey = KEY): GoogleGenAI =>
  new GoogleGenAI({
    vertexai: true,
    apiKey,
    httpOptions: { baseUrl: `${stand.url}/api/vertex-ai`, apiVersion: 'v1' },
  });
/** The developers' form: the operation is read by its own path. */
const developer = (): GoogleGenAI =>
  new GoogleGenAI({
    vertexai: false,
    apiKey: KEY,
    httpOptions: { baseUrl: `${stand.url}/api/vertex-ai`, apiVersion: 'v1beta' },
  });

type Order = Parameters<GoogleGenAI['models']['generateVideos']>[0];

async function made(order: Order, ai: GoogleGenAI = genai()): Promise<GenerateVideosOperation> {
  let operation = await ai.models.generateVideos(order);
  const until = performance.now() + 20_000;
  while (operation.done !== true && performance.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    operation = await ai.operations.getVideosOperation({ operation });
  }
  return operation;
}

const clips = ({ response }: GenerateVideosOperation) => response?.generatedVideos?.map(({ video }) => video) ?? [];
const submitted = (prompt: string): Json => {
  const entry = stand.simulator.truth.read().find(({ bodyText }) => bodyText.includes(prompt));
  return (entry?.body ?? {}) as Json;
};

describe('JavaScript', () => {
  test.each(FROM_TEXT)('[O-39] partly: a video is made from a prompt, %s', async (model) => {
    const [video] = clips(await made({ model, prompt: 'a cat' }));
    expect(video?.mimeType).toBe('video/mp4');
    const clip = await fetch(video?.uri ?? '');
    expect((await clip.text()).slice(4, 8)).toBe('ftyp');
  });

  test.each(FROM_IMAGE)('a video is made from a first frame, %s', async (model) => {
    expect(clips(await made({ model, prompt: 'a cat', image }))).toHaveLength(1);
  });

  test.each(FROM_BOTH)('a video is made from a first and a last frame, %s', async (model) => {
    expect(clips(await made({ model, prompt: 'a cat', image, config: { lastFrame: image } }))).toHaveLength(1);
  });

  test('[A-38] the configuration of our documents makes all five calls, and none without a key', async () => {
    const question = { model: 'google/gemini-2.5-flash', contents: 'Where do three roads meet?' };
    const painting = { model: 'google/gemini-3-pro-image', prompt: 'a cat' };
    const ai = genai();
    expect((await ai.models.generateContent(question)).text).toContain('three roads');
    let streamed = '';
    for await (const { text } of await ai.models.generateContentStream(question)) streamed += text ?? '';
    expect(streamed).toContain('three roads');
    const { generatedImages } = await ai.models.generateImages(painting);
    expect(generatedImages?.[0]?.image?.imageBytes).toMatch(/^iVBORw0KGgo/);
    const operation = await ai.models.generateVideos({ model: VEO, prompt: 'a cat @simulate polls=1000000' });
    const asked = await ai.operations.getVideosOperation({ operation });
    expect([asked.name, asked.done ?? false]).toEqual([operation.name, false]);

    const stranger = genai('sk-trivium-nobody');
    const refusals = [
      stranger.models.generateContent(question),
      stranger.models.generateContentStream(question),
      stranger.models.generateImages(painting),
      stranger.models.generateVideos({ model: VEO, prompt: 'a cat' }),
      stranger.operations.getVideosOperation({ operation }),
    ];
    const failures = await Promise.all(refusals.map(failureOf));
    expect(failures).toEqual(Array(5).fill(expect.objectContaining({ status: 401 })));
  });

  test('a video is made in the form of the developer API', async () => {
    const [video] = clips(await made({ model: VEO, prompt: 'a cat' }, developer()));
    expect(video?.uri).toContain('/api/blobs/');
  });

  test('[O-40] the SDK returns a failed operation without throwing', async () => {
    const { error } = await made({ model: VEO, prompt: 'a cat @simulate clip=fails' });
    expect(error).toMatchObject({ code: 13, message: expect.any(String) });
    expect((await made({ model: VEO, prompt: 'a cat' })).error).toBeUndefined();
  });

  test('[V-33] the SDK’s parameter names map to those of the body', async () => {
    const config = {
      aspectRatio: '9:16',
      resolution: '1080p',
      durationSeconds: 8,
      generateAudio: true,
      negativePrompt: 'rain',
      enhancePrompt: true,
      personGeneration: 'ALLOW_ADULT',
      seed: 7,
      fps: 24,
    };
    await made({ model: CLOUD, prompt: 'all the settings', config });
    expect(submitted('all the settings')['parameters']).toMatchObject({ ...config, personGeneration: 'allow_adult' });
    const wrong = genai().models.generateVideos({ model: CLOUD, prompt: 'a', config: { aspectRatio: '4:3' } });
    await expect(wrong).rejects.toThrow(/aspectRatio/);
  });
});

test('[V-31] [V-32] number, first and last frame of both SDKs reach the vendor', async () => {
  await made({ model: VEO, prompt: 'javascript frames', image, config: { numberOfVideos: 2, lastFrame: image } });
  expect(python.seen('from_frames')).toEqual({ done: true, types: ['video/mp4', 'video/mp4'], uris: true });
  const frame = { bytesBase64Encoded: PNG, mimeType: 'image/png' };
  for (const prompt of ['javascript frames', 'python frames'])
    expect(submitted(prompt)).toMatchObject({
      instances: [{ prompt, image: frame, lastFrame: frame }],
      parameters: { sampleCount: 2 },
    });
  const none = genai().models.generateVideos({ model: VEO, prompt: 'a', config: { numberOfVideos: 5 } });
  await expect(none).rejects.toThrow(/sampleCount/);
});

test('[O-39] both SDKs read the result, at every provider', async () => {
  for (const model of FROM_TEXT)
    expect(python.seen(`from_text ${model}`), model).toEqual({ done: true, types: ['video/mp4'], uris: true });
  const [video] = clips(await made({ model: VEO, prompt: 'a cat' }));
  expect(video).toMatchObject({ uri: expect.any(String), mimeType: 'video/mp4' });
  expect(python.seen('failing')).toEqual({ done: true, code: 13 });
});
