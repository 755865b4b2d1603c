// The official OpenAI SDK for JavaScript, and Vercel's provider that uses this protocol by default, as judges.
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, jsonSchema, streamText, tool as vercelTool } from 'ai';
import OpenAI from 'openai';
import { makeParseableTextFormat } from 'openai/lib/parser';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { failureOf } from '../support/failure-of.ts';
import { CHAT, EVERY_MODEL, OWN, responsesHosts } from '../support/responses-probe.ts';
import { KEY, openStand, type Stand } from '../support/stand.ts';

const PARAMETERS = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
} as const;
const TOOLS: OpenAI.Responses.FunctionTool[] = ['weather', 'clock'].map((name) => ({
  type: 'function',
  name,
  parameters: PARAMETERS,
  strict: false,
}));

let stand: Stand;
let client: OpenAI;
beforeAll(async () => {
  stand = await openStand({
    alsoHosts: responsesHosts,
    config: () => ({ timeouts: { keepAliveToCallerMs: 40 } }),
  });
  client = new OpenAI({ apiKey: KEY, baseURL: stand.chatUrl, maxRetries: 0 });
});
afterAll(() => stand.close());

const asking = (model: string, instruction: string) => ({
  model,
  input: `Where do three roads meet? @simulate ${instruction}`,
});

describe.each(EVERY_MODEL)('%s', (model) => {
  test('[R-55] create returns text, usage and the request id', async () => {
    const response = await client.responses.create(asking(model, 'scenario=text-basic'));
    expect(response.output_text).toContain('Where do three roads meet?');
    expect(response.usage?.total_tokens).toBeGreaterThan(0);
    expect(response.id).toBe(`resp_${response._request_id}`);
    expect([response.status, response.model]).toEqual(['completed', model]);
  });
  test('[R-55] create returns calls, and accepts their results', async () => {
    const input: OpenAI.Responses.ResponseInputItem[] = [
      { role: 'user', content: 'Weather? @simulate scenario=tools-parallel' },
    ];
    const first = await client.responses.create({ model, input, tools: TOOLS });
    const calls = first.output.filter((item) => item.type === 'function_call');
    expect(calls.map(({ name }) => name)).toEqual(expect.arrayContaining(['weather', 'clock']));
    input.push(...(first.output as OpenAI.Responses.ResponseInputItem[]));
    for (const { call_id } of calls) input.push({ type: 'function_call_output', call_id, output: '21 degrees' });
    expect((await client.responses.create({ model, input, tools: TOOLS })).output_text).toContain('21 degrees');
  });
  test('[R-55] stream returns events and the final response', async () => {
    const stream = client.responses.stream(asking(model, 'scenario=unicode'));
    let text = '';
    stream.on('response.output_text.delta', ({ delta }) => {
      text += delta;
    });
    const response = await stream.finalResponse();
    expect(text).toMatch(/\S/);
    expect(response.output_text).toBe(text);
    expect(response.usage?.output_tokens).toBeGreaterThan(0);
  });
  test('[R-55] stream assembles parallel calls', async () => {
    const stream = client.responses.stream({ ...asking(model, 'scenario=tools-parallel-interleaved'), tools: TOOLS });
    const calls = (await stream.finalResponse()).output.filter((item) => item.type === 'function_call');
    expect(calls.map(({ name }) => name)).toEqual(expect.arrayContaining(['weather', 'clock']));
    for (const call of calls) expect(JSON.parse(call.arguments)).toHaveProperty('city');
  });
  test('[R-55] parse returns a structured answer', async () => {
    const format = makeParseableTextFormat<{ city: string }>(
      { type: 'json_schema', name: 'place', strict: true, schema: PARAMETERS },
      (content) => JSON.parse(content) as { city: string },
    );
    const response = await client.responses.parse({ ...asking(model, ''), text: { format } });
    expect(response.output_parsed?.city).toBeTypeOf('string');
  });
  test('[R-55] Vercel’s provider reads text, streams and calls', async () => {
    const provider = createOpenAI({ apiKey: KEY, baseURL: stand.chatUrl });
    const prompt = 'Where do three roads meet?';
    const whole = await generateText({ model: provider(model), prompt, maxRetries: 0 });
    expect(whole.text).toContain(prompt);
    expect(whole.usage.outputTokens).toBeGreaterThan(0);
    const stream = streamText({ model: provider(model), prompt, maxRetries: 0 });
    expect(await stream.text).toBe(whole.text);
    const { toolCalls } = await generateText({
      model: provider(model),
      prompt: `${prompt} @simulate scenario=tool-single`,
      tools: {
        weather: vercelTool({ inputSchema: jsonSchema<{ city: string }>({ ...PARAMETERS, required: ['city'] }) }),
      },
      maxRetries: 0,
    });
    expect(toolCalls).toMatchObject([{ toolName: 'weather', input: { city: expect.any(String) } }]);
  });
  test('[R-47] a failure in the middle of a stream throws with its code', async () => {
    const body = asking(model, 'scenario=text-long words=20 tps=500 fault=error-frame-mid after=5');
    let text = '';
    const failure = await failureOf(
      (async () => {
        for await (const event of await client.responses.create({ ...body, stream: true }))
          if (event.type === 'response.output_text.delta') text += event.delta;
      })(),
    );
    expect(text).toMatch(/\S/);
    expect(failure).toBeInstanceOf(OpenAI.APIError);
    // Some upstreams report the reason of a failure.
    const code = model === OWN || model === CHAT ? 'upstream_error' : 'overloaded';
    expect(failure).toMatchObject({ code });
  });
  test('[R-49] the SDK ignores keep-alive comments', async () => {
    const body = asking(model, 'scenario=text-long words=2 fault=slow-drip split=150 drip=100');
    const types: string[] = [];
    for await (const event of await client.responses.create({ ...body, stream: true })) types.push(event.type);
    expect(types[0]).toBe('response.created');
    expect(types.at(-1)).toBe('response.completed');
  });
});

describe('errors', () => {
  test('[R-48] a failure before the stream is the SDK’s own class', async () => {
    const failure = await failureOf(client.responses.create({ ...asking(OWN, 'status=503'), stream: true }));
    expect(failure).toBeInstanceOf(OpenAI.InternalServerError);
    expect(failure).toMatchObject({ status: 503, code: 'overloaded' });
  });
  test('[R-64] a response that was not stored is not found', async () => {
    expect(await failureOf(client.responses.retrieve('resp_1'))).toBeInstanceOf(OpenAI.NotFoundError);
    expect(await failureOf(client.responses.delete('resp_1'))).toBeInstanceOf(OpenAI.NotFoundError);
  });
});
