/**
 * `trivium check-live`: asks a host, with the operator's credential and within a bound of money, what our codecs believe of
 * it. Compares shapes, never content.
 */
import type { Json, TextAnswer, TextCall } from '@trivium/protocol/canonical';
import { estimateInputTokens, type HostDialect } from '@trivium/protocol/dialects';
import type { Target } from '../../kernel/target.ts';
import type { Upstream } from '../../kernel/upstream.ts';
import { formatNanoUsd } from '../../kernel/usd.ts';
import type { ShapeDifference } from '../../models/shapes/differences.ts';
import { knownShapesOf } from '../../models/shapes/read-shapes.ts';
import { costOf } from '../../money/prices/cost.ts';
import { ask, type Question } from './ask.ts';
import { mostNanoUsd } from './estimate.ts';
import { type JudgedShape, judgeAnswer, judgeStream, judgeWhole } from './judge.ts';
import { judgeMedia } from './judge-media.ts';
import { type CheckedPlace, cheapest, forNoModel, isCheaper, makesClips, NO_MODEL, type Prepared } from './media.ts';
import { type AnyProbe, isOfMedia, type MediaProbe, type Probe, type ProbeId, probesOf } from './probes.ts';

type Outcome = 'as known' | 'different' | 'failed' | 'not asked';

export type CheckRow = {
  readonly format: string;
  readonly model: string;
  readonly probe: ProbeId | 'models' | 'all';
  readonly outcome: Outcome;
  readonly status?: number;
  /** Why it was not asked, or did not work. */
  readonly why?: string;
  readonly differences: readonly ShapeDifference[];
  readonly limitHeaders: readonly string[];
  /** The answer without its content. */
  readonly shape?: Json;
};

type Planned = {
  readonly target: CheckedPlace;
  readonly probe: AnyProbe;
  /** Undefined: a part of it has no price. */
  readonly mostNanoUsd: bigint | undefined;
};

export type CheckPlan = {
  readonly steps: readonly Planned[];
  /** What is not asked, and why. */
  readonly left: readonly CheckRow[];
  readonly mostNanoUsd: bigint;
  readonly mostUsd: string;
};

/** Of two hosts' models the one whose questions cost less; or why none is asked. */
function cheapestFor(probe: AnyProbe, places: readonly CheckedPlace[]): Planned | string {
  let best: Planned | string = 'no configured model of this host can do it';
  for (const target of places) {
    const most = mostFor(probe, target);
    if (typeof most === 'string') {
      if (typeof best === 'string') best = most;
    } else if (typeof best === 'string' || isCheaper(most.mostNanoUsd, best.mostNanoUsd))
      best = { target, probe, ...most };
  }
  return best;
}

function mostFor(probe: AnyProbe, target: CheckedPlace): Pick<Planned, 'mostNanoUsd'> | string {
  if (isOfMedia(probe)) {
    const prepared = prepare(probe, target);
    return typeof prepared === 'string' ? prepared : { mostNanoUsd: prepared.mostNanoUsd };
  }
  if (makesClips(target)) throw new Error('a host of clips is asked for text');
  // A second turn follows the first, whose answer is not there yet: it is planned like the first.
  const call = callOf(probe, target);
  return call === undefined ? 'no configured model of this host can do it' : { mostNanoUsd: mostNanoUsd(target, call) };
}

function prepare({ media }: MediaProbe, target: CheckedPlace): Prepared | string {
  const prepared = cheapest(target);
  if (typeof prepared === 'string' || media === 'cheapest') return prepared;
  const question = forNoModel(prepared, target);
  return question === undefined ? 'its requests name no model' : { ...prepared, question };
}

const TWICE: Partial<Record<ProbeId, ProbeId>> = { 'tools-second-turn': 'tools', 'caching-again': 'caching' };

/** A second turn sends the first again, and its answer: at most twice the output more. */
function callOf(probe: Probe, target: Target): TextCall | undefined {
  const probes = probesOf(target.dialect.id);
  const first = typeof probes === 'string' ? undefined : probes.find(({ id }) => id === TWICE[probe.id]);
  const call = (first !== undefined && !isOfMedia(first) ? first : probe).call(target, new Map());
  if (call === undefined || probe.id !== 'tools-second-turn') return call;
  const { maxOutputTokens = 0 } = call.sampling;
  return { ...call, sampling: { ...call.sampling, maxOutputTokens: 2 * maxOutputTokens } };
}

const row = (
  target: CheckedPlace,
  probe: CheckRow['probe'],
  more: Partial<CheckRow> & Pick<CheckRow, 'outcome'>,
): CheckRow => ({
  format: target.dialect.id,
  model: target.modelId,
  probe,
  differences: [],
  limitHeaders: [],
  ...more,
});

const tooDear = (place: CheckedPlace): string => (makesClips(place) ? 'price above the bound' : 'beyond the bound');

/** `targets`: of one host. What goes beyond the bound is left from the end. */
export function planCheck(targets: readonly CheckedPlace[], boundNanoUsd: bigint): CheckPlan {
  const steps: Planned[] = [];
  const left: CheckRow[] = [];
  let most = 0n;
  for (const format of new Set(targets.map(({ dialect }) => dialect.id))) {
    const own = targets.filter(({ dialect }) => dialect.id === format);
    const [first] = own;
    const probes = probesOf(format);
    if (first === undefined) continue;
    if (typeof probes === 'string') {
      left.push(row(first, 'all', { outcome: 'not asked', why: probes, model: '' }));
      continue;
    }
    for (const probe of probes) {
      const planned = cheapestFor(probe, own);
      if (typeof planned === 'string') {
        left.push(row(first, probe.id, { outcome: 'not asked', why: planned }));
        continue;
      }
      const cost = probe.id === 'count' ? 0n : planned.mostNanoUsd;
      if (cost === undefined || most + cost > boundNanoUsd) {
        const why = cost === undefined ? 'its price is not known' : tooDear(planned.target);
        left.push(row(planned.target, probe.id, { outcome: 'not asked', why }));
        continue;
      }
      most += cost;
      steps.push({ ...planned, mostNanoUsd: cost });
    }
  }
  return { steps, left, mostNanoUsd: most, mostUsd: formatNanoUsd(most) };
}

export type CheckPorts = {
  readonly upstream: Upstream;
  readonly boundNanoUsd: bigint;
  readonly onRow?: (row: CheckRow) => void;
  /** Each answer of hosts of media as it came, for what is learnt of them. */
  readonly onAnswer?: OnAnswer;
};
export type OnAnswer = (format: string, root: string, text: string) => void;
export type CheckResult = {
  readonly rows: readonly CheckRow[];
  readonly spentNanoUsd: bigint;
  readonly spentUsd: string;
};

/** Our count may be off by this factor, and by what a host adds of its own. */
const COUNT_FACTOR = 4;
const COUNT_SLACK = 600;

export async function runCheck(plan: CheckPlan, ports: CheckPorts): Promise<CheckResult> {
  const { upstream, boundNanoUsd, onRow } = ports;
  const rows: CheckRow[] = [...plan.left];
  const answers = new Map<string, Map<ProbeId, TextAnswer>>();
  let spent = 0n;
  for (const { target, probe, mostNanoUsd: most = 0n } of plan.steps) {
    const place = `${target.routeKey} ${target.dialect.id}`;
    const before = answers.get(place) ?? new Map<ProbeId, TextAnswer>();
    answers.set(place, before);
    const done =
      spent + most > boundNanoUsd
        ? { row: row(target, probe.id, { outcome: 'not asked', why: 'beyond the bound' }), spent: 0n }
        : isOfMedia(probe)
          ? await runMedia(ports, target, probe, most)
          : await runProbe(upstream, target as Target, probe, before, most);
    spent += done.spent;
    rows.push(done.row);
    onRow?.(done.row);
  }
  return { rows, spentNanoUsd: spent, spentUsd: formatNanoUsd(spent) };
}

type Done = { readonly row: CheckRow; readonly spent: bigint };

/** What hosts of media report is no cost at all of them: a good answer counts as the most it can cost. */
async function runMedia(
  { upstream, onAnswer }: CheckPorts,
  place: CheckedPlace,
  probe: MediaProbe,
  most: bigint,
): Promise<Done> {
  const prepared = prepare(probe, place);
  if (typeof prepared === 'string')
    return { row: row(place, probe.id, { outcome: 'not asked', why: prepared }), spent: 0n };
  const reply = await ask(upstream, place, prepared.question);
  if ('fault' in reply) return { row: row(place, probe.id, { outcome: 'failed', why: reply.fault.kind }), spent: most };
  const { status, limitHeaders } = reply;
  const { differences: found, shape } = await judgeMedia(place, reply, {
    ask: (question) => ask(upstream, place, question),
    order: prepared.order,
    onAnswer: (root, text) => onAnswer?.(place.dialect.id, root, text),
  });
  const isError = status < 200 || status > 299;
  const wanted = probe.media === 'no model';
  const differences = [...found, ...statusProblems(wanted, status)];
  const outcome: Outcome = isError && !wanted ? 'failed' : differences.length > 0 ? 'different' : 'as known';
  const facts = {
    outcome,
    status,
    differences,
    limitHeaders,
    shape,
    ...(isError && !wanted && { why: `status ${status}` }),
  };
  return { row: row(place, probe.id, facts), spent: isError ? 0n : most };
}

const statusProblems = (wantsError: boolean, status: number): ShapeDifference[] =>
  wantsError && (status < 400 || status > 499)
    ? [{ kind: 'status', at: 'status', seen: String(status), known: '4xx' }]
    : [];

async function runProbe(
  upstream: Upstream,
  target: Target,
  probe: Probe,
  before: Map<ProbeId, TextAnswer>,
  most: bigint,
): Promise<Done> {
  const shapes = knownShapesOf(target.dialect.id);
  const { client } = target.dialect as HostDialect;
  const call = probe.call(target, before);
  const notAsked = (why: string): Done => ({ row: row(target, probe.id, { outcome: 'not asked', why }), spent: 0n });
  if (shapes === undefined) return notAsked('no shapes of this format are known');
  if (call === undefined) return notAsked('the answer it follows did not come');
  const question = questionOf(target, probe, call, client);
  if (typeof question === 'string') return notAsked(question);
  const reply = await ask(upstream, target, question);
  // What it cost is not known, so it counts as the most it can have cost.
  if ('fault' in reply)
    return { row: row(target, probe.id, { outcome: 'failed', why: reply.fault.kind }), spent: most };
  const { status, text, limitHeaders } = reply;
  const isError = status < 200 || status > 299;
  const judged = isError
    ? judgeWhole(text, 'error', shapes)
    : probe.id === 'count'
      ? judgeWhole(text, 'count', shapes)
      : probe.stream
        ? judgeStream(text, shapes, client, target)
        : judgeAnswer(text, shapes, client, target);
  const { answer, shape } = judged;
  if (answer !== undefined) before.set(probe.id, answer);
  const spent = isError ? 0n : answer === undefined ? most : costOf(answer.usage, target.card.rates()).nanoUsd;
  const differences = [...judged.differences, ...meaningOf(probe, target, call, status, judged)];
  const wanted = probe.id === 'error';
  const outcome: Outcome = isError && !wanted ? 'failed' : differences.length > 0 ? 'different' : 'as known';
  const why = isError && !wanted ? `status ${status}` : undefined;
  const facts = { outcome, status, differences, limitHeaders, shape, ...(why !== undefined && { why }) };
  return { row: row(target, probe.id, facts), spent };
}

function questionOf(target: Target, probe: Probe, call: TextCall, client: HostDialect['client']): Question | string {
  try {
    if (probe.id === 'count') {
      const path = target.actionPaths?.['count'];
      if (path === undefined || client.count === undefined) return 'this host has no path that counts';
      return { path, body: JSON.stringify(client.count.encode(call, target.facts)) };
    }
    const { body, losses, watchFor = [] } = client.encodeCall(call, target.facts);
    if (probe.id === 'stop' && (watchFor.length > 0 || losses.some(({ field }) => field === 'sampling.stopSequences')))
      return 'this host takes no stop sequences';
    if (probe.id !== 'error')
      return { path: call.stream ? target.streamPath : target.path, body: JSON.stringify(body) };
    const path = target.path.replace(encodeURIComponent(target.facts.upstreamModel), NO_MODEL);
    return { path, body: JSON.stringify({ ...body, ...('model' in body && { model: NO_MODEL }) }) };
  } catch {
    return 'our codec does not write it for this host';
  }
}

const problemAt = (at: string, seen: string): ShapeDifference => ({ kind: 'meaning', at, seen });

function meaningOf(
  probe: Probe,
  target: Target,
  call: TextCall,
  status: number,
  { answer }: JudgedShape,
): ShapeDifference[] {
  if (probe.id === 'error') return statusProblems(true, status);
  if (status !== 200) return [{ kind: 'status', at: 'status', seen: String(status), known: '200' }];
  if (answer === undefined) return [];
  const problem = probe.problem?.(answer);
  return [
    ...(problem === undefined ? [] : [problemAt('answer', problem)]),
    ...usageProblems(call, answer),
    ...(probe.id === 'thinking' ? thinkingProblems(target, answer) : []),
  ];
}

function usageProblems(call: TextCall, { usage }: TextAnswer): ShapeDifference[] {
  const { prompt, inputCacheRead = 0, inputCacheWrite = 0, inputCacheWrite5Min = 0, completion } = usage;
  if (prompt === undefined || completion === undefined) return [problemAt('usage', 'not reported')];
  const reported = prompt + inputCacheRead + inputCacheWrite + inputCacheWrite5Min;
  const own = estimateInputTokens(call);
  const isNear = reported <= own * COUNT_FACTOR + COUNT_SLACK && reported * COUNT_FACTOR + COUNT_SLACK >= own;
  return isNear ? [] : [problemAt('usage', 'far from our own count')];
}

/** Thinking that comes without a seal at a host that seals: the next turn would lose it. */
function thinkingProblems({ dialect }: Target, { candidates }: TextAnswer): ShapeDifference[] {
  const blocks = candidates[0]?.blocks ?? [];
  const unsealed = blocks.some((block) => block.kind === 'thinking' && block.seal === undefined);
  return dialect.id === 'anthropic-messages' && unsealed ? [problemAt('answer', 'thinking without a signature')] : [];
}
