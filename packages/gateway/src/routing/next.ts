/**
 * After a failed try: whom to ask next, and after how long a pause. Pure: what is known of health and the jitter are handed
 * in, and equal inputs give equal answers. Whoever gives a plan of one host is never sent to another.
 */

/** A host to ask; `spares` are the same host under the operator's other credentials. */
export type Routable<T> = { readonly provider: string; readonly spares?: readonly T[] };

/** What a failure says about asking again. */
export type Failed = {
  /** Another host may do better. */
  readonly elsewhere: boolean;
  /** The host cannot have carried the request out. */
  readonly unexecuted: boolean;
  /** It was our credential: refused, or used up. */
  readonly credential: boolean;
  /** The host is busy and said so: it may be asked again after a pause. */
  readonly busy: boolean;
  /** Nothing of the host's: a kept connection or token had run out. The same again, with a new one. */
  readonly lapsed: boolean;
  /** The host refuses what the caller sent, in its own words. */
  readonly refusal: boolean;
  /** The prompt is longer than the model's context there: only a larger one may take it. */
  readonly tooLong: boolean;
  readonly retryAfterMs: number | undefined;
};

export type Try<T> = { readonly target: T; readonly failed: Failed };

export type RetryRules = {
  /** The first one included. */
  readonly maxAttempts: number;
  /** Before the same host is asked again; doubled each time, and diced. */
  readonly backoffMs: number;
  /** Whoever wants us to wait longer is not asked again. */
  readonly maxWaitMs: number;
  /** For what must not happen twice: only after failures that prove that nothing has happened. */
  readonly onlyUnexecuted?: boolean;
  /** The caller wants the next host asked even after a refusal. */
  readonly afterRefusals?: boolean;
};

export type World<T> = {
  /** 0 for whoever is in service. */
  readonly outForMs: (target: T) => number;
  /** Length of the context in tokens; 0 where it is not known. */
  readonly contextOf: (target: T) => number;
  /** From 0 to 1. */
  readonly jitter: number;
};

export type Next<T> =
  | { readonly ask: T; readonly waitMs: number; readonly anew: boolean }
  | { readonly why: WhyNoMore };
type WhyNoMore = 'attempts' | 'final' | 'maybe-executed' | 'nobody' | 'too-long';

/** Where a request begins: the first in service, or the first at all. */
export const firstInService = <T extends Routable<T>>(
  plan: readonly T[],
  outForMs: World<T>['outForMs'],
): T | undefined => plan.flatMap(withSpares).find((target) => outForMs(target) === 0) ?? plan[0];

/** `tries` are those of this request so far, the last one last; never empty. */
export function nextAsk<T extends Routable<T>>(
  plan: readonly T[],
  tries: readonly Try<T>[],
  rules: RetryRules,
  world: World<T>,
): Next<T> {
  const last = tries.at(-1);
  if (last === undefined || tries.length >= rules.maxAttempts) return { why: 'attempts' };
  const { failed, target } = last;
  const goesOn = failed.elsewhere || (failed.refusal && rules.afterRefusals === true);
  if (!goesOn && !failed.lapsed) return { why: 'final' };
  if (rules.onlyUnexecuted === true && !failed.unexecuted) return { why: 'maybe-executed' };
  if (failed.lapsed && tries.filter((one) => one.failed.lapsed).length === 1)
    return { ask: target, waitMs: 0, anew: true };
  const large = largeEnough(plan, tries, world);
  const other = (failed.credential ? spareOf(large, tries, world) : undefined) ?? otherHost(large, tries, world);
  if (other !== undefined) return { ask: other, waitMs: 0, anew: false };
  if (!failed.busy) return { why: 'nobody' };
  const pauseMs = backOffMs(tries.length, rules, world.jitter);
  const waitMs = Math.max(pauseMs, failed.retryAfterMs ?? 0, world.outForMs(target));
  return waitMs > rules.maxWaitMs ? { why: 'too-long' } : { ask: target, waitMs, anew: false };
}

/** Once a context was too short, only hosts with a longer or an unknown context are asked. */
function largeEnough<T extends Routable<T>>(
  plan: readonly T[],
  tries: readonly Try<T>[],
  { contextOf }: World<T>,
): readonly T[] {
  const tooShort = tries.filter(({ failed }) => failed.tooLong).map(({ target }) => contextOf(target));
  if (tooShort.length === 0) return plan;
  const most = Math.max(...tooShort);
  return plan.filter((place) => contextOf(place) === 0 || contextOf(place) > most);
}

/** After so many failures in a row. Diced over its whole length, so that many who failed together do not ask together. */
export const backOffMs = (
  failures: number,
  { backoffMs, maxWaitMs }: Pick<RetryRules, 'backoffMs' | 'maxWaitMs'>,
  jitter: number,
): number => jitter * Math.min(maxWaitMs, backoffMs * 2 ** (failures - 1));

const withSpares = <T extends Routable<T>>(place: T): readonly T[] =>
  place.spares === undefined ? [place] : [place, ...place.spares];

function spareOf<T extends Routable<T>>(plan: readonly T[], tries: readonly Try<T>[], world: World<T>): T | undefined {
  const last = tries.at(-1)?.target;
  const place = plan.find((one) => last !== undefined && withSpares(one).includes(last));
  return place === undefined ? undefined : untried(place, tries, world);
}

/** A host that has not been asked yet; failing that, another wire format of one that has. */
function otherHost<T extends Routable<T>>(
  plan: readonly T[],
  tries: readonly Try<T>[],
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

const untried = <T extends Routable<T>>(place: T, tries: readonly Try<T>[], { outForMs }: World<T>): T | undefined =>
  withSpares(place).find((target) => outForMs(target) === 0 && !tries.some((one) => one.target === target));
