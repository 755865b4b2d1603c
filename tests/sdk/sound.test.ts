// The official SDK of the format's home as a judge of sound: what it sends is read, and what it reads is what was made.
import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { failureOf } from '../support/failure-of.ts';
import { LISTENER, SPEAKER, silence, soundHosts, TOKEN_LISTENER, TOKEN_SPEAKER } from '../support/sound-probe.ts';
import { KEY, openStand, type Stand } from '../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: soundHosts });
});
afterAll(() => stand.close());

const openai = (): OpenAI => new OpenAI({ apiKey: KEY, baseURL: stand.chatUrl, maxRetries: 0 });
const talk = (): ReturnType<typeof toFile> => toFile(silence(2), 'talk.wav');

test.each([SPEAKER, TOKEN_SPEAKER])('openai for JavaScript hears %s speak', async (model) => {
  const answer = await openai().audio.speech.create({ model, input: 'Hello.', voice: 'alloy', response_format: 'wav' });
  const bytes = Buffer.from(await answer.arrayBuffer());
  expect(bytes.toString('latin1', 0, 4)).toBe('RIFF');
  expect(bytes.length).toBe(bytes.readUInt32LE(40) + 44);
});

test.each([LISTENER, TOKEN_LISTENER])('openai for JavaScript reads what %s hears', async (model) => {
  const answer = await openai().audio.transcriptions.create({ file: await talk(), model });
  expect(answer.text).toContain('2.00 seconds');
  const stream = await openai().audio.transcriptions.create({ file: await talk(), model, stream: true });
  let text = '';
  let end = '';
  for await (const event of stream) {
    if (event.type === 'transcript.text.delta') text += event.delta;
    if (event.type === 'transcript.text.done') end = event.text;
  }
  expect(text).toBe(answer.text);
  expect(end).toBe(answer.text);
});

test('openai for JavaScript reads times, subtitles and translations', async () => {
  const model = LISTENER;
  const times = await openai().audio.transcriptions.create({
    file: await talk(),
    model,
    response_format: 'verbose_json',
    timestamp_granularities: ['word', 'segment'],
  });
  expect(times.words?.length).toBeGreaterThan(5);
  expect(times.segments?.length).toBe(2);
  const srt = await openai().audio.transcriptions.create({ file: await talk(), model, response_format: 'srt' });
  expect(String(srt)).toContain('00:00:01,000 --> 00:00:02,000');
  const english = await openai().audio.translations.create({ file: await talk(), model });
  expect(english.text).toContain('recording');
});

test('what is refused throws its own error', async () => {
  const refused = openai().audio.speech.create({ model: SPEAKER, input: '', voice: 'alloy' });
  expect(await failureOf(refused)).toBeInstanceOf(OpenAI.BadRequestError);
});
