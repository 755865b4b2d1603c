/**
 * What docs/operate/routing.md says, as the plainest program: every policy is asked for every member of every request. It shares no
 * code with the gateway.
 */
import {
  ALIASES,
  chanceOf,
  type Facts,
  type Installation,
  type MadePolicy,
  type MadeRequest,
  type Members,
  PARENTS,
  type Wishes,
} from './installation.ts';

export type Expected =
  | { readonly refused: string }
  | {
      /** `host model`, in order. */
      readonly plan: readonly string[];
      readonly steps: readonly { readonly from: number; readonly on: readonly string[] | 'any' }[];
      /** `host model why policy`, sorted. */
      readonly leftOut: readonly string[];
      /** `member policy`, sorted. */
      readonly decisions: readonly string[];
      readonly strict: boolean;
      readonly totalMs: number | undefined;
      /** `policy percent target`, where the target is `-` for a request that is not sent there first. */
      readonly canary: string | undefined;
    };

const LIMITS = ['only', 'ignore', 'trains', 'retention', 'region', 'maxPrice', 'strict'] as const;
const PREFERENCES = ['fallbacks', 'strategy', 'order', 'weights', 'timeouts', 'sticky', 'canary'] as const;
type Limit = (typeof LIMITS)[number];
type Preference = (typeof PREFERENCES)[number];

type Who = Pick<MadeRequest, 'account' | 'key' | 'tags' | 'protocol' | 'operation'>;
/** How specific a policy is for a request, the most important figure first, and by what the caller chose to come under it. */
type Specific = { readonly figures: readonly number[]; readonly chosen: string };

/** From the top down. */
const lineOf = (account: string): readonly string[] => {
  const above = PARENTS[account];
  return above === undefined ? [account] : [...lineOf(above), account];
};

/** Undefined: it does not apply. */
function specific({ scope = {}, match = {} }: MadePolicy, who: Who, id: string, asked: string): Specific | undefined {
  const line = lineOf(who.account);
  const { account, key, tag } = scope;
  if (account !== undefined && !line.includes(account)) return undefined;
  if (key !== undefined && (account !== who.account || key !== who.key)) return undefined;
  const [tagName = '', tagValue] = tag?.split('=') ?? [];
  if (tag !== undefined && who.tags[tagName] !== tagValue) return undefined;
  if (match.operations !== undefined && !match.operations.includes(who.operation)) return undefined;
  if (match.protocols !== undefined && !match.protocols.includes(who.protocol)) return undefined;
  const depth = account === undefined ? 0 : line.indexOf(account) + 1;
  const byId = nearness(match.models, id);
  const byName = byId ?? nearness(match.models, asked);
  if (byName === undefined) return undefined;
  const isAlias = byId === undefined;
  const kind = tag !== undefined ? 3 : key !== undefined ? 2 : account !== undefined ? 1 : 0;
  return {
    figures: [
      kind,
      kind === 2 ? 0 : depth,
      Number(isAlias),
      byName,
      Number(match.operations !== undefined),
      Number(match.protocols !== undefined),
    ],
    chosen: tag !== undefined ? `tag ${tagName} ${depth}` : isAlias ? 'alias' : '',
  };
}

/** Of the nearest of these patterns; an exact name is nearer than every prefix. */
function nearness(patterns: readonly string[] = ['*'], name: string): number | undefined {
  const found = patterns.flatMap((pattern) => {
    if (pattern === name) return [Number.POSITIVE_INFINITY];
    return pattern.endsWith('*') && name.startsWith(pattern.slice(0, -1)) ? [pattern.length] : [];
  });
  return found.length === 0 ? undefined : Math.max(...found);
}

const compare = (one: readonly number[], other: readonly number[]): number => {
  for (let at = 0; at < one.length; at++) if (one[at] !== other[at]) return one[at]! > other[at]! ? 1 : -1;
  return 0;
};

type Applied = { readonly policy: MadePolicy; readonly how: Specific };

/** Of policies that say the same, the first by name is recorded. */
const isBefore = (one: Applied, other: Applied): boolean => {
  const order = compare(one.how.figures, other.how.figures);
  return order > 0 || (order === 0 && one.policy.name < other.policy.name);
};

const best = (applied: readonly Applied[]): Applied | undefined =>
  applied.reduce<Applied | undefined>(
    (found, one) => (found === undefined || isBefore(one, found) ? one : found),
    undefined,
  );

const isLifted = (value: unknown, member: string): boolean =>
  value === null ||
  (member === 'trains' && value === true) ||
  ((member === 'strict' || member === 'sticky') && value === false);

type InForce = {
  readonly limits: readonly { readonly member: Limit; readonly policy: MadePolicy }[];
  readonly preferences: { readonly [P in Preference]?: MadePolicy };
};

/** A list of names says the same as several policies with one each. */
const single = ({ policies }: Installation): readonly MadePolicy[] =>
  policies.flatMap((policy) =>
    (policy.match?.models ?? ['*']).map((name) => ({ ...policy, match: { ...policy.match, models: [name] } })),
  );

function inForce(installation: Installation, who: Who, id: string, asked: string): InForce {
  const applied = single(installation).flatMap((policy) => {
    const how = specific(policy, who, id, asked);
    return how === undefined ? [] : [{ policy, how }];
  });
  const limits = LIMITS.flatMap((member) => {
    const saying = applied.filter(({ policy }) => policy[member] !== undefined);
    const choices = [...new Set(saying.map(({ how }) => how.chosen))].sort();
    return choices
      .map((choice) => best(saying.filter(({ how }) => how.chosen === choice))!.policy)
      .filter((policy) => !isLifted(policy[member], member))
      .filter((policy, at, all) => all.findIndex(({ name }) => name === policy.name) === at)
      .map((policy) => ({ member, policy }));
  });
  const preferences: { [P in Preference]?: MadePolicy } = {};
  for (const member of PREFERENCES) {
    if (member === 'fallbacks' && who.operation === 'embed') continue;
    const winner = best(applied.filter(({ policy }) => policy[member] !== undefined))?.policy;
    if (member === 'canary' && who.operation === 'embed' && winner?.canary?.model !== undefined) continue;
    if (winner !== undefined && !isLifted(winner[member], member)) preferences[member] = winner;
  }
  return { limits, preferences };
}

/** Why a host is not allowed, by one member; undefined: it is. */
function whyNot(member: Limit, said: Members, host: string, facts: Facts): string | undefined {
  switch (member) {
    case 'only':
      return said.only!.includes(host) ? undefined : 'not-among-providers';
    case 'ignore':
      return said.ignore!.includes(host) ? 'ignored' : undefined;
    case 'trains':
      return facts.trains === false ? undefined : 'may-train';
    case 'retention':
      return (facts.retentionDays ?? Number.POSITIVE_INFINITY) <= said.retention! ? undefined : 'may-retain';
    case 'region':
      return facts.region !== undefined && said.region!.includes(facts.region) ? undefined : 'other-region';
    case 'maxPrice':
      return (facts.price ?? Number.POSITIVE_INFINITY) <= said.maxPrice!.promptUsdPerMillion ? undefined : 'too-dear';
    case 'strict':
      return undefined;
  }
}

/** The caller's own reasons, in the order in which they are given. */
function whyUnwanted(wishes: Wishes, host: string, facts: Facts): string | undefined {
  const { providers, only, ignore } = wishes;
  if (providers?.includes(host) === false || only?.includes(host) === false) return 'not-among-providers';
  if (ignore?.includes(host) === true) return 'ignored';
  if (wishes.noTraining && facts.trains !== false) return 'may-train';
  if (wishes.zeroRetention && facts.retentionDays !== 0) return 'may-retain';
  if (wishes.region !== undefined && facts.region !== wishes.region) return 'other-region';
  return undefined;
}

/** What a request draws for one purpose: its conversation's own chance, if it has one and the draw is to last. */
const drawFor = (purpose: string, policy: string, isSticky: boolean, request: MadeRequest): number => {
  const { account, key, conversation, draw } = request;
  return isSticky && conversation ? chanceOf(purpose, policy, account, key, conversation.opening) : draw;
};

type Place = { readonly host: string; readonly model: string };
const shown = ({ host, model }: Place): string => `${host} ${model}`;

/** The hosts of some models in order, the caller's limits and health applied. `lead`: whose policy orders them. */
function ordered(
  groups: readonly (readonly Place[])[],
  lead: InForce,
  { facts }: Installation,
  request: MadeRequest,
  leftOut: string[],
  isCanary = false,
): readonly Place[] {
  const { wishes, out } = request;
  const wanted = groups.map((group) =>
    group.filter((place) => {
      const why = whyUnwanted(wishes, place.host, facts[place.host]!);
      if (why !== undefined) leftOut.push(`${shown(place)} ${why} -`);
      return why === undefined;
    }),
  );
  const all = wanted.flat();
  const serving = all.filter(({ host }) => !out.includes(host));
  const staying = serving.length === 0 ? all : serving;
  for (const place of all) if (!staying.includes(place)) leftOut.push(`${shown(place)} ejected -`);
  const plan = wanted.flatMap((group) =>
    inOrder(
      group.filter((place) => staying.includes(place)),
      lead.preferences,
      request,
      facts,
      isCanary,
    ),
  );
  if (wishes.noFallback !== true) return plan;
  for (const place of plan.slice(1)) leftOut.push(`${shown(place)} no-fallback -`);
  return plan.slice(0, 1);
}

function inOrder(
  group: readonly Place[],
  preferences: InForce['preferences'],
  request: MadeRequest,
  facts: Installation['facts'],
  isCanary: boolean,
): readonly Place[] {
  const { wishes } = request;
  const byPrice = (places: readonly Place[]): readonly Place[] =>
    places.toSorted((one, other) => (facts[one.host]!.price ?? 99) - (facts[other.host]!.price ?? 99));
  const leading = (places: readonly Place[], hosts: readonly string[]): readonly Place[] => [
    ...hosts.flatMap((host) => places.filter((place) => place.host === host)),
    ...places.filter(({ host }) => !hosts.includes(host)),
  ];
  if (wishes.providers ?? wishes.order ?? wishes.factor) {
    const listed = wishes.providers === undefined ? group : leading(group, wishes.providers);
    const sorted = wishes.factor === undefined ? listed : byPrice(group);
    return wishes.order === undefined ? sorted : leading(sorted, wishes.order);
  }
  const { weights, strategy, order, sticky, canary } = preferences;
  const host = canary?.canary?.host;
  if (host !== undefined && !isCanary) {
    const { canary: _, ...others } = preferences;
    const rest = group.filter((place) => place.host !== host);
    return [...inOrder(rest, others, request, facts, false), ...group.filter((place) => place.host === host)];
  }
  let places = strategy?.strategy === 'cost' ? byPrice(group) : group;
  if (weights?.weights != null && group.length > 1)
    places = byShare(group, weights.weights, drawFor('weights', weights.name, sticky !== undefined, request));
  if (order?.order != null) places = leading(places, order.order);
  return host === undefined ? places : leading(places, [host]);
}

function byShare(group: readonly Place[], shares: Readonly<Record<string, number>>, draw: number): readonly Place[] {
  const shareOf = ({ host }: Place): number => shares[host] ?? 0;
  const total = group.reduce((sum, place) => sum + shareOf(place), 0);
  let passed = 0;
  const drawn = group.find((place) => {
    passed += shareOf(place);
    return draw * total < passed;
  });
  const others = group.filter((place) => place !== drawn).toSorted((one, other) => shareOf(other) - shareOf(one));
  return drawn === undefined ? others : [drawn, ...others];
}

export function planOf(installation: Installation, request: MadeRequest): Expected {
  const { wishes, mayUse } = request;
  const [, pin] = request.asked.split(':');
  const leftOut: string[] = [];
  const asked = wishes.models ?? [request.asked];
  // The model of the call comes first, if it is listed.
  const names = wishes.models?.includes(request.asked) === true ? [...new Set([request.asked, ...asked])] : asked;
  const groups: { readonly places: readonly Place[]; readonly force: InForce }[] = [];
  let refused: string | undefined;
  for (const each of names) {
    const found = usable(each);
    if (typeof found === 'string') refused ??= found;
    else if (found.places.length > 0) groups.push(found);
  }
  const [first] = groups;
  if (first === undefined) return { refused: refused ?? 'malformed' };
  const force = first.force;
  const isOneGroup = wishes.factor !== undefined;
  const byModel = groups.map(({ places }) => places);
  const mayLeave = wishes.models === undefined && wishes.noFallback !== true && pin === undefined;
  const namesHosts = (wishes.providers ?? wishes.order ?? wishes.factor ?? wishes.only) !== undefined;
  const said = force.preferences.canary;
  const isDrawnFor =
    said?.canary != null &&
    mayLeave &&
    !namesHosts &&
    !installation.steppedBack.includes(said.name) &&
    (said.canary.model === undefined || (ALIASES[said.canary.model] ?? said.canary.model) !== first.places[0]!.model);
  const isCanary = isDrawnFor && drawFor('canary', said.name, true, request) * 100 < said.canary!.percent;
  const plan = [...ordered(isOneGroup ? [byModel.flat()] : byModel, force, installation, request, leftOut, isCanary)];
  if (plan.length === 0) return { refused: leftOut.some((line) => !line.endsWith(' -')) ? 'forbidden' : 'malformed' };
  const steps: { from: number; on: readonly string[] | 'any' }[] = [];
  let strict = groups.some((one) => isStrict(one.force));
  let target: Place | undefined;
  if (isCanary) {
    const { model, host } = said.canary!;
    target = model === undefined ? plan.find((place, at) => at === 0 && place.host === host) : canaryAt(model);
    if (target !== undefined) {
      const others = plan.filter((place) => shown(place) !== shown(target!));
      plan.splice(0, plan.length, target, ...others);
      if (others.length > 0) steps.push({ from: 1, on: 'any' });
    }
  }
  for (const { model, on } of (mayLeave && force.preferences.fallbacks?.fallbacks) || []) {
    const found = usable(model);
    if (typeof found === 'string') continue;
    strict ||= isStrict(found.force);
    const more = ordered([found.places], found.force, installation, request, leftOut);
    const fresh = more.filter((place) => !plan.some((one) => shown(one) === shown(place)));
    if (fresh.length === 0) continue;
    steps.push({ from: plan.length, on: on ?? ['error', 'over-rate', 'context-exceeded'] });
    plan.push(...fresh);
  }
  const decisions = [
    ...force.limits.map(({ member, policy }) => `${member} ${policy.name}`),
    ...Object.entries(force.preferences).map(([member, policy]) => `${member} ${policy.name}`),
  ];
  return {
    plan: plan.map(shown),
    steps,
    leftOut: [...new Set(leftOut)].sort(),
    decisions: decisions.sort(),
    strict,
    totalMs: force.preferences.timeouts?.timeouts?.totalMs,
    canary: isDrawnFor
      ? `${said.name} ${said.canary!.percent} ${target === undefined ? '-' : shown(target)}`
      : undefined,
  };

  /** Where a canary to another model is sent first: within the limits of both models. */
  function canaryAt(model: string): Place | undefined {
    const found = usable(model);
    if (typeof found === 'string') return undefined;
    const places = found.places.filter((place) => isWithin(place, force));
    if (places.length === 0) return undefined;
    strict ||= isStrict(found.force);
    return ordered([places], found.force, installation, request, leftOut)[0];
  }

  function isWithin(place: Place, { limits }: InForce): boolean {
    for (const { member, policy } of limits) {
      const why = whyNot(member, policy, place.host, installation.facts[place.host]!);
      if (why === undefined) continue;
      leftOut.push(`${shown(place)} ${why} ${policy.name}`);
      return false;
    }
    return true;
  }

  function usable(word: string): { readonly places: readonly Place[]; readonly force: InForce } | string {
    const [alias = '', host] = word.split(':');
    const model = ALIASES[alias] ?? alias;
    const force = inForce(installation, request, model, alias);
    const hosts = installation.models[model]!.flatMap((each) =>
      host === undefined || each === host ? [{ host: each, model }] : [],
    );
    if (mayUse?.includes(model) === false) {
      for (const place of hosts) leftOut.push(`${shown(place)} forbidden -`);
      return 'forbidden';
    }
    const places = hosts.filter((place) => isWithin(place, force));
    return places.length === 0 && hosts.length > 0 ? 'forbidden' : { places, force };
  }
}

const isStrict = ({ limits }: InForce): boolean => limits.some(({ member }) => member === 'strict');

/** Pairs of policies that contradict each other, found by asking for every request there could be. */
export function contradictions(installation: Installation): readonly string[] {
  const found = new Set<string>();
  const policies = single(installation);
  for (const [who, id, asked] of REQUESTS) {
    const applied = policies.flatMap((policy) => {
      const how = specific(policy, who, id, asked);
      return how === undefined ? [] : [{ policy, how }];
    });
    for (const [at, one] of applied.entries())
      for (const other of applied.slice(at + 1))
        if (one.policy.name !== other.policy.name && compare(one.how.figures, other.how.figures) === 0)
          if (disagree(one, other)) found.add(`${one.policy.name} ${other.policy.name}`);
  }
  return [...found].sort();
}

const disagree = (one: Applied, other: Applied): boolean =>
  [...LIMITS, ...PREFERENCES].some((member) => {
    // Limits that the caller chose by different tags hold together.
    if (one.how.chosen !== other.how.chosen && LIMITS.some((limit) => limit === member)) return false;
    const [a, b] = [one.policy[member], other.policy[member]];
    return a !== undefined && b !== undefined && sorted(a) !== sorted(b);
  });

const sorted = (value: unknown): string =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? JSON.stringify(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
    : JSON.stringify(value);

/** With names that only prefixes match. */
const NAMES = [
  ['p/a', 'p/a'],
  ['p/b', 'p/b'],
  ['p/c', 'p/c'],
  ['q/a', 'q/a'],
  ['q/c', 'q/c'],
  ['z/z', 'z/z'],
  ['z/z', 'fast'],
  ['z/z', 'fx'],
] as const;

const REQUESTS = [...everyRequest()];

function* everyRequest(): Generator<readonly [Who, id: string, asked: string]> {
  for (const account of ['acme', 'team', 'squad', 'other'])
    for (const key of ['k1', 'k2'])
      for (const tags of [{ team: 'x', env: 'prod' }, { team: 'y', env: 'prod' }, {}])
        for (const protocol of ['chat', 'messages'] as const)
          for (const operation of ['text', 'embed'] as const)
            for (const [id, asked] of NAMES) yield [{ account, key, tags, protocol, operation }, id, asked];
}
