/** Required fields and scalar fields of a messages request: types, ranges, defaults. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  ask,
  CLAUDE,
  EVERY_MODEL,
  GEMINI,
  type Json,
  lossless,
  lossy,
  messagesHosts,
  OPENAI,
  RESPONSES,
  refused,
  served,
  simulate,
} from '../../support/messages-probe.ts';
import { openStand, type Stand } from '../../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: messagesHosts });
});
afterAll(() => stand.close());

const MAX_OUTPUT = 16_384;
const VALUES: readonly (readonly [rule: string, label: string, members: Json, field: string])[] = [
  ['M-02', 'no max_tokens', { max_tokens: undefined }, 'max_tokens'],
  ['M-02', 'null as max_tokens', { max_tokens: null }, 'max_tokens'],
  ['M-02', 'text as max_tokens', { max_tokens: '5' }, 'max_tokens'],
  ['M-02', 'a fraction as max_tokens', { max_tokens: 1.5 }, 'max_tokens'],
  ['N-04', 'max_tokens 0', { max_tokens: 0 }, 'max_tokens'],
  ['N-04', 'max_tokens -1', { max_tokens: -1 }, 'max_tokens'],
  ['N-05', 'max_tokens above the model’s', { max_tokens: MAX_OUTPUT + 1 }, 'max_tokens'],
  ['M-04', 'no messages', { messages: undefined }, 'messages'],
  ['M-04', 'an object as messages', { messages: {} }, 'messages'],
  ['M-04', 'no message in messages', { messages: [] }, 'messages'],
  ['M-05', 'no model', { model: undefined }, 'model'],
  ['M-05', 'a number as model', { model: 1 }, 'model'],
  ['M-05', 'an empty model', { model: '' }, 'model'],
  ['M-06', 'text as stop_sequences', { stop_sequences: 'x' }, 'stop_sequences'],
  ['M-06', 'a number among stop_sequences', { stop_sequences: [1] }, 'stop_sequences.0'],
  ['M-07', 'text as stream', { stream: 'true' }, 'stream'],
  ['M-10', 'text as temperature', { temperature: '1' }, 'temperature'],
  ['N-28', 'temperature -0.01', { temperature: -0.01 }, 'temperature'],
  ['N-28', 'temperature 1.01', { temperature: 1.01 }, 'temperature'],
  ['M-20', 'an object as tools', { tools: {} }, 'tools'],
  ['M-21', 'top_k -1', { top_k: -1 }, 'top_k'],
  ['M-21', 'text as top_k', { top_k: '1' }, 'top_k'],
  ['M-22', 'top_p -0.01', { top_p: -0.01 }, 'top_p'],
  ['M-22', 'top_p 1.01', { top_p: 1.01 }, 'top_p'],
  ['M-22', 'text as top_p', { top_p: '1' }, 'top_p'],
  ['M-26', 'a message without role', { messages: [{ content: 'a' }] }, 'messages.0.role'],
  ['M-26', 'role tool', { messages: [{ role: 'tool', content: 'a' }] }, 'messages.0.role'],
  ['M-26', 'a number as role', { messages: [{ role: 1, content: 'a' }] }, 'messages.0.role'],
  ['M-27', 'a message without content', { messages: [{ role: 'user' }] }, 'messages.0.content'],
  ['M-27', 'a number as content', { messages: [{ role: 'user', content: 5 }] }, 'messages.0.content'],
  ['M-27', 'null as content', { messages: [{ role: 'user', content: null }] }, 'messages.0.content'],
  ['M-27', 'no block in content', { messages: [{ role: 'user', content: [] }] }, 'messages.0.content'],
];

test.each(VALUES)('[%s] %s is refused', async (_rule, _label, members, field) => {
  for (const model of [CLAUDE, OPENAI, RESPONSES, GEMINI])
    await refused(stand, { ...ask({ model }), ...members }, field);
});

describe.each(EVERY_MODEL)('%s', (model) => {
  test('[M-01][M-05] a minimal body is answered', async () => {
    const { reply, sent } = await lossless(stand, ask({ model }));
    expect(reply.json).toMatchObject({ type: 'message', model });
    if (model !== GEMINI) expect(sent['model']).toBe(model === RESPONSES ? 'gpt-4o' : model.split('/')[1]);
    expect(stand.simulator.truth.last()?.path).toContain(model === GEMINI ? 'gemini-2.5-flash' : '/v1/');
  });

  test('[M-02][N-04] max_tokens is the cap upstream', async () => {
    // The least that a Responses host takes.
    const cap = model === RESPONSES ? 16 : 1;
    const { sent, reply } = await lossless(
      stand,
      ask({ model, max_tokens: cap, messages: [simulate('scenario=text-long')] }),
    );
    expect(capOf(sent)).toBe(cap);
    expect(reply.json).toMatchObject({ stop_reason: 'max_tokens', usage: { output_tokens: cap } });
  });

  test('[N-05] the model’s own maximum is accepted', async () => {
    expect(capOf((await lossless(stand, ask({ model, max_tokens: MAX_OUTPUT }))).sent)).toBe(MAX_OUTPUT);
  });

  test('[M-06] stop_sequences are forwarded in order, or looked for by the gateway where hosts do not name them', async () => {
    const { sentText } = await lossless(stand, ask({ model, stop_sequences: ['AXA', 'BXB'] }));
    if (model === CLAUDE) expect(sentText).toMatch(/\["AXA","BXB"\]/);
    else expect(sentText).not.toContain('AXA');
  });

  test('[M-07] only stream true gives a stream', async () => {
    for (const stream of [undefined, false, null]) {
      const { reply } = await served(stand, ask({ model, stream }));
      expect(reply.headers.get('content-type')).toMatch(/^application\/json/);
      expect(stand.simulator.truth.last()?.streamed).toBe(false);
    }
    const { reply } = await served(stand, ask({ model, stream: true }));
    expect(reply.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(stand.simulator.truth.last()?.streamed).toBe(true);
  });

  test('[M-10] without a temperature none is sent', async () => {
    for (const members of [{}, { temperature: null }])
      expect((await lossless(stand, ask({ model, ...members }))).sentText).not.toContain('temperature');
  });

  test.each([0, 1])('[M-10][N-28] temperature %d is forwarded', async (temperature) => {
    expect(memberOf((await lossless(stand, ask({ model, temperature }))).sent, 'temperature')).toBe(temperature);
  });

  test.each([0, 1])('[M-22] top_p %d is forwarded', async (top_p) => {
    const { sent } = await lossless(stand, ask({ model, top_p }));
    expect(memberOf(sent, model === GEMINI ? 'topP' : 'top_p')).toBe(top_p);
  });

  test('[M-21] top_k 0 counts as absent', () => lossless(stand, ask({ model, top_k: 0 })));
});

test.each([CLAUDE, GEMINI])('[M-21] top_k 40 is forwarded to %s', async (model) => {
  const { sent } = await lossless(stand, ask({ model, top_k: 40 }));
  expect(memberOf(sent, model === GEMINI ? 'topK' : 'top_k')).toBe(40);
});

test('[M-21] top_k 40 is a loss at an upstream without it', async () => {
  expect((await lossy(stand, ask({ model: OPENAI, top_k: 40 }), 'top_k')).sentText).not.toContain('top_k');
});

/** The output cap under each dialect's name. */
const capOf = (sent: Json): unknown =>
  memberOf(sent, 'maxOutputTokens') ?? sent['max_completion_tokens'] ?? sent['max_output_tokens'] ?? sent['max_tokens'];

const memberOf = (sent: Json, name: string): unknown => ((sent['generationConfig'] ?? sent) as Json)[name];
