/**
 * `npm run agents [-- --only a,b --into d | --pairs a:d,b:e] [--newest]`: real agent programs through the gateway into hosts of
 * every dialect. An agent that cannot be installed is skipped with a message; the last line is JSON.
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

const simulator = await startSimulator({});
const key = newKeySecret();
const gateway = await openGateway(simulator, key);
// Some agents refuse to work without questions as root.
const as = runAs('nobody');
let passed = 0;
let failed = 0;
const skipped: string[] = [];
for (const agent of agents) {
  let installed: Installed;
  try {
    installed = installAgent(agent, values.newest);
  } catch (error) {
    console.log(`SKIPPED ${agent}: it cannot be installed here: ${error instanceof Error ? error.message : error}`);
    skipped.push(agent);
    continue;
  }
  const names = modelNamesIn(agent, installed.folder);
  if (names !== undefined) {
    const problems = nameProblems(agent, names);
    if (problems.length > 0) failed++;
    console.log(
      `${problems.length === 0 ? 'ok  ' : 'FAIL'} ${agent.padEnd(12)} model names        ${names.length} in its program${problems.map((each) => `; ${each}`).join('')}`,
    );
  }
  for (const dialect of DIALECTS.filter((into) => wanted.includes(`${agent}:${into}`))) {
    const before = simulator.truth.read().length;
    const model = DESTINATIONS[dialect] ?? '';
    const { ok, problems, output } = await playAgent({ agent, ...installed, gatewayUrl: gateway.url, key, model, as });
    const talks = simulator.truth.read().slice(before);
    const refusals = talks.flatMap(({ refusal }) => refusal ?? []);
    if (ok) passed++;
    else failed++;
    console.log(
      `${ok ? 'ok  ' : 'FAIL'} ${agent.padEnd(12)} ${dialect.padEnd(19)} ${talks.length} upstream calls${problems.length > 0 ? `: ${problems.join(', ')}` : ''}`,
    );
    for (const refusal of refusals) console.log(`     upstream refused: ${refusal}`);
    if (!ok) console.log(output.replace(/^/gmu, '     | '));
  }
}
await gateway.close();
await simulator.close();
console.log(JSON.stringify({ ok: failed === 0 && skipped.length === 0, agents, passed, failed, skipped }));
process.exit(failed === 0 ? 0 : 1);
