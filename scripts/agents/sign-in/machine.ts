/**
 * A machine on which Claude Code is managed: its settings file names the gateway. The file is seen by programs started here alone,
 * in a mount namespace with a copy of /etc.
 */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from '../program.ts';

const LAUNCH = 'mount --bind "$0" /etc && cd "$1" && shift && exec "$@"';

export class Machine {
  readonly home = mkdtempSync(join(tmpdir(), 'trivium-home-'));
  readonly #etc = mkdtempSync(join(tmpdir(), 'trivium-etc-'));
  readonly #work = join(this.home, 'work');
  readonly #bin: string;

  constructor(bin: string, gatewayUrl: string) {
    this.#bin = bin;
    cpSync('/etc', this.#etc, { recursive: true, verbatimSymlinks: true });
    mkdirSync(join(this.#etc, 'claude-code'), { recursive: true });
    mkdirSync(this.#work);
    const managed = { forceLoginMethod: 'gateway', forceLoginGatewayUrl: gatewayUrl };
    writeFileSync(join(this.#etc, 'claude-code/managed-settings.json'), JSON.stringify(managed));
  }

  get #env(): Record<string, string> {
    return { PATH: process.env['PATH'] ?? '', HOME: this.home, TERM: 'xterm-256color', DISABLE_AUTOUPDATER: '1' };
  }

  /** With its environment, for a terminal. */
  command(...args: readonly string[]): readonly string[] {
    const env = Object.entries(this.#env).map(([name, value]) => `${name}=${value}`);
    return ['env', '-i', ...env, ...this.#inNamespace(args)];
  }

  #inNamespace(args: readonly string[]): readonly string[] {
    return ['unshare', '-m', 'sh', '-c', LAUNCH, this.#etc, this.#work, this.#bin, ...args];
  }

  run(...args: readonly string[]): Promise<{ code: number | null; output: string }> {
    const [program = '', ...rest] = this.#inNamespace(args);
    return runProgram(program, rest, { cwd: this.home, env: this.#env });
  }

  /** What Claude Code keeps of its sign-in. */
  get credentials(): Record<string, unknown> {
    const text = readFileSync(join(this.home, '.claude/.credentials.json'), 'utf8');
    return (JSON.parse(text) as { enterpriseGateway?: Record<string, unknown> }).enterpriseGateway ?? {};
  }

  /** The token is over, as the program sees it. */
  endToken(): void {
    const path = join(this.home, '.claude/.credentials.json');
    const kept = JSON.parse(readFileSync(path, 'utf8')) as { enterpriseGateway: Record<string, unknown> };
    kept.enterpriseGateway['expiresAt'] = Date.now();
    writeFileSync(path, JSON.stringify(kept));
  }

  remove(): void {
    for (const folder of [this.home, this.#etc]) rmSync(folder, { recursive: true, force: true });
  }
}
