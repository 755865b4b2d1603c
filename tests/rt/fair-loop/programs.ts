/** The programs of this scenario as processes of their own, so that none of them waits for the judge's event loop or another's. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { hasEnded } from '../parts/child.ts';
import type { Stage } from '../parts/stage.ts';
import { within } from '../parts/wait.ts';

const START_LIMIT_MS = 60_000;

export class Program {
  readonly #name: string;
  readonly #child: ChildProcess;

  private constructor(name: string, child: ChildProcess) {
    this.#name = name;
    this.#child = child;
  }

  /** Resolves with its first message, which every program sends when it is ready. */
  static async start<Ready>(
    stage: Stage,
    url: URL,
    ...args: readonly string[]
  ): Promise<{ readonly program: Program; readonly ready: Ready }> {
    const path = fileURLToPath(url);
    const node = [process.execPath, '--conditions=trivium-source', '--max-old-space-size=3000', path, ...args];
    // The kernel kills it with this process, even when this process is killed and cannot clean up.
    const child = spawn('setpriv', ['--pdeathsig', 'KILL', ...node], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const program = new Program(path.slice(path.lastIndexOf('/') + 1), child);
    stage.atEnd(() => program.end());
    return { program, ready: await program.#next<Ready>(START_LIMIT_MS) };
  }

  /** Sends a word and resolves with the answer to it. */
  ask<Answer>(word: string, limitMs: number): Promise<Answer> {
    const answer = this.#next<Answer>(limitMs);
    this.#child.send(word);
    return answer;
  }

  say(word: string): void {
    this.#child.send(word);
  }

  async end(): Promise<void> {
    if (hasEnded(this.#child)) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }

  async #next<Message>(limitMs: number): Promise<Message> {
    const ended = once(this.#child, 'exit').then(() => {
      throw new Error(`${this.#name} ended`);
    });
    const message = once(this.#child, 'message').then(([value]) => value as Message);
    ended.catch(() => undefined);
    return within(`${this.#name} answers`, Promise.race([message, ended]), limitMs);
  }
}
