// The command line of the benchmark, read into one plan: who runs, how long, and what is printed.
import { parseArgs } from 'node:util';

export const CONTENDER_NAMES = [
  'relay',
  'nginx',
  'envoy',
  'bare',
  'trivium',
  'trivium-before',
  'trivium-money',
  'trivium-money-before',
  'trivium-observed',
  'trivium-groups',
  'messages-to-chat',
  'genai-to-messages',
  'portkey',
  'litellm',
] as const;
export type ContenderName = (typeof CONTENDER_NAMES)[number];

/** As the members of the result that they become, in the order in which `--full` measures them. */
export const CHAPTER_NAMES = [
  'largeBodies',
  'loadLevels',
  'youngProcess',
  'allocatedBytesPerRequest',
  'workers',
  'manyStreams',
  'fastStreams',
] as const;
type ChapterName = (typeof CHAPTER_NAMES)[number];

/** wrk takes whole seconds only. A stream window lasts about a second longer than named: running streams are finished. */
export interface Windows {
  /** Requests each contender gets before it is measured, in windows of `warmSeconds`, for `maxWarmSeconds` at most. */
  readonly warmRequests: number;
  /** The same for streams. */
  readonly warmStreams: number;
  readonly maxWarmSeconds: number;
  readonly warmSeconds: number;
  readonly jsonSeconds: number;
  readonly streamSeconds: number;
  readonly jsonRounds: number;
  readonly streamRounds: number;
  readonly latencyRounds: number;
}

export interface Options {
  readonly mode: 'full' | 'standard' | 'quick' | 'smoke';
  readonly windows: Windows;
  readonly contenders: ReadonlySet<ContenderName>;
  readonly chapters: readonly ChapterName[];
  /** Whether contenders are compared under load. */
  readonly compares: boolean;
  /** Whether gateways are measured at rest. */
  readonly idle: boolean;
  readonly jsonOnly: boolean;
  readonly basePort: number | undefined;
  readonly entry: string | undefined;
  /** A checkout of an earlier commit, measured in the same run. */
  readonly before: string | undefined;
  /** Where the comparison is written as SVG. */
  readonly chart: string | undefined;
}

const LONG: Windows = {
  warmRequests: 120_000,
  warmStreams: 256,
  maxWarmSeconds: 32,
  warmSeconds: 4,
  jsonSeconds: 3,
  streamSeconds: 4,
  jsonRounds: 5,
  streamRounds: 5,
  latencyRounds: 3,
};

const WINDOWS: Readonly<Record<Options['mode'], Windows>> = {
  full: LONG,
  standard: LONG,
  quick: {
    warmRequests: 60_000,
    warmStreams: 128,
    maxWarmSeconds: 16,
    warmSeconds: 2,
    jsonSeconds: 1,
    streamSeconds: 2,
    jsonRounds: 5,
    streamRounds: 3,
    latencyRounds: 2,
  },
  smoke: {
    warmRequests: 20_000,
    warmStreams: 96,
    maxWarmSeconds: 30,
    warmSeconds: 2,
    jsonSeconds: 1,
    streamSeconds: 2,
    jsonRounds: 3,
    streamRounds: 2,
    latencyRounds: 0,
  },
};

export const USAGE = `usage: npm run bench -- [options]

  --full             everything: all contenders, then images, young processes, load levels, workers, memory; about 25 min
  --chapters A,B     after the comparison, only these of: ${CHAPTER_NAMES.join(', ')}
  --chart FILE       with --full: write the comparison as SVG
  --quick            shorter windows, at most 90 s once portkey is installed
  --smoke            very short; fails when a ratio leaves bench/budget.json; portkey only if already installed
  --json             print nothing but the JSON line on stdout
  --rounds N         rounds of each measure
  --only A,B         only these of: ${CONTENDER_NAMES.join(', ')}
  --no-portkey       leave portkey out
  --floor            add the byte relay
  --roads            add two translated roads
  --money            add the gateway with keys, limits, ledger and usage on (needs PostgreSQL and Redis)
  --observed         the same, and add tags and traces, and budgets of tags and a company
  --idle             measure the gateway at rest, without and with money; no load unless another option asks for it
  --base-port N      use ports N, N+1, ... instead of free ones
  --entry FILE       start the gateway from this file instead of its TypeScript sources
  --before DIR       measure another checkout of the gateway beside this one; with --money, with money
`;

const USUAL = ['bare', 'trivium', 'portkey'] as const;
/** What each of these options adds. */
const ADDED = {
  roads: ['messages-to-chat', 'genai-to-messages'],
  money: ['trivium-money'],
  observed: ['trivium-money', 'trivium-observed', 'trivium-groups'],
  idle: ['trivium', 'trivium-money'],
  floor: ['relay'],
} as const satisfies Readonly<Record<string, readonly ContenderName[]>>;
const EVERYTHING = CONTENDER_NAMES.filter((name) => name !== 'relay' && !name.endsWith('-before'));

export class UsageError extends Error {}

function positiveInteger(option: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1)
    throw new UsageError(`--${option} needs a whole number above 0, not "${text}"`);
  return value;
}

function namesIn<Name extends string>(option: string, list: string, known: readonly Name[]): readonly Name[] {
  return list.split(',').map((part) => {
    const name = known.find((one) => one === part.trim());
    if (name === undefined) throw new UsageError(`--${option}: there is no "${part.trim()}"`);
    return name;
  });
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      options: {
        full: { type: 'boolean', default: false },
        chapters: { type: 'string' },
        chart: { type: 'string' },
        quick: { type: 'boolean', default: false },
        smoke: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        rounds: { type: 'string' },
        only: { type: 'string' },
        'no-portkey': { type: 'boolean', default: false },
        floor: { type: 'boolean', default: false },
        roads: { type: 'boolean', default: false },
        money: { type: 'boolean', default: false },
        observed: { type: 'boolean', default: false },
        idle: { type: 'boolean', default: false },
        'base-port': { type: 'string' },
        entry: { type: 'string' },
        before: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** Returns undefined when only the usage text was asked for. */
export function readOptions(argv: readonly string[]): Options | undefined {
  const values = parse(argv);
  if (values.help) return undefined;
  const mode = values.smoke ? 'smoke' : values.quick ? 'quick' : values.full ? 'full' : 'standard';
  const rounds = values.rounds === undefined ? undefined : positiveInteger('rounds', values.rounds);
  const basePort = values['base-port'];
  const adding = Object.entries(ADDED).filter(([option]) => values[option as keyof typeof ADDED]);
  const compares = !values.idle || values.only !== undefined || mode === 'full' || adding.length > 1;
  const base =
    values.only !== undefined
      ? namesIn('only', values.only, CONTENDER_NAMES)
      : mode === 'full'
        ? EVERYTHING
        : compares
          ? USUAL
          : [];
  const contenders = new Set<ContenderName>([...base, ...adding.flatMap(([, names]) => names)]);
  if (values['no-portkey']) contenders.delete('portkey');
  if (values.before !== undefined) contenders.add(values.money ? 'trivium-money-before' : 'trivium-before');
  if (contenders.size === 0) throw new UsageError('no contender is left to measure');
  return {
    mode,
    windows: rounds === undefined ? WINDOWS[mode] : { ...WINDOWS[mode], jsonRounds: rounds, streamRounds: rounds },
    contenders,
    compares,
    idle: values.idle,
    chapters:
      values.chapters !== undefined
        ? namesIn('chapters', values.chapters, CHAPTER_NAMES)
        : mode === 'full'
          ? CHAPTER_NAMES
          : [],
    jsonOnly: values.json,
    basePort: basePort === undefined ? undefined : positiveInteger('base-port', basePort),
    entry: values.entry,
    before: values.before,
    chart: values.chart,
  };
}
