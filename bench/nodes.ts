/**
 * `npm run bench:nodes [-- --rounds N]`: what two nodes on one PostgreSQL and one Redis carry, divided by what one carries. A machine with
 * two cores cannot saturate two nodes, their load and their database at once, so each node gets a quarter of a core by a control group, and
 * the rest is idle enough not to be the limit. Prints requests per second of each round; the last line is JSON.
 */
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Contender, UpstreamPorts } from './contenders/contender.ts';
import { moneyConfiguration } from './contenders/money.ts';
import { triviumContender } from './contenders/trivium.ts';
import { chooseCores, pinSelf } from './cores.ts';
import { enter } from './line-up.ts';
import { CONNECTIONS, type LoadTools, loadPlain, PACE_US, STREAM_CHUNKS } from './load.ts';
import { type Entrant, withCpuPerRequest } from './measure.ts';
import { compile, requireTools } from './native-programs.ts';
import { choosePorts } from './ports.ts';
import { awaitPort, killAll, killService, startService } from './processes.ts';
import { watchMachine } from './quiet.ts';
import { spreadOf } from './statistics.ts';

const BUILD_FOLDER = fileURLToPath(new URL('build/', import.meta.url));
const CONTROL_GROUPS = '/sys/fs/cgroup';
const PERIOD_US = 100_000;
const CORE_SHARE = 0.25;
const WARM_REQUESTS = 20_000;
const WARM_SECONDS = 5;
const SECONDS = 8;

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '5' } } });
const rounds = Number(values.rounds);
const say = (text: string): void => console.error(`bench: ${text}`);

/** A control group that gets `CORE_SHARE` of one core, in the first or the second version of the kernel's interface. */
function openControlGroup(name: string): string {
  const first = join(CONTROL_GROUPS, 'cpu');
  const isFirst = existsSync(join(first, 'cpu.cfs_quota_us'));
  const group = join(isFirst ? first : CONTROL_GROUPS, name);
  if (!existsSync(group)) mkdirSync(group);
  const quotaUs = PERIOD_US * CORE_SHARE;
  if (isFirst) {
    writeFileSync(join(group, 'cpu.cfs_period_us'), String(PERIOD_US));
    writeFileSync(join(group, 'cpu.cfs_quota_us'), String(quotaUs));
  } else writeFileSync(join(group, 'cpu.max'), `${quotaUs} ${PERIOD_US}`);
  return group;
}

/** The shell joins the group and becomes the command. */
const within = (group: string, contender: Contender): Contender => ({
  ...contender,
  command: ['sh', '-c', 'echo $$ > "$0" && exec "$@"', join(group, 'cgroup.procs'), ...contender.command],
});

async function startNodes(tools: LoadTools, core: number, groups: readonly string[], upstream: UpstreamPorts) {
  const money = await moneyConfiguration(tools.workFolder, 'nodes');
  const ports = await choosePorts(2 * groups.length, undefined);
  const nodes: Entrant[] = [];
  for (const [index, group] of groups.entries()) {
    const [data = 0, admin = 0] = ports.slice(2 * index);
    const label = `node-${index + 1}`;
    const journal = join(tools.workFolder, `journal-${label}`);
    mkdirSync(journal, { recursive: true });
    const variant = { label, money: { ...money, ledger: { journal } } };
    const contender = triviumContender('trivium-money', tools.workFolder, { data, admin }, upstream, variant);
    // The account and its key are made through the first node; the second finds them in the database.
    const paying = nodes[0]?.json.target.headers;
    const node = paying === undefined ? contender : { ...contender, onceUp: async () => paying };
    nodes.push(await enter(tools, core, within(group, node)));
  }
  return nodes;
}

interface Figures {
  readonly perSecond: number;
  readonly cpuUs: number;
}

/** The nodes under full load side by side; each has its own connections. */
async function loadOn(tools: LoadTools, nodes: readonly Entrant[]): Promise<Figures> {
  const loads = await Promise.all(
    nodes.map(({ service, json, answerBytes }) =>
      withCpuPerRequest(service, () => loadPlain(tools, json, CONNECTIONS, SECONDS, answerBytes)),
    ),
  );
  const perSecond = loads.reduce((sum, { load }) => sum + load.perSecond, 0);
  return { perSecond, cpuUs: loads.reduce((sum, { cpuUs }) => sum + cpuUs, 0) / loads.length };
}

async function warm(tools: LoadTools, { json, answerBytes }: Entrant): Promise<void> {
  for (let completed = 0; completed < WARM_REQUESTS; )
    completed += (await loadPlain(tools, json, CONNECTIONS, WARM_SECONDS, answerBytes)).completed;
}

async function measure(tools: LoadTools, nodes: readonly Entrant[]) {
  const one: Figures[] = [];
  const two: Figures[] = [];
  for (let round = 0; round < rounds; round++) {
    for (const node of nodes) one.push(await loadOn(tools, [node]));
    two.push(await loadOn(tools, nodes));
    const perSecond = [...one.slice(-nodes.length), ...two.slice(-1)].map((figures) => Math.round(figures.perSecond));
    console.log(`round ${round + 1}: ${perSecond.slice(0, -1).join(' and ')} alone, ${perSecond.at(-1)} together`);
  }
  const median = (list: readonly Figures[], of: keyof Figures) => spreadOf(list.map((figures) => figures[of])).median;
  return {
    ok: true,
    rounds,
    coreShare: CORE_SHARE,
    onePerSecond: Math.round(median(one, 'perSecond')),
    twoPerSecond: Math.round(median(two, 'perSecond')),
    throughputRatio: Number((median(two, 'perSecond') / median(one, 'perSecond')).toFixed(2)),
    oneCpuUs: Math.round(median(one, 'cpuUs')),
    twoCpuUs: Math.round(median(two, 'cpuUs')),
  };
}

process.on('exit', killAll);
requireTools();
const quiet = await watchMachine();
if (!quiet.isQuiet) say(`the machine is ${Math.round(quiet.busyShare * 100)} % busy already: figures will be off`);
const cores = chooseCores();
pinSelf(cores.load);
const workFolder = join(BUILD_FOLDER, 'run');
mkdirSync(workFolder, { recursive: true });
const tools = { core: cores.load, sseload: compile('sseload', BUILD_FOLDER), workFolder };
const [json = 0, fast = 0, paced = 0] = await choosePorts(3, undefined);
const mock = [compile('mock', BUILD_FOLDER), ...[json, fast, paced, STREAM_CHUNKS, PACE_US].map(String)];
await awaitPort(startService('mock', cores.load, mock, join(workFolder, 'mock.log')), paced);
const groups = ['trivium-node-1', 'trivium-node-2'].map(openControlGroup);
try {
  const nodes = await startNodes(tools, cores.proxy, groups, { json, paced });
  for (const node of nodes) await warm(tools, node);
  console.log(JSON.stringify(await measure(tools, nodes)));
  for (const node of nodes) await killService(node.service);
} finally {
  killAll();
  for (const group of groups) rmdirSync(group);
}
