/** Two nodes that share a database: a change at one takes effect at the other at once, by any notification path. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { startServices } from '../../../scripts/services/services.ts';
import { freshDatabase, type TestDatabase } from '../../support/database.ts';
import { ask, chatQuestion } from '../parts/ask.ts';
import type { GatewayProcess } from '../parts/gateway-process.ts';
import { chatHosts, MODEL } from '../parts/hosts.ts';
import { rounded } from '../parts/load.ts';
import { type MadeKey, newAccount, newKey, operate } from '../parts/operator.ts';
import type { Stage } from '../parts/stage.ts';
import { waitFor } from '../parts/wait.ts';
import { atMost, exactly, type Outcome, scenario } from '../scenario.ts';
import { avoidedAfter, knowledgeConfig, type Nodes, sealCarried } from '../two-nodes/shared-knowledge.ts';

type Parameters = { readonly rounds: number };

/** The promise: revoked on the other node within this time (ms). */
const DEAD_WITHIN_MS = 1000;
/** A host that one node ejects is avoided by the other within this time (ms). */
const AVOIDED_WITHIN_MS = 2000;
const LOOK_EVERY_MS = 5;

const statusOf = async ({ url }: GatewayProcess, { secret }: MadeKey): Promise<number> =>
  (await ask({ ...chatQuestion(url, MODEL), headers: { authorization: `Bearer ${secret}` } })).status;

/** Creates a key that both nodes know, ends it at one (`end`), and returns the time until the other refuses it. */
async function endedAfter(
  { one, other }: Nodes,
  status: number,
  end: (key: MadeKey) => Promise<unknown>,
): Promise<number> {
  const key = await newKey(one, 'acme');
  for (const node of [one, other]) if ((await statusOf(node, key)) !== 200) throw new Error('a new key does not work');
  await end(key);
  return waitFor('the key is dead', async () => (await statusOf(other, key)) === status, 20_000, LOOK_EVERY_MS);
}

/** Closes every LISTEN connection of the other node. */
async function deafen({ url }: TestDatabase): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'trivium_events' and datname = current_database()",
  );
  await client.end();
}

async function play({ rounds }: Parameters, stage: Stage): Promise<Outcome> {
  const { redisUrl } = await startServices();
  const database = await freshDatabase();
  stage.atEnd(() => database.drop());
  const simulator = await stage.simulator();
  const hosts = chatHosts({ east: simulator });
  const start = (name: string, more: object): Promise<GatewayProcess> =>
    stage.gateway({ ...hosts, database: { url: database.url }, ...more }, { name });
  const nodes: Nodes = { one: await start('one', {}), other: await start('other', {}) };
  await newAccount(nodes.one, 'acme');
  const revokeAt =
    (node: GatewayProcess) =>
    ({ id }: MadeKey): Promise<unknown> =>
      operate(node, 'POST', `/accounts/acme/keys/${id}/revoke`, {});
  const revoke = revokeAt(nodes.one);

  const revoked: number[] = [];
  const deaf: number[] = [];
  const suspended: number[] = [];
  for (let round = 0; round < rounds; round++) {
    revoked.push(await endedAfter(nodes, 401, revoke));
    deaf.push(
      await endedAfter(nodes, 401, async (key) => {
        await deafen(database);
        await revoke(key);
      }),
    );
    suspended.push(
      await endedAfter(nodes, 403, () => operate(nodes.one, 'PATCH', '/accounts/acme', { status: 'suspended' })),
    );
    await operate(nodes.one, 'PATCH', '/accounts/acme', { status: 'active' });
    await sleep(LOOK_EVERY_MS);
  }
  const withRedis: Nodes = {
    one: await start('one-redis', { redis: { url: redisUrl } }),
    other: await start('other-redis', { redis: { url: redisUrl } }),
  };
  const overRedis: number[] = [];
  for (let round = 0; round < rounds; round++)
    overRedis.push(await endedAfter(withRedis, 401, revokeAt(withRedis.one)));
  const rotated = await rotation(nodes);
  const knowing = { ...knowledgeConfig(simulator), redis: { url: redisUrl } };
  const knowers: Nodes = { one: await start('one-knows', knowing), other: await start('other-knows', knowing) };
  const sealed = await sealCarried(knowers, simulator);
  const avoided = await avoidedAfter(knowers, simulator);
  const worst = (times: readonly number[]): number => rounded(Math.max(...times), 0);
  return {
    figures: {
      rounds,
      revokedMs: worst(revoked),
      deafMs: worst(deaf),
      suspendedMs: worst(suspended),
      redisMs: worst(overRedis),
      avoidedMs: rounded(avoided.ms, 0),
    },
    checks: [
      atMost('ms until a revoked key is dead on the other node', worst(revoked), DEAD_WITHIN_MS),
      atMost('… when its connection for word has just been cut', worst(deaf), DEAD_WITHIN_MS),
      atMost('… until keys of a suspended account are', worst(suspended), DEAD_WITHIN_MS),
      atMost('… with Redis beside', worst(overRedis), DEAD_WITHIN_MS),
      exactly('a seal minted on one node goes upstream from the other', sealed, 1),
      atMost('ms until a host that is out at one node is out at the other', rounded(avoided.ms, 0), AVOIDED_WITHIN_MS),
      exactly('… calls to it from there after that', avoided.calls, 0),
      exactly('a rotated secret: old refused, new taken on the other node', rotated, 1),
    ],
  };
}

async function rotation({ one, other }: Nodes): Promise<number> {
  const key = await newKey(one, 'acme');
  await statusOf(other, key);
  const rotated = await operate(one, 'POST', `/accounts/acme/keys/${key.id}/rotate`, {});
  const isDead = await waitFor(
    'the old secret is dead',
    async () => (await statusOf(other, key)) === 401,
    DEAD_WITHIN_MS,
  ).then(
    () => true,
    () => false,
  );
  return Number(isDead && (await statusOf(other, { ...key, secret: rotated['secret'] as string })) === 200);
}

export const twoNodes = scenario<Parameters>({
  name: 'two-nodes',
  nodes: 2,
  shows:
    'a key revoked at one node is refused by the other within a second; seals and ejected hosts are shared as well',
  short: { rounds: 3 },
  full: { rounds: 30 },
  run: play,
});
