/**
 * Retries and failover: after a failed attempt, which host is next and after how long a pause. Pure: health and jitter
 * are parameters, and equal inputs give equal results. A plan with one host never leads to another.
 */

/** A host to try; `spares` are the same host under the operator's other credentials. */
export type Routable<T> = { readonly provider: string; readonly spares?: readonly T[] };

/** What a failure means for a retry. */
export type Failed = {
  /** Another host may succeed. */
  readonly elsewhere: boolean;
  /** The host cannot have executed the request. */
  readonly unexecuted: boolean;
  /** The failure is our credential's: refused, or its quota used up. */
  readonly credential: boolean;
  /** The host reported that it is busy: it may be retried after a pause. */
  readonly busy: boolean;
  /** Not the host's fault: a pooled connection or a cached token had expired. Retry the same with a new one. */
  readonly lapsed: boolean;
  /** The host refuses the caller's request with its own message. */
  readonly refusal: boolean;
  /** The prompt exceeds the model's context there: only a larger one may take it. */
  readonly tooLong: boolean;
  readonly retryAfterMs: number | undefined;
  /** The kind of failure that fallbacks to other models name; undefined: none of them. */
  readonly kind?: FallbackKind | undefined;
};

export type FallbackKind = 'error' | 'over-rate' | 'context-exceeded' | 'content-filter';

/** From this place of the plan on, the places of another model, which is called after these failures only. */
export type FallbackStep = {
  readonly from: number;
  /** `any`: behind a canary, whose failures must not reach the caller. */
  readonly on: readonly FallbackKind[] | 'any';
};

export type FailedAttempt<T> = { readonly target: T; readonly failed: Failed };

export type RetryRules = {
  /** Including the first attempt. */
  readonly maxAttempts: number;
  /** In ms, before the same host is retried; doubled each time, with jitter. */
  readonly backoffMs: number;
  /** In ms; a host that demands a longer wait is not retried. */
  readonly maxWaitMs: number;
  /** For calls that must not run twice: retry only after failures that prove that nothing was executed. */
  readonly onlyUnexecuted?: boolean;
  /** The caller allows the next host even after a refusal. */
  readonly afterRefusals?: boolean;
  /** The operator's fallbacks to other models, in order; each may be called once more than `maxAttempts` says. */
  readonly steps?: readonly FallbackStep[] | undefined;
};

export type World<T> = {
  /** In ms; 0 for a target in service. */
  readonly cooldownMs: (target: T) => number;
  /** Length of the context in tokens; 0 where it is not known. */
  readonly contextOf: (target: T) => number;
  /** From 0 to 1. */
  readonly jitter: number;
};

export type Next<T> =
  | { readonly ask: T; readonly waitMs: number; readonly newConnection: boolean }
  | { readonly why: WhyNoMore };
type WhyNoMore = 'attempts' | 'final' | 'maybe-executed' | 'no-host' | 'too-long';

/**
 * Where a request starts: the first target in service, or else the first of the plan. A fallback to another model only
 * where it follows errors.
 */
export const firstInService = <T extends Routable<T>>(
  plan: readonly T[],
  cooldownMs: World<T>['cooldownMs'],
  steps: readonly FallbackStep[] = [],
): T | undefined =>
  stagesOf(plan, steps, 0, true, 'error')
    .flat()
    .flatMap(withSpares)
    .find((target) => cooldownMs(target) === 0) ?? plan[0];

/**
 * The places that may be called after a failure of this kind: the others of the same model, then model by model those
 * of the operator's fallbacks. Without fallbacks the plan is one stage.
 */
function stagesOf<T>(
  plan: readonly T[],
  steps: readonly FallbackStep[],
  current: number,
  goesOn: boolean,
  kind: FallbackKind | undefined,
): readonly (readonly T[])[] {
  const after = steps.slice(current).map(({ from, on }, index) => {
    const isMeant = on === 'any' || (kind !== undefined && on.includes(kind));
    return isMeant ? plan.slice(from, steps[current + index + 1]?.from) : [];
  });
  return goesOn ? [plan.slice(steps[current - 1]?.from ?? 0, steps[current]?.from), ...after] : after;
}

/** `tries`: the attempts of this request so far, in order; never empty. */
export function nextAsk<T extends Routable<T>>(
  plan: readonly T[],
  tries: readonly FailedAttempt<T>[],
  rules: RetryRules,
  world: World<T>,
): Next<T> {
  const last = tries.at(-1);
  const { steps = [] } = rules;
  if (last === undefined || tries.length >= rules.maxAttempts + steps.length) return { why: 'attempts' };
  const { failed, target } = last;
  const isSpent = tries.length >= rules.maxAttempts;
  const goesOn = !isSpent && (failed.elsewhere || (failed.refusal && rules.afterRefusals === true));
  const place = plan.findIndex((one) => withSpares(one).includes(target));
  const current = steps.findLastIndex(({ from }) => place >= from) + 1;
  const stages = stagesOf(plan, steps, current, goesOn, failed.kind);
  if (stages.every(({ length }) => length === 0) && !(failed.lapsed && !isSpent))
    return { why: isSpent ? 'attempts' : 'final' };
  if (rules.onlyUnexecuted === true && !failed.unexecuted) return { why: 'maybe-executed' };
  if (failed.lapsed && !isSpent && tries.filter((one) => one.failed.lapsed).length === 1)
    return { ask: target, waitMs: 0, newConnection: true };
  for (const stage of stages) {
    const large = largeEnough(stage, tries, world);
    const other = (failed.credential ? spareOf(large, tries, world) : undefined) ?? otherHost(large, tries, world);
    if (other !== undefined) return { ask: other, waitMs: 0, newConnection: false };
  }
  if (!failed.busy || !goesOn) return { why: 'no-host' };
  const pauseMs = backOffMs(tries.length, rules, world.jitter);
  const waitMs = Math.max(pauseMs, failed.retryAfterMs ?? 0, world.cooldownMs(target));
  return waitMs > rules.maxWaitMs ? { why: 'too-long' } : { ask: target, waitMs, newConnection: false };
}

/** Once a context was too short, only hosts with a longer or an unknown context are tried. */
function largeEnough<T extends Routable<T>>(
  plan: readonly T[],
  tries: readonly FailedAttempt<T>[],
  { contextOf }: World<T>,
): readonly T[] {
  const tooShort = tries.filter(({ failed }) => failed.tooLong).map(({ target }) => contextOf(target));
  if (tooShort.length === 0) return plan;
  const most = Math.max(...tooShort);
  return plan.filter((place) => contextOf(place) === 0 || contextOf(place) > most);
}

/**
 * Backoff in ms after this many consecutive failures, with full jitter, so that clients that failed together do not
 * retry together.
 */
export const backOffMs = (
  failures: number,
  { backoffMs, maxWaitMs }: Pick<RetryRules, 'backoffMs' | 'maxWaitMs'>,
  jitter: number,
): number => jitter * Math.min(maxWaitMs, backoffMs * 2 ** (failures - 1));

const withSpares = <T extends Routable<T>>(place: T): readonly T[] =>
  place.spares === undefined ? [place] : [place, ...place.spares];

function spareOf<T extends Routable<T>>(
  plan: readonly T[],
  tries: readonly FailedAttempt<T>[],
  world: World<T>,
): T | undefined {
  const last = tries.at(-1)?.target;
  const place = plan.find((one) => last !== undefined && withSpares(one).includes(last));
  return place === undefined ? undefined : untried(place, tries, world);
}

/** A host that has not been tried yet; else another wire format of one that has. */
function otherHost<T extends Routable<T>>(
  plan: readonly T[],
  tries: readonly FailedAttempt<T>[],
  world: World<T>,
): T | undefined {
  const unasked = plan.filter(
    (place) => !withSpares(place).some((target) => tries.some((one) => one.target === target)),
  );
  const elsewhere = unasked.filter(({ provider }) => !tries.some(({ target }) => target.provider === provider));
  for (const place of [...elsewhere, ...unasked]) {
    const target = untried(place, tries, world);
    if (target !== undefined) return target;
  }
  return undefined;
}

const untried = <T extends Routable<T>>(
  place: T,
  tries: readonly FailedAttempt<T>[],
  { cooldownMs }: World<T>,
): T | undefined =>
  withSpares(place).find((target) => cooldownMs(target) === 0 && !tries.some((one) => one.target === target));
