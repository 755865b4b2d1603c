/** The real Codex with `auth.command`: its token ends while it works, and it gets another one. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installAgent } from '../install.ts';
import { runProgram } from '../program.ts';
import { ANSWERS, taskPrompt } from '../script.ts';
import { MODEL, type Stand } from './stand.ts';

const CLI = fileURLToPath(new URL('../../../packages/cli/src/main.ts', import.meta.url));
const FLAGS = ['--conditions=trivium-source', '--disable-warning=ExperimentalWarning', CLI];
const USER_CODE = /\b[B-Z]{4}-[B-Z]{4}\b/;
/** Together longer than the shortest life of a token. */
const NAPS = [25, 25, 20];
const STARTS_WITHIN_MS = 60_000;

type Check = (name: string, isOk: boolean, shown?: unknown) => void;

export async function playCodex(stand: Stand, check: Check): Promise<void> {
  const { bin, path } = installAgent('codex', false);
  const home = mkdtempSync(join(tmpdir(), 'trivium-codex-'));
  const { tap } = stand;
  const env = { HOME: home, PATH: path, CODEX_HOME: join(home, '.codex') };
  try {
    mkdirSync(env.CODEX_HOME);
    await stand.setCap(undefined);
    await stand.reload(1);
    await logIn(stand, env);
    const auth = {
      command: process.execPath,
      args: [...FLAGS, 'token', '--check', '--url', tap.url],
      timeout_ms: STARTS_WITHIN_MS,
    };
    const provider = `{name="Trivium",base_url=${JSON.stringify(`${tap.url}/v1`)},wire_api="responses",auth={command=${JSON.stringify(auth.command)},args=${JSON.stringify(auth.args)},timeout_ms=${auth.timeout_ms}}}`;
    const naps = NAPS.map((seconds) => [['exec_command', { cmd: `sleep ${seconds}`, yield_time_ms: 30_000 }] as const]);
    const mark = tap.seen.length;
    const { code, output } = await runProgram(
      bin,
      [
        ...['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox'],
        ...['-c', 'model_provider="trivium"', '-c', `model_providers.trivium=${provider}`, '-c', `model="${MODEL}"`],
        taskPrompt('Wait for a while.', naps, ANSWERS.last, undefined),
      ],
      { cwd: home, env },
    );
    const calls = tap.to('/v1/responses', mark).map(({ status }) => status);
    const tokens = tap.to('/oauth/token', mark).filter(({ status }) => status === 200).length;
    check('codex works to the end with the token of trivium token', code === 0 && output.includes(ANSWERS.last));
    check('codex: a token that ended is renewed after the 401', calls.includes(401) && calls.at(-1) === 200, calls);
    check('codex: by one renewal for each', tokens >= 2, tokens);
    if (code !== 0) console.log(output.slice(-3000));
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** `trivium login`, with the browser's side of it. */
async function logIn(stand: Stand, env: Record<string, string>): Promise<void> {
  const program = spawn(process.execPath, [...FLAGS, 'login', '--url', stand.tap.url], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  let isAllowed = false;
  for await (const text of program.stdout) {
    output += String(text);
    const [userCode] = USER_CODE.exec(output) ?? [];
    if (userCode === undefined || isAllowed) continue;
    isAllowed = true;
    await stand.allow(userCode);
  }
  if (!output.includes('Signed in')) throw new Error(`trivium login: ${output}`);
}
