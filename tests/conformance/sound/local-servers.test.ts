// Servers of one's own between a caller and the gateway: vLLM's stream of words, and errors of small servers in Python.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CannedStand, openStandBesideCanned, plainAnswer, streamedAnswer } from '../../support/canned-upstream.ts';
import { listen, silence, speak } from '../../support/sound-probe.ts';

const LIMITS = { eventBytes: 1_000_000 };
const tokens = (value: string) => [{ value, unit: 'perMTokens', currency: 'USD' }];

let stand: CannedStand;
beforeAll(async () => {
  stand = await openStandBesideCanned((url) => ({
    config: () => ({ limits: LIMITS }),
    alsoHosts: () => ({
      providers: {
        own: {
          dialect: 'openai-transcription',
          baseUrl: url,
          auth: 'none',
          quirks: { streams: true, streamUsageField: true },
        },
        voices: { dialect: 'openai-speech', baseUrl: url, auth: 'none' },
      },
      models: [
        {
          id: 'own/whisper',
          inputModalities: ['audio'],
          outputModalities: ['transcription'],
          endpoints: [
            { provider: 'own', pricings: { prompt: tokens('1'), completion: tokens('2'), audio: tokens('3') } },
          ],
        },
        {
          id: 'voices/kokoro',
          inputModalities: ['text'],
          outputModalities: ['speech'],
          endpoints: [{ provider: 'voices' }],
        },
      ],
    }),
  }));
});
afterAll(() => stand.close());

const chunk = (content: string, finish: string | null = null) => ({
  id: 'trsc-1',
  object: 'transcription.chunk',
  created: 1,
  model: 'whisper',
  choices: [{ delta: { content }, finish_reason: finish, stop_reason: null }],
});
const USAGE = { prompt_tokens: 30, completion_tokens: 4, total_tokens: 34 };

test('words that come as the chunks of a chat are those of a transcript, with the tokens that end them', async () => {
  stand.say(
    streamedAnswer([
      chunk(' Good'),
      chunk(' morning.'),
      chunk('', 'stop'),
      { ...chunk(''), choices: [], usage: USAGE },
      '[DONE]',
    ]),
  );
  const answer = await listen(stand, silence(1), { model: 'own/whisper', stream: 'true' });
  const events = (await answer.text()).split('\n\n').filter((event) => event !== '' && event !== 'data: [DONE]');
  expect(events.map((event) => JSON.parse(event.replace('data: ', '')))).toEqual([
    { type: 'transcript.text.delta', delta: ' Good' },
    { type: 'transcript.text.delta', delta: ' morning.' },
    { type: 'transcript.text.done', text: 'Good morning.', usage: expect.objectContaining({ total_tokens: 34 }) },
  ]);
  const bill = stand.records.at(-1)?.bill;
  expect(bill?.usage).toEqual({ prompt: 0, inputAudio: 30, completion: 4 });
  expect(bill?.cost.nanoUsd).toBe(98_000n);
});

test('a stream of chunks that breaks off before its tokens is no whole answer', async () => {
  stand.say(streamedAnswer([chunk(' Good')]));
  const answer = await listen(stand, silence(1), { model: 'own/whisper', stream: 'true' });
  await expect(answer.text()).rejects.toThrow();
});

test('words without end are cut off at the length of an event, and not gathered any further', async () => {
  const words = 'word '.repeat(20_000);
  const most = LIMITS.eventBytes / words.length;
  stand.say(streamedAnswer([...Array.from({ length: most + 5 }, () => chunk(words)), '[DONE]']));
  const answer = await listen(stand, silence(1), { model: 'own/whisper', stream: 'true' });
  let text = '';
  const reading = (async () => {
    const decoder = new TextDecoder();
    for await (const piece of answer.body ?? []) text += decoder.decode(piece, { stream: true });
  })();
  await expect(reading).rejects.toThrow();
  expect(text.split('transcript.text.delta').length - 1).toBeLessThanOrEqual(most);
  expect(stand.records.at(-1)?.fault).toMatchObject({
    kind: 'upstream-broken',
    message: expect.stringContaining('words'),
  });
});

test('a refusal below `detail` reaches the caller in its words, and a wrong key does not', async () => {
  const ask = () => speak(stand, { model: 'voices/kokoro', input: 'Hello.', voice: 'nobody(2)+af_sky' });
  const detail = { error: 'validation_error', message: "Voice 'nobody' not found", type: 'invalid_request_error' };
  stand.say({ ...plainAnswer({ detail }), status: 400 });
  const refused = await ask();
  expect([refused.status, await refused.json()]).toEqual([
    400,
    { error: expect.objectContaining({ message: "Voice 'nobody' not found" }) },
  ]);
  stand.say({ ...plainAnswer({ detail: 'The key sk-1 is not known here' }), status: 403 });
  const failed = await ask();
  expect(failed.status).toBe(502);
  expect(await failed.text()).not.toContain('sk-1');
});
