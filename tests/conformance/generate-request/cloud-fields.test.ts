/** Fields that only the cloud edition (Vertex AI) has: forwarded there, and a loss everywhere else. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CLOUD_MODELS, cloudHosts } from '../../support/cloud-hosts.ts';
import { genaiRoad } from '../../support/genai-road.ts';
import {
  ALL_MODELS,
  ask,
  config,
  type Json,
  lossless,
  lossy,
  refused,
  sentConfig,
} from '../../support/generate-probe.ts';
import { converse } from '../../support/roads.ts';
import { openStand, type Stand } from '../../support/stand.ts';

const VERTEX = CLOUD_MODELS.vertexGemini;
const PAINTER = 'google/painter-on-vertex';
const painter = {
  id: PAINTER,
  contextLength: 32_768,
  maxOutputTokens: 8192,
  outputModalities: ['text', 'image'],
  endpoints: [{ provider: 'google-vertex', dialect: 'google-generate', upstreamModel: 'gemini-2.5-flash-image' }],
};

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({
    alsoHosts: (url, simulator) => {
      const hosts = cloudHosts(url, simulator);
      return { ...hosts, models: [...hosts.models, painter] };
    },
  });
  // Fetch the access token now, so that every call below is one upstream request.
  await converse(stand, genaiRoad, VERTEX, [genaiRoad.user('Hello')]);
});
afterAll(() => stand.close());

const at = (name: string): string => `generationConfig.${name}`;
const onVertex = { model: VERTEX };
const setting = { category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_ONLY_HIGH' };
const safety = (...safetySettings: unknown[]): Json => ask({ safetySettings });
const painted = (imageConfig: unknown): Json => config({ responseModalities: ['TEXT', 'IMAGE'], imageConfig });

describe('safety methods', () => {
  test.each(['HARM_BLOCK_METHOD_UNSPECIFIED', 'SEVERITY', 'PROBABILITY'])(
    '[G-33] the safety method %s is forwarded',
    async (method) => {
      const { sent } = await lossless(stand, safety({ ...setting, method }), onVertex);
      expect(sent['safetySettings']).toEqual([{ ...setting, method }]);
      // An edition without methods scores by probability, so the method is reported as a loss.
      const elsewhere = await lossy(stand, safety({ ...setting, method }), ['safetySettings']);
      expect(elsewhere.sent['safetySettings']).toEqual([setting]);
    },
  );
  test('[G-33] without a safety method none is sent, and an unknown one is refused', async () => {
    const { sent } = await lossless(stand, safety(setting), onVertex);
    expect(sent['safetySettings']).toEqual([setting]);
    for (const method of ['X', 'severity', 1])
      await refused(stand, safety({ ...setting, method }), 'safetySettings[0].method', onVertex);
  });
});

describe('timestamps of audio', () => {
  test.each([true, false])('[G-66] audioTimestamp %s is forwarded where the model has it', async (audioTimestamp) => {
    const answer = await lossless(stand, config({ audioTimestamp }), onVertex);
    expect(sentConfig(answer)['audioTimestamp']).toBe(audioTimestamp);
  });
  test('[G-66] audioTimestamp must be a boolean, and is a loss at other models', async () => {
    for (const audioTimestamp of [1, 'true', {}])
      await refused(stand, config({ audioTimestamp }), at('audioTimestamp'), onVertex);
    for (const model of ALL_MODELS) {
      const { sentText } = await lossy(stand, config({ audioTimestamp: true }), [at('audioTimestamp')], { model });
      expect(sentText).not.toContain('audioTimestamp');
    }
  });
});

describe('image output options', () => {
  const options = { mimeType: 'image/jpeg', compressionQuality: 80 };
  const flat = { outputMimeType: 'image/jpeg', outputCompressionQuality: 80 };
  const place = at('imageConfig.outputCompressionQuality');

  test('[G-91] a compression quality is forwarded for JPEG and refused for PNG', async () => {
    const answer = await lossless(stand, painted(flat), { model: PAINTER });
    expect(sentConfig(answer)['imageConfig']).toEqual({ imageOutputOptions: options });
    await refused(stand, painted({ ...flat, outputMimeType: 'image/png' }), place, { model: PAINTER });
    await refused(stand, painted({ ...flat, outputCompressionQuality: '80' }), place, { model: PAINTER });
    await refused(stand, painted({ outputMimeType: 1 }), at('imageConfig.outputMimeType'), { model: PAINTER });
  });
  test('[G-92] the nested and the flat field names give the same upstream body', async () => {
    const one = await lossless(stand, painted({ aspectRatio: '1:1', ...flat }), { model: PAINTER });
    const other = await lossless(stand, painted({ aspectRatio: '1:1', imageOutputOptions: options }), {
      model: PAINTER,
    });
    expect(one.sent).toEqual(other.sent);
    expect(sentConfig(other)['imageConfig']).toEqual({ aspectRatio: '1:1', imageOutputOptions: options });
    const wrong = painted({ imageOutputOptions: { mimeType: 'image/png', compressionQuality: 80 } });
    await refused(stand, wrong, place, { model: PAINTER });
  });
});
