// Polling video operations: their name, every state, ownership and retention; polling is free.
import { randomBytes } from 'node:crypto';
import { MP4_BASE64 } from '@trivium/simulator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  CLOUD,
  genaiUrl,
  idIn,
  type Json,
  KEY,
  nameIn,
  openVideoStand,
  postJson,
  publisherPath,
  QUEUED,
  type Reply,
  SEEDANCE,
  VEO,
  type VideoStand,
} from '../../support/video-probe.ts';
import { waitUntil } from '../../support/wait-until.ts';

const OTHER_KEY = 'sk-trivium-other-0123456789abcdefghijklmnopqrstuv';
const SECOND_KEY = 'sk-trivium-second-0123456789abcdefghijklmnopqrst';

let stand: VideoStand;
beforeAll(async () => {
  stand = await openVideoStand({
    config: {
      keys: [
        { name: 'test', secret: KEY, account: 'one' },
        { name: 'second', secret: SECOND_KEY, account: 'one' },
        { name: 'other', secret: OTHER_KEY, account: 'two' },
      ],
    },
  });
});
afterAll(() => stand.close());

const order = async (prompt: string, parameters?: Json, model = VEO): Promise<string> => {
  const { status, json, text } = await stand.submit(model, { prompt }, parameters);
  expect(status, text).toBe(200);
  return nameIn(json);
};
const fetchPath = (model: string): string => genaiUrl(stand, `${publisherPath(model)}:fetchPredictOperation`);
const asked = (): number =>
  stand.simulator.truth.read().filter(({ path, method }) => method === 'GET' && path.includes('/operations/')).length;
const idOf = (name: string): string => name.split('/').at(-1) ?? '';

describe('the name', () => {
  test('[O-01] [O-02] the operation name holds the caller’s provider and model, and an unguessable id', async () => {
    const names = await Promise.all(Array.from({ length: 30 }, () => order('a cat @simulate polls=0')));
    for (const name of names) {
      expect(name).toMatch(/^publishers\/google\/models\/veo-3\.1\/operations\/[A-Za-z0-9_-]+$/);
      // 128 bits in base64url.
      expect(idOf(name).length).toBeGreaterThanOrEqual(22);
    }
    expect(new Set(names).size).toBe(names.length);
    expect(new Set(names.map((name) => idOf(name).slice(0, 4))).size).toBeGreaterThan(25);
  });

  test('[O-03] [O-10] a new operation is not done, and its name is the same in every poll', async () => {
    const name = await order('a cat @simulate polls=1000000');
    const bodies = [await stand.poll(name), await stand.poll(name)].map(({ status, json }) => ({ status, json }));
    expect(bodies[0]).toEqual({ status: 200, json: { name } });
    expect(bodies[1]).toEqual(bodies[0]);
  });

  test('[O-04] an operation is polled with POST; GET is refused', async () => {
    const name = await order('a cat');
    expect((await stand.poll(name)).status).toBe(200);
    const got = await fetch(fetchPath(VEO), { headers: { authorization: `Bearer ${KEY}` } });
    expect(got.status).toBe(405);
  });

  test('[O-05] [O-07] a poll without an operation name, or with a malformed one, is refused', async () => {
    for (const operationName of [undefined, 5, '', 'op-123', 'publishers/google/models/veo-3.1/operations/../x']) {
      const { status } = await postJson(fetchPath(VEO), operationName === undefined ? {} : { operationName });
      expect(status).toBe(400);
    }
    expect((await stand.poll(await order('a cat'))).status).toBe(200);
  });

  test('[O-06] [O-09] the returned name polls the operation, and is in every answer', async () => {
    const fates = ['polls=1000000', 'polls=0', 'polls=0 clip=fails', 'polls=0 clip=blocked'];
    for (const fate of fates) {
      const name = await order(`a cat @simulate ${fate}`);
      if (fate !== 'polls=1000000') expect((await stand.finished(name))['name']).toBe(name);
      expect((await stand.poll(name)).json['name']).toBe(name);
    }
  });

  test('[O-08] a name of another model is refused by its form, whether or not the operation exists', async () => {
    const name = await order('a cat');
    for (const operationName of [name, name.replace(idOf(name), randomBytes(16).toString('base64url'))])
      expect((await postJson(fetchPath(SEEDANCE), { operationName })).status).toBe(400);
    expect((await postJson(fetchPath(VEO), { operationName: name })).status).toBe(200);
  });

  test('[O-28] [O-31] an unknown operation and an expired one are 404 in the same form', async () => {
    const name = await order('a cat @simulate polls=0');
    await stand.finished(name);
    const unknown = await stand.poll(name.replace(idOf(name), randomBytes(16).toString('base64url')));
    expect(unknown.status).toBe(404);
    await stand.db.query(`update operations set expires_at = now() where id = $1`, [idOf(name)]);
    expect(seen(await stand.poll(name))).toEqual(seen(unknown));
    expect((unknown.json['error'] as Json)['status']).toBe('NOT_FOUND');
  });
});

test('[E-10] an unknown operation, model or action is NOT_FOUND; a known one is not', async () => {
  const name = await order('a cat @simulate polls=1000000');
  const read = (path: string) => fetch(genaiUrl(stand, path), { headers: { authorization: `Bearer ${KEY}` } });
  const unknown = name.replace(idOf(name), randomBytes(16).toString('base64url'));
  const replies = [
    await stand.poll(unknown),
    await stand.submit('google/no-such', { prompt: 'a cat' }),
    await postJson(genaiUrl(stand, `${publisherPath(VEO)}:predictSlowly`), { instances: [{ prompt: 'a cat' }] }),
  ];
  for (const { status, json } of replies)
    expect({ status, error: json['error'] }).toEqual({
      status: 404,
      error: { code: 404, status: 'NOT_FOUND', message: expect.any(String), details: [] },
    });
  expect((await read(unknown)).status).toBe(404);
  expect([(await stand.poll(name)).status, (await read(name)).status]).toEqual([200, 200]);
});

/** A reply without its request id and without what depends on the time. */
const seen = ({ status, headers, json }: Reply) => ({
  status,
  headers: [...headers.keys()].sort(),
  error: { ...(json['error'] as Json), details: undefined },
});

describe('a finished operation', () => {
  test('[O-11] [O-15] [O-16] a successful operation is done, with a response and clips that have a URL or bytes, and a mime type', async () => {
    for (const model of [VEO, CLOUD, SEEDANCE]) {
      const { done, response } = (await stand.made(model, { prompt: 'a cat' })) as { done: boolean; response: Json };
      expect(done).toBe(true);
      for (const video of response['videos'] as Json[]) {
        expect(video['mimeType']).toBe('video/mp4');
        expect(video['gcsUri'] ?? video['bytesBase64Encoded']).toBeTruthy();
      }
    }
    expect((await stand.poll(await order('a cat @simulate polls=1000000'))).json['response']).toBeUndefined();
  });

  test('[O-12] [O-13] a finished operation lists every clip, each at a URL that can be fetched', async () => {
    const { response } = (await stand.made(VEO, { prompt: 'a cat' }, { sampleCount: 2 })) as { response: Json };
    const videos = response['videos'] as { gcsUri: string }[];
    expect(videos).toHaveLength(2);
    for (const { gcsUri } of videos) {
      const clip = await fetch(gcsUri);
      expect(clip.status).toBe(200);
      expect((await clip.text()).slice(4, 8)).toBe('ftyp');
    }
    const [{ gcsUri }] = videos as [{ gcsUri: string }];
    expect((await fetch(gcsUri.replace(/signature=.{4}/, 'signature=AAAA'))).status).toBe(403);
  });

  test('[O-17] [O-18] [O-20] a filtered operation is done, with the count and reasons, without clips or error', async () => {
    const operation = await stand.made(VEO, { prompt: 'a cat @simulate clip=blocked' });
    expect(operation['done']).toBe(true);
    expect(operation['error']).toBeUndefined();
    const response = operation['response'] as Json;
    expect(response['raiMediaFilteredCount']).toBe(1);
    expect(response['raiMediaFilteredReasons']).toEqual([expect.any(String)]);
    expect(response['videos'] ?? []).toEqual([]);
  });

  test.each([VEO, CLOUD, SEEDANCE, QUEUED])(
    '[E-25] a filtered clip is not an error, a failed one is: %s',
    async (model) => {
      const ended = async (fate: string): Promise<Reply> => {
        const { name } = await stand.made(model, { prompt: `a cat @simulate polls=0 clip=${fate}` });
        return stand.poll(String(name));
      };
      const blocked = await ended('blocked');
      expect(blocked.status).toBe(200);
      expect(blocked.json).toMatchObject({
        done: true,
        response: { raiMediaFilteredReasons: [expect.stringMatching(/\S/)] },
      });
      expect((blocked.json['response'] as Json)['raiMediaFilteredCount']).toBeGreaterThan(0);
      expect(blocked.json).not.toHaveProperty('error');
      const failed = await ended('fails');
      expect(failed.json).toMatchObject({ done: true, error: { code: expect.any(Number) } });
      expect(failed.json).not.toHaveProperty('response');
    },
  );

  test('[O-19] [O-21] a partly filtered operation has the other clips; without filtering there is no count', async () => {
    const partly = (await stand.made(VEO, { prompt: 'a cat @simulate clip=partly-blocked' }, { sampleCount: 2 })) as {
      response: Json;
    };
    expect(partly.response['videos']).toHaveLength(1);
    expect(partly.response['raiMediaFilteredCount']).toBe(1);
    expect(partly.response['raiMediaFilteredReasons']).toHaveLength(1);
    const whole = (await stand.made(VEO, { prompt: 'a cat' })) as { response: Json };
    expect(whole.response['raiMediaFilteredCount'] ?? 0).toBe(0);
  });

  test('[O-22] [O-23] a failed operation is 200 and done, with an RPC code for the party at fault', async () => {
    const failed = await stand.made(VEO, { prompt: 'a cat @simulate clip=fails' });
    expect(failed).toEqual({
      name: expect.any(String),
      done: true,
      error: { code: 13, message: expect.any(String), details: [] },
    });
    const invalid = await stand.made(VEO, { prompt: 'a cat @simulate clip=invalid' });
    expect(invalid['error']).toMatchObject({ code: 3 });
    const late = await order('a cat @simulate polls=1000000');
    await stand.db.query(`update operations set deadline_at = now() where id = $1`, [idOf(late)]);
    expect((await stand.finished(late))['error']).toMatchObject({ code: 4 });
  });

  test('a 202 for a clip at another URL means pending, and a refusal there is an error with its RPC code', async () => {
    const made = (await stand.made(QUEUED, { prompt: 'a cat' })) as { response: Json };
    expect(made.response['videos']).toHaveLength(1);
    const asked = (): number =>
      stand.simulator.truth.read().filter(({ vendor, status }) => vendor === 'fal' && status === 202).length;
    const before = asked();
    const waiting = await order('a cat @simulate polls=1000000', {}, QUEUED);
    await waitUntil('three more questions', () => asked() >= before + 3);
    const { rows } = await stand.db.query(`select unanswered from operations where id = $1`, [idOf(waiting)]);
    expect(rows).toEqual([{ unanswered: 0 }]);
    const invalid = await stand.made(QUEUED, { prompt: 'a cat @simulate clip=invalid' });
    expect(invalid['error']).toMatchObject({ code: 3, message: 'duration is wrong' });
  });

  test('[O-24] an operation never has both an error and a response', async () => {
    for (const fate of ['done', 'blocked', 'fails', 'invalid']) {
      const operation = await stand.made(VEO, { prompt: `a cat @simulate clip=${fate}` });
      expect(['response' in operation, 'error' in operation].filter(Boolean), fate).toHaveLength(1);
    }
  });

  test('[O-25] [O-26] [O-36] a finished operation is final: no more polls upstream, no changes, and one ledger entry', async () => {
    const name = await order('a cat @simulate polls=0');
    const first = await stand.finished(name);
    const { rows: tasks } = await stand.db.query(`select task ->> 'id' as task from operations where id = $1`, [
      idOf(name),
    ]);
    const about = (): number => stand.simulator.truth.read().filter(({ path }) => path.endsWith(tasks[0].task)).length;
    const questions = about();
    expect(questions).toBeGreaterThan(0);
    for (let n = 0; n < 10; n++) {
      const { json } = await stand.poll(name);
      expect({ ...json, response: undefined }).toEqual({ ...first, response: undefined });
    }
    expect(about()).toBe(questions);
    const { rows } = await stand.db.query(`select amount from ledger_entries where memo = $1`, [
      `operation ${idOf(name)}`,
    ]);
    expect(rows).toHaveLength(1);
    // A database constraint prevents finishing it twice.
    await expect(
      stand.db.query(`update operations set state = 'running', finished_at = null where id = $1`, [idOf(name)]),
    ).rejects.toThrow(/has ended as done/);
  });
});

describe('ownership', () => {
  test('[O-29] an operation of another account is 404, as if it did not exist', async () => {
    const name = await order('a cat');
    const unknown = await stand.poll(name.replace(idOf(name), randomBytes(16).toString('base64url')), OTHER_KEY);
    expect(seen(await stand.poll(name, OTHER_KEY))).toEqual(seen(unknown));
    expect(unknown.status).toBe(404);
  });

  test('[O-30] another key of the same account may poll an operation', async () => {
    expect((await stand.poll(await order('a cat'), SECOND_KEY)).status).toBe(200);
  });

  test('[O-33] a poll without a key is refused', async () => {
    const operationName = await order('a cat');
    const reply = await fetch(fetchPath(VEO), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ operationName }),
    });
    expect(reply.status).toBe(401);
  });
});

describe('a running operation', () => {
  test('[O-32] 20 polls in a row are answered, and the vendor is polled at its own interval', async () => {
    const name = await order('a cat @simulate polls=1000000');
    const before = asked();
    const startedAt = performance.now();
    const replies = await Promise.all(Array.from({ length: 20 }, () => stand.poll(name)));
    expect(replies.map(({ status }) => status)).toEqual(Array(20).fill(200));
    // One poll per 50 ms for this operation and for each one that other tests have left running.
    const { rows } = await stand.db.query(`select count(*)::int as n from operations where finished_at is null`);
    expect(asked() - before).toBeLessThanOrEqual((Math.ceil((performance.now() - startedAt) / 50) + 1) * rows[0].n);
  });

  test('[N-27] repeated polls without a pause get the same answer, without retry-after', async () => {
    const name = await order('a cat @simulate polls=1000000');
    const answers: unknown[] = [];
    for (let n = 0; n < 5; n++) {
      const { status, json, headers } = await stand.poll(name);
      answers.push({ status, json, retryAfter: headers.get('retry-after') });
    }
    expect(answers).toEqual(Array(5).fill({ status: 200, json: { name }, retryAfter: null }));
  });

  test('[O-34] a failed poll does not fail the operation', async () => {
    const name = await order('a cat @simulate polls=1', {}, SEEDANCE);
    stand.simulator.arm('status=503', { vendor: 'ark', times: 2 });
    expect((await stand.finished(name))['error']).toBeUndefined();
    const failures = stand.simulator.truth.read().filter(({ vendor, status }) => vendor === 'ark' && status === 503);
    expect(failures).toHaveLength(2);
  });

  test('[O-35] a webhook in the body is never called', async () => {
    const before = stand.simulator.truth.read().length;
    const { status, headers, json } = await stand.submitBody(VEO, {
      instances: [{ prompt: 'a cat' }],
      webhook: `${stand.simulator.url}/openai/v1/hook`,
      callback: `${stand.simulator.url}/openai/v1/hook`,
    });
    expect(status).toBe(200);
    expect(headers.get('x-trivium-losses')).toBe('webhook,callback');
    await stand.finished(nameIn(json));
    const called = stand.simulator.truth
      .read()
      .slice(before)
      .filter(({ path }) => path.includes('hook'));
    expect(called).toEqual([]);
  });

  test('[O-41] an operation is in progress in every poll until it is complete', async () => {
    const name = await order('a cat @simulate polls=4');
    const states = new Set<string>();
    const last = await new Promise<Json>((resolve, reject) => {
      const look = (): void => {
        stand.poll(name).then(({ json }) => {
          states.add(json['done'] === true ? 'complete' : 'in progress');
          if (json['done'] === true) resolve(json);
          else setTimeout(look, 10);
        }, reject);
      };
      look();
    });
    expect([...states]).toEqual(['in progress', 'complete']);
    expect(last).toMatchObject({ name, done: true, response: { videos: [{}] } });
  });

  test('[O-38] a long operation is awaited until its deadline, which is more than 30 minutes', async () => {
    const name = await order('a cat @simulate polls=3');
    const { rows } = await stand.db.query(
      `select extract(epoch from deadline_at - created_at)::float as s from operations where id = $1`,
      [idOf(name)],
    );
    // Vendors usually take three minutes; the gateway's deadline is an hour.
    expect(rows[0].s).toBeGreaterThan(1800);
    expect((await stand.finished(name))['error']).toBeUndefined();
    const late = await order('a cat @simulate polls=1000000');
    await stand.db.query(`update operations set deadline_at = now() where id = $1`, [idOf(late)]);
    expect((await stand.finished(late))['error']).toMatchObject({ code: 4 });
  });

  test('[O-27] an operation is kept for seven days, or the configured time', async () => {
    const name = await order('a cat @simulate polls=0');
    await stand.finished(name);
    const { rows } = await stand.db.query(
      `select round(extract(epoch from expires_at - created_at))::int as s from operations where id = $1`,
      [idOf(name)],
    );
    expect(rows[0].s).toBe(7 * 86_400);
    const shift = (s: number) =>
      stand.db.query(`update operations set expires_at = now() + $2 * interval '1 s' where id = $1`, [idOf(name), s]);
    await shift(60);
    expect((await stand.poll(name)).status).toBe(200);
    await shift(-1);
    expect((await stand.poll(name)).status).toBe(404);
    const short = await openVideoStand({ config: { operations: { keepHours: 1, pollEveryMs: 50 } } });
    try {
      const kept = await short.submit(VEO, { prompt: 'a cat' });
      const found = await short.db.query(
        `select round(extract(epoch from expires_at - created_at))::int as s from operations where id = $1`,
        [idIn(kept.json)],
      );
      expect(found.rows[0].s).toBe(3600);
    } finally {
      await short.close();
    }
  });

  test('[O-14] clips that the host sends as bytes are returned as bytes', async () => {
    const name = await order('a cat @simulate polls=0 clip=bytes', {}, CLOUD);
    const { response } = (await stand.finished(name)) as { response: Json };
    expect(response['videos']).toEqual([{ bytesBase64Encoded: MP4_BASE64, mimeType: 'video/mp4' }]);
  });
});

test('[O-37] an operation survives a restart of the gateway', async () => {
  const first = await openVideoStand();
  const { database } = first;
  const name = nameIn((await first.submit(VEO, { prompt: 'a cat @simulate polls=1000000' })).json);
  const { rows } = await first.db.query(`select task from operations where id = $1`, [idOf(name)]);
  await waitUntil('the task is written down', () => rows[0]?.task !== null);
  await first.gateway.close();
  const second = await openVideoStand({ database });
  try {
    expect((await second.poll(name)).json).toEqual({ name });
  } finally {
    await second.close();
    await first.simulator.close();
    await first.db.end();
    await database.drop();
  }
});
