// How LiteLLM's router chooses among the deployments of a name, and what follows a failure, as routing policies.

import type { DraftFallback, DraftGroup, ImportDraft } from './draft.ts';
import { listOf, membersOf, type RawMembers, textOf } from './values.ts';

export interface Shares {
  readonly weight: number | undefined;
  readonly rpm: number | undefined;
  readonly tpm: number | undefined;
  readonly order: number | undefined;
}

const BY_SHARES = new Set(['simple-shuffle', 'usage-based-routing', 'usage-based-routing-v2']);
const STRATEGIES: Readonly<Record<string, string>> = {
  'cost-based-routing': 'cost',
  'latency-based-routing': 'speed',
  'least-busy': 'least_latency',
};

/** `first`: how many of the places are called before any failure. */
export function readStrategy(
  group: DraftGroup,
  shares: readonly Shares[],
  first: number,
  strategy: string,
  draft: ImportDraft,
): void {
  if (group.places.length < 2) return;
  if (strategy === 'least-busy')
    draft.note(
      'routing_strategy least-busy',
      'becomes strategy least_latency: of two random providers the one with the faster first token, waiting requests included',
    );
  if (strategy.startsWith('usage-based'))
    draft.note(
      `routing_strategy ${strategy}`,
      'becomes shares by the limits of the deployments: what each was used for in this minute does not count',
    );
  const ours = STRATEGIES[strategy];
  if (ours === undefined && !BY_SHARES.has(strategy))
    draft.note(`routing_strategy ${strategy}`, 'there is none like it: deployments get shares, as without a strategy');
  if (ours === undefined) {
    const weights = weightsOf(group, shares.slice(0, first), draft);
    if (weights !== undefined) group.rules.weights = weights;
    return;
  }
  group.rules.strategy = ours;
  if (first === group.places.length) return;
  if (first === 1) group.rules.order = [group.places[0]?.provider ?? ''];
  else draft.note(`${group.name}: order`, `not beside routing_strategy ${strategy}: all deployments are compared`);
}

/** LiteLLM looks at the first deployment for the member that counts; one without it gets nothing before a failure. */
function weightsOf(
  { name, places }: DraftGroup,
  shares: readonly Shares[],
  draft: ImportDraft,
): Readonly<Record<string, number>> | undefined {
  const member = (['weight', 'rpm', 'tpm'] as const).find((one) => shares[0]?.[one] !== undefined);
  const given = shares.map((one) => (member === undefined ? 1 : (one[member] ?? 0)));
  const amounts = given.some((one) => one > 0) ? given : new Array<number>(given.length).fill(1);
  const called = places.slice(0, shares.length);
  const weights: Record<string, number> = {};
  for (const [at, { provider, credential }] of called.entries()) {
    const there = called.filter((one) => one.provider === provider);
    const isShared = there.length > 1;
    const twins = there.filter((one) => one.credential === credential).length;
    if (isShared && twins > 1)
      draft.note(
        `${name}: several deployments at ${provider} under one credential`,
        `they are one there, with the sum of their shares`,
      );
    const key = isShared && credential > 0 ? `${provider}#${credential}` : provider;
    weights[key] = (weights[key] ?? 0) + (amounts[at] ?? 0);
  }
  // One place alone needs no share, unless others come after it.
  return Object.keys(weights).length === 1 && places.every(({ provider }) => provider === places[0]?.provider)
    ? undefined
    : weights;
}

const ALWAYS = ['error', 'over-rate'] as const;
const MAX_FALLBACKS = 8;

/** In LiteLLM, fallbacks of a special kind replace the general ones for their kind of failure, for all models. */
export function readFallbacks(router: RawMembers, litellm: RawMembers, draft: ImportDraft): void {
  const all = (member: string): readonly unknown[] => [...listOf(router[member]), ...listOf(litellm[member])];
  const lists = {
    general: listsIn(all('fallbacks'), 'fallbacks', draft),
    context: listsIn(all('context_window_fallbacks'), 'context_window_fallbacks', draft),
    content: listsIn(all('content_policy_fallbacks'), 'content_policy_fallbacks', draft),
  };
  const always = [...namesIn(all('default_fallbacks'), 'default_fallbacks', draft), ...(lists.general.get('*') ?? [])];
  const kinds = [
    ...ALWAYS,
    ...(lists.context.size === 0 ? ['context-exceeded'] : []),
    ...(lists.content.size === 0 ? ['content-filter'] : []),
  ];
  const fallbacksOf = (name: string): readonly DraftFallback[] => {
    const on = new Map<string, string[]>();
    const add = (models: readonly string[] = [], kindsOf: readonly string[]): void => {
      for (const model of models.filter((one) => one !== name))
        on.set(model, [...(on.get(model) ?? []), ...kindsOf.filter((kind) => on.get(model)?.includes(kind) !== true)]);
    };
    add(lists.general.get(name) ?? always, kinds);
    add(lists.context.get(name), ['context-exceeded']);
    add(lists.content.get(name), ['content-filter']);
    return limited(
      [...on].map(([model, after]) => ({ model, on: after })),
      `fallbacks of ${name}`,
      draft,
    );
  };
  if (always.length > 0) draft.rules.fallbacks = fallbacksOf('*');
  const named = new Set([...lists.general.keys(), ...lists.context.keys(), ...lists.content.keys()]);
  for (const name of [...named].filter((one) => one !== '*')) {
    const group = draft.groups.get(name);
    const fallbacks = fallbacksOf(name);
    if (group === undefined) draft.note(`fallbacks of ${name}`, 'no model of this name was imported');
    else if (fallbacks.length > 0) group.rules.fallbacks = fallbacks;
  }
}

function limited(fallbacks: readonly DraftFallback[], what: string, draft: ImportDraft): readonly DraftFallback[] {
  if (fallbacks.length > MAX_FALLBACKS) draft.note(what, `the first ${MAX_FALLBACKS} of ${fallbacks.length}`);
  return fallbacks.slice(0, MAX_FALLBACKS);
}

/** `[{ gpt-4o: [claude] }]`, by name. */
function listsIn(
  entries: readonly unknown[],
  what: string,
  draft: ImportDraft,
): ReadonlyMap<string, readonly string[]> {
  const lists = new Map<string, readonly string[]>();
  for (const entry of entries)
    for (const [name, models] of Object.entries(membersOf(entry)))
      if (!lists.has(name)) lists.set(name, namesIn(listOf(models), `${what} of ${name}`, draft));
  return lists;
}

function namesIn(entries: readonly unknown[], what: string, draft: ImportDraft): readonly string[] {
  return entries.flatMap((entry) => {
    const members = membersOf(entry);
    const name = textOf(entry) ?? textOf(members['model']);
    if (Object.keys(members).length > 1)
      draft.note(`${what}: parameters of ${name ?? 'a fallback'}`, 'a fallback gets the request as it is');
    if (name !== undefined && draft.isServed(name)) return [name];
    draft.note(`${what}: ${name ?? JSON.stringify(entry)}`, 'left out: no model of this name was imported');
    return [];
  });
}
