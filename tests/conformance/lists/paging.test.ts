import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Entry, entries, get, idsOf, LIST_PATHS } from '../../support/model-lists.ts';
import { openStand, type Stand } from '../../support/stand.ts';

const MAX_PAGES = 500;

let stand: Stand;
beforeAll(async () => {
  stand = await openStand();
});
afterAll(() => stand.close());

const { messages: MESSAGES, genai: GENAI } = LIST_PATHS;

async function walkMessages(limit: number): Promise<string[]> {
  const seen: string[] = [];
  let after: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const { status, json } = await get(
      stand,
      `${MESSAGES}?limit=${limit}${after === undefined ? '' : `&after_id=${encodeURIComponent(after)}`}`,
    );
    expect(status).toBe(200);
    const ids = idsOf(json['data'] as Entry[]);
    expect(ids.length).toBeLessThanOrEqual(limit);
    expect([json['first_id'], json['last_id']]).toEqual([ids[0], ids.at(-1)]);
    seen.push(...ids);
    if (json['has_more'] !== true) return seen;
    after = String(json['last_id']);
  }
  throw new Error('the list never ended');
}

test('[L-32] the messages list pages forward and returns every model once', async () => {
  const all = idsOf(await entries(stand, MESSAGES));
  const { json } = await get(stand, `${MESSAGES}?limit=1`);
  expect(json).toMatchObject({ has_more: true, first_id: all[0], last_id: all[0] });
  expect(await walkMessages(1)).toEqual(all);
  expect(await walkMessages(3)).toEqual(all);
  expect(await walkMessages(all.length)).toEqual(all);
});

test('[L-32] the messages list pages backward, and refuses invalid paging parameters', async () => {
  const all = idsOf(await entries(stand, MESSAGES));
  const before = await get(stand, `${MESSAGES}?limit=2&before_id=${encodeURIComponent(all[3]!)}`);
  expect(idsOf(before.json['data'] as Entry[])).toEqual(all.slice(1, 3));
  expect(before.json['has_more']).toBe(true);
  const first = await get(stand, `${MESSAGES}?limit=5&before_id=${encodeURIComponent(all[2]!)}`);
  expect(idsOf(first.json['data'] as Entry[])).toEqual(all.slice(0, 2));
  expect(first.json['has_more']).toBe(false);
  expect((await get(stand, `${MESSAGES}?limit=1000`)).status).toBe(200);
  for (const query of [
    'limit=0',
    'limit=1001',
    'limit=x',
    'limit=1.5',
    'limit=-1',
    'after_id=nobody',
    'before_id=nobody',
    `after_id=${all[0]}&before_id=${all[1]}`,
  ]) {
    const { status, json } = await get(stand, `${MESSAGES}?${query}`);
    expect([query, status, json['type']]).toEqual([query, 400, 'error']);
    expect((json['error'] as Entry)['message']).toContain(query.startsWith('limit') ? 'limit' : '_id');
  }
});

test('[L-33] the genai list pages by token and returns every model once', async () => {
  const all = idsOf(await entries(stand, GENAI));
  for (const pageSize of [1, 4, all.length - 1]) {
    const seen: string[] = [];
    let token = '';
    do {
      const { status, json } = await get(stand, `${GENAI}?pageSize=${pageSize}&pageToken=${encodeURIComponent(token)}`);
      expect(status).toBe(200);
      const ids = idsOf(json['models'] as Entry[]);
      expect(ids.length).toBeLessThanOrEqual(pageSize);
      seen.push(...ids);
      token = String(json['nextPageToken'] ?? '');
      expect(seen.length).toBeLessThanOrEqual(all.length);
    } while (token !== '');
    expect(seen).toEqual(all);
  }
  for (const whole of [`pageSize=${all.length}`, 'pageSize=0', 'pageSize=100000']) {
    const { json } = await get(stand, `${GENAI}?${whole}`);
    expect([idsOf(json['models'] as Entry[]).length, json['nextPageToken']]).toEqual([all.length, undefined]);
  }
});

test('[L-33] the genai list refuses an invalid page size or token', async () => {
  for (const query of [
    'pageSize=x',
    'pageSize=-1',
    'pageSize=1.5',
    'pageToken=nobody',
    `pageToken=${encodeURIComponent('after:nobody/nothing')}`,
  ]) {
    const { status, json } = await get(stand, `${GENAI}?${query}`);
    expect([query, status]).toEqual([query, 400]);
    expect(json['error']).toMatchObject({
      code: 400,
      status: 'INVALID_ARGUMENT',
      message: expect.stringContaining(query.split('=')[0]!),
    });
  }
});

test('[L-34] the SDK paths of the genai list return all models, not one publisher’s', async () => {
  const all = idsOf(await entries(stand, GENAI));
  expect(new Set(all.map((id) => id.split('/')[0])).size).toBeGreaterThan(1);
  for (const path of [
    '/api/vertex-ai/v1/models',
    '/api/vertex-ai/v1beta1/models',
    '/api/vertex-ai/v1/publishers/google/models',
    '/api/vertex-ai/v1beta1/publishers/google/models',
    '/api/vertex-ai/v1/projects/p/locations/l/publishers/google/models',
    '/api/genai/v1/publishers/google/models',
  ])
    expect([path, idsOf(await entries(stand, path))]).toEqual([path, all]);
});

const ONE_MODEL = [
  { path: '/api/v1/models/compatible/any', list: 'chat' },
  { path: '/api/v1/models/compatible%2Fany', list: 'chat' },
  { path: '/api/anthropic/v1/models/compatible%2Fany', list: 'messages' },
  { path: '/api/anthropic/v1/models/compatible/any', list: 'messages' },
  { path: '/api/vertex-ai/v1/publishers/compatible/models/any', list: 'genai' },
] as const;

test.each(ONE_MODEL)('[L-35] $path is the entry of the $list list; an unknown one is 404', async ({ path, list }) => {
  const { status, json } = await get(stand, path);
  expect(status).toBe(200);
  const inList = (await entries(stand, LIST_PATHS[list])).find(
    (entry) => (entry['id'] ?? entry['name']) === 'compatible/any',
  );
  expect(inList).toBeDefined();
  expect(json).toEqual(inList);
  const unknown = await get(stand, `${path}-other`);
  expect(unknown.status).toBe(404);
  expect(unknown.json['error']).toBeDefined();
});
