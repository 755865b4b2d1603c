/**
 * Requests at the limits of a gateway, in every shape, while others stream: the event loop is never blocked for
 * long, no stream is cut, and every token of them is charged. Larger requests are refused before they have arrived.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { callAdmin } from '../../support/admin-stand.ts';
import { freshDatabase } from '../../support/database.ts';
import { ask, chatQuestion } from '../parts/ask.ts';
import { type Crowd, crowdedBodies, otherBodies, overcrowdedBodies, type Protocol } from '../parts/crowded-bodies.ts';
import { type Patience, sendByHalves } from '../parts/early-refusal.ts';
import { type GatewayProcess, KEY, OPERATOR_SECRET } from '../parts/gateway-process.ts';
import { MODEL } from '../parts/hosts.ts';
import { rounded } from '../parts/load.ts';
import { LOOP_PROBE, loopFacts } from '../parts/loop-question.ts';
import { keyFor, keysOf, moneyConfig, Purser, REQUEST_NANO, TOKEN_NANO } from '../parts/money.ts';
import { isWhole, requestIdOf, type Shot, tokensByShot } from '../parts/shots.ts';
import type { SimulatorProcess } from '../parts/simulator-process.ts';
import type { Stage } from '../parts/stage.ts';
import { waitFor } from '../parts/wait.ts';
import { atMost, exactly, type Outcome, scenario } from '../scenario.ts';

type Parameters = {
  readonly crowd: Crowd;
  /** Share of the sizes that S1 sent. */
  readonly overcrowdedShare: number;
  readonly streams: number;
  /** Infinite: no check depends on time. */
  readonly mostStallMs: number;
};

const DIALECTS = {
  chat: 'openai-chat',
  messages: 'anthropic-messages',
  generate: 'google-generate',
  responses: 'openai-responses',
} as const;
const PROTOCOLS = Object.keys(DIALECTS) as readonly Protocol[];
const LIMIT_MS = 120_000;
const CHARGE_LIMIT_MS = 20_000;
const WORST = 8;
/** Context window of the models: no request is refused for its length alone. */
const CONTEXT = 100_000_000;
/** Longer texts are read on a thread, so none of them is ever parsed on the loop. */
const MOST_PARSED_CHARACTERS = 4_194_304;
const ACCOUNTS = ['listener-1', 'listener-2', 'listener-3', 'listener-4'];
const WORDS = 30;
const TOKENS_PER_SECOND = 15;
const CREDIT = 100_000n * REQUEST_NANO;
/** A refusal takes a moment; where the early count is off, none comes. */
const PATIENCE: Patience = { earlyMs: 30_000, limitMs: LIMIT_MS };
const SHORT_PATIENCE: Patience = { earlyMs: 1000, limitMs: LIMIT_MS };

const PATHS: Readonly<Record<Protocol, (model: string) => string>> = {
  chat: () => '/api/v1/chat/completions',
  messages: () => '/api/anthropic/v1/messages',
  generate: (model) => `/api/vertex-ai/v1/publishers/own/models/${model}:generateContent`,
  responses: () => '/api/v1/responses',
};

/** An upstream that discards its input: only the path to it is measured. */
async function startRefuser(stage: Stage): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end('{"error":{"message":"no","type":"invalid_request_error"}}');
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  stage.atEnd(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function configOf(refuser: string, simulator: SimulatorProcess, more: object): Record<string, unknown> {
  const money = moneyConfig(simulator, ACCOUNTS, {});
  const dialects: Readonly<Record<string, string>> = {
    ...DIALECTS,
    embed: 'openai-embeddings',
    image: 'openai-images',
  };
  const modalities: Readonly<Record<string, string>> = { embed: 'embedding', image: 'image' };
  const own = Object.entries(dialects).map(
    ([name, dialect]) => [name, { dialect, baseUrl: refuser, credential: 'sk-upstream-rt' }] as const,
  );
  return {
    providers: { ...(money['providers'] as object), ...Object.fromEntries(own) },
    models: [
      ...(money['models'] as readonly unknown[]),
      ...Object.keys(dialects).map((provider) => ({
        id: `own/${provider}`,
        contextLength: CONTEXT,
        ...(modalities[provider] !== undefined && { outputModalities: [modalities[provider]] }),
        endpoints: [{ provider, upstreamModel: 'any' }],
      })),
    ],
    keys: [{ name: 'rt', account: 'crowd', secret: KEY }, ...keysOf(ACCOUNTS)],
    health: { failures: 1_000_000, stalls: 1_000_000 },
    overload: { lagMs: 0 },
    ...more,
  };
}

/** Streams one after another, a fixed number at once, until stopped. */
function listen(gateway: GatewayProcess, streams: number): { readonly shots: readonly Shot[]; stop(): Promise<void> } {
  const shots: Shot[] = [];
  let stopped = false;
  let next = 0;
  const caller = async (): Promise<void> => {
    while (!stopped) {
      const number = next++;
      const account = ACCOUNTS[number % ACCOUNTS.length]!;
      const text = `#${number}# @simulate scenario=text-long words=${WORDS} ttft=10 tps=${TOKENS_PER_SECOND}`;
      const question = chatQuestion(gateway.url, MODEL, text, { max_tokens: 2 * WORDS, stream: true });
      const headers = { authorization: `Bearer ${keyFor(account)}` };
      const reply = await ask({ ...question, headers, limitMs: LIMIT_MS });
      shots.push({ number, account, node: gateway.url, isStream: true, reply });
    }
  };
  const callers = Array.from({ length: streams }, caller);
  const stop = async (): Promise<void> => {
    stopped = true;
    await Promise.all(callers);
  };
  return { shots, stop };
}

type Seen = {
  readonly what: string;
  readonly stallMs: number;
  readonly turnCpuMs: number;
  readonly parsedCharacters: number;
};
type Crowded = { readonly seen: Seen[]; readonly wrong: string[] };

/** Sends one, and returns how long it blocked the event loop. */
async function send(
  gateway: GatewayProcess,
  what: string,
  path: string,
  body: object,
  { seen, wrong }: Crowded,
): Promise<void> {
  const headers = { 'anthropic-version': '2023-06-01' };
  const { status, text } = await ask({ url: gateway.url, path, body, headers, limitMs: LIMIT_MS });
  // Token counting is answered by the gateway; everything else is refused, by it or upstream.
  const isRight = status === 200 ? path.includes('ount') : status >= 400 && status < 500 && status !== 429;
  if (!isRight) wrong.push(`${what}: ${status} ${text.slice(0, 120)}`);
  const { longestStallMs, longestTurnCpuMs, longestParsedCharacters } = await loopFacts(gateway.child);
  seen.push({
    what,
    stallMs: rounded(longestStallMs, 0),
    turnCpuMs: rounded(longestTurnCpuMs, 0),
    parsedCharacters: longestParsedCharacters,
  });
}

/** Every shape to a host of its own dialect, and to one of another. */
async function sendAll(gateway: GatewayProcess, crowd: Crowd, crowded: Crowded): Promise<void> {
  for (const [at, protocol] of PROTOCOLS.entries())
    for (const [number, [what, body]] of Object.entries(crowdedBodies(crowd)[protocol]()).entries()) {
      const foreign = PROTOCOLS[(at + 1 + (number % (PROTOCOLS.length - 1))) % PROTOCOLS.length]!;
      for (const target of [protocol, foreign]) {
        const called = protocol === 'generate' ? body : { model: `own/${target}`, ...body };
        await send(gateway, `${protocol}, ${what}, to ${target}`, PATHS[protocol](target), called, crowded);
      }
    }
  for (const [path, bodies] of Object.entries(otherBodies(crowd)))
    for (const [what, body] of Object.entries(bodies)) await send(gateway, `${path}, ${what}`, path, body, crowded);
  for (const [what, body] of Object.entries(adminBodies())) {
    const headers = { authorization: `Bearer ${OPERATOR_SECRET}` };
    const { status } = await callAdmin(gateway.adminUrl, 'POST', '/accounts', body, headers);
    if (status < 400 || status > 499) crowded.wrong.push(`the admin API, ${what}: ${status}`);
    const { longestStallMs, longestTurnCpuMs, longestParsedCharacters } = await loopFacts(gateway.child);
    const [stallMs, turnCpuMs] = [rounded(longestStallMs, 0), rounded(longestTurnCpuMs, 0)];
    crowded.seen.push({ what: `admin, ${what}`, stallMs, turnCpuMs, parsedCharacters: longestParsedCharacters });
  }
}

/** The maximum size that the admin API accepts. */
function adminBodies(): Record<string, object> {
  const many = <T>(howMany: number, make: (index: number) => T): T[] =>
    Array.from({ length: howMany }, (_, index) => make(index));
  return {
    members: Object.fromEntries(many(900, (index) => [`k${index}`, 1])),
    elements: { id: 'x', name: many(100_000, () => 1), kind: 'prepaid' },
    objects: { id: 'x', name: many(60_000, () => ({})), kind: 'prepaid' },
  };
}

/** The bodies of S1: how many were not refused, and how many only after all of the body had arrived. */
async function sendTooMuch(gateway: GatewayProcess, share: number, patience: Patience): Promise<TooMuch> {
  const bodies = Object.values(overcrowdedBodies(share));
  const found: TooMuch = { sent: bodies.length, notRefused: 0, refusedLate: 0 };
  for (const body of bodies) {
    const { status, isEarly } = await sendByHalves(`${gateway.url}${PATHS.chat('')}`, body, patience);
    if (status !== 400 && status !== 413) found.notRefused++;
    if (!isEarly) found.refusedLate++;
  }
  return found;
}

type TooMuch = { readonly sent: number; notRefused: number; refusedLate: number };

/** Complete streams with a charge that differs from the upstream's output. */
async function uncharged(purser: Purser, simulator: SimulatorProcess, shots: readonly Shot[]): Promise<number> {
  const tokens = await tokensByShot(simulator);
  const charges = new Map(
    (await Promise.all(ACCOUNTS.map((account) => purser.charges(account)))).flatMap((of) => [...of]),
  );
  return shots.filter((shot) => {
    const charge = charges.get(requestIdOf(shot) ?? '');
    return charge?.amount !== BigInt(tokens.get(shot.number) ?? 0) * TOKEN_NANO;
  }).length;
}

/** As large as the crowd, so that the crowd is as large as they allow. */
const boundsOf = ({ elements, members }: Crowd): object => ({
  jsonMembers: members,
  jsonElements: elements,
  jsonValues: elements * VALUES_PER_ELEMENT,
});
/** As the default bounds have it. */
const VALUES_PER_ELEMENT = 7.5;

/** The early count switched off, as far as it can be. */
const BOUNDLESS = { jsonMembers: 1_000_000, jsonElements: 1_000_000, jsonValues: 100_000_000 };

async function run({ crowd, overcrowdedShare, streams, mostStallMs }: Parameters, stage: Stage): Promise<Outcome> {
  const database = await freshDatabase();
  stage.atEnd(() => database.drop());
  const purser = new Purser(database.url);
  stage.atEnd(() => purser.close());
  await Promise.all(ACCOUNTS.map((account) => purser.open(account, CREDIT)));
  const [refuser, simulator] = [await startRefuser(stage), await stage.simulator()];
  const store = { database: { url: database.url }, ledger: { journal: `${stage.folder}/journal` } };
  const bounded = { ...store, limits: boundsOf(crowd) };
  const [gateway, planted] = await Promise.all([
    stage.gateway(configOf(refuser, simulator, bounded), { probed: true, imports: [LOOP_PROBE] }),
    stage.gateway(configOf(refuser, simulator, { limits: BOUNDLESS }), { name: 'planted' }),
  ]);
  const listening = listen(gateway, streams);
  await waitFor('the first streams end', async () => listening.shots.length >= streams, LIMIT_MS);
  await loopFacts(gateway.child);
  const crowded: Crowded = { seen: [], wrong: [] };
  await sendAll(gateway, crowd, crowded);
  const early = await sendTooMuch(gateway, overcrowdedShare, PATIENCE);
  const { longestStallMs } = await loopFacts(gateway.child);
  await listening.stop();
  const { shots } = listening;
  const charged = async (): Promise<boolean> => (await uncharged(purser, simulator, shots)) === 0;
  await waitFor('every stream is charged', charged, CHARGE_LIMIT_MS).catch(() => undefined);
  const wrongCharges = await uncharged(purser, simulator, shots);
  const late = await sendTooMuch(planted, overcrowdedShare, SHORT_PATIENCE);
  for (const line of crowded.wrong) stage.say(line);
  const { seen } = crowded;
  const worst = seen.toSorted((one, other) => other.turnCpuMs - one.turnCpuMs).slice(0, WORST);
  const stallMs = Math.max(rounded(longestStallMs, 0), ...seen.map((one) => one.stallMs));
  return {
    figures: {
      requests: seen.length,
      streams: shots.length,
      longestStallMs: stallMs,
      longestTurnCpuMs: worst[0]?.turnCpuMs ?? 0,
      worst: worst.map((one) => `${one.turnCpuMs} ms of processor time, ${one.stallMs} ms in all: ${one.what}`),
    },
    checks: [
      exactly('requests that got no answer of the right kind', crowded.wrong.length, 0),
      atMost('ms the event loop stood still', stallMs, mostStallMs),
      atMost(
        'characters of the longest text parsed on the event loop',
        Math.max(...seen.map(({ parsedCharacters }) => parsedCharacters)),
        MOST_PARSED_CHARACTERS,
      ),
      exactly('streams that did not end whole', shots.filter((shot) => !isWhole(shot)).length, 0),
      exactly('streams not charged to the token', wrongCharges, 0),
      exactly('bodies beyond the bounds that were not refused', early.notRefused, 0),
      exactly('bodies beyond the bounds that were read to their end', early.refusedLate, 0),
      exactly('planted: with the early count off, bodies read to their end', late.refusedLate, late.sent),
    ],
  };
}

export const crowdedRequests = scenario<Parameters>({
  name: 'crowded-requests',
  shows:
    'requests that hold all a gateway lets in stop no stream and lose no token, and what holds more is refused as it arrives',
  short: {
    crowd: { elements: 10_000, members: 1000, characters: 1_000_000 },
    overcrowdedShare: 0.1,
    streams: 20,
    mostStallMs: Number.POSITIVE_INFINITY,
  },
  full: {
    crowd: { elements: 200_000, members: 10_000, characters: 10_300_000 },
    overcrowdedShare: 1,
    streams: 20,
    mostStallMs: 250,
  },
  run,
});
