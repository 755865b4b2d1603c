/**
 * `npm run agents [-- --only a,b --into d | --pairs a:d,b:e] [--newest] [--at-once n]`: real agent programs through the gateway into hosts of
 * every dialect, one conversation for each pair (see script.ts). A request that a host refuses is a failure, even if the agent goes on. An agent
 * that cannot be installed is skipped with a message; the last line is JSON.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { loadCatalogue, loadConfig, newKeySecret, providerSet, startGateway } from '@trivium/gateway';
import { type Simulator, startSimulator } from '@trivium/simulator';
import { runAs } from '../services/unprivileged.ts';
import { AGENT_NAMES, type AgentName } from './agents.ts';
import { type Installed, installAgent } from './install.ts';
import { modelNamesIn } from './model-names.ts';
import { playAgent } from './play.ts';

/** A model of the catalogue whose first host speaks the dialect. */
const DESTINATIONS: Readonly<Record<string, string>> = {
  'openai-chat': 'deepseek/deepseek-v4-pro',
  'openai-responses': 'openai/gpt-5.5',
  'anthropic-messages': 'anthropic/claude-sonnet-4.6',
  'google-generate': 'google/gemini-3.5-flash',
};
const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    into: { type: 'string' },
    pairs: { type: 'string' },
    newest: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
    'at-once': { type: 'string', default: '2' },
  },
});
const chosen = (list: string | undefined, all: readonly string[]): readonly string[] => {
  const names = list === undefined ? all : list.split(',');
  const unknown = names.filter((name) => !all.includes(name));
  if (unknown.length > 0) throw new Error(`unknown: ${unknown.join(', ')}; known: ${all.join(', ')}`);
  return names;
};
const DIALECTS = Object.keys(DESTINATIONS);
/** Which agents go where, as `agent:dialect`. */
const wanted =
  values.pairs?.split(',') ??
  chosen(values.only, AGENT_NAMES).flatMap((agent) => chosen(values.into, DIALECTS).map((into) => `${agent}:${into}`));
chosen(
  wanted.join(','),
  AGENT_NAMES.flatMap((agent) => DIALECTS.map((dialect) => `${agent}:${dialect}`)),
);
const agents = AGENT_NAMES.filter((agent) => wanted.some((pair) => pair.startsWith(`${agent}:`)));

async function openGateway(simulator: Simulator, key: string) {
  const credential = newKeySecret();
  const at = (path: string) => ({ credential, baseUrl: `${simulator.url}${path}` });
  const config = {
    listen: { host: '127.0.0.1', port: 0 },
    admin: { host: '127.0.0.1', port: 0 },
    log: { level: values.verbose ? 'info' : 'silent' },
    keys: [{ name: 'agents', secret: key }],
    providers: {
      openai: at('/openai/v1'),
      deepseek: at('/compatible@deepseek/v1'),
      anthropic: at('/anthropic'),
      google: at('/google/v1beta'),
    },
  };
  const loaded = loadConfig({ text: JSON.stringify(config), env: {} });
  if ('problems' in loaded) throw new Error(JSON.stringify(loaded.problems));
  return startGateway({ config: loaded.config });
}

/** The list that the tests hold against the catalogue where no agent is installed. */
const LISTED_NAMES: Readonly<Partial<Record<AgentName, readonly string[]>>> = JSON.parse(
  readFileSync(new URL('model-names.json', import.meta.url), 'utf8'),
);
const catalogue = await loadCatalogue({ knownProviders: providerSet().ids });

/** The names inside an agent's own program: each is served or retired with a successor, and the checked-in list has them all. */
function nameProblems(agent: AgentName, names: readonly string[]): readonly string[] {
  const unresolved = names.filter((name) => {
    const found = catalogue.snapshot.lookup(name);
    return !(found.kind === 'served' || (found.kind === 'retired' && found.successor !== undefined));
  });
  const listed = LISTED_NAMES[agent] ?? [];
  const unlisted = names.filter((name) => !listed.includes(name));
  return [
    ...(names.length === 0 ? ['no model names found in its program'] : []),
    ...unresolved.map((name) => `${name} is neither served nor retired`),
    ...unlisted.map((name) => `${name} is not in scripts/agents/model-names.json`),
  ];
}

// Some agents refuse to work without questions as root.
const as = runAs('nobody');
let passed = 0;
let failed = 0;
let refused = 0;
const skipped: string[] = [];
const installed = new Map<AgentName, Installed>();
for (const agent of agents)
  try {
    installed.set(agent, installAgent(agent, values.newest));
  } catch (error) {
    console.log(`SKIPPED ${agent}: it cannot be installed here: ${error instanceof Error ? error.message : error}`);
    skipped.push(agent);
  }

for (const [agent, { folder }] of installed) {
  const names = modelNamesIn(agent, folder);
  if (names === undefined) continue;
  const problems = nameProblems(agent, names);
  if (problems.length > 0) failed++;
  console.log(
    `${problems.length === 0 ? 'ok  ' : 'FAIL'} ${agent.padEnd(12)} model names        ${names.length} in its program${problems.map((each) => `; ${each}`).join('')}`,
  );
}

async function playPair(agent: AgentName, program: Installed, dialect: string): Promise<void> {
  const simulator = await startSimulator({});
  const key = newKeySecret();
  const gateway = await openGateway(simulator, key);
  const model = DESTINATIONS[dialect] ?? '';
  const other = dialect === 'openai-responses' ? 'anthropic/claude-sonnet-4.6' : 'openai/gpt-5.5';
  const isBlind = catalogue.snapshot.find(model)?.inputModalities.includes('image') !== true;
  const started = Date.now();
  const { problems, output } = await playAgent({
    ...program,
    ...{ agent, gatewayUrl: gateway.url, key, model, other, isBlind, simulator, as },
  });
  const talks = simulator.truth.read();
  const refusals = talks.flatMap(({ refusal }) => refusal ?? []);
  await gateway.close();
  await simulator.close();
  const ok = problems.length === 0 && refusals.length === 0;
  if (ok) passed++;
  else failed++;
  refused += refusals.length;
  console.log(
    `${ok ? 'ok  ' : 'FAIL'} ${agent.padEnd(12)} ${dialect.padEnd(19)} ${talks.length} upstream calls, ${Math.round((Date.now() - started) / 1000)} s${problems.length > 0 ? `: ${problems.join(', ')}` : ''}`,
  );
  for (const refusal of refusals) console.log(`     upstream refused: ${refusal}`);
  if (!ok || values.verbose) console.log(output.replace(/^/gmu, '     | '));
}

const waiting = [...installed].flatMap(([agent, program]) =>
  DIALECTS.filter((into) => wanted.includes(`${agent}:${into}`)).map((into) => () => playPair(agent, program, into)),
);
await Promise.all(
  Array.from({ length: Number(values['at-once']) }, async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await next();
  }),
);
const ok = failed === 0 && refused === 0 && skipped.length === 0;
console.log(JSON.stringify({ ok, agents, passed, failed, refusals: refused, skipped }));
process.exit(failed === 0 && refused === 0 ? 0 : 1);
