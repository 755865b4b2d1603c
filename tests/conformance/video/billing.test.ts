// Video billing: per second and resolution, with and without audio, per clip and per token; and what is free.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freshDatabase, type TestDatabase } from '../../support/database.ts';
import { taken } from '../../support/video-conformance.ts';
import {
  HAILUO,
  idIn,
  type Json,
  KEY,
  nameIn,
  openVideoStand,
  PRICED,
  QUEUED,
  SEEDANCE,
  SILENT,
  VEO,
  type VideoStand,
} from '../../support/video-probe.ts';

const PAYER_KEY = 'sk-trivium-payer-0123456789abcdefghijklmnopqrstuv';

let database: TestDatabase;
let stand: VideoStand;
beforeAll(async () => {
  database = await freshDatabase();
  stand = await openVideoStand({
    database,
    config: {
      operations: { pollEveryMs: 50, unknownMs: 2000 },
      keys: [
        { name: 'test', secret: KEY, account: 'team' },
        { name: 'payer', secret: PAYER_KEY, account: 'payer' },
      ],
    },
  });
  await stand.db.query(`update accounts set kind = 'prepaid' where id = 'payer'`);
  await stand.db.query(`select ledger_open_known('payer')`);
});
afterAll(async () => {
  await stand.close();
  await database.drop();
});

type Charge = { readonly nano: string | undefined; readonly lines: readonly Json[]; readonly estimated: boolean };

/** The one ledger entry of an operation (undefined if nothing was charged), and the lines of its bill. */
async function chargeOf(name: string): Promise<Charge> {
  const id = name.split('/').at(-1);
  const { rows } = await stand.db.query(`select amount::text from ledger_entries where memo = $1`, [`operation ${id}`]);
  expect(rows.length).toBeLessThanOrEqual(1);
  const { rows: holds } = await stand.db.query(
    `select h.state from ledger_holds h join operations o on o.request_id = h.id where o.id = $1`,
    [id],
  );
  expect(holds).toEqual([{ state: rows.length === 1 ? 'settled' : 'released' }]);
  const usage = await usageOf(id ?? '');
  return { nano: rows[0]?.amount, lines: usage.lines, estimated: usage.estimated };
}

async function usageOf(id: string): Promise<{ lines: readonly Json[]; estimated: boolean }> {
  const until = performance.now() + 10_000;
  for (;;) {
    const { rows } = await stand.db.query(
      `select u.details -> 'lines' as lines, u.estimated from usage_events u join operations o using (request_id) where o.id = $1`,
      [id],
    );
    if (rows[0] !== undefined) return rows[0];
    if (performance.now() > until) throw new Error(`no usage of ${id}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const charged = async (model: string, parameters: Json, fate = 'polls=0'): Promise<Charge> => {
  const operation = await stand.made(model, { prompt: `a cat @simulate ${fate}` }, parameters);
  return chargeOf(nameIn(operation));
};
const usd = (amount: number): string => String(Math.round(amount * 1e9));

describe('pricing per second, by resolution and audio', () => {
  test.each([
    [{ durationSeconds: 8 }, 1.6, 'video'],
    [{ durationSeconds: 8, generateAudio: false }, 1.6, 'video'],
    [{ durationSeconds: 8, generateAudio: true }, 3.2, 'audio_and_video'],
    [{ durationSeconds: 4, generateAudio: true }, 1.6, 'audio_and_video'],
    [{ durationSeconds: 4, resolution: '1080p' }, 2, 'video'],
    [{ durationSeconds: 4, resolution: '1080p', generateAudio: true }, 2.8, 'audio_and_video'],
    [{}, 1.6, 'video'],
  ] as const)('%j', async (parameters, amount, kind) => {
    const { nano, lines, estimated } = await charged(PRICED, parameters);
    expect(nano).toBe(usd(amount));
    expect(lines).toMatchObject([{ meter: 'videoSeconds', kind }]);
    expect(estimated).toBe(false);
  });
});

test('a clip is billed by the requested length where the host reports none', async () => {
  expect((await charged(QUEUED, { durationSeconds: 10 })).nano).toBe(usd(4));
  expect((await charged(QUEUED, {}, 'polls=0 clip=blocked')).nano).toBeUndefined();
});

test('[L-31] clips with and without audio are billed as two kinds', async () => {
  const silent = await charged(PRICED, { durationSeconds: 4 });
  const sounded = await charged(PRICED, { durationSeconds: 4, generateAudio: true });
  expect([silent.lines[0]?.['kind'], sounded.lines[0]?.['kind']]).toEqual(['video', 'audio_and_video']);
});

test('[V-21] audio that a model cannot make is a loss, and is not charged', async () => {
  const { reply, losses } = await taken(stand, SILENT, { prompt: 'a cat @simulate polls=0' }, { generateAudio: true });
  expect(losses).toEqual(['parameters.generateAudio']);
  const operation = await stand.finished(nameIn(reply.json));
  expect(await chargeOf(nameIn(operation))).toMatchObject({ nano: usd(1.6), lines: [{ kind: 'video' }] });
  const sounded = await taken(stand, PRICED, { prompt: 'a cat @simulate polls=0' }, { generateAudio: true });
  expect(sounded.losses).toEqual([]);
});

test('the price per clip depends on its length', async () => {
  expect((await charged(HAILUO, { durationSeconds: 6 })).nano).toBe(usd(0.28));
  expect((await charged(HAILUO, { durationSeconds: 10 })).nano).toBe(usd(0.56));
});

test('a clip is billed per token, by the gateway’s own count where the host reports none, and then never above the hold', async () => {
  const { nano, estimated, lines } = await charged(SEEDANCE, { durationSeconds: 5 });
  // 5 s × 1280 × 720 × 24 / 1024 tokens at 7 USD a million.
  expect(lines).toMatchObject([{ meter: 'outputVideo', quantity: 108_000 }]);
  expect(nano).toBe(usd(0.756));
  expect(estimated).toBe(true);
});

describe('what was not delivered', () => {
  test('a filtered clip is not charged', async () => {
    expect((await charged(PRICED, {}, 'polls=0 clip=blocked')).nano).toBeUndefined();
  });
  test('when some clips are filtered, only the others are charged', async () => {
    const both = await charged(VEO, { sampleCount: 2, durationSeconds: 8 });
    expect(both.nano).toBe(usd(2 * 8 * 0.4));
    const one = await charged(VEO, { sampleCount: 2, durationSeconds: 8 }, 'polls=0 clip=partly-blocked');
    expect(one.nano).toBe(usd(8 * 0.4));
  });
  test('a failed operation is not charged', async () => {
    expect((await charged(PRICED, {}, 'polls=0 clip=fails')).nano).toBeUndefined();
  });
  test('an operation past its deadline is not charged, even if it completes later', async () => {
    const { json } = await stand.submit(PRICED, { prompt: 'a cat @simulate polls=3' });
    await stand.db.query(`update operations set deadline_at = now() where id = $1`, [idIn(json)]);
    expect((await stand.finished(nameIn(json)))['error']).toMatchObject({ code: 4 });
    expect((await chargeOf(nameIn(json))).nano).toBeUndefined();
  });
  test('an operation of unknown outcome stays held, then its hold is released with a note', async () => {
    stand.simulator.arm('fault=reset-before-headers', { vendor: 'ark' });
    const { status, json } = await stand.submit(PRICED, { prompt: 'a cat' });
    expect(status).toBe(200);
    const id = idIn(json);
    const state = async () => (await stand.db.query(`select state, note from operations where id = $1`, [id])).rows[0];
    expect(await state()).toEqual({ state: 'unknown', note: null });
    const { rows } = await stand.db.query(
      `select h.state from ledger_holds h join operations o on o.request_id = h.id where o.id = $1`,
      [id],
    );
    expect(rows).toEqual([{ state: 'open' }]);
    expect((await stand.finished(nameIn(json)))['error']).toMatchObject({ code: 13 });
    expect((await state()).note).toContain('given back');
    expect((await chargeOf(nameIn(json))).nano).toBeUndefined();
  });
});

test('polling an operation 100 times charges it once', async () => {
  const { json } = await stand.submit(PRICED, { prompt: 'a cat @simulate polls=2' }, { durationSeconds: 8 });
  const name = nameIn(json);
  await Promise.all(Array.from({ length: 50 }, () => stand.poll(name)));
  await stand.finished(name);
  await Promise.all(Array.from({ length: 50 }, () => stand.poll(name)));
  expect((await chargeOf(name)).nano).toBe(usd(1.6));
});

describe('a prepaid account', () => {
  const headers = { authorization: `Bearer ${PAYER_KEY}` };
  const order = (parameters: Json = { durationSeconds: 8 }, more: Record<string, string> = {}) =>
    stand.submit(PRICED, { prompt: 'a cat @simulate polls=0' }, parameters, { ...headers, ...more });

  test('a prepaid account without credit is refused before anything is sent', async () => {
    const before = stand.simulator.truth.read().length;
    expect((await order()).status).toBe(402);
    expect(stand.simulator.truth.read().length).toBe(before);
  });

  test('a prepaid account with credit for one video gets one of three concurrent ones', async () => {
    await stand.db.query(`select ledger_apply($1::jsonb)`, [
      JSON.stringify([{ do: 'deposit', account: 'payer', id: 'd1', amount: usd(2), memo: '' }]),
    ]);
    const replies = await Promise.all([order(), order(), order()]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 402, 402]);
  });

  test('an Idempotency-Key makes one video, however often it is sent; another body is refused', async () => {
    await stand.db.query(`select ledger_apply($1::jsonb)`, [
      JSON.stringify([{ do: 'deposit', account: 'payer', id: 'd2', amount: usd(20), memo: '' }]),
    ]);
    const key = { 'idempotency-key': 'one' };
    const before = stand.simulator.truth.read().filter(({ method }) => method === 'POST').length;
    const replies = await Promise.all(Array.from({ length: 20 }, () => order({ durationSeconds: 8 }, key)));
    const answers = new Set(replies.map(({ status, json }) => `${status} ${JSON.stringify(json['name'] ?? json)}`));
    expect([...answers]).toEqual([expect.stringContaining('200 ')]);
    expect(replies.filter(({ headers: of }) => of.get('x-trivium-replayed') === 'true')).toHaveLength(19);
    expect(stand.simulator.truth.read().filter(({ method }) => method === 'POST').length).toBe(before + 1);
    expect((await order({ durationSeconds: 4 }, key)).status).toBe(422);
  });
});
