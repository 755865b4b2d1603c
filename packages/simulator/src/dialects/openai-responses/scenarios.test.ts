// Each scenario, plain and streamed, as a response: the events in their legal order must build the same object.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ScenarioName, type Simulator, scenarioNames, startSimulator } from '../../main.ts';
import { probe } from '../../probe.fixture.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());

interface Content {
  type: string;
  text?: string;
  refusal?: string;
  annotations?: object[];
  logprobs?: object[];
}
interface Item {
  id: string;
  type: string;
  status?: string;
  content?: Content[];
  summary?: { text: string }[];
  arguments?: string;
  encrypted_content?: string;
}
interface Response {
  id: string;
  status: string;
  output: Item[];
  error: { code: string } | null;
  incomplete_details: { reason: string } | null;
  usage: Record<string, unknown> | null;
}
interface Event {
  type: string;
  sequence_number: number;
  output_index?: number;
  content_index?: number;
  item_id?: string;
  item?: Item;
  part?: Content;
  delta?: string;
  annotation?: object;
  response?: Response;
}

const full = {
  reasoning: { summary: 'auto' },
  include: ['reasoning.encrypted_content', 'web_search_call.action.sources'],
  store: false,
};

async function send(scenario: string, extra: object = full, model = 'gpt-5') {
  const input = `Hello json\n@simulate scenario=${scenario} words=9`;
  const answer = probe(simulator.url, { model, input, ...extra }, { path: '/v1/responses' });
  await answer.ended;
  expect(answer.status).toBe(200);
  return answer;
}

async function plain(scenario: string, extra?: object, model?: string) {
  return (await send(scenario, extra, model)).json() as Response;
}

async function streamed(scenario: string, extra: object = full, model?: string) {
  const answer = await send(scenario, { stream: true, ...extra }, model);
  const events = answer.events().map((event) => JSON.parse(event) as Event);
  const named = [...answer.text().matchAll(/^event: (.+)$/gmu)].map((match) => match[1]);
  expect(named).toEqual(events.map((event) => event.type));
  expect(events.map((event) => event.sequence_number)).toEqual(events.map((_event, at) => at));
  expect(events.slice(0, 2).map((event) => event.type)).toEqual(['response.created', 'response.in_progress']);
  return events;
}

/** Builds the items from added and delta events alone, and compares each with its done event. */
function assemble(events: readonly Event[]): Response {
  const items: Item[] = [];
  for (const event of events) {
    const item = items[event.output_index ?? -1];
    const part = item?.content?.[event.content_index ?? -1];
    const { type, delta = '' } = event;
    if (type === 'response.output_item.added') {
      expect(event.output_index).toBe(items.length);
      items.push(structuredClone(event.item as Item));
    } else if (type === 'response.content_part.added') item?.content?.push(structuredClone(event.part as Content));
    else if (type === 'response.output_text.delta' && part !== undefined) part.text += delta;
    else if (type === 'response.refusal.delta' && part !== undefined) part.refusal += delta;
    else if (type === 'response.output_text.annotation.added') part?.annotations?.push(event.annotation ?? {});
    else if (type === 'response.reasoning_summary_part.added') item?.summary?.push({ text: '' });
    else if (type === 'response.reasoning_summary_text.delta' && item?.summary?.[0]) item.summary[0].text += delta;
    else if (type === 'response.function_call_arguments.delta' && item !== undefined) item.arguments += delta;
    else if (type === 'response.output_item.done') {
      const { content, summary, arguments: text } = event.item as Item;
      expect(summary?.map((one) => one.text)).toEqual(item?.summary?.map((one) => one.text));
      expect({ text, id: event.item?.id }).toEqual({ text: item?.arguments, id: item?.id });
      expect(content?.map(({ logprobs, ...rest }) => rest)).toEqual(
        item?.content?.map(({ logprobs, ...rest }) => rest),
      );
    }
  }
  const { response } = events.at(-1) ?? {};
  if (response === undefined) throw new Error('no closing event');
  expect(response.output.map((item) => item.id)).toEqual(items.map((item) => item.id));
  return response;
}

/** Ids and the seals bound to them contain the number of the request. */
function meaning(response: Response) {
  const output = response.output.map(({ id, encrypted_content, ...rest }) => ({
    ...rest,
    prefix: id.split('_')[0],
    isSealed: encrypted_content !== undefined,
  }));
  const { status, error, incomplete_details, usage } = response;
  return { output, status, error, incomplete_details, usage };
}

describe('every scenario', () => {
  test.each(scenarioNames())('%s gives the same answer plain and streamed', async (name) => {
    expect(meaning(assemble(await streamed(name)))).toEqual(meaning(await plain(name)));
  });
});

describe('endings', () => {
  test.each<readonly [ScenarioName, string, string | null]>([
    ['text-basic', 'completed', null],
    ['tools-parallel', 'completed', null],
    ['length', 'incomplete', 'max_output_tokens'],
    ['content-filter', 'incomplete', 'content_filter'],
    ['prompt-blocked', 'failed', null],
  ])('%s: %s', async (name, status, reason) => {
    const events = await streamed(name);
    expect(events.at(-1)?.type).toBe(`response.${status}`);
    expect(events.at(-1)?.response).toMatchObject({ status });
    expect(events.at(-1)?.response?.incomplete_details?.reason ?? null).toBe(reason);
  });
});

describe('contents', () => {
  test('shows a summary and a seal only on request', async () => {
    const [bare] = (await plain('reasoning', {})).output;
    expect(bare).toMatchObject({ type: 'reasoning', summary: [] });
    expect(bare).not.toHaveProperty('encrypted_content');
    const events = await streamed('reasoning', {});
    assemble(events);
    expect(simulator.truth.last()?.tokensProduced).toBe(simulator.truth.last()?.billed?.completion);
    const [rich] = (await plain('reasoning')).output;
    expect(rich).toMatchObject({
      summary: [{ text: expect.stringMatching(/simple/) }],
      encrypted_content: expect.any(String),
    });
  });

  test('keeps interleaved calls separate', async () => {
    const { output } = await plain('tools-parallel-interleaved');
    expect(output.map((item) => item.type)).toEqual(['function_call', 'function_call', 'function_call']);
    expect(output[0]?.arguments).toBe('{"city":"Paris","unit":"celsius"}');
  });

  test('counts citations in characters of their own part', async () => {
    const { output } = await plain('web-search');
    expect(output.map((item) => item.type)).toEqual(['message', 'web_search_call', 'message']);
    const part = output[2]?.content?.[0];
    const [first] = (part?.annotations ?? []) as { start_index: number; end_index: number }[];
    expect(part?.text?.slice(first?.start_index, first?.end_index)).toBe(' three roads meet');
  });

  test('has refusals, images and log probabilities', async () => {
    expect((await plain('refusal')).output[0]?.content?.[0]?.type).toBe('refusal');
    expect((await plain('image')).output.at(-1)?.type).toBe('image_generation_call');
    const extra = { include: ['message.output_text.logprobs'], top_logprobs: 2 };
    const answer = await plain('logprobs', extra, 'gpt-4o');
    expect(answer.output[0]?.content?.[0]?.logprobs?.[0]).toMatchObject({ top_logprobs: [{}, {}] });
  });

  test('includes the cache in the input and reasoning in the output', async () => {
    expect((await plain('cache-writes')).usage).toMatchObject({
      input_tokens: 100,
      input_tokens_details: { cached_tokens: 40, cache_write_tokens: 30 },
      output_tokens: 20,
      total_tokens: 120,
    });
  });
});
