/** One agent, one destination: a task in an empty folder, judged by the files it leaves and by what it prints. */
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunAs } from '../../packages/cli/src/embedded/unprivileged.ts';
import { AFTER, AGENTS, type AgentName, BEFORE } from './agents.ts';

export type Play = {
  readonly agent: AgentName;
  readonly bin: string;
  readonly path: string;
  readonly gatewayUrl: string;
  readonly key: string;
  readonly model: string;
  readonly as: RunAs;
};

export type Verdict = { readonly ok: boolean; readonly problems: readonly string[]; readonly output: string };

/** The word the model ends with; agents must print it. */
const ANSWER = 'The notes are final now: 3 crossroads.';
const LIMIT_MS = 180_000;
const SHOWN_OUTPUT = 6000;

const NOTES = `# Notes\n${BEFORE}\nend\n`;
/** Agents without tools take whole files from the answer. */
const WHOLE_FILE = `notes.txt\n\`\`\`\n${NOTES.replace(BEFORE, AFTER)}\`\`\`\n`;

function promptFor(agent: AgentName, folder: string, model: string): string {
  const steps = AGENTS[agent]
    .steps(folder, model)
    .map(([tool, input]) => `@step ${tool} ${encodeURIComponent(JSON.stringify(input))}`);
  const answer = steps.length === 0 ? `${ANSWER}\n\n${WHOLE_FILE}` : ANSWER;
  const task = 'Set the status in notes.txt to final, then count its lines.';
  return [task, ...steps, `@answer ${encodeURIComponent(answer)}`].join('\n');
}

export async function playAgent(play: Play): Promise<Verdict> {
  const home = mkdtempSync(join(tmpdir(), `trivium-${play.agent}-`));
  const folder = join(home, 'work');
  mkdirSync(folder);
  writeFileSync(join(folder, 'notes.txt'), NOTES);
  try {
    const { agent, gatewayUrl, key, model } = play;
    const launch = AGENTS[agent].launch({ gatewayUrl, key, model, home, folder }, promptFor(agent, folder, model));
    giveAway(home, play.as);
    const { code, output } = await run(play, launch.args, launch.env, home, folder);
    const problems = judge(folder, code, output);
    return { ok: problems.length === 0, problems, output: output.slice(-SHOWN_OUTPUT) };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

function giveAway(folder: string, as: RunAs): void {
  chmodSync(folder, 0o755);
  if (as !== undefined) spawnSync('chown', ['-R', `${as.uid}:${as.gid}`, folder]);
}

/** Ends the agent with everything it has started. */
const endGroup = (pid: number | undefined): void => {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
};

function run(
  { bin, path, as }: Play,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  home: string,
  folder: string,
): Promise<{ code: number | null; output: string }> {
  const child = spawn(bin, args, {
    cwd: folder,
    env: { PATH: path, HOME: home, LANG: 'C.UTF-8', TERM: 'dumb', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    ...as,
  });
  let output = '';
  child.stdout.on('data', (text: Buffer) => (output += text));
  child.stderr.on('data', (text: Buffer) => (output += text));
  const limit = setTimeout(() => endGroup(child.pid), LIMIT_MS);
  return new Promise((resolve) => {
    const end = (code: number | null): void => {
      clearTimeout(limit);
      endGroup(child.pid);
      resolve({ code, output });
    };
    child.once('error', (error) => {
      output += String(error);
      end(null);
    });
    child.once('close', end);
  });
}

function judge(folder: string, code: number | null, output: string): readonly string[] {
  const problems: string[] = [];
  const notes = readFileSync(join(folder, 'notes.txt'), 'utf8');
  if (code !== 0) problems.push(`exit code ${code}`);
  if (!notes.includes(AFTER) || notes.includes(BEFORE)) problems.push('the file was not edited');
  if (!existsSync(join(folder, 'count.txt'))) problems.push('the command was not run');
  if (!output.includes(ANSWER)) problems.push('the answer was not printed');
  return problems;
}
