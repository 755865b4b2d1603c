/** Bytes that a call allocates with something in the configuration, such as a routing policy, beside the same call without. */

import { ask, type Question } from '../../tests/rt/parts/ask.ts';
import type { Host } from '../../tests/rt/parts/dialect-hosts.ts';
import { modelAt, providerOf } from '../../tests/rt/parts/dialect-hosts.ts';
import { KEY } from '../../tests/rt/parts/gateway-process.ts';
import type { Stage } from '../../tests/rt/parts/stage.ts';
import { allocatedBy, COVERAGE_PROBE } from './coverage-question.ts';

/** Optimized code allocates less: what is optimized late must not count for one of the two. */
const WARM_UPS = 2000;
const CALLS = 200;
const ROUNDS = 6;

export const POLICIES = [
  { name: 'all', retention: null, timeouts: { totalMs: 60_000 } },
  { name: 'shares', match: { models: ['path/choice'] }, weights: { one: 70, two: 30 }, only: ['one', 'two'] },
];

export type Allocation = { readonly without: number; readonly under: number; readonly ratio: number };

/**
 * Undefined where this Node does not count what is allocated. `under`: what is added to the configuration. `question`: of
 * the model `path/choice`.
 */
export async function allocationOf(
  stage: Stage,
  hosts: readonly Host[],
  under: { readonly providers?: object; readonly [section: string]: unknown },
  question: (url: string) => Question,
): Promise<Allocation | undefined> {
  const config = {
    providers: Object.assign({}, ...hosts.map(providerOf)) as object,
    models: [modelAt('path/choice', hosts)],
    keys: [{ name: 'path', secret: KEY }],
  };
  const opened = async (name: string, added: typeof under) => {
    const providers = { ...config.providers, ...added.providers };
    const options = { name: `${name}-${Object.keys(under).join('-')}`, probed: true, imports: [COVERAGE_PROBE] };
    const gateway = await stage.gateway({ ...config, ...added, providers }, options);
    return { gateway, least: Number.POSITIVE_INFINITY };
  };
  const both = { without: await opened('without', {}), under: await opened('under', under) };
  const call = async (url: string): Promise<void> => {
    const { status, text } = await ask(question(url));
    if (status !== 200) throw new Error(`answered with ${status}: ${text.slice(0, 300)}`);
  };
  for (const { gateway } of Object.values(both)) for (let at = 0; at < WARM_UPS; at++) await call(gateway.url);
  for (let round = 0; round < ROUNDS; round++)
    for (const one of Object.values(both)) {
      const before = await allocatedBy(one.gateway.child);
      if (before === 0) return undefined;
      for (let at = 0; at < CALLS; at++) await call(one.gateway.url);
      one.least = Math.min(one.least, ((await allocatedBy(one.gateway.child)) - before) / CALLS);
    }
  const [without, bytes] = [Math.round(both.without.least), Math.round(both.under.least)];
  return { without, under: bytes, ratio: Number((bytes / without).toFixed(3)) };
}
