/** Tenant isolation: no access to other tenants, none without a key, no leaked secrets, no timing leak. */
import { FakeVault } from '../../../packages/gateway/src/upstream/secrets/vault.fixture.ts';
import { freshDatabase } from '../../support/database.ts';
import { openOtlpReceiver } from '../../support/otlp-receiver.ts';
import { findCanaries, gatherOutput, plantCanaries, WORKING_MODEL } from '../isolation/canaries.ts';
import { hostileKeys, sendHostileKeys } from '../isolation/hostile-keys.ts';
import { playMatrix, playReports, REPORTS } from '../isolation/matrix.ts';
import { playTenantsApart } from '../isolation/tenants-apart.ts';
import { measureTiming, T_LIMIT } from '../isolation/timing.ts';
import { ask, chatQuestion } from '../parts/ask.ts';
import { type GatewayProcess, OPERATOR_SECRET } from '../parts/gateway-process.ts';
import { rounded } from '../parts/load.ts';
import { type MadeKey, newAccount, newKey } from '../parts/operator.ts';
import type { Stage } from '../parts/stage.ts';
import { atLeast, atMost, exactly, type Outcome, scenario } from '../scenario.ts';

type Parameters = { readonly hostile: number; readonly samples: number };

const CANARIES = 40;
const MADE_KEYS = 12;
const TENANTS = ['acme', 'umbrella'] as const;

/** How many of them got the stored answer of another tenant's Idempotency-Key. */
async function replayed(gateway: GatewayProcess, keys: readonly MadeKey[]): Promise<number> {
  let count = 0;
  for (const { secret } of keys) {
    const headers = { authorization: `Bearer ${secret}`, 'idempotency-key': 'the-same-for-all' };
    const { headers: got } = await ask({ ...chatQuestion(gateway.url, WORKING_MODEL), headers });
    if (got['x-trivium-replayed'] !== undefined) count++;
  }
  return count;
}

async function play({ hostile, samples }: Parameters, stage: Stage): Promise<Outcome> {
  const database = await freshDatabase();
  stage.atEnd(() => database.drop());
  const simulator = await stage.simulator();
  const vault = new FakeVault();
  await vault.listen();
  stage.atEnd(() => vault.close());
  const canaries = plantCanaries(database, simulator.url, vault);
  const receiver = await openOtlpReceiver();
  stage.atEnd(() => receiver.close());
  const gateway = await stage.gateway({ ...canaries.config, traces: { endpoint: receiver.url } });
  const managers: Record<string, MadeKey> = {};
  for (const tenant of TENANTS) {
    await newAccount(gateway, tenant);
    managers[tenant] = await newKey(gateway, tenant, { manages: 'owner' });
  }
  const routes = await playMatrix(gateway, managers, database.url);
  const [mine, theirs] = [await newKey(gateway, 'acme'), await newKey(gateway, 'umbrella')];
  const reports = await playReports(gateway, WORKING_MODEL, mine, theirs);
  const matrix = {
    routes: routes.routes + REPORTS.length,
    probes: routes.probes + reports.probes,
    ownUnreachable: [...routes.ownUnreachable, ...reports.ownUnreachable],
    differences: [...routes.differences, ...reports.differences],
    malformedTaken: [...routes.malformedTaken, ...reports.malformedTaken],
  };
  for (const line of [...matrix.ownUnreachable, ...matrix.differences, ...matrix.malformedTaken]) stage.say(line);

  const apart = await playTenantsApart(gateway, WORKING_MODEL, [mine, theirs], managers, receiver, database);
  for (const line of [...apart.missing, ...apart.foreign].slice(0, 20)) stage.say(line);

  const keys = await Promise.all(
    Array.from({ length: MADE_KEYS }, (_, n) => newKey(gateway, TENANTS[n % 2] ?? 'acme')),
  );
  const real = keys[0]?.secret ?? '';
  const refused = await sendHostileKeys(gateway, hostileKeys(hostile, real, stage.random));
  for (const line of refused.wrong.slice(0, 10)) stage.say(line);
  const shared = await replayed(gateway, Object.values(managers));
  const own = await replayed(gateway, Object.values(managers));

  const output = await gatherOutput(gateway, canaries, keys, database);
  const secrets = [
    ...canaries.fileKeys,
    ...canaries.credentials,
    ...canaries.sealKeys,
    canaries.databasePassword,
    canaries.paymentSecret,
    canaries.storeKey,
    canaries.storedCredential,
    canaries.storeToken,
    OPERATOR_SECRET,
    ...keys.map(({ secret }) => secret),
  ];
  const leaks = findCanaries(output, secrets);
  for (const leak of leaks) stage.say(leak);
  const timing = await measureTiming(samples, stage.random);
  return {
    figures: {
      routes: matrix.routes,
      probes: matrix.probes,
      requestsApart: apart.requests,
      spans: apart.spans,
      recordCharacters: apart.recordCharacters,
      hostileStatuses: refused.statuses,
      canaries: secrets.length,
      charactersSearched: [...output.values()].reduce((sum, text) => sum + text.length, 0),
      logCharacters: output.get('log')?.length ?? 0,
      t: rounded(timing.t),
      plantedT: rounded(timing.plantedT),
      samples,
    },
    checks: [
      exactly('own things that could not be reached', matrix.ownUnreachable.length, 0),
      exactly("answers that distinguish another tenant's id from an unknown one", matrix.differences.length, 0),
      exactly('malformed ids that were not refused', matrix.malformedTaken.length, 0),
      exactly('answers replayed to another tenant', shared, 0),
      exactly('answers replayed to the tenant they were made for', own, TENANTS.length),
      exactly('requests without a span or a record of their own', apart.missing.length, 0),
      exactly('ids, names and prompts in spans and records of another tenant', apart.foreign.length, 0),
      exactly('hostile keys sent', refused.sent, hostile),
      exactly('hostile keys not refused with 400, 401 or 431 in form', refused.wrong.length, 0),
      atLeast('canary secrets', secrets.length, CANARIES),
      exactly('canary secrets found outside', leaks.length, 0),
      atMost('|t| of the key check', rounded(timing.t), T_LIMIT),
      atLeast('|t| of a comparer that stops early', rounded(timing.plantedT), T_LIMIT),
    ],
  };
}

export const isolation = scenario<Parameters>({
  name: 'isolation',
  shows:
    'what belongs to another account is the same as nothing, spans and records stay apart, hostile keys are refused in form, no secret comes out, no time tells',
  short: { hostile: 500, samples: 40_000 },
  full: { hostile: 5000, samples: 200_000 },
  run: play,
});
