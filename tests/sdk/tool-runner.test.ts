// The tool runner of the official Anthropic SDK as the judge, on a host of each format: it asks for a thread first.
import Anthropic from '@anthropic-ai/sdk';
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { failureOf } from '../support/failure-of.ts';
import { OWN as RESPONSES, responsesHosts } from '../support/responses-probe.ts';
import { KEY, openStand, type Stand } from '../support/stand.ts';

const MODELS = ['openai/gpt-4o', RESPONSES, 'anthropic/claude-sonnet-4-5', 'google/gemini-2.5-flash'];

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: responsesHosts });
});
afterAll(() => stand.close());

const client = (): Anthropic =>
  new Anthropic({ apiKey: KEY, baseURL: `${stand.url}/api/anthropic`, maxRetries: 0, logLevel: 'off' });

function asking(model: string, calls: string[]) {
  const tools = ['weather', 'clock', 'news'].map((name) =>
    betaTool({
      name,
      description: name,
      inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      run: ({ city }) => {
        calls.push(name);
        return `21 degrees in ${city}`;
      },
    }),
  );
  const content = 'Where do three roads meet? @simulate scenario=tools-parallel';
  return { model, max_tokens: 4096, tools, messages: [{ role: 'user' as const, content }] };
}

describe.each(MODELS)('to %s', (model) => {
  test('the tool runner continues without a thread, and runs every tool', async () => {
    const calls: string[] = [];
    const message = await client().beta.messages.toolRunner(asking(model, calls));
    expect(calls).toEqual(['weather', 'clock', 'news']);
    expect(message.content.map((block) => (block.type === 'text' ? block.text : '')).join('')).toContain('21 degrees');
  });

  test('the streamed tool runner, too', async () => {
    const calls: string[] = [];
    const runner = client().beta.messages.toolRunner({ ...asking(model, calls), stream: true });
    const stops: (string | null)[] = [];
    for await (const turn of runner) stops.push((await turn.finalMessage()).stop_reason);
    expect(calls).toEqual(['weather', 'clock', 'news']);
    expect(stops).toEqual(['tool_use', 'end_turn']);
  });

  test('turns follow each other until there is no call left', async () => {
    const calls: string[] = [];
    const steps = ['clock', 'weather'].map((name) => `@step ${name} ${encodeURIComponent('{"city":"Graz"}')}`);
    const content = ['Where do three roads meet?', ...steps, '@answer At%20the%20bridge.'].join('\n');
    const before = stand.simulator.truth.read().length;
    const runner = client().beta.messages.toolRunner({
      ...asking(model, calls),
      messages: [{ role: 'user', content }],
    });
    const stops: (string | null)[] = [];
    for await (const message of runner) stops.push(message.stop_reason);
    expect(calls).toEqual(['clock', 'weather']);
    expect(stops).toEqual(['tool_use', 'tool_use', 'end_turn']);
    expect((await runner.done()).content).toEqual([expect.objectContaining({ text: 'At the bridge.' })]);
    const refusals = stand.simulator.truth.read().slice(before);
    expect(refusals.map(({ refusal }) => refusal)).toEqual([undefined, undefined, undefined]);
  });
});

test('a thread is refused with the code after which clients send the whole conversation', async () => {
  const body = {
    model: 'openai/gpt-4o',
    max_tokens: 64,
    messages: [{ role: 'user' as const, content: 'Hello' }],
    thread: { type: 'create' as const },
  };
  const error = await failureOf(client().beta.messages.create(body));
  expect(error).toBeInstanceOf(Anthropic.BadRequestError);
  expect(error).toMatchObject({
    status: 400,
    error: { error: { type: 'invalid_request_error', details: { error_code: 'thread_unsupported_request' } } },
  });
});
