// Recordings at OpenAI-shaped hosts: every form costs the same, and none is free.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  DIARIZER,
  formOf,
  LISTENER,
  listen,
  OWN_LISTENER,
  silence,
  soundHosts,
  TOKEN_LISTENER,
} from '../../support/sound-probe.ts';
import { KEY, openStand, type Stand } from '../../support/stand.ts';

const SECONDS = 7.3;
const TALK = silence(SECONDS);

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: soundHosts });
});
afterAll(() => stand.close());

describe.each([LISTENER, OWN_LISTENER])('%s', (model) => {
  test('[SO-04] five forms of one recording are five equal charges, and not zero', async () => {
    const charges: (bigint | undefined)[] = [];
    for (const form of ['json', 'verbose_json', 'text', 'srt', 'vtt']) {
      const answer = await listen(stand, TALK, { model, response_format: form });
      expect(answer.status).toBe(200);
      expect((await answer.text()).length).toBeGreaterThan(0);
      const record = stand.records.at(-1);
      expect(record?.bill?.usage).toEqual({ audioSeconds: model === LISTENER ? Math.ceil(SECONDS) : SECONDS });
      charges.push(record?.bill?.cost.nanoUsd);
    }
    expect(new Set(charges).size).toBe(1);
    expect(charges[0]).toBe(model === LISTENER ? 800_000n : 730_000n);
  });

  test('[SO-05] subtitles are written from the times of the host', async () => {
    const srt = await listen(stand, TALK, { model, response_format: 'srt' });
    expect(srt.headers.get('content-type')).toContain('application/x-subrip');
    const text = await srt.text();
    expect(text).toMatch(/^1\n00:00:00,000 --> 00:00:03,650\nThis is a recording/u);
    expect(text).toContain('2\n00:00:03,650 --> 00:00:07,300\nIt lasts 7.30 seconds.');
    const vtt = await (await listen(stand, TALK, { model, response_format: 'vtt' })).text();
    expect(vtt).toMatch(/^WEBVTT\n\n00:00:00\.000 --> 00:00:03\.650\n/u);
  });

  test('words and their times are there where they are asked for', async () => {
    const fields = { model, response_format: 'verbose_json', 'timestamp_granularities[]': 'word' };
    const body = (await (await listen(stand, TALK, fields)).json()) as Record<string, unknown>;
    expect(body['words']).toEqual(expect.arrayContaining([expect.objectContaining({ word: 'recording' })]));
    expect(body['duration']).toBe(SECONDS);
    expect(body['segments']).toBeUndefined();
  });

  test('a stream of a host that does not stream ends at once, and is charged alike', async () => {
    const answer = await listen(stand, TALK, { model, stream: 'true' });
    expect(answer.headers.get('content-type')).toContain('text/event-stream');
    const text = await answer.text();
    expect(text).toContain('transcript.text.delta');
    expect(text).toContain('transcript.text.done');
    expect(stand.records.at(-1)?.bill?.cost.nanoUsd).toBeGreaterThan(0n);
  });
});

test('[SO-04] what is priced by tokens is charged by those of the host, whole or streamed', async () => {
  const charges: (bigint | undefined)[] = [];
  for (const fields of [{}, { response_format: 'text' }, { stream: 'true' }]) {
    const answer = await listen(stand, TALK, { model: TOKEN_LISTENER, ...fields });
    expect(answer.status).toBe(200);
    await answer.text();
    const record = stand.records.at(-1);
    expect(record?.bill?.usage).toMatchObject({ inputAudio: 73, completion: expect.any(Number) });
    expect(record?.bill?.estimated).toBe(false);
    charges.push(record?.bill?.cost.nanoUsd);
  }
  expect(new Set(charges).size).toBe(1);
  expect(charges[0]).toBeGreaterThan(0n);
});

test('[SO-05] a model without times refuses subtitles by name, before any upstream', async () => {
  const calls = stand.simulator.truth.read().length;
  const answer = await listen(stand, TALK, { model: TOKEN_LISTENER, response_format: 'srt' });
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({ error: { param: 'response_format' } });
  expect(stand.simulator.truth.read().length).toBe(calls);
});

test('speakers are told apart where the host does', async () => {
  const answer = await listen(stand, TALK, { model: DIARIZER, response_format: 'diarized_json' });
  const body = (await answer.json()) as { segments: { speaker: string }[] };
  expect(body.segments.map(({ speaker }) => speaker)).toEqual(['A', 'B']);
});

test('[SO-06] the bytes of a file decide what it is called at the host, and lists may be written in three ways', async () => {
  for (const fields of [
    { 'timestamp_granularities[]': ['word', 'segment'] },
    { timestamp_granularities: ['word', 'segment'] },
    { timestamp_granularities: '["word","segment"]' },
  ]) {
    const form = { model: LISTENER, response_format: 'verbose_json', ...fields };
    const answer = await listen(stand, TALK, form, 'transcriptions', 'blob');
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ words: expect.any(Array), segments: expect.any(Array) });
    expect(stand.simulator.truth.read().at(-1)?.body).toMatchObject({ files: [{ filename: 'audio.wav' }] });
  }
});

test('translations go to their own path', async () => {
  const answer = await listen(stand, TALK, { model: LISTENER, response_format: 'verbose_json' }, 'translations');
  expect(await answer.json()).toMatchObject({ task: 'translate' });
  expect(stand.records.at(-1)?.bill?.cost.nanoUsd).toBe(800_000n);
});

test('[SO-07] 26 MB are refused before any upstream, and 24 MB without a length are not', async () => {
  const calls = stand.simulator.truth.read().length;
  const large = await listen(stand, Buffer.alloc(26 * 1024 * 1024), { model: LISTENER });
  expect(large.status).toBe(413);
  expect(stand.simulator.truth.read().length).toBe(calls);
  const form = new Response(formOf(silence(1500), { model: LISTENER }));
  const chunked = await fetch(`${stand.chatUrl}/audio/transcriptions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': form.headers.get('content-type') ?? '' },
    body: form.body,
    duplex: 'half',
  } as RequestInit);
  expect(chunked.status).toBe(200);
});
