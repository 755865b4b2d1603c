/** A real nginx and a real HAProxy in front, from the samples of the guide: streams, SDKs, addresses, and no desync. */
import type { CheckName } from '../../sdk/checks/check.ts';
import { refusalOf } from '../../support/socket-client.ts';
import { KEY } from '../../support/stand.ts';
import {
  crowdOfSockets,
  crowdOfStreams,
  ECHO_MODEL,
  leavers,
  sdkSmoke,
  statusFrom,
} from '../behind-proxies/callers.ts';
import { findDesyncs } from '../behind-proxies/desync.ts';
import { startNaivePair } from '../behind-proxies/naive-proxy.ts';
import { ATTACKS } from '../behind-proxies/smuggling.ts';
import { providerOf } from '../parts/dialect-hosts.ts';
import { EchoHost } from '../parts/echo-host.ts';
import { PROXIES, type ReverseProxy, startProxy } from '../parts/reverse-proxy.ts';
import type { Stage } from '../parts/stage.ts';
import { atLeast, type Check, exactly, type Outcome, scenario } from '../scenario.ts';

type Parameters = {
  readonly streams: number;
  readonly leavers: number;
  readonly sockets: number;
  readonly rounds: number;
  readonly sdkChecks?: readonly CheckName[];
};

const SDK_MODEL = 'rt/any';
/** May be used from one address of the loopback network only. */
const OFFICE_KEY = 'sk-trivium-office-0123456789abcdefghijklmnopqrstuvwx';
const OFFICE = '127.0.0.2';
const HOME = '127.0.0.1';
const SEEN_IN_NAIVE_PAIR = ATTACKS.slice(0, 2);

async function setUp(stage: Stage) {
  const echo = await EchoHost.open(stage);
  const simulator = await stage.simulator();
  const config = {
    keys: [
      { name: 'any', secret: KEY },
      { name: 'office', secret: OFFICE_KEY, addresses: [`${OFFICE}/32`] },
    ],
    overload: { lagMs: 0 },
    providers: {
      echo: { dialect: 'openai-chat', baseUrl: echo.url, credential: 'sk-upstream-rt' },
      ...providerOf({ name: 'east', dialect: 'openai-chat', upstream: simulator }),
    },
    models: [
      { id: ECHO_MODEL, endpoints: [{ provider: 'echo', upstreamModel: 'any' }] },
      {
        id: SDK_MODEL,
        contextLength: 128_000,
        maxOutputTokens: 16_384,
        capabilities: {
          tools: true,
          structuredOutput: true,
          temperature: true,
          thinking: { kind: 'effort', levels: ['low', 'medium', 'high'] },
        },
        endpoints: [{ provider: 'east', upstreamModel: 'thinker' }],
      },
    ],
  };
  return { echo, gateway: await stage.gateway(config, { trustedProxies: [HOME] }) };
}

async function through(
  { name, url }: ReverseProxy,
  echo: EchoHost,
  { streams, leavers: leaving, sockets, rounds, sdkChecks }: Parameters,
  stage: Stage,
): Promise<readonly Check[]> {
  const sdks = await sdkSmoke({ url, key: KEY, model: SDK_MODEL, simulated: true }, sdkChecks);
  for (const line of sdks.failed) stage.say(`${name}: ${line}`);
  const crowd = await crowdOfStreams(url, KEY, echo, streams, name);
  const left = await leavers(url, KEY, echo, leaving);
  const connected = await crowdOfSockets(url, KEY, echo, sockets, name);
  const keyless = await refusalOf(`${url}/v1/responses`, {});
  const office = await statusFrom(url, OFFICE_KEY, OFFICE);
  const elsewhere = await statusFrom(url, OFFICE_KEY, HOME);
  const forged = await statusFrom(url, OFFICE_KEY, HOME, OFFICE);
  let victims = 0;
  const desyncs: string[] = [];
  for (let round = 0; round < rounds; round++) {
    const found = await findDesyncs(url, ATTACKS, (words) => echo.seen.get(words) ?? 0, `${name}-${round}`);
    victims += found.victims;
    desyncs.push(...found.desyncs);
  }
  for (const line of desyncs) stage.say(`${name}: ${line}`);
  return [
    atLeast(`${name}: checks of official SDKs`, sdks.checks, 4),
    exactly(`${name}: checks of official SDKs that failed`, sdks.failed.length, 0),
    exactly(`${name}: streams open at once`, crowd.open, streams),
    exactly(`${name}: streams whose first piece came before the last was sent`, crowd.early, streams),
    exactly(`${name}: streams that came whole and to whom they belong`, crowd.whole, streams),
    exactly(`${name}: upstream calls that ended with their caller`, left, leaving),
    exactly(`${name}: WebSockets whose first piece came before the last was sent`, connected.early, sockets),
    exactly(`${name}: WebSockets whose large second frame went on from the first`, connected.continued, sockets),
    exactly(`${name}: upstream calls that ended with their WebSocket`, connected.left, sockets),
    exactly(`${name}: status of a handshake without a key`, keyless.status, 401),
    exactly(`${name}: status of a key at its address`, office, 200),
    exactly(`${name}: status of a key elsewhere`, elsewhere, 401),
    exactly(`${name}: status of a key elsewhere that claims its address`, forged, 401),
    atLeast(`${name}: requests of bystanders between attacks`, victims, ATTACKS.length),
    exactly(`${name}: desyncs`, desyncs.length, 0),
  ];
}

async function play(parameters: Parameters, stage: Stage): Promise<Outcome> {
  const { echo, gateway } = await setUp(stage);
  const seen = new Map<string, number>();
  const naive = await startNaivePair(stage, seen);
  const planted = await findDesyncs(naive, SEEN_IN_NAIVE_PAIR, (words) => seen.get(words) ?? 0, 'naive', 0);
  const checks: Check[] = [
    atLeast('desyncs found between a proxy and a server that disagree', planted.desyncs.length, 1),
  ];
  for (const name of PROXIES)
    checks.push(...(await through(await startProxy(stage, name, gateway.url), echo, parameters, stage)));
  return { figures: { proxies: PROXIES, attacks: ATTACKS.length, ...parameters }, checks };
}

export const behindProxies = scenario<Parameters>({
  name: 'behind-proxies',
  shows:
    'behind nginx and HAProxy the SDKs work, streams and WebSockets come piece by piece, and no request is taken for two',
  short: {
    streams: 200,
    leavers: 5,
    sockets: 20,
    rounds: 1,
    sdkChecks: ['plain', 'stream', 'tools streamed', 'error before', 'error during', 'list'],
  },
  full: { streams: 200, leavers: 50, sockets: 200, rounds: 5 },
  run: play,
});
