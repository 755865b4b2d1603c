/** A terminal that a person would sit at: a tmux session of its own server, with keys and what is on the screen. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const LOOK_EVERY_MS = 200;
const PATIENCE_MS = 90_000;

export class Terminal {
  readonly #folder = mkdtempSync(join(tmpdir(), 'trivium-tmux-'));

  #tmux(...args: readonly string[]): string {
    const { status, stdout, stderr, error } = spawnSync('tmux', ['-S', join(this.#folder, 'socket'), ...args], {
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`tmux ${args[0]}: ${error ?? stderr}`);
    return stdout;
  }

  /** `command`: a program with its arguments, none of which the shell may read otherwise. */
  start(command: readonly string[]): void {
    const quoted = command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
    this.#tmux('new-session', '-d', '-s', 'person', '-x', '160', '-y', '50', quoted);
  }

  keys(...keys: readonly string[]): void {
    this.#tmux('send-keys', '-t', 'person', ...keys);
  }

  get screen(): string {
    return this.#tmux('capture-pane', '-p', '-t', 'person').trimEnd();
  }

  /** What the pattern finds on the screen. Throws with the screen if that takes too long. */
  async shows(pattern: RegExp): Promise<RegExpExecArray> {
    const untilMs = Date.now() + PATIENCE_MS;
    for (;;) {
      const found = pattern.exec(this.screen);
      if (found !== null) return found;
      if (Date.now() > untilMs) throw new Error(`${pattern} is not on the screen:\n${this.screen}`);
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  }

  /** Presses keys by what is on the screen, each time it shows something new, until it shows `end`. */
  async answer(answers: readonly (readonly [RegExp, readonly string[]])[], end: RegExp): Promise<void> {
    const untilMs = Date.now() + PATIENCE_MS;
    let answered = '';
    for (;;) {
      const { screen } = this;
      if (end.test(screen)) return;
      const found = answers.find(([asked]) => asked.test(screen));
      if (found !== undefined && screen !== answered) {
        answered = screen;
        for (const key of found[1]) this.keys(key);
      } else if (Date.now() > untilMs) throw new Error(`${end} is not on the screen:\n${screen}`);
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  }

  close(): void {
    spawnSync('tmux', ['-S', join(this.#folder, 'socket'), 'kill-server']);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
