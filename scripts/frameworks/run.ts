/**
 * `npm run frameworks [-- --only a,b]`: frameworks of other people through the gateway, streaming with a tool, into hosts of every
 * dialect. Each has a separate environment, since their pinned versions conflict. The last line is JSON.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { loadConfig, newKeySecret, startGateway } from '@trivium/gateway';
import { startSimulator } from '@trivium/simulator';

const run = promisify(execFile);
const HERE = fileURLToPath(new URL('.', import.meta.url));
/** Outside the packages: a framework is hundreds of megabytes. */
const CACHE = process.env['TRIVIUM_FRAMEWORKS'] ?? join(homedir(), '.cache', 'trivium-frameworks');
const INSTALL_LIMIT_MS = 900_000;
const PLAY_LIMIT_MS = 120_000;

const ALL = readdirSync(join(HERE, 'requirements')).map((file) => file.replace('.txt', ''));
const MODELS = ['deepseek/deepseek-v4-pro', 'openai/gpt-5.5', 'anthropic/claude-sonnet-4.6', 'google/gemini-3.5-flash'];

const { values } = parseArgs({ options: { only: { type: 'string' } } });
const names = values.only?.split(',') ?? ALL;
const unknown = names.filter((name) => !ALL.includes(name));
if (unknown.length > 0) throw new Error(`unknown: ${unknown.join(', ')}; known: ${ALL.join(', ')}`);

/** The Python of a framework's environment, recreated when its pinned versions change. */
async function installed(name: string): Promise<string> {
  const venv = join(CACHE, name);
  const pins = readFileSync(join(HERE, 'requirements', `${name}.txt`), 'utf8');
  const stamp = join(venv, 'requirements.installed');
  const python = join(venv, 'bin', 'python');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === pins) return python;
  mkdirSync(CACHE, { recursive: true });
  await run('python3', ['-m', 'venv', '--clear', venv], { timeout: INSTALL_LIMIT_MS });
  const file = join(HERE, 'requirements', `${name}.txt`);
  await run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--requirement', file], {
    timeout: INSTALL_LIMIT_MS,
  });
  writeFileSync(stamp, pins);
  return python;
}

const simulator = await startSimulator({});
const key = newKeySecret();
const at = (path: string) => ({ credential: newKeySecret(), baseUrl: `${simulator.url}${path}` });
const loaded = loadConfig({
  text: JSON.stringify({
    listen: { host: '127.0.0.1', port: 0 },
    admin: { host: '127.0.0.1', port: 0 },
    log: { level: 'silent' },
    keys: [{ name: 'frameworks', secret: key }],
    providers: {
      openai: at('/openai/v1'),
      deepseek: at('/compatible@deepseek/v1'),
      anthropic: at('/anthropic'),
      google: at('/google/v1beta'),
    },
  }),
  env: {},
});
if ('problems' in loaded) throw new Error(JSON.stringify(loaded.problems));
const gateway = await startGateway({ config: loaded.config });

let passed = 0;
let failed = 0;
try {
  for (const name of names) {
    const python = await installed(name);
    for (const model of MODELS) {
      const { stdout } = await run(python, [join(HERE, 'python', `${name}.py`)], {
        env: { PATH: process.env['PATH'], TRIVIUM_URL: gateway.url, TRIVIUM_API_KEY: key, TRIVIUM_MODEL: model },
        timeout: PLAY_LIMIT_MS,
      });
      const verdicts = JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}') as Record<string, string | null>;
      for (const [protocol, problem] of Object.entries(verdicts)) {
        if (problem === null) passed++;
        else failed++;
        console.log(
          `${problem === null ? 'ok  ' : 'FAIL'} ${name} over ${protocol} to ${model}${problem === null ? '' : `: ${problem}`}`,
        );
      }
    }
  }
} finally {
  await gateway.close();
  await simulator.close();
}
console.log(JSON.stringify({ ok: failed === 0 && passed > 0, frameworks: names.length, passed, failed }));
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
