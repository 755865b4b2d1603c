/**
 * `npm run converse:clients`: other people's readers and writers of converse against ours. The simulator's streams, cut at
 * random and with every fault, read by boto3, AWS's JS client and the AI SDK; requests of our encoder under botocore's own
 * validator, for every family; langchain-aws over three turns; every row of the catalogue. The last line is JSON.
 */
import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { text as textOfStream } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual, parseArgs, promisify } from 'node:util';
import { startSimulator } from '@trivium/simulator';
import { requestCorpus } from '../../tests/support/converse-corpus.ts';
import { makeStreams, type Said, saidBy } from '../../tests/support/converse-streams.ts';

const run = promisify(execFile);
const HERE = fileURLToPath(new URL('.', import.meta.url));
/** Outside the packages: these are other people's programs. */
const CACHE = process.env['TRIVIUM_CONVERSE'] ?? join(homedir(), '.cache', 'trivium-converse');
const LIMITS = { timeout: 900_000, maxBuffer: 1 << 28 };
const PYTHON = join(CACHE, 'venv', 'bin', 'python');
const THINKER = 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0';

const { values } = parseArgs({
  options: { streams: { type: 'string', default: '1000' }, seed: { type: 'string', default: '1' } },
});
const count = Number(values.streams);

/** Installed again when the pinned versions change. */
async function install(): Promise<void> {
  const pins = ['requirements.txt', 'packages.txt'].map((name) => readFileSync(join(HERE, name), 'utf8'));
  const stamp = join(CACHE, 'installed');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === pins.join('')) return;
  mkdirSync(CACHE, { recursive: true });
  await run('python3', ['-m', 'venv', '--clear', join(CACHE, 'venv')], LIMITS);
  await run(PYTHON, ['-m', 'pip', 'install', '--quiet', '--requirement', join(HERE, 'requirements.txt')], LIMITS);
  writeFileSync(join(CACHE, 'package.json'), '{"private":true}');
  const names = pins[1]?.trim().split('\n') ?? [];
  await run('npm', ['install', '--silent', '--no-audit', '--no-fund', ...names], { ...LIMITS, cwd: CACHE });
  writeFileSync(stamp, pins.join(''));
}

async function lines(program: string, args: readonly string[], input = ''): Promise<readonly unknown[]> {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(input);
  const text = await textOfStream(child.stdout);
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}

const failures: string[] = [];
const fail = (what: string): void => {
  failures.push(what);
  console.error(`FAIL ${what}`);
};

await install();
const simulator = await startSimulator({});

// Streams: the same bytes, at the same borders, for every reader.
const streams = await makeStreams(simulator, count, Number(values.seed));
const replay = createServer((request, response) => {
  request.resume();
  const pieces = streams[Number(/^\/model\/(\d+)\//.exec(request.url ?? '')?.[1])]?.pieces ?? [];
  response.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' });
  const next = (at: number): void => {
    const piece = pieces[at];
    if (piece === undefined) response.end();
    else response.write(piece, () => next(at + 1));
  };
  next(0);
});
await new Promise<void>((done) => replay.listen(0, '127.0.0.1', done));
const replayUrl = `http://127.0.0.1:${(replay.address() as AddressInfo).port}`;
const [boto, js] = await Promise.all([
  lines(PYTHON, [join(HERE, 'readers.py'), 'streams', replayUrl, String(count)]),
  lines(process.execPath, [join(HERE, 'readers.mjs'), CACHE, replayUrl, String(count)]),
]);
replay.close();

type Read = Said | { readonly error: string };
let agreed = 0;
for (const [at, stream] of streams.entries()) {
  const ours = saidBy(stream.pieces);
  const { client, sdk } = js[at] as { client: Read; sdk: Partial<Said> | { error: string } };
  const readers: [string, object, object][] = [
    ['boto3', boto[at] as Read, ours],
    ['client', client, ours],
  ];
  // The AI SDK has no place for seals of hidden reasoning, citations and reasons, and refuses pictures.
  if (!('error' in ours) && stream.name !== 'image') {
    const { text, thinking, calls, usage } = ours;
    // It gives calls without arguments an empty object.
    const own = calls.map((call) => ({ ...call, input: call.input === '' ? '{}' : call.input }));
    readers.push(['AI SDK', sdk, { text, thinking, calls: own, usage: usage?.slice(0, 2) }]);
  } else if ('error' in ours) readers.push(['AI SDK', sdk, ours]);
  for (const [name, read, wanted] of readers) {
    // botocore ends quietly when the last message is cut. So does AWS's JS client when less of it came than its length,
    // and the AI SDK between two: it gives an answer without a reason and without usage.
    if (name === 'boto3' && (stream.fault === 'cut' || stream.fault === 'border')) continue;
    if (name !== 'boto3' && stream.fault === 'border') continue;
    const isSame = 'error' in wanted ? 'error' in read : isDeepStrictEqual(read, JSON.parse(JSON.stringify(wanted)));
    if (isSame) agreed++;
    else
      fail(
        `stream ${at} (${stream.name}, ${stream.fault}): ${name} read ${JSON.stringify(read).slice(0, 600)}, we ${JSON.stringify(wanted).slice(0, 600)}`,
      );
  }
  if ((stream.fault === undefined) === 'error' in ours)
    fail(`stream ${at} (${stream.name}, ${stream.fault}): we read ${JSON.stringify(ours)}`);
}

// Requests.
const corpus = requestCorpus();
const sent = corpus.flatMap(({ name, model, body }) =>
  body === undefined ? [] : [JSON.stringify({ name, model, body })],
);
const verdicts = (await lines(PYTHON, [join(HERE, 'readers.py'), 'requests', simulator.url], sent.join('\n'))) as {
  name: string;
  problem: string | null;
}[];
for (const { name, problem } of verdicts) if (problem !== null) fail(`${name}: ${problem}`);
if (verdicts.length !== sent.length) fail(`${verdicts.length} of ${sent.length} requests were judged`);

// A conversation with signed reasoning.
const turns = await lines(PYTHON, [join(HERE, 'readers.py'), 'turns', `${simulator.url}/bedrock`, THINKER]).catch(
  String,
);
const signatures = (Array.isArray(turns) ? (turns[0] as { signatures: number }) : undefined)?.signatures ?? 0;
if (signatures < 2) fail(`langchain-aws: ${signatures} signed thoughts`);
await simulator.close();

// The catalogue's rows by every protocol, and a bill by hand.
const reportFile = join(CACHE, 'journeys.json');
const vitest = ['vitest', 'run', 'tests/journeys/converse.test.ts', '--reporter=json', `--outputFile=${reportFile}`];
await run('npx', vitest, { ...LIMITS, cwd: join(HERE, '..', '..') }).catch(() => undefined);
const journeys = JSON.parse(readFileSync(reportFile, 'utf8')) as { numPassedTests?: number; success?: boolean };
if (journeys.success !== true) fail('tests/journeys/converse.test.ts');

const ok = failures.length === 0;
console.log(
  JSON.stringify({
    ok,
    streams: count,
    faulty: streams.filter(({ fault }) => fault !== undefined).length,
    readings: agreed,
    requests: verdicts.length,
    families: new Set(corpus.map(({ model }) => model)).size,
    refusedByUs: corpus.length - sent.length,
    signatures,
    journeys: journeys.numPassedTests ?? 0,
  }),
);
process.exitCode = ok ? 0 : 1;
