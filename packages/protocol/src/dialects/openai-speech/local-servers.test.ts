// What servers of one's own do differently when they speak.
import { expect, test } from 'vitest';
import type { SpeechCall } from '../../canonical/sound.ts';
import type { TargetFacts } from '../dialect.ts';
import { openaiSpeech } from './index.ts';

const { client, quirks } = openaiSpeech;

test('a mix of voices goes out as it was written', () => {
  const call: SpeechCall = {
    operation: 'speech',
    model: 'own/kokoro',
    input: 'Hello.',
    voice: 'af_bella(2)+af_sky(1)',
    format: 'mp3',
    extras: {},
  };
  const target = { upstreamModel: 'kokoro', model: { soundBy: 'characters' }, quirks: quirks({}) };
  const { body, losses } = client.encodeCall(call, target as unknown as TargetFacts);
  expect(body).toEqual({
    model: 'kokoro',
    input: 'Hello.',
    voice: 'af_bella(2)+af_sky(1)',
    response_format: 'mp3',
  });
  expect(losses).toEqual([]);
});

test('tokens under another name are read, and zeros are no count', () => {
  const end = (token_usage: object) =>
    client.readEvents({ data: JSON.stringify({ type: 'speech.audio.done', token_usage }) } as never);
  expect(end({ input_tokens: 3, output_tokens: 40, total_tokens: 43 })).toEqual([
    { type: 'sound-end', usage: { prompt: 3, outputAudio: 40 } },
  ]);
  expect(end({ input_tokens: 0, output_tokens: 0, total_tokens: 0 })).toEqual([{ type: 'sound-end', usage: {} }]);
});

test.each([
  ['a text', 'Model kokoro-9 is not installed', 'Model kokoro-9 is not installed'],
  [
    'an object',
    { error: 'validation_error', message: "Voice 'nobody' not found", type: 'invalid_request_error' },
    "Voice 'nobody' not found",
  ],
  ['a list', [{ loc: ['body', 'speed'], msg: 'Input should be at most 4', type: 'x' }], 'Input should be at most 4'],
])('a refusal below `detail`, as %s, keeps its words', (_form, detail, message) => {
  expect(client.decodeFault(400, { detail } as never)).toEqual({ kind: 'refused', message });
  expect(client.decodeFault(422, { detail } as never)).toEqual({ kind: 'refused', message });
});

test("a wrong key is the operator's to mend, whatever the status says it is", () => {
  for (const status of [401, 403])
    expect(client.decodeFault(status, { detail: 'Not authenticated' })).toMatchObject({ kind: 'upstream-broken' });
});
