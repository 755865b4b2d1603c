/** The simulator plays quirks of recorded traffic, and the codecs read them correctly. */
import { type Simulator, startSimulator } from '@trivium/simulator';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { factsOfHost } from '../../scripts/recorded/host-facts.ts';
import { dialectOf, meteredTotal, readStream, type StreamReading, vendorTotal } from '../../scripts/recorded/judge.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());

const PATHS: Readonly<Record<string, string>> = {
  'anthropic-messages': '/anthropic/v1/messages',
  'openai-chat': '/openai/v1/chat/completions',
  'openai-responses': '/openai/v1/responses',
  'google-generate': '/google/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse',
};

async function play(dialect: string, fault: string, stream: boolean): Promise<{ status: number; text: string }> {
  const words = `Hello @simulate scenario=text-long words=3 ${fault}`;
  const bodies: Readonly<Record<string, object>> = {
    'anthropic-messages': {
      model: 'claude-opus-5',
      max_tokens: 100,
      stream,
      messages: [{ role: 'user', content: words }],
    },
    'openai-chat': {
      model: 'gpt-4o',
      stream,
      ...(stream && { stream_options: { include_usage: true } }),
      messages: [{ role: 'user', content: words }],
    },
    'openai-responses': { model: 'gpt-4o', stream, store: false, input: words },
    'google-generate': { contents: [{ role: 'user', parts: [{ text: words }] }] },
  };
  const reply = await fetch(`${simulator.url}${PATHS[dialect]}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: 'Bearer sk-1',
      'x-api-key': 'sk-1',
      'x-goog-api-key': 'k',
      'anthropic-version': '2023-06-01',
    },
    body: JSON.stringify(bodies[dialect]),
  });
  return { status: reply.status, text: await reply.text() };
}

async function streamed(dialect: string, fault: string): Promise<StreamReading & { readonly text: string }> {
  const { text } = await play(dialect, fault, true);
  return { text, ...readStream(text, dialectOf(dialect), factsOfHost('none', dialect)) };
}
const whole = async (dialect: string, fault: string) =>
  dialectOf(dialect).client.decodeAnswer(
    JSON.parse((await play(dialect, fault, false)).text),
    factsOfHost('none', dialect),
  );
const said = ({ answer }: StreamReading): string =>
  answer.candidates
    .flatMap(({ blocks }) => blocks)
    .map((block) => (block.kind === 'text' ? block.text : ''))
    .join('');

test('usage.iterations: the pass that compacted is metered, whole and streamed (D1)', async () => {
  const body = JSON.parse((await play('anthropic-messages', 'fault=usage-iterations', false)).text);
  const { usage } = dialectOf('anthropic-messages').client.decodeAnswer(
    body,
    factsOfHost('none', 'anthropic-messages'),
  );
  expect(meteredTotal(usage)).toBe(vendorTotal('anthropic-messages', body.usage));
  expect(usage.prompt).toBe(body.usage.input_tokens + 1000);
  const stream = await streamed('anthropic-messages', 'fault=usage-iterations');
  expect(stream.answer.usage).toMatchObject({ prompt: usage.prompt, completion: usage.completion });
});

test('stop_details do not change the end of an answer', async () => {
  const { answer, text } = await streamed('anthropic-messages', 'fault=stop-details');
  expect(text).toContain('stop_details');
  expect(answer.candidates[0]?.finish.reason).toBe('stop');
});

test('a filtered choice without a message is read (D7)', async () => {
  expect((await whole('openai-chat', 'fault=no-message')).candidates).toMatchObject([
    { blocks: [], finish: { reason: 'filter' } },
  ]);
});

test('text that streams as part 1 and ends as part 0 is returned once (D2)', async () => {
  const reading = await streamed('openai-responses', 'fault=content-index-1');
  expect(reading.text).toContain('"content_index":1');
  expect(said(reading)).toBe('word1 word2 word3');
});

test('an end marker without a finish reason ends the stream (D11)', async () => {
  const reading = await streamed('openai-chat', 'fault=no-finish');
  expect([reading.fault, said(reading)]).toEqual([undefined, 'word1 word2 word3']);
});

test('citations before their text are read (D15)', async () => {
  const { answer } = await streamed('openai-chat', 'fault=annotations-first');
  expect(answer.candidates[0]?.blocks[0]).toMatchObject({ kind: 'text', citations: [{ kind: 'web' }] });
});

test.each(['doubled-finish', 'padding-p'])('%s changes nothing', async (fault) => {
  const [reading, plain] = [await streamed('openai-chat', `fault=${fault}`), await streamed('openai-chat', '')];
  expect(reading.text).not.toBe(plain.text);
  expect([said(reading), reading.answer.usage.completion]).toEqual([said(plain), plain.answer.usage.completion]);
});

test('lines that end in CR LF, as Google writes them, are read', async () => {
  const reading = await streamed('google-generate', 'fault=crlf');
  expect(reading.text).toContain('\r\n\r\n');
  expect(said(reading)).toBe('word1 word2 word3');
});

test('an error that is a plain sentence is read (D10)', async () => {
  const { status, text } = await play('openai-chat', 'status=400 fault=string-error', false);
  const body = JSON.parse(text) as { error: string };
  expect(typeof body.error).toBe('string');
  expect(dialectOf('openai-chat').client.decodeFault(status, body)).toMatchObject({
    kind: 'refused',
    message: body.error,
  });
});
