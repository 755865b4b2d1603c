// Billing of reranking: search units or tokens, whichever has a price; our own count where a host reports none.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AdminStand, openAdminStand } from '../../support/admin-stand.ts';
import { type Json, postJson, type Reply } from '../../support/embed-probe.ts';
import {
  AZURE,
  BEDROCK,
  COHERE,
  DOCUMENTS,
  QUERY,
  question,
  rerankHosts,
  UNPRICED,
  VOYAGE,
} from '../../support/rerank-probe.ts';

const BY_TOKEN = 'own/by-token';
/** 0.05 USD for a million tokens. */
const NANO_PER_TOKEN = 50n;
/** 0.002 USD for a search unit. */
const NANO_PER_UNIT = 2_000_000n;

const byToken = (id: string, provider: string, dialect: string, upstreamModel: string) => ({
  id,
  outputModalities: ['rerank'],
  endpoints: [
    {
      provider,
      dialect,
      upstreamModel,
      pricings: { prompt: [{ value: '0.05', unit: 'perMTokens', currency: 'USD' }] },
    },
  ],
});
/** Hosts that count tokens, and one that counts nothing. */
const COUNTING = ['own/jina-by-token', 'own/vllm-by-token', 'own/llama-by-token'];
const SILENT = 'own/tei-by-token';
const BY_TOKENS = [
  byToken(BY_TOKEN, 'cohere', 'cohere-rerank', 'rerank-v3.5'),
  byToken('own/jina-by-token', 'jina', 'cohere-rerank', 'jina-reranker-v3'),
  byToken('own/vllm-by-token', 'vllm', 'cohere-rerank', 'reranker'),
  byToken('own/llama-by-token', 'llama-cpp', 'cohere-rerank', 'reranker'),
  byToken(SILENT, 'tei', 'tei-rerank', 'reranker'),
];

let stand: AdminStand;
let rich: Record<string, string>;
beforeAll(async () => {
  stand = await openAdminStand({
    alsoHosts: (url) => {
      const { providers, models } = rerankHosts(url);
      return { providers, models: [...models, ...BY_TOKENS] };
    },
  });
  rich = await payer('rich', '100');
});
afterAll(() => stand.close());

async function payer(account: string, credit: string): Promise<Record<string, string>> {
  await stand.admin('POST', '/accounts', { id: account, name: account, kind: 'prepaid' });
  await stand.admin('POST', `/accounts/${account}/credits`, { usd: credit });
  const { json } = await stand.admin('POST', `/accounts/${account}/keys`, { name: 'k' });
  return { authorization: `Bearer ${String(json['secret'])}` };
}

const ask = (body: Json, key = rich): Promise<Reply> => postJson(`${stand.chatUrl}/rerank`, body, key);

async function billed(body: Json) {
  const { status, text } = await ask(body);
  expect({ status, text: status === 200 ? '' : text }).toEqual({ status: 200, text: '' });
  const { bill } = stand.records.at(-1) ?? {};
  if (bill === undefined) throw new Error('no bill');
  const lines = bill.cost.lines.map(({ meter, quantity }) => [meter, quantity]);
  return { nano: bill.cost.nanoUsd, lines, unpriced: bill.cost.unpriced, estimated: bill.estimated };
}

const many = (count: number, words = 1): readonly string[] =>
  Array.from({ length: count }, (_, at) => `d${at} ${'word '.repeat(words - 1)}`.trim());

test.each([COHERE, AZURE])(
  '[K-15] %s: a search unit is a query with up to a hundred documents, and longer ones count as several',
  async (model) => {
    for (const [count, units] of [
      [1, 1n],
      [100, 1n],
      [101, 2n],
      [1000, 10n],
    ] as const)
      expect(await billed(question(model, { documents: many(count), top_n: 1 }))).toEqual({
        nano: units * NANO_PER_UNIT,
        lines: [['searchUnits', Number(units)]],
        unpriced: [],
        estimated: false,
      });
    // 60 documents of two pieces each: 120 pieces.
    const long = await billed({ model, query: 'word', documents: many(60, 700), top_n: 1 });
    expect(long.nano).toBe(2n * NANO_PER_UNIT);
  },
);

test.each([BY_TOKEN, SILENT])('[K-16] %s is charged by tokens: the query once with each document', async (model) => {
  const { nano, lines, estimated } = await billed(question(model));
  const characters = QUERY.length * DOCUMENTS.length + DOCUMENTS.join('').length;
  const tokens = Math.ceil(characters / 4);
  expect({ nano, lines, estimated }).toEqual({
    nano: BigInt(tokens) * NANO_PER_TOKEN,
    lines: [['prompt', tokens]],
    estimated: true,
  });
});

test('[K-17] without a price it is refused to accounts that pay, before anything is sent', async () => {
  const before = stand.simulator.truth.read().length;
  const reply = await ask(question(UNPRICED));
  expect(reply.status).toBe(402);
  expect(stand.simulator.truth.read().length).toBe(before);
});

test('[K-19] tokens are charged as the host counts them, and units by our count where it reports none', async () => {
  const words = (text: string): number => text.split(' ').length;
  const tokens = DOCUMENTS.length * words(QUERY) + DOCUMENTS.reduce((sum, document) => sum + words(document), 0);
  for (const model of [VOYAGE, ...COUNTING])
    expect({ model, ...(await billed(question(model))) }).toEqual({
      model,
      nano: BigInt(tokens) * NANO_PER_TOKEN,
      lines: [['prompt', tokens]],
      unpriced: [],
      estimated: false,
    });
  expect(await billed(question(BEDROCK, { documents: many(101) }))).toEqual({
    nano: 2n * NANO_PER_UNIT,
    lines: [['searchUnits', 2]],
    unpriced: [],
    estimated: true,
  });
});

test('[K-18] credit for less than one unit is not enough, and what was held is charged or given back', async () => {
  const poor = await payer('poor', '0.001');
  expect((await ask(question(COHERE), poor)).status).toBe(402);
  const enough = await payer('enough', '0.01');
  for (let call = 0; call < 5; call++) expect((await ask(question(COHERE), enough)).status).toBe(200);
  expect((await ask(question(COHERE), enough)).status).toBe(402);
});
