/**
 * Plans a video call: the first host of its model that the routing preferences allow, that is in service and can make
 * it, its losses and its cost.
 */
import {
  type Fault,
  GatewayError,
  inWordsOf,
  type Loss,
  PathLosses,
  type RoutingPreferences,
  type VideoCall,
  type VideoSpelling,
} from '@trivium/protocol/canonical';
import { fitVideo, type OrderedVideo, pixelsOf, type SubmittedVideo } from '@trivium/protocol/dialects';
import type { Rates } from '../../kernel/price.ts';
import type { Bill } from '../../kernel/record.ts';
import type { DirectoryEntry } from '../../kernel/target.ts';
import type { VideoRoute, VideoSource } from '../../kernel/video.ts';
import type { ResolvedPolicy } from '../../models/policies/resolved-policy.ts';
import { planRoute } from '../../models/routing/plan.ts';
import { costOf } from '../../money/prices/cost.ts';
import { type ClipSize, clipTokens, clipUsage, videoFacts } from '../../money/prices/video.ts';
import { withStrictness } from '../lanes/choose-lane.ts';
import { isOut, type PlanPorts, roundOf } from '../plan/plan-among.ts';
import { forbiddenBy, withPolicy } from '../plan/policies.ts';
import { hostPreferencesOf } from '../plan/preferences.ts';
import { emptyPlan, planPreferencesOf, requireHosts } from '../plan/resolve.ts';
import type { IdentifiedHead } from '../request.ts';

/** `source`: the video it is made of, which decides the host. */
export type AskedVideo = OrderedVideo & { readonly source?: VideoSource };

export type PlannedVideo = {
  readonly route: VideoRoute;
  readonly call: VideoCall;
  readonly submitted: SubmittedVideo;
  readonly losses: readonly Loss[];
  /** In pixels, where it is known. */
  readonly size: string | undefined;
};

type VideoPorts = Pick<PlanPorts, 'directory' | 'turns' | 'health' | 'clock' | 'random'>;

/** If a model states no lengths at all: no host makes longer clips in one call. */
const LONGEST_SECONDS = 60;

export function planVideo(
  identified: IdentifiedHead,
  { call, losses, size, source }: AskedVideo,
  spelling: Partial<VideoSpelling>,
  model: DirectoryEntry,
  policy: ResolvedPolicy | undefined,
  ports: VideoPorts,
): PlannedVideo {
  const all = model.videoRoutes ?? [];
  if (all.length === 0)
    throw new GatewayError({
      kind: 'unsupported',
      message: `The model '${model.id}' makes no videos.`,
      field: 'model',
    });
  const { preferences, losses: ignored } = hostPreferencesOf(identified);
  requireHosts(preferences, ports.directory, identified.strict);
  const able = source === undefined ? all : all.filter((route) => canRemix(route, source));
  if (able.length === 0) throw new GatewayError(NO_REMIX);
  const { allowed: routes, excluded } = policy?.among(able) ?? { allowed: able, excluded: [] };
  if (routes.length === 0) throw forbiddenBy(excluded, model.id);
  const who = policy?.strict === true ? { ...identified, strict: true } : identified;
  let first: unknown;
  // A host that cannot make the clip is skipped; if none can, the first host's error is reported.
  for (const route of inOrder(routes, preferences, policy, model.id, ports)) {
    try {
      const fitted = fitVideo(call, route.target.limits);
      const { dialect, target } = route;
      const remixed = source && dialect.remix?.(call.prompt ?? '', source.task);
      const submitted = remixed ?? dialect.submit(fitted.call, target);
      const made = remixed === undefined ? pixelsOf(fitted.call, submitted.body) : source?.size;
      const lost = new PathLosses();
      lost.addAll([...losses, ...ignored]);
      for (const { field, why } of [...fitted.losses, ...submitted.losses]) lost.add(spelling[field] ?? field, why);
      if (size !== undefined && made !== undefined && size !== made) lost.add('size', 'approximated');
      return { route, call: fitted.call, submitted, losses: withStrictness(who, lost.all), size: made };
    } catch (error) {
      first ??= inWordsOf(spelling, error);
    }
  }
  throw first;
}

const NO_REMIX: Fault = {
  kind: 'unsupported',
  message: 'The host that made this video makes no other from it. Order a new one at /videos.',
  code: 'remix_unsupported',
};

const canRemix = ({ routeKey, dialect }: VideoRoute, source: VideoSource): boolean =>
  routeKey === source.routeKey && dialect.remix !== undefined;

/** Never empty. Latencies of videos are not measured. */
function inOrder(
  routes: readonly VideoRoute[],
  preferences: RoutingPreferences,
  policy: ResolvedPolicy | undefined,
  model: string,
  { health, clock, turns, random }: VideoPorts,
): readonly VideoRoute[] {
  const nowMs = clock.monotonicMs();
  const wanted = withPolicy(planPreferencesOf(preferences), preferences, policy);
  const { order, leftOut } = planRoute([routes], wanted, {
    turn: wanted.strategy === 'round_robin' ? turns.next(roundOf(routes)) : 0,
    draw: wanted.weights === undefined ? 0 : random(),
    seenOf: (route) => ({ out: isOut(route, health, nowMs), firstTokenMs: undefined, waiting: 0 }),
  });
  if (order.length === 0) throw emptyPlan(preferences, leftOut, model);
  return order;
}

export type VideoPrice = ClipSize & {
  readonly rates: Rates;
  /** Of the whole order. */
  readonly bill: Bill;
};

/** The cost of the whole order; that much is held. */
export function priceVideo({ route, call }: Pick<PlannedVideo, 'route' | 'call'>, factorPpm?: number): VideoPrice {
  const { limits } = route.target;
  const withSound =
    limits.audio === undefined ? call.audio : limits.audio === 'choice' ? call.audio : limits.audio === 'always';
  const rates = route.card.rates(factorPpm, videoFacts(call, withSound));
  const seconds = call.seconds ?? longestOf(limits.seconds);
  const tokens = rates.byMeter.outputVideo === undefined ? undefined : clipTokens(seconds, call.resolution);
  const usage = clipUsage(call.count, { seconds, tokens });
  return { rates, seconds: call.seconds, tokens, bill: { usage, estimated: true, cost: costOf(usage, rates) } };
}

function longestOf(seconds: VideoRoute['target']['limits']['seconds']): number {
  if (seconds === undefined) return LONGEST_SECONDS;
  return 'max' in seconds ? seconds.max : Math.max(...seconds);
}
