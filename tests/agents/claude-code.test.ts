// A scripted client that speaks as Claude Code does: its probes, its headers and betas, its prompts with cache marks,
// thinking and calls sent back as they came. The SDK generation is the one it is built on.
import { randomUUID } from 'node:crypto';
import type Anthropic from '@anthropic-ai/sdk';
import Sdk from 'anthropic-sdk-0-137';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
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

const BETAS = 'claude-code-20250219,interleaved-thinking-2025-05-14,fine-grained-tool-streaming-2025-05-14';
const HEADERS = {
  'user-agent': 'claude-cli/2.1.0 (external, cli)',
  'x-app': 'cli',
  'anthropic-dangerous-direct-browser-access': 'true',
};
const MARK = { cache_control: { type: 'ephemeral' } };

let stand: Stand;
beforeEach(async () => {
  await stand?.close();
  stand = await openWorkshop();
});
afterAll(() => stand?.close());

type Block = Json & { type: string; id: string; name: string; input: Json; text: string };
const clientOf = (auth: object): Anthropic =>
  new Sdk({
    ...auth,
    baseURL: `${stand.url}/api/anthropic`,
    maxRetries: 0,
    defaultHeaders: HEADERS,
  } as never) as unknown as Anthropic;

/** As it starts: is anybody there, which models, and a call of one token that looks at the limits. */
async function startUp(client: Anthropic, model: string): Promise<void> {
  const probe = await fetch(`${stand.url}/api/anthropic`, { method: 'HEAD' });
  expect(probe.status).toBeLessThan(500);
  const listed = await fetch(`${stand.url}/api/anthropic/v1/models?limit=1000`, {
    headers: { ...HEADERS, authorization: `Bearer ${KEY}`, 'anthropic-version': '2023-06-01' },
    redirect: 'error',
  });
  const { data } = (await listed.json()) as { data: { id: string; type: string }[] };
  // Only ids with these beginnings are offered for choice.
  expect(data.some(({ id, type }) => type === 'model' && /^(?:claude|anthropic)/.test(id))).toBe(true);
  const quota = await client.beta.messages.create({
    model,
    max_tokens: 20,
    messages: [{ role: 'user', content: 'quota' }],
    metadata: { user_id: `user_${'0'.repeat(64)}_account__session_${randomUUID()}` },
  });
  expect(quota.content.length).toBeGreaterThan(0);
}

const bodyOf = (model: string, messages: readonly Json[]): Json => ({
  model,
  messages,
  system: [
    { type: 'text', text: 'You are Claude Code.', ...MARK },
    { type: 'text', text: INSTRUCTIONS, ...MARK },
  ],
  tools: TOOLS.map(({ name, description, parameters }) => ({ name, description, input_schema: parameters })),
  metadata: { user_id: `user_${'0'.repeat(64)}_account__session_${randomUUID()}` },
  max_tokens: 8192,
  thinking: { type: 'enabled', budget_tokens: 4096 },
  temperature: 1,
});

/** The last block of the last turn carries the mark that moves along. */
const marked = (messages: readonly Json[]): Json[] =>
  messages.map((message, at) => {
    if (at < messages.length - 1) return message;
    const content = message['content'] as Json[];
    return {
      ...message,
      content: content.map((block, place) => (place === content.length - 1 ? { ...block, ...MARK } : block)),
    };
  });

async function work(client: Anthropic, model: string, shelf: Shelf): Promise<string> {
  const messages: Json[] = [
    {
      role: 'user',
      content: [
        { type: 'text', text: '<system-reminder>The workspace has one file.</system-reminder>' },
        { type: 'text', text: TASK },
      ],
    },
  ];
  for (let turn = 0; turn < 5; turn += 1) {
    const body = bodyOf(model, marked(messages));
    const counted = await client.beta.messages.countTokens({
      ...body,
      max_tokens: undefined,
      metadata: undefined,
      temperature: undefined,
    } as never);
    expect(counted.input_tokens).toBeGreaterThan(100);
    const stream = client.beta.messages.stream(body as never, { headers: { 'anthropic-beta': BETAS } });
    const { content, stop_reason, usage } = await stream.finalMessage();
    expect(usage.input_tokens + (usage.cache_read_input_tokens ?? 0)).toBeGreaterThan(0);
    const blocks = content as unknown as Block[];
    messages.push({ role: 'assistant', content: blocks });
    if (stop_reason !== 'tool_use') return blocks.map(({ text }) => text ?? '').join('');
    if (turn === 0) {
      expect(blocks[0]).toMatchObject({ type: 'thinking', signature: expect.stringMatching(/\S/) });
      onceMore(stand);
    }
    const results = blocks
      .filter(({ type }) => type === 'tool_use')
      .map(({ id, name, input }) => ({
        type: 'tool_result',
        tool_use_id: id,
        content: [{ type: 'text', text: shelf.use(name, input) }],
      }));
    messages.push({
      role: 'user',
      content: [...results, { type: 'text', text: '<system-reminder>Go on.</system-reminder>' }],
    });
  }
  throw new Error('the task was never finished');
}

describe.each(PLACES)('into $dialect', ({ dialect, model }) => {
  test.each([
    ['ANTHROPIC_AUTH_TOKEN', { authToken: KEY, apiKey: null }],
    ['ANTHROPIC_API_KEY', { apiKey: KEY }],
  ])('Claude Code finishes a task with two tools, authenticated by %s', async (_name, auth) => {
    const client = clientOf(auth);
    const shelf = openShelf();
    await startUp(client, model);
    expectDone(stand, shelf, await work(client, model, shelf));
    const talks = stand.simulator.truth.read().filter(({ path }) => !path.includes('count'));
    if (dialect === 'anthropic-messages')
      for (const { headers, bodyText } of talks.slice(-3)) {
        // Its home gets what it was sent: betas, version and marks.
        expect(headers['anthropic-beta']).toBe(BETAS);
        expect(headers['anthropic-version']).toBe('2023-06-01');
        expect(bodyText.match(/"cache_control"/g)).toHaveLength(3);
      }
    else for (const { headers } of talks) expect(headers['anthropic-beta']).toBeUndefined();
  });
});
