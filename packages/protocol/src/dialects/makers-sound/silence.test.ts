// A recording in which nothing is said is an empty text in every form, and is charged as any other.
import { describe, expect, test } from 'vitest';
import { TRANSCRIPT_FORMS } from '../../canonical/sound.ts';
import { findAnyDialect } from '../index.ts';
import { openaiTranscription } from '../openai-transcription/index.ts';
import type { TranscriptionDialect } from '../sound-dialects.ts';

/** As each host answers for two seconds of silence, and what it says is charged. */
const SILENT: Readonly<Record<string, readonly [answer: object, usage: object]>> = {
  'elevenlabs-transcription': [
    { language_code: 'eng', language_probability: 0.2, text: '', words: [], audio_duration_secs: 2 },
    { audioSeconds: 2 },
  ],
  'deepgram-transcription': [
    {
      metadata: { duration: 2, channels: 1 },
      results: { channels: [{ alternatives: [{ transcript: '', confidence: 0, words: [] }] }] },
    },
    { audioSeconds: 2 },
  ],
  'cartesia-transcription': [{ text: '', language: 'en', duration: 2, words: [] }, { audioSeconds: 2 }],
  'mistral-transcription': [
    {
      model: 'voxtral-mini-latest',
      text: '',
      language: null,
      segments: [],
      usage: { prompt_audio_seconds: 2, prompt_tokens: 4, completion_tokens: 1, total_tokens: 30 },
    },
    { audioSeconds: 2, prompt: 4, completion: 1, inputAudio: 25 },
  ],
  'openai-transcription': [{ text: '', duration: 2 }, { audioSeconds: 2 }],
};

describe.each(Object.entries(SILENT))('%s', (id, [answer, usage]) => {
  const { client } = findAnyDialect(id) as TranscriptionDialect;
  const heard = () => client.decodeAnswer(answer as never, {} as never);

  test('the text is empty, and what the host counted is charged', () => {
    expect(heard()).toMatchObject({ text: '', usage });
  });

  test.each(TRANSCRIPT_FORMS)('%s', (form) => {
    const { text } = openaiTranscription.server.encodeAnswer(heard(), { form, times: [], translates: false });
    if (form === 'text' || form === 'srt') expect(text.trim()).toBe('');
    else if (form === 'vtt') expect(text.trim()).toBe('WEBVTT');
    else expect(JSON.parse(text)).toMatchObject(form === 'json' ? { text: '' } : { text: '', segments: [] });
  });
});
