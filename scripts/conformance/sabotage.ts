/** Breaks one place at a time in copies of the tree and sees whether the tests notice. */
import { readFileSync } from 'node:fs';
import { type Judged, judgedForNow, openJudged } from './judged.ts';
import { applied } from './mutators.ts';
import { allSites, type Equivalent, type Site, sample } from './sites.ts';
import { type Colour, openWorkbench, type Workbench } from './workbench.ts';

export type SabotagePlan = {
  readonly count: number;
  readonly seed: number;
  /** Files whose paths begin with one of these. */
  readonly only: readonly string[];
  /** Runs only the tests where the break most likely shows: minutes instead of an hour, and survivors to look at. */
  readonly isNearestOnly: boolean;
};
export type SabotageReport = { readonly caught: number; readonly survivors: readonly Site[]; readonly seconds: number };

const BENCHES = 2;
/** Runs that take longer never end: on a quiet machine the tests around one file take a minute or two, and all of them twenty minutes at most. */
const RELATED_LIMIT_MS = 300_000;
const EVERYTHING_LIMIT_MS = 3_600_000;

const WORDS: Readonly<Record<Colour, string>> = { red: 'caught  ', hung: 'hung    ', green: 'SURVIVED' };

/** What must be green: the tests of the gate that execute the broken code. */
const EVERYTHING = [
  'packages/protocol/src',
  'packages/gateway/src',
  'tests/admin',
  'tests/bad-input',
  'tests/blobs',
  'tests/conformance',
  'tests/journeys',
  'tests/laws',
  'tests/leaks',
  'tests/matrix',
  'tests/pitfalls',
  'tests/recorded',
];

/** Fast tests of the broken package. They find most of what the nearest ones miss. */
const FAST: readonly (readonly [part: string, tests: readonly string[]])[] = [
  ['packages/protocol/', ['packages/protocol/src', 'tests/laws', 'tests/recorded']],
  ['packages/gateway/', ['packages/gateway/src', 'tests/leaks']],
];

/** Where a break most likely shows, looked at first. The rest follows only if these stay green. */
const RELATED: readonly (readonly [part: string, tests: readonly string[]])[] = [
  ['/encode-models.ts', ['encode-models', 'tests/conformance/lists']],
  ['dialects/openai-chat/wire.ts', ['tests/conformance/chat-request', 'tests/conformance/limits']],
  ['dialects/openai-chat/check', ['tests/conformance/chat-request', 'tests/conformance/limits']],
  ['dialects/openai-chat', ['packages/protocol/src/dialects/openai-chat', 'tests/conformance/chat']],
  ['dialects/anthropic-messages', ['packages/protocol/src/dialects/anthropic-messages', 'tests/conformance/messages']],
  ['dialects/google-generate', ['packages/protocol/src/dialects/google-generate', 'tests/conformance/generate']],
  ['dialects/openai-responses', ['packages/protocol/src/dialects/openai-responses', 'tests/conformance/responses']],
  ['dialects/google-predict', ['packages/protocol/src/dialects/google-predict', 'tests/conformance/image-predict']],
  ['dialects/openai-images', ['packages/protocol/src/dialects/openai-images', 'tests/conformance/image-endpoints']],
  ['image', ['image', 'tests/conformance/image-predict', 'tests/conformance/image-endpoints']],
  ['video', ['video', 'tests/conformance/video']],
  ['dialects/google-operations', ['packages/protocol/src/dialects/google-operations', 'tests/conformance/video']],
  ['embed', ['embed', 'tests/conformance/embeddings']],
  ['dialects/', ['packages/protocol/src/dialects', 'tests/conformance/errors', 'tests/conformance/chat-request']],
  ['gateway/src/people/accounts', ['packages/gateway/src/people/accounts', 'tests/conformance/auth']],
  ['serve-blob', ['tests/blobs/links']],
  ['gateway/src/http', ['packages/gateway/src/http', 'tests/conformance/errors', 'tests/conformance/auth']],
  ['gateway/src/calls/plan', ['packages/gateway/src/calls', 'tests/conformance/routing']],
  [
    'gateway/src/calls/lanes',
    ['packages/gateway/src/calls/lanes', 'tests/conformance/chat', 'tests/conformance/errors'],
  ],
  [
    'gateway/src/calls/exchange',
    ['packages/gateway/src/calls/exchange', 'tests/leaks/injection.test.ts', 'tests/conformance/errors'],
  ],
  [
    'gateway/src/calls/endpoints',
    ['packages/gateway/src/calls/endpoints', 'tests/conformance/errors', 'tests/conformance/lists'],
  ],
  ['gateway/src/calls', ['packages/gateway/src/calls', 'tests/conformance/errors', 'tests/conformance/auth']],
];

export async function sabotage(root: URL, plan: SabotagePlan): Promise<SabotageReport> {
  const { count, seed, only, isNearestOnly } = plan;
  const startedAtMs = performance.now();
  const equivalents = JSON.parse(
    readFileSync(new URL('scripts/conformance/equivalent.json', root), 'utf8'),
  ) as Equivalent[];
  const sites = allSites(root, equivalents, only);
  if (sites.length < count) throw new Error(`only ${sites.length} places could be broken`);
  console.log(`${sites.length} places could be broken; ${count} of them are, with seed ${seed}`);
  const benches = Array.from({ length: BENCHES }, () => openWorkbench(root));
  const clear = (): void => {
    for (const bench of benches) bench.remove();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      clear();
      process.exit(1);
    });
  try {
    const judged = isNearestOnly ? judgedForNow() : openJudged(root);
    const survivors = await breakAll(benches, sample(sites, count, seed), judged, isNearestOnly);
    return {
      caught: count - survivors.length,
      survivors,
      seconds: Math.round((performance.now() - startedAtMs) / 1000),
    };
  } finally {
    clear();
  }
}

/** What was caught counts only if the tests are green with nothing broken, so the first bench begins with that. */
async function expectGreen(bench: Workbench, judged: Judged): Promise<void> {
  if (judged.isGreenUnbroken) return;
  const { colour, words } = await bench.runTests(EVERYTHING, EVERYTHING_LIMIT_MS);
  if (colour !== 'green') throw new Error(`the tests are ${colour} with nothing broken\n${words}`);
  judged.isGreenUnbroken = true;
}

async function breakAll(
  benches: readonly Workbench[],
  sites: readonly Site[],
  judged: Judged,
  isNearestOnly: boolean,
): Promise<readonly Site[]> {
  const waiting = sites.filter((site) => judged.of(site) === undefined);
  if (waiting.length < sites.length) console.log(`${sites.length - waiting.length} of them were judged before`);
  const work = async (bench: Workbench): Promise<void> => {
    for (let site = waiting.shift(); site !== undefined; site = waiting.shift()) {
      const startedAtMs = performance.now();
      const colour = await colourWith(bench, site, isNearestOnly);
      judged.add(site, colour);
      const seconds = Math.round((performance.now() - startedAtMs) / 1000);
      console.log(`${WORDS[colour]} ${String(seconds).padStart(3)} s ${site.file}:${site.line} ${site.change}`);
    }
  };
  const [first, ...others] = benches as [Workbench, ...Workbench[]];
  await Promise.all([expectGreen(first, judged).then(() => work(first)), ...others.map(work)]);
  return sites.filter((site) => judged.of(site) === 'green');
}

const testsFor = (file: string, table: typeof RELATED): readonly string[] =>
  table.find(([part]) => file.includes(part))?.[1] ?? [];

async function colourWith(bench: Workbench, site: Site, isNearestOnly: boolean): Promise<Colour> {
  const source = readFileSync(new URL(site.file, bench.root), 'utf8');
  bench.write(site.file, applied(source, site));
  try {
    const stages = [testsFor(site.file, RELATED), ...(isNearestOnly ? [] : [testsFor(site.file, FAST), EVERYTHING])];
    for (const tests of stages) {
      const limitMs = tests === EVERYTHING ? EVERYTHING_LIMIT_MS : RELATED_LIMIT_MS;
      // Without paths the runner would take every test there is.
      if (tests.length === 0) continue;
      const { colour } = await bench.runTests(tests, limitMs);
      if (colour !== 'green') return colour;
    }
    return 'green';
  } finally {
    bench.write(site.file, source);
  }
}
