// Tools that the provider runs: each use is in the bill and in the ledger, at the price of the model.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { keyFor, keysOf, Purser, usd } from '../../rt/parts/money.ts';
import {
  type Canned,
  type CannedStand,
  openStandBesideCanned,
  plainAnswer,
  streamedAnswer,
} from '../../support/canned-upstream.ts';
import { freshDatabase, type TestDatabase } from '../../support/database.ts';
import { message } from '../../support/messages-canned.ts';

const MODEL = 'priced/searcher';
/** 1,000 and 5,000 nano-USD for a token, a cent for a search. */
const PRICES = {
  prompt: usd('1'),
  completion: usd('5'),
  web_search: [{ value: '0.01', unit: 'perCount', currency: 'USD' }],
};
const SEARCH_NANO = 10_000_000n;
const [INPUT, OUTPUT] = [40, 6];
const TOKENS_NANO = BigInt(INPUT * 1000 + OUTPUT * 5000);

let database: TestDatabase;
let purser: Purser;
let stand: CannedStand;
const folder = mkdtempSync(join(tmpdir(), 'trivium-tools-'));
beforeAll(async () => {
  database = await freshDatabase();
  purser = new Purser(database.url);
  await purser.open('searcher', 10_000_000_000n);
  stand = await openStandBesideCanned((url) => ({
    alsoHosts: () => ({
      providers: { searching: { dialect: 'anthropic-messages', baseUrl: url, credential: 'sk-canned' } },
      models: [
        {
          id: MODEL,
          contextLength: 128_000,
          maxOutputTokens: 16_384,
          endpoints: [{ provider: 'searching', upstreamModel: 'any', pricings: PRICES }],
        },
      ],
    }),
    config: () => ({
      database: { url: database.url },
      ledger: { journal: join(folder, 'journal') },
      keys: keysOf(['searcher']),
    }),
  }));
});
afterAll(async () => {
  await stand.close();
  await purser.close();
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

const TEXT = 'hello there, all of you';

function answer(stream: boolean, uses: object): Canned {
  const usage = { input_tokens: INPUT, output_tokens: OUTPUT, server_tool_use: uses };
  if (!stream) return plainAnswer(message([{ type: 'text', text: TEXT }], { usage }));
  const begun = message([], { stop_reason: null, usage: { input_tokens: INPUT, output_tokens: 1 } });
  return streamedAnswer([
    { type: 'message_start', message: begun },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: TEXT } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage },
    { type: 'message_stop' },
  ]);
}

/** What this call added to the account's charges. */
async function chargeOf(stream: boolean, tool: object, uses: object): Promise<bigint> {
  stand.say(answer(stream, uses));
  const before = await purser.charges('searcher');
  const response = await fetch(`${stand.url}/api/anthropic/v1/messages`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'anthropic-version': '2023-06-01',
      authorization: `Bearer ${keyFor('searcher')}`,
    },
    body: JSON.stringify({
      model: MODEL,
      max_tokens: 100,
      stream,
      tools: [tool],
      messages: [{ role: 'user', content: 'What is new in the world of gateways today?' }],
    }),
  });
  expect({ status: response.status, text: await response.text() }).toMatchObject({ status: 200 });
  const id = response.headers.get('x-request-id') ?? '';
  expect(before.has(id)).toBe(false);
  return vi.waitFor(async () => {
    const charge = (await purser.charges('searcher')).get(id);
    expect(charge).toMatchObject({ estimated: false });
    return charge!.amount;
  }, 20_000);
}

describe.each([
  ['whole', false],
  ['streamed', true],
] as const)('%s answers', (_form, stream) => {
  test.each(['web_search_20250305', 'web_search_20260209'])('every search of %s is charged', async (type) => {
    const tool = { type, name: 'web_search', max_uses: 3 };
    expect(await chargeOf(stream, tool, { web_search_requests: 2 })).toBe(TOKENS_NANO + 2n * SEARCH_NANO);
    expect(stand.records.at(-1)).toMatchObject({ bill: { usage: { webSearch: 2 } }, lane: 'verbatim' });
  });

  test.each([
    ['web_fetch_20250910', 'web_fetch', { web_search_requests: 0, web_fetch_requests: 3 }],
    ['tool_search_tool_regex_20251119', 'tool_search_tool_regex', { web_search_requests: 0, web_fetch_requests: 0 }],
  ])('a use of %s costs its tokens and no more', async (type, name, uses) => {
    expect(await chargeOf(stream, { type, name }, uses)).toBe(TOKENS_NANO);
  });
});
