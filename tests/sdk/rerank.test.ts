// The clients of reranking as judges: each reads the order, the places and what was billed.
import { createCohere } from '@ai-sdk/cohere';
import { rerank } from 'ai';
import { CohereClient, CohereClientV2, CohereError } from 'cohere-ai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { VoyageAIClient } from 'voyageai';
import {
  BEST_FIRST,
  COHERE,
  DOCUMENTS,
  QUERY,
  question,
  RANKERS,
  ranked,
  rerankHosts,
} from '../support/rerank-probe.ts';
import { KEY, openStand, type Stand } from '../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: rerankHosts });
});
afterAll(() => stand.close());

const cohere = (token = KEY): CohereClientV2 => new CohereClientV2({ token, environment: stand.chatUrl });

describe.each(RANKERS)('%s', (model) => {
  test('[K-14] cohere-ai, second version, reads the order and the places', async () => {
    const answer = await cohere().rerank({ model, query: QUERY, documents: [...DOCUMENTS], topN: 3 });
    expect(answer.results.map(({ index }) => index)).toEqual(BEST_FIRST.slice(0, 3));
    for (const { relevanceScore } of answer.results) expect(relevanceScore).toBeGreaterThan(0);
    expect(answer.id).toBeTypeOf('string');
  });

  test('[K-14] cohere-ai, first version, reads the documents', async () => {
    const client = new CohereClient({ token: KEY, environment: stand.chatUrl });
    const documents = DOCUMENTS.map((text) => ({ text }));
    const { results } = await client.rerank({ model, query: QUERY, documents, returnDocuments: true });
    expect(results.map(({ index }) => index)).toEqual(BEST_FIRST);
    expect(results.map(({ document }) => document?.text)).toEqual(BEST_FIRST.map((at) => DOCUMENTS[at]));
  });

  test('[K-14] the AI SDK reads the ranking', async () => {
    const provider = createCohere({ apiKey: KEY, baseURL: `${stand.chatUrl}/v2` });
    const { ranking, rerankedDocuments } = await rerank({
      model: provider.reranking(model),
      query: QUERY,
      documents: [...DOCUMENTS],
      topN: 2,
    });
    expect(ranking.map(({ originalIndex }) => originalIndex)).toEqual(BEST_FIRST.slice(0, 2));
    expect(rerankedDocuments).toEqual(BEST_FIRST.slice(0, 2).map((at) => DOCUMENTS[at]));
  });
});

test('cohere-ai gets the units that were billed, and errors with their status', async () => {
  const documents = Array.from({ length: 101 }, (_, at) => `document ${at}`);
  const { meta } = await cohere().rerank({ model: COHERE, query: QUERY, documents, topN: 1 });
  expect(meta?.billedUnits?.searchUnits).toBe(2);
  const failure = (promise: Promise<unknown>): Promise<number | undefined> =>
    promise.then(
      () => undefined,
      (error: CohereError) => error.statusCode,
    );
  const { model, query } = question(COHERE) as { model: string; query: string };
  expect(await failure(cohere('sk-wrong').rerank({ model, query, documents }, { maxRetries: 0 }))).toBe(401);
  expect(await failure(cohere().rerank({ model, query, documents: [] }, { maxRetries: 0 }))).toBe(400);
  expect(CohereError).toBeDefined();
});

test('voyageai reads the simulated host, and the gateway asks it with the same members', async () => {
  const client = new VoyageAIClient({ apiKey: 'pa-any', environment: `${stand.simulator.url}/voyage/v1` });
  const request = { model: 'rerank-2.5', query: QUERY, documents: [...DOCUMENTS] };
  const { data } = await client.rerank({ ...request, topK: 2 });
  expect(data?.map(({ index }) => index)).toEqual(BEST_FIRST.slice(0, 2));
  const theirs = stand.simulator.truth.read().at(-1)?.body;
  const { sent } = await ranked(stand, question('voyage/rerank-2.5', { top_n: 2 }));
  expect(sent).toEqual(theirs);
});
