// Makers with formats of their own behind the one that callers speak: the same answers, the same charges.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makersHosts, PER_CHARACTER_NANO, PER_SECOND_NANO, SOUND_MAKERS } from '../../support/makers-sound.ts';
import { listen, silence, speak } from '../../support/sound-probe.ts';
import { openStand, type Stand } from '../../support/stand.ts';

const INPUT = 'Seven sheep, 🐑 and a shepherd.';
const CHARACTERS = BigInt([...INPUT].length);
const SECONDS = 7.25;
const TALK = silence(SECONDS);

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: makersHosts });
});
afterAll(() => stand.close());

const STARTS: Readonly<Record<string, string>> = { mp3: 'ID3', opus: 'OggS', flac: 'fLaC', wav: 'RIFF' };

const speakers = SOUND_MAKERS.flatMap(({ provider, speaks, formats = [], lacks = [] }) =>
  speaks === undefined ? [] : [{ provider, model: `${provider}/${speaks[0]}`, voice: speaks[1], formats, lacks }],
);

describe.each(speakers)('$provider speaks', ({ model, voice, formats, lacks }) => {
  test.each(formats)('[SO-10] %s is what was asked for, charged by the character', async (format) => {
    const answer = await speak(stand, { model, input: INPUT, voice, response_format: format });
    expect(answer.status).toBe(200);
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect(bytes.length).toBeGreaterThan(1000);
    expect(bytes.toString('latin1', 0, 4).startsWith(STARTS[format] ?? '')).toBe(true);
    if (format === 'wav') expect(bytes.readUInt32LE(24)).toBe(24_000);
    expect(stand.records.at(-1)?.bill?.cost.nanoUsd).toBe(CHARACTERS * PER_CHARACTER_NANO);
  });

  test('[SO-10] events carry the same bytes', async () => {
    const response_format = formats.includes('pcm') ? 'pcm' : 'flac';
    const whole = await speak(stand, { model, input: INPUT, voice, response_format });
    const bytes = Buffer.from(await whole.arrayBuffer());
    const answer = await speak(stand, { model, input: INPUT, voice, response_format, stream_format: 'sse' });
    const pieces = (await answer.text()).matchAll(/"audio":"([^"]+)"/gu);
    const told = Buffer.concat([...pieces].map(([, base64]) => Buffer.from(base64 ?? '', 'base64')));
    expect(told.equals(bytes)).toBe(true);
  });

  test.each([
    ...lacks.map((format) => ({ response_format: format })),
    { voice: '../../v1/keys' },
    { voice: { id: 'voice_1' } },
  ])('[SO-11] %o is refused by its name before any upstream', async (own) => {
    const calls = stand.simulator.truth.read().length;
    const answer = await speak(stand, { model, input: INPUT, voice, ...own });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { param: Object.keys(own)[0] } });
    expect(stand.simulator.truth.read().length).toBe(calls);
  });

  test('[SO-11] what the host does not know is named as a loss', async () => {
    const body = { model, input: INPUT, voice, watermark: true };
    const answer = await speak(stand, body);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-trivium-losses')).toContain('watermark');
    await answer.arrayBuffer();
  });
});

const listeners = SOUND_MAKERS.flatMap(({ provider, listens, forms = [], seconds = Math.ceil, words = 0 }) =>
  listens === undefined ? [] : [{ provider, model: `${provider}/${listens}`, forms, charged: seconds(SECONDS), words }],
);

describe.each(listeners)('$provider listens', ({ model, forms, charged, words }) => {
  const charge = (PER_SECOND_NANO * BigInt(charged * 100)) / 100n;

  test('[SO-10] all forms of one recording are equal charges by the seconds of the host', async () => {
    const before = stand.records.length;
    const answers = await Promise.all(forms.map((form) => listen(stand, TALK, { model, response_format: form })));
    for (const answer of answers) {
      expect(answer.status).toBe(200);
      expect(await answer.text()).toContain('recording');
    }
    const bills = stand.records.slice(before).map(({ bill }) => bill);
    expect(bills).toHaveLength(forms.length);
    for (const bill of bills)
      expect(bill).toMatchObject({ usage: { audioSeconds: charged }, estimated: false, cost: { nanoUsd: charge } });
  });

  test('[SO-09] subtitles, words and speakers are written from the words of the host', async () => {
    const fields = { model, response_format: 'verbose_json', 'timestamp_granularities[]': ['word', 'segment'] };
    const asked = [{ model, response_format: 'srt' }, fields, { model, response_format: 'diarized_json' }];
    const [inTimes, whole, bySpeaker] = await Promise.all(asked.map((own) => listen(stand, TALK, own)));
    const srt = await inTimes?.text();
    expect(srt).toMatch(/^1\n00:00:00,000 --> 00:00:\d\d,\d{3}\nThis is a recording of \d+ bytes\.\n\n2\n/u);
    expect(srt).toContain('00:00:07,250\nIt lasts 7.25 seconds.\n');
    const full = (await whole?.json()) as Record<string, unknown[]>;
    expect(full['words'] ?? []).toHaveLength(words);
    expect(full['segments']).toHaveLength(2);
    expect(full['duration']).toBe(charged);
    if (!forms.includes('diarized_json')) return;
    expect(await bySpeaker?.json()).toMatchObject({ segments: [{ speaker: 'A' }, { speaker: 'B' }] });
  });

  test('[SO-10] a stream ends with the words and is charged alike', async () => {
    const text = await (await listen(stand, TALK, { model, stream: 'true' })).text();
    expect(text).toContain('transcript.text.done');
    expect(stand.records.at(-1)?.bill?.cost.nanoUsd).toBe(charge);
  });

  test('[SO-11] words in English are refused, and what is not carried is named', async () => {
    const english = await listen(stand, TALK, { model }, 'translations');
    expect(english.status).toBe(400);
    const answer = await listen(stand, TALK, { model, hotwords: 'Trivium' });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-trivium-losses')).toContain('hotwords');
  });
});

describe('a host that is brought the recording first', () => {
  const model = 'assemblyai/universal-2';
  const seen = () => stand.simulator.truth.read();

  test('[SO-12] the words are ordered from what was brought, and asked for until they are there', async () => {
    const before = seen().length;
    const answer = await listen(stand, silence(25), { model });
    expect(answer.status).toBe(200);
    const [brought, ordered, ...polls] = seen().slice(before);
    expect(brought).toMatchObject({ path: '/v2/upload', body: { type: 'application/octet-stream' } });
    expect(ordered).toMatchObject({
      path: '/v2/transcript',
      body: { speech_models: ['universal-2'], language_detection: true, brought: { bytes: silence(25).length } },
    });
    expect(polls.map(({ method, path }) => [method, path.replace(/kept-\d+$/u, 'id')])).toEqual(
      Array.from({ length: 2 }, () => ['GET', '/v2/transcript/id']),
    );
    expect(stand.records.at(-1)?.bill?.cost.nanoUsd).toBe(25n * PER_SECOND_NANO);
  });

  test('[SO-12] what it cannot hear is refused in its words, and costs nothing', async () => {
    const answer = await listen(stand, silence(0.1), { model });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { message: 'Audio duration is too short.' } });
    expect(stand.records.at(-1)?.bill?.cost.nanoUsd ?? 0n).toBe(0n);
  });
});

const GEMINI_SPEAKER = 'google/gemini-2.5-flash-preview-tts';
const GEMINI_LISTENER = 'google/gemini-3.5-transcribe';

describe('sound through the calls for text', () => {
  test.each(['wav', 'pcm'])('[SO-10] %s is made of the samples in events, charged by their tokens', async (format) => {
    const answer = await speak(stand, { model: GEMINI_SPEAKER, input: INPUT, voice: 'Kore', response_format: format });
    expect(answer.status).toBe(200);
    const bytes = Buffer.from(await answer.arrayBuffer());
    if (format === 'wav') expect(bytes.toString('latin1', 0, 4)).toBe('RIFF');
    expect(bytes.length).toBeGreaterThan(10_000);
    const bill = stand.records.at(-1)?.bill;
    expect(bill?.usage).toEqual({ prompt: Math.ceil(INPUT.length / 4), outputAudio: INPUT.length * 2 });
    expect(bill?.cost.nanoUsd).toBe(BigInt(Math.ceil(INPUT.length / 4)) * 500n + BigInt(INPUT.length * 2) * 10_000n);
  });

  test('[SO-11] mp3 and other voices are refused by name, a pace is a loss', async () => {
    const mp3 = await speak(stand, { model: GEMINI_SPEAKER, input: INPUT });
    expect(await mp3.json()).toMatchObject({ error: { param: 'response_format' } });
    const alloy = await speak(stand, { model: GEMINI_SPEAKER, input: INPUT, voice: 'alloy', response_format: 'wav' });
    expect(await alloy.json()).toMatchObject({ error: { param: 'voice' } });
    const fast = { model: GEMINI_SPEAKER, input: INPUT, response_format: 'wav', speed: 2 };
    expect((await speak(stand, fast)).headers.get('x-trivium-losses')).toContain('speed');
  });

  test('[SO-10] a recording is charged by the tokens of its sound, whole or in events', async () => {
    for (const own of [{}, { response_format: 'text' }, { stream: 'true' }]) {
      const answer = await listen(stand, TALK, { model: GEMINI_LISTENER, language: 'en', ...own });
      expect(answer.status).toBe(200);
      expect(await answer.text()).toContain('recording');
      expect(stand.records.at(-1)?.bill?.usage).toEqual({ prompt: 12, inputAudio: 232, completion: 11 });
    }
    const subtitles = await listen(stand, TALK, { model: GEMINI_LISTENER, response_format: 'srt' });
    expect(await subtitles.json()).toMatchObject({ error: { param: 'response_format' } });
  });
});
