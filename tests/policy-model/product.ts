/** The same question to the gateway's own planner, in the form of the model's answer. */
import { GatewayError, type NamedList, type RoutingPreferences } from '@trivium/protocol/canonical';
import { scanMembers } from '@trivium/protocol/framing';
import type { PlanPorts } from '../../packages/gateway/src/calls/plan/plan-among.ts';
import { resolve } from '../../packages/gateway/src/calls/plan/resolve.ts';
import type { Understood } from '../../packages/gateway/src/calls/request.ts';
import type { CanaryDecision } from '../../packages/gateway/src/kernel/record.ts';
import type { DirectoryEntry, Target } from '../../packages/gateway/src/kernel/target.ts';
import { compilePolicies } from '../../packages/gateway/src/models/policies/compile.ts';
import type { Policy } from '../../packages/gateway/src/models/policies/contract.ts';
import { PolicySet } from '../../packages/gateway/src/models/policies/policy-set.ts';
import {
  ALIASES,
  chanceOf,
  type Facts,
  HOSTS,
  type Installation,
  type MadeRequest,
  PARENTS,
  type Wishes,
} from './installation.ts';
import type { Expected } from './model.ts';

const PICO = 1_000_000_000_000n;
/** Three tokens in to one out. */
const MIXED = 4n;

function targetOf(provider: string, modelId: string, { price, ...facts }: Facts): Target {
  const picoUsd = price === undefined ? undefined : BigInt(price) * PICO;
  const route = {
    isMaker: false,
    picoUsd: picoUsd && picoUsd * MIXED,
    promptPicoUsd: picoUsd,
    completionPicoUsd: picoUsd,
    cacheReadPicoUsd: undefined,
    contextLength: 0,
    maxOutputTokens: 0,
    ...facts,
  };
  return { provider, modelId, routeKey: `${provider} ${modelId} x`, shape: 0, route } as unknown as Target;
}

export const problemsOf = ({ policies }: Installation): readonly string[] =>
  compilePolicies(policies as readonly Policy[])
    .problems.map(({ policy, other, message }) => (other === undefined ? message : [other, policy].sort().join(' ')))
    .sort();

/** One for all requests of an installation, as in the gateway. */
export class Product {
  readonly #policies: PolicySet;
  readonly #entries: ReadonlyMap<string, DirectoryEntry>;

  constructor({ models, facts, policies, steppedBack }: Installation) {
    const { compiled } = compilePolicies(policies as readonly Policy[]);
    this.#policies = new PolicySet(
      compiled,
      (account) => PARENTS[account],
      new Map(steppedBack.map((name) => [name, true])),
    );
    this.#entries = new Map(
      Object.entries(models).map(([id, hosts]) => [
        id,
        {
          id,
          outputModalities: new Set(['text', 'embedding']),
          targets: hosts.map((host) => targetOf(host, id, facts[host]!)),
        },
      ]),
    );
  }

  planOf(request: MadeRequest): Expected {
    const { account, key, tags, protocol, operation, asked, wishes, mayUse } = request;
    const body = bodyOf(request);
    const understood = {
      caller: {
        accountId: account,
        keyId: key,
        strict: false,
        mayUse: (model: string) => mayUse?.includes(model) ?? true,
      },
      tags,
      protocol,
      dialect: { operation, server: body === undefined ? {} : { caching: { prompt: ['tools', 'messages'] } } },
      headers: new Map(),
      strict: false,
      text: body ?? '',
      members: body === undefined ? [] : scanMembers(body, 10),
      understanding: { model: asked, media: [], losses: [], stream: false, routing: preferencesOf(wishes) },
    } as unknown as Understood;
    try {
      const planned = resolve(understood, this.#portsFor(request));
      return {
        plan: planned.plan.map(({ provider, modelId }) => `${provider} ${modelId}`),
        steps: planned.steps ?? [],
        leftOut: [
          ...new Set(
            (planned.leftOut ?? []).map((one) => `${one.provider} ${one.modelId} ${one.why} ${one.policy ?? '-'}`),
          ),
        ].sort(),
        decisions: (planned.decidedBy?.policies ?? []).map(({ member, policy }) => `${member} ${policy}`).sort(),
        strict: planned.strict,
        totalMs: planned.timeouts?.totalMs,
        canary: canaryOf(planned.decidedBy?.canary),
      };
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      return { refused: error.fault.kind };
    }
  }

  #portsFor({ out, draw }: MadeRequest): PlanPorts {
    const directory = {
      find: (name: string) => this.#entries.get(ALIASES[name] ?? name),
      hosts: new Set<string>(HOSTS),
      absence: () => ({ kind: 'unknown', nearest: [] }),
    };
    return {
      directory,
      policies: this.#policies,
      turns: { next: () => 0, peek: () => 0 },
      health: { cooldownMs: (routeKey: string) => (out.includes(routeKey[0]!) ? 1 : 0) },
      paces: { of: () => ({ firstTokenMs: undefined, waiting: 0 }) },
      caches: { find: () => undefined },
      clock: { monotonicMs: () => 0 },
      random: () => draw,
      digest: (text: string) => text,
      fractionOf,
      fetchesMedia: false,
    } as unknown as PlanPorts;
  }
}

/** As callers send it: instructions that change, the first turn, and those after it. */
function bodyOf({ conversation }: MadeRequest): string | undefined {
  if (conversation === undefined) return undefined;
  const { opening, turns } = conversation;
  const mark = turns === 1 ? ', "cache_control": {"type": "ephemeral"}' : '';
  const later = Array.from({ length: turns - 1 }, (_, turn) => `{"role":"assistant","content":"${turn}"}`);
  const first = `{"role":"user","content":["${opening}\\"role\\":\\"system\\""]${mark}}`;
  return `{"messages": [{"content":"It is turn ${turns}","role":"system"}, ${[first, ...later].join()}]}`;
}

/** The chance of the words in the text; a text with more or other words draws something else. */
function fractionOf(text: string): number {
  const [, purpose = '', policy = '', account = '', key = '', turn = ''] =
    /^(\w+) (\w+)\n(\w+) (\w+)\n\n(.*)$/s.exec(text) ?? [];
  const [, opening = text] = /^\{"role":"user","content":\["([a-z ]+)\\"role\\":\\"system\\""\]\}$/.exec(turn) ?? [];
  return chanceOf(purpose, policy, account, key, opening);
}

const canaryOf = (canary: CanaryDecision | undefined): string | undefined => {
  if (canary === undefined) return undefined;
  const { policy, percent, sentTo } = canary;
  return `${policy} ${percent} ${sentTo === undefined ? '-' : `${sentTo.provider} ${sentTo.modelId}`}`;
};

const named = (field: string, names: readonly string[]): NamedList => ({
  field,
  names: names.map((name) => ({ name, field })),
});

function preferencesOf(wishes: Wishes): RoutingPreferences | undefined {
  const { providers, only, ignore, order, factor, region, zeroRetention, noTraining, noFallback, models } = wishes;
  if (Object.keys(wishes).length === 0) return undefined;
  return {
    ...(providers && { providers: named('providers', providers) }),
    ...(only && { only: named('only', only) }),
    ...(ignore && { ignore: named('ignore', ignore) }),
    ...(order && { order: named('order', order) }),
    ...(factor && { factor }),
    ...(region && { regions: named('region', [region]) }),
    ...(zeroRetention && { zeroRetention: 'zdr' }),
    ...(noTraining && { noTraining: 'training' }),
    ...(noFallback && { fallback: { name: 'false', field: 'fallback' } }),
    ...(models && { models: named('models', models) }),
  };
}
