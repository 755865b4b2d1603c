import { expect, test } from 'vitest';
import { googleTranscription } from './google-sound.ts';

const usageMetadata = {
  promptTokenCount: 44,
  candidatesTokenCount: 0,
  promptTokensDetails: [{ modality: 'AUDIO', tokenCount: 32 }],
};
const heard = (candidate: object) =>
  googleTranscription.client.decodeAnswer({ candidates: [candidate], usageMetadata } as never, {} as never);

test('a recording in which nothing is said is an empty text, and is charged', () => {
  expect(heard({ finishReason: 'STOP' })).toEqual({
    text: '',
    usage: { prompt: 12, inputAudio: 32, completion: 0 },
  });
});

test('an answer that was withheld is a failure of the host, not silence', () => {
  expect(() => heard({ finishReason: 'SAFETY' })).toThrow(/without the words/);
});
