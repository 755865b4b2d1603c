// Sound at clouds that have OpenAI's calls: their paths, what they lack, and the same charges.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cloudSounds, listen, silence, speak } from '../../support/sound-probe.ts';
import { openStand, type Stand } from '../../support/stand.ts';

const SECONDS = 7.3;
const TALK = silence(SECONDS);
const INPUT = 'Three roads meet here.';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: cloudSounds });
});
afterAll(() => stand.close());

const heardAt = () => stand.simulator.truth.read().at(-1);

/** The simulated hosts are strict: a deployment needs its version, Groq has no subtitles, and no cloud states seconds. */
const HOSTS = [
  { host: 'azure', paths: '/openai/v1/audio', byTokens: true },
  {
    host: 'azure-deployments',
    paths: '/openai/deployments/{model}/audio',
    byTokens: true,
  },
  { host: 'groq', paths: '/openai/v1/audio', byTokens: false },
] as const;

describe.each(HOSTS)('$host', ({ host, paths, byTokens }) => {
  const pathOf = (call: string, model: string): string => `${paths.replace('{model}', model)}/${call}`;
  const [ear, voice] = host === 'groq' ? ['whisper-large-v3', 'playai-tts'] : ['whisper-1', 'gpt-4o-mini-tts'];

  test('[SO-04] five forms of one recording are five equal charges, and not zero', async () => {
    for (const form of ['json', 'verbose_json', 'text', 'srt', 'vtt']) {
      const answer = await listen(stand, TALK, { model: `${host}/ear`, response_format: form });
      expect({ form, status: answer.status }).toEqual({ form, status: 200 });
      const text = await answer.text();
      expect(text).toContain('It lasts 7.30 seconds.');
      if (form === 'srt') expect(text).toMatch(/^1\n00:00:00,000 --> 00:00:03,650\n/u);
      expect(heardAt()).toMatchObject({ path: pathOf('transcriptions', ear), status: 200 });
      const { bill } = stand.records.at(-1) ?? {};
      expect(bill?.usage).toEqual({ audioSeconds: SECONDS });
      // 0.0001 USD a second.
      expect({ form, nano: bill?.cost.nanoUsd, estimated: bill?.estimated }).toEqual({
        form,
        nano: 730_000n,
        estimated: false,
      });
    }
  });

  test('translations go to their own path, and cost the same', async () => {
    const fields = { model: `${host}/ear`, response_format: 'verbose_json' };
    const answer = await listen(stand, TALK, fields, 'translations');
    expect(await answer.json()).toMatchObject({ task: 'translate' });
    expect(heardAt()?.path).toBe(pathOf('translations', ear));
    expect(stand.records.at(-1)?.bill?.cost.nanoUsd).toBe(730_000n);
  });

  test('[SO-03] speech is charged by what has a price, in the formats that the host has', async () => {
    for (const form of ['mp3', 'wav', 'flac']) {
      const answer = await speak(stand, {
        model: `${host}/voice`,
        input: INPUT,
        voice: 'alloy',
        response_format: form,
      });
      expect({ form, status: answer.status }).toEqual({ form, status: 200 });
      expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(1000);
      expect(heardAt()).toMatchObject({ path: pathOf('speech', voice), status: 200 });
      const { bill } = stand.records.at(-1) ?? {};
      // Four words, eight tokens of sound for each; or a character at 0.000015 USD.
      expect(bill?.usage).toEqual(byTokens ? { prompt: 4, outputAudio: 32 } : { characters: INPUT.length });
      expect(bill?.cost.nanoUsd).toBe(byTokens ? 4n * 2500n + 32n * 12_000n : BigInt(INPUT.length) * 15_000n);
    }
  });
});

test('[SO-11] Groq lacks formats and directions: the former are refused by name, the latter lost by name', async () => {
  const calls = stand.simulator.truth.read().length;
  for (const form of ['opus', 'aac', 'pcm']) {
    const answer = await speak(stand, { model: 'groq/voice', input: INPUT, response_format: form });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { param: 'response_format' } });
  }
  expect(stand.simulator.truth.read().length).toBe(calls);
  const told = await speak(stand, { model: 'groq/voice', input: INPUT, instructions: 'Whisper.' });
  expect(told.status).toBe(200);
  expect(told.headers.get('x-trivium-losses')).toBe('instructions');
  await told.arrayBuffer();
});
