// LC: the older completions, as one message at hosts of every format.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EVERY_DESTINATION, withConverse } from '../../support/converse-host.ts';
import { type Json, postJson, type Reply } from '../../support/embed-probe.ts';
import { responsesHosts } from '../../support/responses-probe.ts';
import { KEY, openStand, type Stand } from '../../support/stand.ts';

const QUESTION = 'Where do three roads meet?';
const CHAT = 'openai/gpt-4o';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: withConverse(responsesHosts) });
});
afterAll(() => stand.close());

const ask = (body: Json, headers: Record<string, string> = {}): Promise<Reply> =>
  postJson(`${stand.chatUrl}/completions`, { model: CHAT, prompt: QUESTION, ...body }, headers);

type Choice = { readonly text: string; readonly finish_reason: string | null; readonly logprobs: Json | null };
const choiceIn = (json: Json): Choice => (json['choices'] as readonly Choice[])[0] as Choice;

/** 200 after exactly one upstream call that the host accepted. */
async function written(body: Json): Promise<Reply & { readonly choice: Choice; readonly sent: Json }> {
  const before = stand.simulator.truth.read().length;
  const reply = await ask(body);
  expect({ status: reply.status, error: reply.json['error'] }).toEqual({ status: 200, error: undefined });
  const entries = stand.simulator.truth.read().slice(before);
  expect(entries).toHaveLength(1);
  return { ...reply, choice: choiceIn(reply.json), sent: entries[0]?.body as Json };
}

async function refused(body: Json, param: string): Promise<void> {
  const before = stand.simulator.truth.read().length;
  const reply = await ask(body);
  const error = reply.json['error'] as Json | undefined;
  expect({ body, status: reply.status, param: error?.['param'] }).toEqual({ body, status: 400, param });
  expect(stand.simulator.truth.read().length).toBe(before);
}

/** The frames of a stream, which has to end with `[DONE]`. */
async function streamed(body: Json): Promise<readonly Json[]> {
  const response = await fetch(`${stand.chatUrl}/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: CHAT, prompt: QUESTION, stream: true, ...body }),
  });
  expect(response.status).toBe(200);
  const frames = (await response.text()).split('\n\n').filter((frame) => frame.startsWith('data: '));
  expect(frames.at(-1)).toBe('data: [DONE]');
  return frames.slice(0, -1).map((frame) => JSON.parse(frame.slice(6)) as Json);
}

const textOf = (frames: readonly Json[]): string => frames.map((frame) => choiceIn(frame)?.text ?? '').join('');

describe.each(EVERY_DESTINATION)('into $dialect', ({ model }) => {
  test('[LC-01] a prompt is answered as one message, as an object of the older form', async () => {
    const { json, choice, headers } = await written({ model, max_tokens: 100 });
    expect(json).toMatchObject({ object: 'text_completion', model, usage: { total_tokens: expect.any(Number) } });
    expect(json['id']).toBe(`cmpl-${headers.get('x-request-id')}`);
    expect(Object.keys(choice)).toEqual(['index', 'text', 'logprobs', 'finish_reason']);
    expect(choice.text).toContain(QUESTION);
    expect(choice.finish_reason).toBe('stop');
  });

  test('[LC-02] a stream has the same text in chunks, its finish, and usage if it is asked for', async () => {
    const whole = (await written({ model })).choice.text;
    const frames = await streamed({ model, stream_options: { include_usage: true } });
    expect(textOf(frames)).toBe(whole);
    expect(new Set(frames.map(({ object }) => object))).toEqual(new Set(['text_completion']));
    expect(frames.map((frame) => choiceIn(frame)?.finish_reason ?? null).filter((reason) => reason !== null)).toEqual([
      'stop',
    ]);
    const { choices, usage } = frames.at(-1) ?? {};
    expect({ choices, total: (usage as Json | undefined)?.['total_tokens'] }).toEqual({
      choices: [],
      total: expect.any(Number),
    });
    expect((await streamed({ model })).every(({ usage: none }) => none === undefined)).toBe(true);
  });
});

test('[LC-03] the prompt is one message of the user, as it was written, also out of a list of one', async () => {
  for (const prompt of [' spaces \n kept ', [QUESTION]]) {
    const { sent } = await written({ prompt });
    expect(sent['messages']).toEqual([{ role: 'user', content: Array.isArray(prompt) ? prompt[0] : prompt }]);
    expect(sent).not.toHaveProperty('prompt');
  }
});

test('[LC-04] several prompts, tokens, and what is no prompt are refused', async () => {
  for (const prompt of [undefined, null, '', [], ['a', 'b'], [1, 2], [[1, 2]], [''], { text: 'a' }])
    await refused({ prompt }, 'prompt');
});

test('[LC-05] what chat models cannot do is refused by name, and what asks for nothing is accepted', async () => {
  await refused({ suffix: 'the end' }, 'suffix');
  await refused({ n: 2 }, 'n');
  await refused({ best_of: 2 }, 'best_of');
  await refused({ logprobs: 6 }, 'logprobs');
  await refused({ echo: true, logprobs: 1 }, 'echo');
  await refused({ messages: [] }, 'messages');
  await refused({ tools: [] }, 'tools');
  const { sent } = await written({ suffix: '', n: 1, best_of: 1, echo: false, logprobs: null });
  expect(Object.keys(sent).toSorted()).toEqual(['messages', 'model']);
});

test('[LC-06] echo puts the prompt before the text, streamed or not', async () => {
  const { text } = (await written({})).choice;
  expect((await written({ echo: true })).choice.text).toBe(QUESTION + text);
  expect(textOf(await streamed({ echo: true }))).toBe(QUESTION + text);
});

test('[LC-07] sampling reaches the host under its own names, and losses have those of the caller', async () => {
  const sampling = { temperature: 0.5, top_p: 0.9, stop: ['x'], frequency_penalty: 1, presence_penalty: -1 };
  const { sent } = await written({ ...sampling, max_tokens: 9 });
  expect(sent).toMatchObject({ ...sampling, max_completion_tokens: 9 });
  const { headers } = await written({ model: 'anthropic/claude-sonnet-4-5', presence_penalty: 1 });
  expect(headers.get('x-trivium-losses')).toBe('presence_penalty');
  await refused({ model: 'anthropic/claude-sonnet-4-5', logprobs: 2 }, 'logprobs');
});

test('[LC-08] logprobs have the older form, with the place of each token in the text', async () => {
  const check = (text: string, logprobs: Json | null | undefined): void => {
    const tokens = logprobs?.['tokens'] as readonly string[];
    expect(tokens.join('')).toBe(text);
    const offsets = logprobs?.['text_offset'] as readonly number[];
    for (const [at, token] of tokens.entries())
      expect(text.slice(offsets[at], (offsets[at] ?? 0) + token.length)).toBe(token);
    expect(logprobs?.['token_logprobs']).toHaveLength(tokens.length);
    expect(logprobs?.['top_logprobs']).toHaveLength(tokens.length);
  };
  const { choice, sent } = await written({ logprobs: 2 });
  expect(sent).toMatchObject({ logprobs: true, top_logprobs: 2 });
  check(choice.text, choice.logprobs);
  const pieces = (await streamed({ logprobs: 2 })).map((frame) => choiceIn(frame)?.logprobs);
  const all = (name: string): unknown[] => pieces.flatMap((piece) => (piece?.[name] ?? []) as unknown[]);
  check(
    choice.text,
    Object.fromEntries(['tokens', 'token_logprobs', 'top_logprobs', 'text_offset'].map((name) => [name, all(name)])),
  );
});

test('[LC-09] thoughts are left out with a loss, and a cap ends the text', async () => {
  const thinker = 'compatible/thinker';
  const { choice, headers } = await written({
    model: thinker,
    prompt: `${QUESTION} @simulate scenario=reasoning-field`,
  });
  expect(choice.text).not.toBe('');
  expect(headers.get('x-trivium-losses')).toContain('thinking');
  const { choice: cut } = await written({ max_tokens: 2 });
  expect(cut.finish_reason).toBe('length');
});

test('[LC-10] a host that fails in the middle of a stream ends it with an error and without [DONE]', async () => {
  const response = await fetch(`${stand.chatUrl}/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: CHAT, prompt: `${QUESTION} @simulate fault=end-mid-stream`, stream: true }),
  });
  let text = '';
  const decoder = new TextDecoder();
  try {
    for await (const piece of response.body ?? []) text += decoder.decode(piece, { stream: true });
  } catch {
    // The connection is broken off after the error.
  }
  expect(text).toContain('"error"');
  expect(text).not.toContain('[DONE]');
});
