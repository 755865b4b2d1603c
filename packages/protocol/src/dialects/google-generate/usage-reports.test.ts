import { expect, test } from 'vitest';
import { fold } from '../../stream/fold.ts';
import { NO_OPTIONS, runToEnd, targetFacts } from '../dialect.fixture.ts';
import type { Frame } from '../dialect.ts';
import { googleGenerate } from './index.ts';

const target = targetFacts({ dialect: 'google-generate', family: 'gemini' }, googleGenerate.quirks({}));
const context = { requestId: 'r', model: 'm', createdAtSeconds: 1, responseOptions: NO_OPTIONS };
const detailed = {
  promptTokenCount: 300,
  candidatesTokenCount: 130,
  promptTokensDetails: [
    { modality: 'TEXT', tokenCount: 42 },
    { modality: 'IMAGE', tokenCount: 258 },
  ],
  candidatesTokensDetails: [{ modality: 'AUDIO', tokenCount: 120 }],
};
const chunk = (usageMetadata: object, more: object = {}): Frame => ({
  data: JSON.stringify({ candidates: [{ content: { parts: [{ text: 'a' }] }, ...more }], usageMetadata }),
});

test.each<[string, object, object]>([
  [
    'the modalities again',
    { ...detailed, candidatesTokenCount: 140 },
    { prompt: 42, inputImage: 258, completion: 20, outputAudio: 120 },
  ],
  [
    'sums alone',
    { promptTokenCount: 300, candidatesTokenCount: 140 },
    { prompt: 300, inputImage: 0, completion: 140, outputAudio: 0 },
  ],
  [
    'cached tokens without their modalities',
    { ...detailed, cachedContentTokenCount: 100 },
    { prompt: 200, inputImage: 0, inputCacheRead: 100, completion: 10, outputAudio: 120 },
  ],
])('every token of a stream counts once if its last chunk reports %s', (_name, last, usage) => {
  const frames = [chunk(detailed), chunk(last, { finishReason: 'STOP' })];
  expect(fold(runToEnd(googleGenerate.client.eventDecoder(target), frames)).usage).toEqual(usage);
  const lane = googleGenerate.verbatim.frames(context, target);
  expect(Object.assign({}, ...frames.map((frame) => lane.read(frame).usage))).toEqual(usage);
});
