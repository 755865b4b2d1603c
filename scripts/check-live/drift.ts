/** What two nodes with one database raise about the answers of calls: nothing while they are faithful, then one alert for each change. */
import { startGateway } from '@trivium/gateway';
import { Client } from 'pg';
import { freshDatabase } from '../../tests/support/database.ts';
import { CONTENT, FORMATS, type Format, plantedInCalls } from './deviations.ts';
import { CALLER, liveConfig, PLACE_OF, SECRET } from './hosts.ts';
import type { Proxy as ChangingProxy } from './proxy.ts';

const FAITHFUL = 10_000;
const AT_ONCE = 6;
/** Enough for a share. */
const AFTERWARDS = 104;
/** Whole and streamed, at both nodes. */
const CALLS_OF_A_CHANGE = 8;
const LOOK_MS = 50;
const MOST_LOOKS = 400;

type Raised = { readonly subject: string; readonly title: string; readonly detail: { readonly skeleton: string } };
export type DriftResult = {
  readonly faithful: number;
  readonly early: number;
  readonly planted: number;
  readonly raised: number;
};

export async function checkDrift(proxy: ChangingProxy, fail: (what: string) => void): Promise<DriftResult> {
  const database = await freshDatabase();
  const more = {
    database: { url: database.url },
    alerts: { driftOneIn: 1, checkEveryMs: LOOK_MS },
    health: { failures: 1000 },
    retries: { maxAttempts: 1 },
  };
  const nodes = [
    await startGateway({ config: liveConfig(proxy.url, more) }),
    await startGateway({ config: liveConfig(proxy.url, more) }),
  ];
  const client = new Client({ connectionString: database.url });
  await client.connect();
  const raised = async (): Promise<readonly Raised[]> =>
    (await client.query(`select subject, title, detail from alerts where kind = 'provider.drift'`)).rows;
  let calls = 0;
  const call = async (format: Format): Promise<number> => {
    calls += 1;
    const node = nodes[calls % nodes.length];
    const response = await fetch(`${node?.url}/api/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${CALLER}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: PLACE_OF[format].model,
        messages: [{ role: 'user', content: 'Say hello.' }],
        stream: calls % 4 > 1,
        max_tokens: 64,
      }),
    });
    await response.text();
    return response.status;
  };
  const many = async (count: number, check: (status: number) => void): Promise<void> => {
    let left = count;
    const one = async (): Promise<void> => {
      while (left > 0) check(await call(FORMATS[left-- % FORMATS.length] as Format));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, one));
  };
  const mustAnswer = (status: number): void => {
    if (status !== 200) fail(`drift: a faithful answer became ${status}`);
  };
  try {
    await many(FAITHFUL, mustAnswer);
    const early = await raised();
    for (const { title } of early) fail(`drift: raised by a faithful answer: ${title}`);
    const changes = plantedInCalls(SECRET);
    for (const { format, change } of changes) {
      proxy.change = change;
      for (let at = 0; at < CALLS_OF_A_CHANGE; at++) await call(format);
    }
    proxy.change = undefined;
    await many(AFTERWARDS * FORMATS.length * nodes.length, () => undefined);
    let found = await raised();
    for (let look = 0; look < MOST_LOOKS && found.length < changes.length; look++) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      found = await raised();
    }
    let named = 0;
    for (const { name, format, names } of changes) {
      const { provider } = PLACE_OF[format];
      const own = found.filter(({ subject }) => subject.startsWith(`${provider} ${format} `) && names.test(subject));
      if (own.length === 1) named += 1;
      else fail(`drift: ${format}: ${name} raised ${own.length} alerts`);
    }
    if (found.length > changes.length)
      fail(
        `drift: ${found.length} alerts for ${changes.length} changes: ${found.map(({ subject }) => subject).join('; ')}`,
      );
    const shown = JSON.stringify(found);
    for (const secret of [SECRET, CONTENT, 'zebra', 'Say hello'])
      if (shown.includes(secret)) fail(`drift: an alert holds ${secret}`);
    return { faithful: FAITHFUL, early: early.length, planted: changes.length, raised: named };
  } finally {
    await client.end();
    for (const node of nodes) await node.close();
    await database.drop();
  }
}
