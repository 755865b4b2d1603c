// A scripted client that speaks as Codex CLI does: Responses by hand over SSE, nothing stored, hidden reasoning sent back
// without the ids of items, and results of tools as plain text.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { eventsOf } from '../support/responses-stream.ts';
import type { Json } from '../support/roads.ts';
import { KEY, type Stand } from '../support/stand.ts';
import {
  expectDone,
  INSTRUCTIONS,
  onceMore,
  openShelf,
  openWorkshop,
  PLACES,
  type Shelf,
  TASK,
  TOOLS,
} from './workshop.ts';

const VERSION = '0.150.0';
let stand: Stand;
beforeEach(async () => {
  await stand?.close();
  stand = await openWorkshop();
});
afterAll(() => stand?.close());

const headersOf = (session: string): Record<string, string> => ({
  'content-type': 'application/json',
  accept: 'text/event-stream',
  authorization: `Bearer ${KEY}`,
  originator: 'codex_cli_rs',
  'user-agent': `codex_cli_rs/${VERSION} (Linux; x86_64)`,
  version: VERSION,
  conversation_id: session,
  session_id: session,
});

const bodyOf = (model: string, input: readonly Json[], session: string): Json => ({
  model,
  instructions: INSTRUCTIONS,
  input,
  tools: TOOLS.map(({ name, description, parameters }) => ({
    type: 'function',
    name,
    description,
    strict: false,
    parameters,
  })),
  tool_choice: 'auto',
  parallel_tool_calls: true,
  reasoning: { effort: 'medium', summary: 'auto' },
  store: false,
  stream: true,
  include: ['reasoning.encrypted_content'],
  prompt_cache_key: session,
});

/** It keeps items as its own types, which write no ids, and `content` as null where there was none. */
function kept(item: Json): Json {
  const { id: _, status: __, ...rest } = item;
  if (item['type'] === 'reasoning')
    return {
      type: 'reasoning',
      summary: item['summary'],
      content: null,
      encrypted_content: item['encrypted_content'] ?? null,
    };
  if (item['type'] !== 'message') return rest;
  const content = (item['content'] as Json[]).map(({ text }) => ({ type: 'output_text', text }));
  return { type: 'message', role: 'assistant', content };
}

async function work(model: string, shelf: Shelf): Promise<string> {
  const session = randomUUID();
  const said = (role: string, text: string): Json => ({
    type: 'message',
    role,
    content: [{ type: 'input_text', text }],
  });
  const input: Json[] = [
    said('developer', '<permissions>Read and write the workspace.</permissions>'),
    said('user', '<environment_context><cwd>/project</cwd></environment_context>'),
    said('user', TASK),
  ];
  for (let turn = 0; turn < 5; turn += 1) {
    const response = await fetch(`${stand.url}/api/v1/responses`, {
      method: 'POST',
      headers: headersOf(session),
      body: JSON.stringify(bodyOf(model, input, session)),
    });
    const text = await response.text();
    expect({ status: response.status, text: response.ok ? '' : text }).toEqual({ status: 200, text: '' });
    const events = eventsOf(text);
    // It builds its history from the items that are done, and believes an end only from this event.
    const items = events.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item as Json);
    expect(events.at(-1)).toMatchObject({
      type: 'response.completed',
      response: { id: expect.any(String), usage: { total_tokens: expect.any(Number) } },
    });
    input.push(...items.map(kept));
    const calls = items.filter(({ type }) => type === 'function_call');
    if (calls.length === 0)
      return input
        .flatMap(({ content }) => (content ?? []) as Json[])
        .map((part) => part['text'])
        .join('\n');
    if (turn === 0) {
      expect(items[0]).toMatchObject({ type: 'reasoning' });
      onceMore(stand);
    }
    for (const { name, arguments: args, call_id } of calls)
      input.push({
        type: 'function_call_output',
        call_id,
        output: shelf.use(String(name), JSON.parse(String(args)) as Json),
      });
  }
  throw new Error('the task was never finished');
}

describe.each(PLACES)('into $dialect', ({ dialect, model }) => {
  test('Codex CLI finishes a task with two tools', async () => {
    const listed = await fetch(`${stand.url}/api/v1/models?client_version=${VERSION}`, {
      headers: headersOf(randomUUID()),
    });
    // It goes on with what it knows of its models where it cannot read the list.
    expect(listed.status).toBe(200);
    const shelf = openShelf();
    expectDone(stand, shelf, await work(model, shelf));
    // The issuer of the first turn's encrypted reasoning got it back.
    const last = stand.simulator.truth.last()?.bodyText ?? '';
    if (dialect === 'openai-responses') expect(last).toContain('"encrypted_content":"');
    if (dialect === 'anthropic-messages') expect(last).toContain('"signature":"');
    if (dialect === 'google-generate') expect(last).toContain('"thoughtSignature":"');
  });
});
