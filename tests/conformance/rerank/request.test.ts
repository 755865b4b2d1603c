// K: reranking in Cohere's format, as callers send it and as hosts get it.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { postJson } from '../../support/embed-probe.ts';
import {
  BEST_FIRST,
  COHERE,
  DOCUMENTS,
  placesIn,
  postRerank,
  QUERY,
  question,
  RANKERS,
  ranked,
  refused,
  rerankHosts,
  resultsIn,
} from '../../support/rerank-probe.ts';
import { KEY, LIMITED_KEY, openStand, type Stand } from '../../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: rerankHosts });
});
afterAll(() => stand.close());

test('[K-01] the three paths that clients add to a base are served, at the long base and at the short one', async () => {
  const bases = [stand.chatUrl, stand.url];
  for (const base of bases)
    for (const path of ['/rerank', '/v1/rerank', '/v2/rerank']) {
      const reply = await postJson(`${base}${path}`, question(COHERE));
      expect({ base, path, status: reply.status }).toEqual({ base, path, status: 200 });
      expect(placesIn(reply)).toEqual(BEST_FIRST);
    }
  expect((await postJson(`${stand.chatUrl}/v3/rerank`, question(COHERE))).status).toBe(404);
  const read = await fetch(`${stand.chatUrl}/rerank`, { headers: { authorization: `Bearer ${KEY}` } });
  expect(read.status).toBe(405);
});

test('[K-02] model, query and documents are demanded, each by name', async () => {
  for (const name of ['model', 'query', 'documents'])
    await refused(stand, { ...question(COHERE), [name]: undefined }, name);
  await refused(stand, question(COHERE, { query: '' }), 'query');
  await refused(stand, question(COHERE, { query: 7 }), 'query');
  await refused(stand, question(COHERE, { documents: [] }), 'documents');
  await refused(stand, question(COHERE, { documents: 'one' }), 'documents');
});

test('[K-03] a document is a text, or an object with one; others are refused with their place', async () => {
  const { sent } = await ranked(stand, question(COHERE, { documents: [{ text: 'one' }, 'two'] }));
  expect(sent['documents']).toEqual(['one', 'two']);
  await refused(stand, question(COHERE, { documents: ['one', 7] }), 'documents[1]');
  await refused(stand, question(COHERE, { documents: ['one', ''] }), 'documents[1]');
  await refused(stand, question(COHERE, { documents: [{ title: 'one' }] }), 'documents[0].text');
});

test('[K-04] rank_fields names the members of an object that are ranked, in its order', async () => {
  const documents = [{ title: 'A', body: 'b', other: 'x' }];
  const { sent } = await ranked(stand, question(COHERE, { documents, rank_fields: ['title', 'body'] }));
  expect(sent['documents']).toEqual(['title: A\nbody: b']);
  expect(sent).not.toHaveProperty('rank_fields');
  await refused(stand, question(COHERE, { documents, rank_fields: ['absent'] }), 'documents[0]');
});

test('[K-05] top_n is a whole number from 1 on; more than there are documents is all of them', async () => {
  await refused(stand, question(COHERE, { top_n: 0 }), 'top_n');
  await refused(stand, question(COHERE, { top_n: 1.5 }), 'top_n');
  const { reply, sent } = await ranked(stand, question(COHERE, { top_n: 99 }));
  expect(sent['top_n']).toBe(DOCUMENTS.length);
  expect(placesIn(reply)).toEqual(BEST_FIRST);
});

test('[K-06] ten thousand documents at most', async () => {
  const documents = (count: number) => Array.from({ length: count }, (_, index) => `d${index}`);
  expect((await postRerank(stand, question(COHERE, { documents: documents(10_000), top_n: 1 }))).status).toBe(200);
  await refused(stand, question(COHERE, { documents: documents(10_001) }), 'documents');
});

test('[K-07] a key that may not rank, or not this model, is refused', async () => {
  const reply = await postRerank(stand, question(COHERE), { authorization: `Bearer ${LIMITED_KEY}` });
  expect(reply.status).toBe(403);
  expect((await postRerank(stand, question(COHERE), { authorization: 'Bearer none' })).status).toBe(401);
});

test('[K-08] a model that does not rank is refused by name, and a model that ranks does nothing else', async () => {
  await refused(stand, question('openai/gpt-4o'), 'model');
  const chat = { model: COHERE, messages: [{ role: 'user', content: 'hi' }] };
  expect((await postJson(`${stand.chatUrl}/chat/completions`, chat)).status).toBe(400);
});

describe.each(RANKERS)('%s', (model) => {
  test('[K-09] the best document is first, and each names its place in the request', async () => {
    const { reply } = await ranked(stand, question(model));
    expect(placesIn(reply)).toEqual(BEST_FIRST);
    const scores = resultsIn(reply).map(({ relevance_score }) => relevance_score);
    expect(scores).toEqual(scores.toSorted((one, other) => other - one));
    expect(reply.json['model']).toBe(model);
  });

  test('[K-10] top_n keeps the best', async () => {
    const { reply } = await ranked(stand, question(model, { top_n: 2 }));
    expect(placesIn(reply)).toEqual(BEST_FIRST.slice(0, 2));
  });

  test('[K-11] documents are repeated only when they are asked for, as they were sent', async () => {
    const { reply } = await ranked(stand, question(model, { return_documents: true }));
    expect(resultsIn(reply).map(({ document }) => document?.text)).toEqual(BEST_FIRST.map((at) => DOCUMENTS[at]));
    const plain = await ranked(stand, question(model));
    for (const result of resultsIn(plain.reply)) expect(result).not.toHaveProperty('document');
  });

  test('[K-12] the query reaches the host as it was written', async () => {
    const { sent } = await ranked(stand, question(model));
    expect(JSON.stringify(sent)).toContain(JSON.stringify(QUERY));
  });

  test('[K-13] unknown members and those that the host lacks are lost by name, and refused when strict', async () => {
    const body = question(model, { max_tokens_per_doc: 100, priority: 3 });
    const { sent, losses } = await ranked(stand, body);
    const carried = ['max_tokens_per_doc', 'priority'].filter((name) => Object.hasOwn(sent, name));
    expect([...carried, ...losses].toSorted()).toEqual(['max_tokens_per_doc', 'priority']);
    if (losses.length > 0) await refused(stand, body, losses[0] ?? '', { 'x-trivium-strict': 'true' });
  });
});
