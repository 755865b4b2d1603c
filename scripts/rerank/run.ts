/**
 * `npm run rerank`: a real llama.cpp server with a tiny generated model ranks behind the gateway. Its order means nothing,
 * so it is held against what the server answers when it is asked itself. The last line is JSON; exits with 1 unless all
 * is as it must be.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { createCohere } from '@ai-sdk/cohere';
import { rerank } from 'ai';
import { CohereClientV2 } from 'cohere-ai';
import { within } from '../../tests/rt/parts/wait.ts';
import { KEY, openStand, type Stand } from '../../tests/support/stand.ts';
import { installJudges } from '../tools/judges.ts';

const START_LIMIT_MS = 60_000;
const MODEL = 'own/tiny-reranker';
const NANO_USD_PER_TOKEN = 50n;
const QUERY = 'Where do two roads meet?';
const DOCUMENTS = [
  'In a yellow wood.',
  'At a fork.',
  'Ohm 1827',
  'At a fork.',
  'Grüße 😀 三',
  'The road not taken. '.repeat(9),
];
const MANY = Array.from({ length: 100 }, (_, at) => `Road ${at} of one hundred.`);
const TOO_LONG = 'long '.repeat(900);

const failures: string[] = [];
const check = (isRight: boolean, what: string): void => {
  if (!isRight) failures.push(what);
  console.log(`${isRight ? 'ok  ' : 'FAIL'}  ${what}`);
};

type Score = {
  readonly index: number;
  readonly relevance_score: number;
  readonly document?: { readonly text: string };
};
type Reply = {
  readonly results?: readonly Score[];
  readonly usage?: { readonly prompt_tokens: number };
  readonly error?: { readonly type: string; readonly code: string };
};

async function post(url: string, body: object, key = KEY): Promise<{ readonly status: number; readonly reply: Reply }> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: answer.status, reply: (await answer.json()) as Reply };
}

const bestFirst = (scores: readonly Score[]): Score[] =>
  scores.toSorted((one, other) => other.relevance_score - one.relevance_score);

/** Order, places, scores and tokens are those of the server, and the price is paid for its tokens. */
async function checkRanks(stand: Stand, server: string, documents: readonly string[], topN?: number): Promise<void> {
  const asked = { query: QUERY, documents };
  const { reply: truth } = await post(`${server}/v1/rerank`, asked);
  const { status, reply } = await post(`${stand.url}/v1/rerank`, {
    ...asked,
    model: MODEL,
    ...(topN !== undefined && { top_n: topN }),
  });
  const wanted = bestFirst(truth.results ?? []).slice(0, topN ?? documents.length);
  const { results = [] } = reply;
  const isRanked =
    isDeepStrictEqual(
      results.map(({ relevance_score }) => relevance_score),
      wanted.map(({ relevance_score }) => relevance_score),
    ) &&
    results.every(({ index, relevance_score }) =>
      truth.results?.some((each) => each.index === index && each.relevance_score === relevance_score),
    ) &&
    new Set(results.map(({ index }) => index)).size === wanted.length;
  const what = `${documents.length} documents${topN === undefined ? '' : `, the best ${topN}`}`;
  check(
    status === 200 && isRanked,
    `${what}: ${results
      .slice(0, 6)
      .map(({ index }) => index)
      .join(' ')}`,
  );
  const tokens = truth.usage?.prompt_tokens ?? 0;
  const bill = stand.records.at(-1)?.bill;
  const isExact = bill?.usage.prompt === tokens && bill.cost.nanoUsd === BigInt(tokens) * NANO_USD_PER_TOKEN;
  check(
    tokens > 0 && isExact && bill.estimated === false && reply.usage?.prompt_tokens === tokens,
    `${what}: ${tokens} tokens are charged`,
  );
}

async function checkClients(stand: Stand, server: string): Promise<void> {
  const { reply } = await post(`${server}/v1/rerank`, { query: QUERY, documents: MANY });
  const wanted = bestFirst(reply.results ?? []).slice(0, 3);
  const cohere = new CohereClientV2({ token: KEY, environment: stand.chatUrl });
  const { results } = await cohere.rerank({ model: MODEL, query: QUERY, documents: MANY, topN: 3 });
  const read = results.map(({ index, relevanceScore }) => ({ index, relevance_score: relevanceScore }));
  check(isDeepStrictEqual(read, wanted), `cohere-ai reads ${read.map(({ index }) => index).join(' ')}`);
  const provider = createCohere({ apiKey: KEY, baseURL: `${stand.chatUrl}/v2` });
  const { ranking } = await rerank({ model: provider.reranking(MODEL), query: QUERY, documents: MANY, topN: 3 });
  const places = ranking.map(({ originalIndex, score }) => ({ index: originalIndex, relevance_score: score }));
  check(isDeepStrictEqual(places, wanted), `the AI SDK reads ${places.map(({ index }) => index).join(' ')}`);
  const texts = { model: MODEL, query: QUERY, documents: DOCUMENTS, return_documents: true };
  const { reply: repeated } = await post(`${stand.url}/v2/rerank`, texts);
  const areTheirs = repeated.results?.every(({ index, document }) => document?.text === DOCUMENTS[index]);
  check(
    areTheirs === true && repeated.results?.length === DOCUMENTS.length,
    'documents are repeated in the order of the ranks',
  );
}

async function checkErrors(stand: Stand, stop: () => Promise<void>): Promise<void> {
  const expected = async (what: string, wanted: string, body: object): Promise<void> => {
    const before = stand.records.length;
    const asked = { model: MODEL, query: QUERY, documents: DOCUMENTS, ...body };
    const { status, reply } = await post(`${stand.url}/v1/rerank`, asked);
    const charged = stand.records.slice(before).some(({ bill }) => (bill?.cost.nanoUsd ?? 0n) > 0n);
    const is = `${status} ${reply.error?.type} ${reply.error?.code}${charged ? ', charged' : ''}`;
    check(is === wanted, `${what}: ${is}`);
  };
  const mistake = '400 invalid_request_error';
  await expected('a document longer than the context', `${mistake} context_length_exceeded`, { documents: [TOO_LONG] });
  await expected('no documents', `${mistake} invalid_value`, { documents: [] });
  await expected('a model that is unknown', '404 invalid_request_error model_not_found', { model: 'own/absent' });
  await stop();
  await expected('a server that is away', '503 server_error overloaded', {});
}

const hosts = (url: string) => ({
  providers: { 'llama-cpp': { baseUrl: url } },
  models: [
    {
      id: MODEL,
      outputModalities: ['rerank'],
      contextLength: 512,
      endpoints: [
        {
          provider: 'llama-cpp',
          dialect: 'cohere-rerank',
          upstreamModel: 'tiny-reranker',
          pricings: { prompt: [{ value: '0.05', unit: 'perMTokens', currency: 'USD' }] },
        },
      ],
    },
  ],
});

const place = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const judges = installJudges(place('.'), 'rerank');
const python = join(judges, 'venv/bin/python');
const folder = mkdtempSync(join(tmpdir(), 'rerank-'));
const model = join(folder, 'tiny.gguf');
execFileSync(python, ['-B', place('make_model.py'), model]);
const child = spawn(python, ['-B', place('server.py'), model], { stdio: ['pipe', 'pipe', 'ignore'] });
const stop = async (): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
};
try {
  const address = once(createInterface({ input: child.stdout }), 'line') as Promise<[string]>;
  const [server] = await within('llama.cpp says its address', address, START_LIMIT_MS);
  const stand = await openStand({ alsoHosts: () => hosts(server) });
  try {
    await checkRanks(stand, server, DOCUMENTS);
    await checkRanks(stand, server, DOCUMENTS, 2);
    await checkRanks(stand, server, MANY);
    await checkClients(stand, server);
    await checkErrors(stand, stop);
  } finally {
    await stand.close();
  }
} finally {
  await stop();
  rmSync(folder, { recursive: true });
}
const ok = failures.length === 0;
console.log(JSON.stringify({ ok, engine: 'llama.cpp', failures }));
process.exitCode = ok ? 0 : 1;
