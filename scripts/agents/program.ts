/** A program with all it starts: it ends by itself, by an interrupt at a given point, or at the time limit. */
import { type SpawnOptions, spawn } from 'node:child_process';

/** A start takes ten seconds on a quiet machine; with other work on two cores, one took a hundred. */
const LIMIT_MS = 300_000;
/** After an interrupt it may write down the conversation. */
const ENDING_MS = 15_000;
const LOOK_EVERY_MS = 50;

function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // It has ended by itself.
  }
}

export function runProgram(
  bin: string,
  args: readonly string[],
  place: Pick<SpawnOptions, 'cwd' | 'env' | 'uid' | 'gid'>,
  interruptWhen?: () => boolean,
): Promise<{ code: number | null; output: string }> {
  const child = spawn(bin, args, { ...place, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  let output = '';
  child.stdout.on('data', (text: Buffer) => (output += text));
  child.stderr.on('data', (text: Buffer) => (output += text));
  let limit = setTimeout(() => signalGroup(child.pid, 'SIGKILL'), LIMIT_MS);
  const look = setInterval(() => {
    if (interruptWhen?.() !== true) return;
    clearInterval(look);
    clearTimeout(limit);
    signalGroup(child.pid, 'SIGINT');
    limit = setTimeout(() => signalGroup(child.pid, 'SIGKILL'), ENDING_MS);
  }, LOOK_EVERY_MS);
  return new Promise((resolve) => {
    const end = (code: number | null): void => {
      clearInterval(look);
      clearTimeout(limit);
      signalGroup(child.pid, 'SIGKILL');
      resolve({ code, output });
    };
    child.once('error', (error) => {
      output += String(error);
      end(null);
    });
    child.once('close', end);
  });
}
