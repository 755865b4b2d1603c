// Gets a run ready: builds what must be built, starts the upstream and every contender, and checks their answers.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { checkTarget, faultOfAnswer, faultOfStream } from './answer-check.ts';
import { type Contender, type Measure, plainTargets, type Target, type UpstreamPorts } from './contenders/contender.ts';
import { moneyConfiguration, startCollector } from './contenders/money.ts';
import { bareContender, relayContender } from './contenders/passthrough.ts';
import { envoyContender, nginxContender } from './contenders/plain-proxies.ts';
import { installPortkey, portkeyContender, portkeyIsInstalled } from './contenders/portkey.ts';
import { litellmContender, pythonProgram } from './contenders/python-peers.ts';
import type { ROADS } from './contenders/roads.ts';
import { entryIn, type TriviumVariant, triviumContender } from './contenders/trivium.ts';
import type { Cores } from './cores.ts';
import { CONNECTIONS, type LoadTools, PACE_US, prepareTarget, STREAM_CHUNKS } from './load.ts';
import type { Entrant } from './measure.ts';
import { compile } from './native-programs.ts';
import { CONTENDER_NAMES, type ContenderName, type Options } from './options.ts';
import { choosePorts } from './ports.ts';
import { awaitPort, describeFailure, type Service, startService } from './processes.ts';
import { DIRECT } from './report.ts';

export interface LineUp {
  readonly tools: LoadTools;
  readonly entrants: readonly Entrant[];
  /** The upstream itself, asked without any proxy. */
  readonly direct: Pick<Entrant, 'name' | 'json' | 'answerBytes'>;
  readonly upstream: UpstreamPorts;
}

const PORT_COUNT = 27;
const TAGS = { team: 'search', project: 'bench' };

async function contendersOf(
  options: Options,
  buildFolder: string,
  workFolder: string,
  ports: readonly number[],
  upstream: UpstreamPorts,
  say: (text: string) => void,
): Promise<readonly Contender[]> {
  const port = (index: number): number => ports[index] ?? 0;
  const portkeyFolder = join(buildFolder, 'portkey');
  const gateway = (name: keyof typeof ROADS, first: number, variant: TriviumVariant = {}): Contender =>
    triviumContender(name, workFolder, { data: port(first), admin: port(first + 1) }, upstream, {
      entry: options.entry,
      ...variant,
    });
  const entryBefore = entryIn(options.before ?? '');
  const builders: Readonly<Record<ContenderName, () => Contender | undefined | Promise<Contender>>> = {
    relay: () => relayContender(compile('relay', buildFolder), port(0), port(1), upstream),
    nginx: () => nginxContender(workFolder, port(15), port(16), upstream),
    envoy: () => {
      const program = join(pythonProgram('envoy', buildFolder, say), 'envoy');
      return envoyContender(program, workFolder, port(17), port(18), upstream);
    },
    litellm: () => litellmContender(pythonProgram('litellm', buildFolder, say), workFolder, port(19), upstream),
    bare: () => bareContender(port(2), port(3), upstream),
    trivium: () => gateway('trivium', 4),
    'trivium-before': () => gateway('trivium-before', 13, { entry: entryBefore }),
    'trivium-money-before': async () =>
      gateway('trivium-money-before', 13, {
        entry: entryBefore,
        money: await moneyConfiguration(workFolder, 'money_before'),
      }),
    'trivium-money': async () => gateway('trivium-money', 11, { money: await moneyConfiguration(workFolder, 'money') }),
    'trivium-observed': async () =>
      gateway('trivium-observed', 20, {
        money: await moneyConfiguration(workFolder, 'observed'),
        customer: { tags: TAGS },
        more: { traces: { endpoint: await startCollector() } },
      }),
    'trivium-groups': async () =>
      gateway('trivium-groups', 22, {
        money: await moneyConfiguration(workFolder, 'groups'),
        customer: { tags: TAGS, hasGroupBudgets: true },
      }),
    'messages-to-chat': () => gateway('messages-to-chat', 7),
    'genai-to-messages': () => gateway('genai-to-messages', 9),
    portkey: () => {
      if (!portkeyIsInstalled(portkeyFolder)) {
        if (options.mode === 'smoke') return undefined;
        say('installing portkey (once; it may take some minutes)');
        installPortkey(portkeyFolder);
      }
      return portkeyContender(portkeyFolder, port(6), upstream);
    },
  };
  const contenders: Contender[] = [];
  for (const name of CONTENDER_NAMES) {
    const contender = options.contenders.has(name) ? await builders[name]() : undefined;
    if (contender !== undefined) contenders.push(contender);
  }
  return contenders;
}

/** The error for a wrong answer includes the contender's own output. */
async function checkService(
  service: Service,
  measure: Measure,
  target: Target,
  faultOf: (text: string) => string | undefined,
): Promise<number> {
  try {
    return await checkTarget(measure, target, faultOf);
  } catch (error) {
    throw describeFailure(service, `fails its check: ${error instanceof Error ? error.message : String(error)}`);
  }
}

export async function enter(
  tools: LoadTools,
  core: number | string,
  contender: Contender,
  onListening?: () => void,
): Promise<Entrant> {
  const { name, command, environment } = contender;
  const service = startService(name, core, command, join(tools.workFolder, `${name}.log`), environment);
  for (const port of new Set([contender.targets.json.port, contender.targets.stream.port]))
    await awaitPort(service, port);
  onListening?.();
  const more = await contender.onceUp?.();
  const withMore = (target: Target): Target => ({ ...target, headers: { ...target.headers, ...more } });
  const targets = { json: withMore(contender.targets.json), stream: withMore(contender.targets.stream) };
  return {
    name,
    service,
    json: prepareTarget(tools, name, 'json', targets.json),
    stream: prepareTarget(tools, name, 'stream', targets.stream),
    answerBytes: await checkService(service, 'json', targets.json, contender.faultOf?.json ?? faultOfAnswer),
    connections: contender.connections ?? CONNECTIONS,
    hasStreams: contender.hasStreams ?? true,
    faultOfStream: contender.faultOf?.stream ?? faultOfStream,
  };
}

export async function lineUp(
  options: Options,
  cores: Cores,
  buildFolder: string,
  say: (text: string) => void,
): Promise<LineUp> {
  const workFolder = join(buildFolder, 'run');
  mkdirSync(workFolder, { recursive: true });
  const [jsonPort = 0, fastPort = 0, pacedPort = 0, ...ports] = await choosePorts(PORT_COUNT, options.basePort);
  const upstream = { json: jsonPort, paced: pacedPort };
  const tools = { core: cores.load, sseload: compile('sseload', buildFolder), workFolder };
  const contenders = await contendersOf(options, buildFolder, workFolder, ports, upstream, say);

  const mockArguments = [jsonPort, fastPort, pacedPort, STREAM_CHUNKS, PACE_US].map(String);
  const mockCommand = [compile('mock', buildFolder), ...mockArguments];
  await awaitPort(startService('mock', cores.load, mockCommand, join(workFolder, 'mock.log')), pacedPort);
  const directTargets = plainTargets(jsonPort, pacedPort);
  const answerBytes = await checkTarget(DIRECT, directTargets.json, faultOfAnswer);
  const direct = { name: DIRECT, json: prepareTarget(tools, DIRECT, 'json', directTargets.json), answerBytes };

  const entrants: Entrant[] = [];
  for (const contender of contenders) entrants.push(await enter(tools, cores.proxy, contender));
  // Streams take a second each by design, so they are checked side by side.
  await Promise.all(
    entrants
      .filter(({ hasStreams }) => hasStreams)
      .map((entrant) => checkService(entrant.service, 'stream', entrant.stream.target, entrant.faultOfStream)),
  );
  return { tools, entrants, direct, upstream };
}
