// What servers of one's own do differently, as they were seen to answer.
import { expect, test } from 'vitest';
import type { TranscriptionCall } from '../../canonical/sound.ts';
import type { TargetFacts } from '../dialect.ts';
import { openaiTranscription } from './index.ts';

const { client, server, quirks } = openaiTranscription;

const piece = (word: string, start: number, end: number) => ({ word, start, end, t_dtw: -1, probability: 0.9 });
/** whisper.cpp's. */
const ANSWER = {
  task: 'transcribe',
  language: 'english',
  duration: 11,
  language_probabilities: { en: 0.9 },
  text: ' And so my fellow\n Americans.\n',
  segments: [
    {
      id: 0,
      text: ' And so my fellow',
      start: 0,
      end: 5,
      tokens: [843, 523, 616, 3038, 322],
      words: [piece(' And', 0, 1), piece(' so', 1, 2), piece(' my', 2, 3), piece(' fel', 3, 4), piece('low', 4, 5)],
      avg_logprob: -0.2,
    },
    { id: 1, text: ' Americans.', start: 5, end: 11, words: [piece(' Americans', 5, 10), piece('.', 10, 11)] },
  ],
};
const written = (form: 'json' | 'text' | 'verbose_json', times: readonly ('word' | 'segment')[] = []): string => {
  const transcript = client.decodeAnswer(ANSWER as never, {} as never);
  return server.encodeAnswer(transcript, { form, times, translates: false }).text;
};

test('pieces of words inside of segments become the words that a caller asks for', () => {
  const { words, segments } = JSON.parse(written('verbose_json', ['word']));
  expect(segments).toBeUndefined();
  expect(words).toEqual([
    { word: 'And', start: 0, end: 1 },
    { word: 'so', start: 1, end: 2 },
    { word: 'my', start: 2, end: 3 },
    { word: 'fellow', start: 3, end: 5 },
    { word: 'Americans.', start: 5, end: 11 },
  ]);
});

test('pieces of a script without spaces are not joined to one word', () => {
  const words = [piece('三', 0, 1), piece('条', 1, 2), piece('路。', 2, 3)];
  const answer = { text: '三条路。', segments: [{ start: 0, end: 3, text: '三条路。', words }] };
  const transcript = client.decodeAnswer(answer as never, {} as never);
  expect(transcript.words?.map(({ word }) => word)).toEqual(['三', '条', '路。']);
});

test('segments are those of the format, and the text has no white space around it', () => {
  const { text, segments } = JSON.parse(written('verbose_json'));
  expect(text).toBe('And so my fellow\n Americans.');
  expect(segments[0]).toEqual({
    id: 0,
    text: ' And so my fellow',
    start: 0,
    end: 5,
    tokens: [843, 523, 616, 3038, 322],
    avg_logprob: -0.2,
  });
  expect(JSON.parse(written('json'))).toEqual({
    text: 'And so my fellow\n Americans.',
    usage: { type: 'duration', seconds: 11 },
  });
  expect(written('text')).toBe('And so my fellow\n Americans.\n');
});

const target = (own: object): TargetFacts =>
  ({ upstreamModel: 'tiny', model: { soundBy: 'seconds' }, quirks: quirks(own) }) as never;
const call: TranscriptionCall = {
  operation: 'transcription',
  model: 'own/whisper',
  stream: false,
  recording: { pieces: [], toBase64: () => '' } as never,
  translate: true,
  language: 'de',
  form: 'json',
  times: [],
  extras: {},
};

test('English is asked for by a field where there is no path for it, beside the language that is spoken', () => {
  const { form, action, losses } = client.encodeCall(call, target({ translateField: true }));
  const fields = Object.fromEntries(form?.flatMap((part) => ('text' in part ? [[part.name, part.text]] : [])) ?? []);
  expect(fields).toMatchObject({ translate: 'true', language: 'de', response_format: 'verbose_json' });
  expect([action, losses]).toEqual([undefined, []]);
});

test('by the path, the language is no part of the form', () => {
  const { form, action, losses } = client.encodeCall(call, target({}));
  expect(form?.map(({ name }) => name)).not.toContain('translate');
  expect(action).toBe('translate');
  expect(losses).toMatchObject([{ field: 'transcription.language' }]);
});

test('the tokens of a stream are asked for where it does not state them by itself', () => {
  const asked = (own: object) => {
    const { form } = client.encodeCall({ ...call, translate: false, stream: true }, {
      ...target({ streams: true, ...own }),
      model: { soundBy: 'tokens' },
    } as never);
    return form?.flatMap((part) => ('text' in part && part.name.startsWith('stream') ? [part.name] : []));
  };
  expect(asked({})).toEqual(['stream']);
  expect(asked({ streamUsageField: true })).toEqual(['stream', 'stream_include_usage']);
});
