/** Replays records in this process and compares: today's policies and prices, doubled prices, and the sums of both. */
import { scenarioOf } from '../../packages/gateway/src/app/open-what-if.ts';
import { type Config, ownProviders } from '../../packages/gateway/src/config/config.ts';
import type { WhatIf } from '../../packages/gateway/src/control/what-if/contract.ts';
import type { PlanScenario } from '../../packages/gateway/src/control/what-if/ports.ts';
import { whatIf } from '../../packages/gateway/src/control/what-if/run.ts';
import { formatNanoUsd } from '../../packages/gateway/src/kernel/usd.ts';
import { compilePolicies } from '../../packages/gateway/src/models/policies/compile.ts';
import type { Policy } from '../../packages/gateway/src/models/policies/contract.ts';
import { PolicySet } from '../../packages/gateway/src/models/policies/policy-set.ts';
import { providerSet } from '../../packages/gateway/src/models/providers/provider-set.ts';
import type { UsageEvent } from '../../packages/gateway/src/money/usage/event.ts';
import { standConfig } from '../support/stand.ts';
import { options } from './stand.ts';

/** Every price of the configuration, twice as high. */
function doubled(config: Config): Config {
  const twice = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(twice);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [
        name,
        name === 'value' && typeof one === 'string' ? String(Number(one) * 2) : twice(one),
      ]),
    );
  };
  return { ...config, catalogue: twice(config.catalogue) as Config['catalogue'] };
}

async function scenario(config: Config, policies: readonly Policy[] = config.policies): Promise<PlanScenario> {
  const sources = {
    providers: providerSet(ownProviders(config)),
    hosts: config.providers,
    aliases: config.aliases,
    auto: config.auto.models,
    signerFor: () => undefined,
  };
  const set = policies.length === 0 ? undefined : new PolicySet(compilePolicies(policies).compiled);
  return scenarioOf(config, sources, set);
}

/** The page of a list that is sorted by time and id. */
const pageOf =
  (events: readonly UsageEvent[]) =>
  async (after: { readonly requestId: string } | undefined, limit: number): Promise<readonly UsageEvent[]> => {
    const from = after === undefined ? 0 : Number(after.requestId.slice(after.requestId.lastIndexOf('-') + 1)) + 1;
    return events.slice(from, from + limit);
  };

const over = (events: readonly UsageEvent[], today: PlanScenario, draft: PlanScenario): Promise<WhatIf> =>
  whatIf({
    span: { fromMs: 0, untilMs: Date.now() },
    limit: events.length + 1,
    deadlineMs: Number.POSITIVE_INFINITY,
    monotonicMs: () => performance.now(),
    page: pageOf(events),
    today,
    draft,
  });

export type Proof = {
  readonly ok: boolean;
  readonly problems: readonly string[];
  readonly records: number;
  readonly wasUsd: string;
  readonly doubledUsd: string;
  /** CPU of this process. */
  readonly cpuMicrosPerRecord: number;
  readonly unknown: WhatIf['unknownBy'];
};

/** What the records themselves say was billed. */
const billed = (events: readonly UsageEvent[]): bigint =>
  events.reduce((sum, { costNano }) => sum + BigInt(costNano), 0n);

export async function prove(simulatorUrl: string, events: readonly UsageEvent[]): Promise<Proof> {
  const problems: string[] = [];
  const expect = (what: string, got: unknown, wanted: unknown): void => {
    if (got !== wanted) problems.push(`${what}: ${String(got)} instead of ${String(wanted)}`);
  };
  const config = standConfig(simulatorUrl, options);
  const today = await scenario(config);
  const began = process.cpuUsage();
  const same = await over(events, today, today);
  const { user, system } = process.cpuUsage(began);
  const cpuMicrosPerRecord = Math.round((user + system) / events.length);
  const total = formatNanoUsd(billed(events));
  for (const [name, found] of [
    ['today', same],
    // The same again, as a draft: nothing may be taken from today's plan.
    ['today as a draft', await over(events, today, await scenario(config))],
  ] as const) {
    expect(`${name}: requests`, found.requests, events.length);
    expect(`${name}: kept`, found.kept, events.length);
    expect(`${name}: other order`, found.reordered, 0);
    expect(`${name}: unlike today`, found.unlikeToday, 0);
    expect(`${name}: billed`, found.wasUsd, total);
    expect(`${name}: difference`, found.differenceUsd, '0');
    expect(`${name}: largest`, found.largest.length, 0);
    expect(`${name}: complete`, found.complete, true);
  }
  // Limits of price would let fewer hosts in: without them only the bill changes.
  const unlimited = events.filter(
    ({ accountId, details }) => accountId !== 'capped' && details.preferences?.maxPrice === undefined,
  );
  const numbered = unlimited.map((event, index) => ({ ...event, requestId: `r-${index}` }));
  const twice = await over(numbered, today, await scenario(doubled(config)));
  expect('doubled: kept', twice.kept, numbered.length);
  expect('doubled: billed', twice.wasUsd, formatNanoUsd(billed(numbered)));
  expect('doubled: costs', twice.wouldUsd, formatNanoUsd(2n * billed(numbered)));
  expect(
    'doubled: by account',
    twice.byAccount.every(({ wasUsd, differenceUsd }) => wasUsd === differenceUsd),
    true,
  );
  expect(
    'doubled: by model',
    twice.byModel.every(({ wasUsd, differenceUsd }) => wasUsd === differenceUsd),
    true,
  );
  return {
    ok: problems.length === 0,
    problems,
    records: events.length,
    wasUsd: total,
    doubledUsd: twice.wouldUsd,
    cpuMicrosPerRecord,
    unknown: same.unknownBy,
  };
}
