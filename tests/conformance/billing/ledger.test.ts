// What stands in the ledger: a caller who leaves pays for what was made by then, and pictures are set aside for by resolution.
import { mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { keyFor, keysOf, PRICES, Purser, REQUEST_NANO, TOKEN_NANO, usd } from '../../rt/parts/money.ts';
import { headOf, openChat, streamChat } from '../../support/chat-stream.ts';
import { freshDatabase, type TestDatabase } from '../../support/database.ts';
import { PNG, part, pathOf, post } from '../../support/generate-probe.ts';
import { asking, LANES, type LaneRoad } from '../../support/lanes.ts';
import { openStand, type Stand } from '../../support/stand.ts';
import { waitUntil } from '../../support/wait-until.ts';

const ROADS: readonly LaneRoad[] = LANES.map((road) => ({ ...road, model: `priced/${road.lane}` }));
const accountOn = ({ lane }: LaneRoad): string => `leaver-${lane}`;
/** Covers a stream without a cap, and is too little for a lease. */
const CREDIT = 500n * REQUEST_NANO;

/** Reads pictures at the resolution it is told, and each token of them has its price: tenths of a cent. */
const VIEWER = 'priced/viewer';
const VIEWS = { prompt: usd('1000'), completion: usd('0') };
/** Covers twice an image at HIGH, our estimate's margin, and not one at ULTRA_HIGH. */
const VIEWERS_CREDIT = 3_000_000_000n;

let database: TestDatabase;
let purser: Purser;
let stand: Stand;
const folder = mkdtempSync(join(tmpdir(), 'trivium-ledger-'));
beforeAll(async () => {
  database = await freshDatabase();
  purser = new Purser(database.url);
  const accounts = ROADS.map(accountOn);
  for (const account of accounts) await purser.open(account, CREDIT);
  await purser.open('viewer', VIEWERS_CREDIT);
  stand = await openStand({
    alsoHosts: () => ({
      providers: {},
      models: [
        ...ROADS.map(({ model, servedBy }) => ({
          id: model,
          endpoints: [{ provider: servedBy, upstreamModel: 'any', pricings: PRICES }],
        })),
        {
          id: VIEWER,
          inputModalities: ['text', 'image'],
          maxOutputTokens: 1000,
          capabilities: { thinking: { kind: 'level', levels: ['low', 'high'] } },
          endpoints: [
            {
              provider: 'google',
              dialect: 'google-generate',
              upstreamModel: 'gemini-3-pro-preview',
              pricings: VIEWS,
            },
          ],
        },
      ],
    }),
    config: () => ({
      database: { url: database.url },
      ledger: { journal: join(folder, 'journal') },
      keys: keysOf([...accounts, 'viewer']),
    }),
  });
});
afterAll(async () => {
  await stand.close();
  await purser.close();
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

const bearing = (account: string): Record<string, string> => ({ authorization: `Bearer ${keyFor(account)}` });

async function hears(response: IncomingMessage, word: string): Promise<void> {
  let heard = '';
  response.on('data', (bytes: Buffer) => {
    heard += bytes.toString('latin1');
  });
  await waitUntil(word, () => heard.includes(word), 20_000);
}

/** All charges of an account, once there are so many. */
const charges = (account: string, count: number) =>
  vi.waitFor(async () => {
    const found = [...(await purser.charges(account)).values()];
    expect(found).toHaveLength(count);
    return found;
  }, 20_000);

test.each(ROADS)('[CS-17] hanging up stops the upstream, and what was made is paid for: $lane lane', async (road) => {
  const account = accountOn(road);
  const words = 60;
  const question = asking(road, `scenario=text-long words=${words} tps=20`, { stream: true });
  const sent = openChat(stand, question, bearing(account));
  await hears(await headOf(sent), 'word7');
  sent.destroy();
  const left = stand.simulator.truth.last()!;
  await waitUntil('the upstream closed', () => left.outcome === 'aborted');
  expect(left.tokensProduced).toBeLessThan(words);
  const [cut] = await charges(account, 1);
  expect(cut?.estimated).toBe(true);
  // Between what the caller has heard and what the upstream has made.
  const paid = Number(cut!.amount / TOKEN_NANO);
  expect(paid).toBeGreaterThanOrEqual(7);
  expect(paid).toBeLessThanOrEqual(left.tokensProduced + 1);

  await streamChat(stand, asking(road, 'scenario=text-long words=12'), bearing(account));
  const read = stand.simulator.truth.last()!;
  expect(read.outcome).toBe('finished');
  const whole = (await charges(account, 2)).find(({ estimated }) => !estimated);
  expect(whole?.amount).toBe(BigInt(read.billed?.completion ?? 0) * TOKEN_NANO);
});

test('[G-79] as much is set aside for a picture as its resolution takes', async () => {
  const look = (level: string) =>
    post(
      stand,
      pathOf(VIEWER, 'generateContent'),
      { ...part(PNG), generationConfig: { mediaResolution: `MEDIA_RESOLUTION_${level}` } },
      { 'x-goog-api-key': keyFor('viewer') },
    );
  expect((await look('ULTRA_HIGH')).status).toBe(402);
  expect((await look('HIGH')).status).toBe(200);
});
