// Each scenario, plain and streamed, as a message: both forms must agree, and usage must add up.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ScenarioName, type Simulator, scenarioNames, startSimulator } from '../../main.ts';
import { probe } from '../../probe.fixture.ts';
import { LARGE_INTEGER_ARGUMENTS } from '../../scenarios/tool-scenarios.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());

interface Block {
  type: string;
  text?: string;
  thinking?: string;
  signature?: string;
  input?: unknown;
  citations?: object[];
  [member: string]: unknown;
}
interface Message {
  content: Block[];
  stop_reason: string | null;
  stop_sequence: string | null;
  usage?: Record<string, unknown>;
}
interface Delta {
  type: string;
  text?: string;
  thinking?: string;
  signature?: string;
  partial_json?: string;
  citation?: object;
}
interface Event {
  type: string;
  index?: number;
  message?: Message;
  content_block?: Block;
  delta?: Delta & Partial<Message>;
  usage?: Record<string, unknown>;
}

const headers = { authorization: '', 'x-api-key': 'k', 'anthropic-version': '2023-06-01' };

async function send(scenario: string, extra: object = {}, vendor = 'anthropic') {
  const messages = [{ role: 'user', content: `Hello\n@simulate scenario=${scenario} words=9` }];
  const body = { model: 'claude-sonnet-4-5', max_tokens: 2000, messages, ...extra };
  const answer = probe(simulator.url, body, { vendor, path: '/v1/messages', headers });
  await answer.ended;
  expect(answer.status).toBe(200);
  return answer;
}

async function plain(scenario: string, extra: object = {}, vendor?: string) {
  return (await send(scenario, extra, vendor)).json() as Message;
}

async function streamed(scenario: string, extra: object = {}, vendor?: string) {
  const answer = await send(scenario, { stream: true, ...extra }, vendor);
  const named = [...answer.text().matchAll(/^event: (.+)$/gmu)].map((match) => match[1]);
  const events = answer.events().map((event) => JSON.parse(event) as Event);
  expect(named).toEqual(events.map((event) => event.type));
  return events;
}

/** As strict as the vendor's own SDK: one block at a time, deltas only for the open one. */
function assemble(events: readonly Event[]): Message {
  const start = events[0]?.message;
  if (start === undefined) throw new Error('no message_start');
  const message = structuredClone(start);
  let open: { block: Block; json: string } | undefined;
  for (const event of events.slice(1)) {
    if (event.type === 'content_block_start') {
      expect(open).toBeUndefined();
      expect(event.index).toBe(message.content.length);
      open = { block: structuredClone(event.content_block as Block), json: '' };
      message.content.push(open.block);
    } else if (event.type === 'content_block_delta') {
      if (open === undefined || event.delta === undefined) throw new Error('a delta of no block');
      const { block } = open;
      const { type, text = '', thinking = '', signature, partial_json = '', citation } = event.delta;
      if (type === 'text_delta') block.text += text;
      else if (type === 'thinking_delta') block.thinking += thinking;
      else if (type === 'signature_delta') block.signature = signature ?? '';
      else if (type === 'input_json_delta') open.json += partial_json;
      else if (type === 'citations_delta') block.citations?.push(citation ?? {});
      else throw new Error(`unknown delta ${type}`);
    } else if (event.type === 'content_block_stop') {
      if (open?.block.type.endsWith('tool_use') === true) open.block.input = readJson(open.json);
      open = undefined;
    } else if (event.type === 'message_delta') {
      Object.assign(message, event.delta);
      if (event.usage !== undefined) message.usage = { ...message.usage, ...event.usage };
    }
  }
  expect(open).toBeUndefined();
  expect(events.at(-1)?.type).toBe('message_stop');
  return message;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

function meaning({ content, stop_reason, stop_sequence, usage }: Message) {
  // Ids of searches contain the number of the request.
  const text = JSON.stringify(content).replaceAll(/srvtoolu_sim_msg_sim\d+/gu, 'srvtoolu');
  return { content: JSON.parse(text) as Block[], stop_reason, stop_sequence, usage };
}

describe('every scenario', () => {
  test.each(scenarioNames())('%s gives the same answer plain and streamed', async (name) => {
    expect(meaning(assemble(await streamed(name)))).toEqual(meaning(await plain(name)));
  });
});

describe('stop reasons', () => {
  test.each<readonly [ScenarioName, string]>([
    ['text-basic', 'end_turn'],
    ['length', 'max_tokens'],
    ['tools-parallel', 'tool_use'],
    ['tools-finish-stop', 'tool_use'],
    ['refusal', 'refusal'],
    ['content-filter', 'refusal'],
    ['prompt-blocked', 'refusal'],
    ['pause-turn', 'pause_turn'],
    ['context-full', 'model_context_window_exceeded'],
  ])('%s: %s', async (name, reason) => {
    expect((await plain(name)).stop_reason).toBe(reason);
  });

  test('names the stop sequence that was met', async () => {
    expect(await plain('text-long', { stop_sequences: ['HALT'] })).toMatchObject({ stop_reason: 'end_turn' });
    expect(await plain('stop-sequence', { stop_sequences: ['HALT'] })).toMatchObject({
      stop_reason: 'stop_sequence',
      stop_sequence: 'HALT',
      content: [{ type: 'text', text: 'one two three ' }],
    });
  });
});

describe('contents', () => {
  test('puts interleaved calls one after the other', async () => {
    const { content } = await plain('tools-parallel-interleaved');
    expect(content.map((block) => [block.type, block['id']])).toEqual(
      [0, 1, 2].map((call) => ['tool_use', `toolu_sim_1_${call}`]),
    );
    expect(content[0]?.input).toEqual({ city: 'Paris', unit: 'celsius' });
  });

  test('prints large integers as the model wrote them', async () => {
    const answer = await send('tool-large-integers');
    expect(answer.text()).toContain(`"input":${LARGE_INTEGER_ARGUMENTS}`);
  });

  test('shows a search as call, result and citations', async () => {
    const { content, usage } = await plain('web-search');
    expect(content.map((block) => block.type).slice(0, 3)).toEqual([
      'text',
      'server_tool_use',
      'web_search_tool_result',
    ]);
    expect(content.flatMap((block) => block.citations ?? [])).toEqual([
      expect.objectContaining({ type: 'web_search_result_location', url: 'https://example.com/roads' }),
      expect.objectContaining({ type: 'web_search_result_location', url: 'https://example.com/bridges' }),
    ]);
    expect(usage).toMatchObject({ server_tool_use: { web_search_requests: 1 } });
  });

  test('signs thinking, whether sealed, shown or omitted', async () => {
    expect((await plain('reasoning-sealed')).content.map((block) => block.type)).toEqual([
      'redacted_thinking',
      'thinking',
      'text',
    ]);
    const thinking = { type: 'enabled', budget_tokens: 1024, display: 'omitted' };
    const omitted = assemble(await streamed('reasoning', { thinking }));
    expect(omitted.content[0]).toMatchObject({ thinking: '', signature: expect.stringMatching(/.{40}/) });
    expect(simulator.truth.last()?.tokensProduced).toBe(omitted.usage?.['output_tokens']);
  });

  test('continues after a pause instead of pausing for ever', async () => {
    const first = await plain('pause-turn');
    const content = 'Hello @simulate scenario=pause-turn';
    const messages = [
      { role: 'user', content },
      { role: 'assistant', content: first.content },
    ];
    expect(await plain('', { messages })).toMatchObject({ stop_reason: 'end_turn' });
  });
});

describe('usage', () => {
  test('excludes the cache from the input', async () => {
    expect((await plain('cached-usage')).usage).toMatchObject({
      input_tokens: 60,
      cache_read_input_tokens: 40,
      cache_creation_input_tokens: 0,
      output_tokens: 20,
      output_tokens_details: { thinking_tokens: 5 },
    });
    expect((await plain('cache-writes')).usage).toMatchObject({
      input_tokens: 30,
      cache_read_input_tokens: 40,
      cache_creation_input_tokens: 30,
      cache_creation: { ephemeral_5m_input_tokens: 20, ephemeral_1h_input_tokens: 10 },
    });
  });

  test('is complete at the start, or at other hosts only at the end', async () => {
    expect((await streamed('cached-usage'))[0]?.message?.usage).toMatchObject({ input_tokens: 60 });
    const options = [{ model: 'MiniMax-M2' }, 'messages-compatible'] as const;
    const events = await streamed('cached-usage', ...options);
    expect(events[0]?.message?.usage).toEqual({ input_tokens: 0, output_tokens: 0 });
    expect(assemble(events).usage).toMatchObject({ input_tokens: 60, output_tokens: 20 });
  });
});
