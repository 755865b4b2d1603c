// Turns samples into the result object (the JSON line), the table for people, and the verdict on a budget.
import { MAX_STOLEN_SHARE, type Samples } from './measure.ts';
import { ratioOf, type Spread, spreadOf } from './statistics.ts';

export const DIRECT = 'direct';

interface ContenderResult {
  readonly jsonCpuUs?: Spread;
  readonly jsonPerSecond?: Spread;
  readonly streamCpuUs?: Spread;
  readonly firstByteUs?: Spread;
  readonly chunkLagUs?: Spread;
  readonly latencyUs?: Spread;
  readonly addedLatencyUs?: number;
  readonly idleMs?: Spread;
  readonly stolenShare?: Spread;
}

export interface Result {
  readonly jsonVsBare: number | null;
  readonly streamVsBare: number | null;
  readonly portkeyVsJson: number | null;
  readonly portkeyVsStream: number | null;
  readonly portkeyVsBare: number | null;
  readonly messagesToChatVsBare: number | null;
  readonly genaiToMessagesVsBare: number | null;
  readonly messagesToChatStreamVsBare: number | null;
  readonly genaiToMessagesStreamVsBare: number | null;
  readonly paidVsBare: number | null;
  readonly moneyVsOff: number | null;
  readonly moneyStreamVsOff: number | null;
  readonly observedVsMoney: number | null;
  readonly observedStreamVsMoney: number | null;
  readonly groupsVsMoney: number | null;
  readonly groupsStreamVsMoney: number | null;
  readonly nginxVsJson: number | null;
  readonly envoyVsJson: number | null;
  readonly litellmVsJson: number | null;
  readonly envoyVsStream: number | null;
  readonly jsonVsBefore: number | null;
  readonly streamVsBefore: number | null;
  readonly moneyVsBefore: number | null;
  readonly moneyStreamVsBefore: number | null;
  readonly idleMs: number | null;
  readonly idlePaidMs: number | null;
  readonly windows: {
    readonly measured: number;
    readonly dropped: number;
    readonly mostStolenShare: number;
  };
  readonly spreads: Readonly<Record<string, Spread>>;
  readonly contenders: Readonly<Record<string, ContenderResult>>;
  readonly mode: string;
  readonly node: string;
  readonly seconds: number;
}

export type Budget = Readonly<Record<string, { readonly atMost?: number; readonly atLeast?: number }>>;

const rounded = (value: number): number => Number(value.toPrecision(4));
const roundedSpread = ({ median, min, max }: Spread): Spread => ({
  median: rounded(median),
  min: rounded(min),
  max: rounded(max),
});

const keptOf = (values: readonly (number | undefined)[]): readonly number[] =>
  values.filter((value) => value !== undefined);

/** Undefined if no window was kept. */
function medianOf(values: readonly (number | undefined)[] = []): number | undefined {
  const kept = keptOf(values);
  return kept.length === 0 ? undefined : spreadOf(kept).median;
}

function resultOf(samples: Samples, directLatencyUs: number | undefined): ContenderResult {
  const measured = Object.entries(samples).map(([name, values]) => [name, keptOf(values)] as const);
  const spreads = Object.fromEntries(
    measured.flatMap(([name, kept]) => (kept.length === 0 ? [] : [[name, roundedSpread(spreadOf(kept))]])),
  );
  const latencyUs = medianOf(samples.latencyUs);
  if (directLatencyUs === undefined || latencyUs === undefined) return spreads;
  return { ...spreads, addedLatencyUs: rounded(latencyUs - directLatencyUs) };
}

export function summarise(
  samples: ReadonlyMap<string, Samples>,
  run: { readonly mode: string; readonly seconds: number },
): Result {
  const spreads: Record<string, Spread> = {};
  const ratio = (name: string, of: string, by: string, key: 'jsonCpuUs' | 'streamCpuUs'): number | null => {
    const numerators = samples.get(of)?.[key] ?? [];
    const denominators = samples.get(by)?.[key] ?? [];
    // Only rounds in which both windows were kept: another minute of the machine is another machine.
    const isPair = (_: unknown, round: number) => numerators[round] !== undefined && denominators[round] !== undefined;
    const [over, under] = [keptOf(numerators.filter(isPair)), keptOf(denominators.filter(isPair))];
    if (over.length === 0) return null;
    const spread = roundedSpread(ratioOf(over, under));
    spreads[name] = spread;
    return spread.median;
  };
  const idleMs = (name: string): number | null => {
    const median = medianOf(samples.get(name)?.idleMs);
    return median === undefined ? null : rounded(median);
  };
  const directLatencyUs = medianOf(samples.get(DIRECT)?.latencyUs);
  const stolen = [...samples.values()].flatMap(({ stolenShare }) => stolenShare);
  return {
    jsonVsBare: ratio('jsonVsBare', 'trivium', 'bare', 'jsonCpuUs'),
    streamVsBare: ratio('streamVsBare', 'trivium', 'bare', 'streamCpuUs'),
    portkeyVsJson: ratio('portkeyVsJson', 'portkey', 'trivium', 'jsonCpuUs'),
    portkeyVsStream: ratio('portkeyVsStream', 'portkey', 'trivium', 'streamCpuUs'),
    portkeyVsBare: ratio('portkeyVsBare', 'portkey', 'bare', 'jsonCpuUs'),
    messagesToChatVsBare: ratio('messagesToChatVsBare', 'messages-to-chat', 'bare', 'jsonCpuUs'),
    genaiToMessagesVsBare: ratio('genaiToMessagesVsBare', 'genai-to-messages', 'bare', 'jsonCpuUs'),
    messagesToChatStreamVsBare: ratio('messagesToChatStreamVsBare', 'messages-to-chat', 'bare', 'streamCpuUs'),
    genaiToMessagesStreamVsBare: ratio('genaiToMessagesStreamVsBare', 'genai-to-messages', 'bare', 'streamCpuUs'),
    paidVsBare: ratio('paidVsBare', 'trivium-money', 'bare', 'jsonCpuUs'),
    moneyVsOff: ratio('moneyVsOff', 'trivium-money', 'trivium', 'jsonCpuUs'),
    moneyStreamVsOff: ratio('moneyStreamVsOff', 'trivium-money', 'trivium', 'streamCpuUs'),
    observedVsMoney: ratio('observedVsMoney', 'trivium-observed', 'trivium-money', 'jsonCpuUs'),
    observedStreamVsMoney: ratio('observedStreamVsMoney', 'trivium-observed', 'trivium-money', 'streamCpuUs'),
    groupsVsMoney: ratio('groupsVsMoney', 'trivium-groups', 'trivium-money', 'jsonCpuUs'),
    groupsStreamVsMoney: ratio('groupsStreamVsMoney', 'trivium-groups', 'trivium-money', 'streamCpuUs'),
    nginxVsJson: ratio('nginxVsJson', 'nginx', 'trivium', 'jsonCpuUs'),
    envoyVsJson: ratio('envoyVsJson', 'envoy', 'trivium', 'jsonCpuUs'),
    litellmVsJson: ratio('litellmVsJson', 'litellm', 'trivium', 'jsonCpuUs'),
    envoyVsStream: ratio('envoyVsStream', 'envoy', 'trivium', 'streamCpuUs'),
    jsonVsBefore: ratio('jsonVsBefore', 'trivium', 'trivium-before', 'jsonCpuUs'),
    streamVsBefore: ratio('streamVsBefore', 'trivium', 'trivium-before', 'streamCpuUs'),
    moneyVsBefore: ratio('moneyVsBefore', 'trivium-money', 'trivium-money-before', 'jsonCpuUs'),
    moneyStreamVsBefore: ratio('moneyStreamVsBefore', 'trivium-money', 'trivium-money-before', 'streamCpuUs'),
    idleMs: idleMs('trivium'),
    idlePaidMs: idleMs('trivium-money'),
    windows: {
      measured: stolen.length,
      dropped: stolen.filter((share) => share > MAX_STOLEN_SHARE).length,
      mostStolenShare: MAX_STOLEN_SHARE,
    },
    spreads,
    contenders: Object.fromEntries([...samples].map(([name, of]) => [name, resultOf(of, directLatencyUs)])),
    mode: run.mode,
    node: process.version,
    seconds: rounded(run.seconds),
  };
}

const figure = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toFixed(1));
const cell = (spread: Spread | undefined): string =>
  spread === undefined ? '-' : `${figure(spread.median)} (${figure(spread.min)}..${figure(spread.max)})`;

export function renderTable(result: Result): string {
  const heading = [
    'contender',
    'json CPU µs',
    'json/s',
    'stream CPU µs',
    'first byte µs',
    'chunk lag µs',
    'added p50 µs',
    'idle ms/s',
  ];
  const rows = Object.entries(result.contenders).map(([name, of]) => [
    name,
    cell(of.jsonCpuUs),
    of.jsonPerSecond === undefined ? '-' : figure(of.jsonPerSecond.median),
    cell(of.streamCpuUs),
    of.firstByteUs === undefined ? '-' : figure(of.firstByteUs.median),
    of.chunkLagUs === undefined ? '-' : figure(of.chunkLagUs.median),
    of.addedLatencyUs === undefined ? '-' : figure(of.addedLatencyUs),
    cell(of.idleMs),
  ]);
  const table = [heading, ...rows];
  const widths = heading.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  const lines = table.map((row) =>
    row
      .map((text, column) => text.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  const ratios = Object.entries(result.spreads).map(
    ([name, { median, min, max }]) => `${name} ${median.toFixed(2)} (${min.toFixed(2)}..${max.toFixed(2)} by round)`,
  );
  const { measured, dropped, mostStolenShare } = result.windows;
  const stolen = `${dropped} of ${measured} windows dropped: more than ${mostStolenShare * 100} % of the CPU was stolen`;
  return [...lines, '', ...ratios, ...(dropped > 0 ? [stolen] : [])].join('\n');
}

/** Budgets that the result exceeds; a ratio that was not measured fails only a budget that requires it. */
export function budgetBreaches(budget: Budget, result: Result, optional: ReadonlySet<string>): readonly string[] {
  const measured = new Map<string, unknown>(Object.entries(result));
  return Object.entries(budget).flatMap(([name, { atMost, atLeast }]) => {
    const value = measured.get(name);
    if (typeof value !== 'number') return optional.has(name) ? [] : [`${name} was not measured`];
    if (atMost !== undefined && value > atMost) return [`${name} is ${value}, above the budget of ${atMost}`];
    if (atLeast !== undefined && value < atLeast) return [`${name} is ${value}, below the budget of ${atLeast}`];
    return [];
  });
}

/** On a dedicated machine the bare proxy's rounds differ by a tenth; beyond this factor the noise comes from other processes. */
const MAX_YARDSTICK_SWING = 1.5;

export function yardstickIsSteady({ contenders }: Pick<Result, 'contenders'>): boolean {
  const { jsonCpuUs, streamCpuUs } = contenders['bare'] ?? {};
  // Without any plain call left, its windows were all dropped.
  if (jsonCpuUs === undefined) return false;
  return [jsonCpuUs, streamCpuUs].every(
    (spread) => spread === undefined || spread.max <= spread.min * MAX_YARDSTICK_SWING,
  );
}
