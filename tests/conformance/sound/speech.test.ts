// Speech at OpenAI-shaped hosts: bytes as they are, each format by its name, charged by characters or tokens.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OWN_SPEAKER, SPEAKER, soundHosts, speak, TOKEN_SPEAKER } from '../../support/sound-probe.ts';
import { KEY, LIMITED_KEY, openStand, type Stand, UPSTREAM_SECRET } from '../../support/stand.ts';

const INPUT = 'Seven sheep, 🐑 and a shepherd.';
const CHARACTERS = [...INPUT].length;

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: soundHosts });
});
afterAll(() => stand.close());

/** What the simulator sends to one who asks it. */
async function atHost(vendor: string, model: string, format: string): Promise<Buffer> {
  const answer = await fetch(`${stand.simulator.url}/${vendor}/v1/audio/speech`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${UPSTREAM_SECRET}` },
    body: JSON.stringify({ model, input: INPUT, voice: 'alloy', response_format: format }),
  });
  return Buffer.from(await answer.arrayBuffer());
}

const TYPES = {
  mp3: 'audio/mpeg',
  opus: 'audio/ogg',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
} as const;

describe.each([
  [SPEAKER, 'openai'],
  [TOKEN_SPEAKER, 'openai'],
  [OWN_SPEAKER, 'compatible'],
])('%s', (model, vendor) => {
  test.each(Object.entries(TYPES))('[SO-01] %s arrives byte for byte, and by its type', async (format, type) => {
    const answer = await speak(stand, { model, input: INPUT, voice: 'alloy', response_format: format });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe(type);
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect(bytes.equals(await atHost(vendor, model.slice(model.indexOf('/') + 1), format))).toBe(true);
  });

  test('[SO-02] events carry the same bytes, and end with the usage', async () => {
    const answer = await speak(stand, { model, input: INPUT, voice: 'alloy', stream_format: 'sse' });
    expect(answer.headers.get('content-type')).toContain('text/event-stream');
    const events = (await answer.text())
      .split('\n\n')
      .filter((text) => text.startsWith('data: '))
      .map((text) => JSON.parse(text.slice(6)) as { type: string; audio?: string; usage?: unknown });
    const pieces = events.flatMap(({ audio }) => (audio === undefined ? [] : [Buffer.from(audio, 'base64')]));
    expect(Buffer.concat(pieces).equals(await atHost(vendor, model.slice(model.indexOf('/') + 1), 'mp3'))).toBe(true);
    expect(events.at(-1)).toMatchObject({ type: 'speech.audio.done', usage: { total_tokens: expect.any(Number) } });
  });
});

test('[SO-03] what costs by the character is charged by what a reader sees as characters', async () => {
  await (await speak(stand, { model: SPEAKER, input: INPUT })).arrayBuffer();
  const record = stand.records.at(-1);
  expect(record?.bill?.usage).toEqual({ characters: CHARACTERS });
  expect(record?.bill?.cost.nanoUsd).toBe(BigInt(CHARACTERS) * 15_000n);
  expect(record?.operation).toBe('speech');
});

test('[SO-03] what costs by the token is charged by the events of its host, whatever the caller reads', async () => {
  const bills = [];
  for (const how of [{}, { stream_format: 'sse' }, { response_format: 'wav' }]) {
    await (await speak(stand, { model: TOKEN_SPEAKER, input: INPUT, voice: 'alloy', ...how })).arrayBuffer();
    const bill = stand.records.at(-1)?.bill;
    expect(bill?.estimated).toBe(false);
    expect(bill?.usage).toEqual({ prompt: expect.any(Number), outputAudio: expect.any(Number) });
    bills.push(bill?.cost.nanoUsd);
  }
  expect(new Set(bills).size).toBe(1);
  expect(bills[0]).toBeGreaterThan(0n);
});

test('a model of another kind is refused, and its host is not called', async () => {
  const calls = stand.simulator.truth.read().length;
  const answer = await speak(stand, { model: 'openai/gpt-4o', input: INPUT });
  expect(answer.status).toBe(400);
  expect(((await answer.json()) as { error: { message: string } }).error.message).toContain('does not speak');
  const chat = await fetch(`${stand.chatUrl}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${KEY}` },
    body: JSON.stringify({ model: SPEAKER, messages: [{ role: 'user', content: 'Hello.' }] }),
  });
  expect(chat.status).toBe(400);
  expect(stand.simulator.truth.read().length).toBe(calls);
});

test('an error of the host has a status and a message, since nothing was sent before it', async () => {
  stand.simulator.arm('status=429', {});
  stand.simulator.arm('status=429', {});
  stand.simulator.arm('status=429', {});
  const answer = await speak(stand, { model: SPEAKER, input: INPUT });
  expect(answer.status).toBe(429);
  expect(answer.headers.get('content-type')).toContain('application/json');
});

describe('menus of programs that speak', () => {
  const menu = async (
    what: string,
    secret?: string,
  ): Promise<Record<string, readonly { id: string; name: string }[]>> => {
    const headers = secret === undefined ? {} : { authorization: `Bearer ${secret}` };
    const answer = await fetch(`${stand.chatUrl}/audio/${what}`, { headers });
    expect(answer.status).toBe(200);
    return (await answer.json()) as Record<string, readonly { id: string; name: string }[]>;
  };

  test('the models that speak are listed, without those that listen or converse, also without a key', async () => {
    for (const secret of [undefined, KEY]) {
      const ids = (await menu('models', secret))['models']?.map(({ id }) => id);
      expect(ids).toEqual(expect.arrayContaining([SPEAKER, TOKEN_SPEAKER, OWN_SPEAKER]));
      expect(ids).not.toContain('openai/whisper-1');
      expect(ids).not.toContain('openai/gpt-4o');
    }
  });

  test('names are listed once, and a key that may call no model that speaks gets none', async () => {
    const names = (await menu('voices', KEY))['voices']?.map(({ id, name }) => [id, name]) ?? [];
    expect(names).toContainEqual(['alloy', 'alloy']);
    expect(new Set(names.map(String)).size).toBe(names.length);
    for (const what of ['voices', 'models']) expect(await menu(what, LIMITED_KEY)).toEqual({ [what]: [] });
  });
});
