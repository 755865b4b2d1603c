/** Other people's programs, installed outside the checkout on first use, and anew when their pinned versions change. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const INSTALL_LIMIT_MS = 900_000;

/** From `judges.json` and `requirements.txt` in `pins`. Returns the folder with `node_modules` and `venv`. */
export function installJudges(pins: string, name: string): string {
  const cache = process.env[`TRIVIUM_${name.toUpperCase()}`] ?? join(homedir(), '.cache', `trivium-${name}`);
  const program = (file: string, args: readonly string[]): void => {
    execFileSync(file, [...args], { cwd: cache, timeout: INSTALL_LIMIT_MS, stdio: ['ignore', 'ignore', 'inherit'] });
  };
  const install = (file: string, run: () => void): void => {
    const text = readFileSync(join(pins, file), 'utf8');
    const stamp = join(cache, `${file}.installed`);
    if (existsSync(stamp) && readFileSync(stamp, 'utf8') === text) return;
    run();
    writeFileSync(stamp, text);
  };
  mkdirSync(cache, { recursive: true });
  install('judges.json', () => {
    copyFileSync(join(pins, 'judges.json'), join(cache, 'package.json'));
    program('npm', ['install', '--no-audit', '--no-fund', '--no-package-lock']);
  });
  install('requirements.txt', () => {
    program('python3', ['-m', 'venv', '--clear', 'venv']);
    program(join(cache, 'venv/bin/python'), [
      ...['-m', 'pip', 'install', '--quiet', '--requirement'],
      join(pins, 'requirements.txt'),
    ]);
  });
  return cache;
}
