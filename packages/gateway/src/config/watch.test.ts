import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type LoadedConfig, loadConfig } from './load.ts';
import type { ConfigProblem } from './reading/problem.ts';
import { type ConfigWatch, type WatchConfigOptions, watchConfig } from './watch.ts';

const DEADLINE = { timeout: 5000, interval: 10 };

describe('watchConfig', () => {
  let directory = '';
  let file = '';
  let watch: ConfigWatch | undefined;
  let ports: number[] = [];
  let problems: ConfigProblem[] = [];

  const start = (own: Partial<WatchConfigOptions> = {}): ConfigWatch => {
    watch = watchConfig({
      file,
      env: {},
      onConfig: (loaded: LoadedConfig) => void ports.push(loaded.config.listen.port),
      onProblems: (found) => void problems.push(...found),
      ...own,
    });
    return watch;
  };

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'trivium-watch-'));
    file = join(directory, 'trivium.yaml');
    writeFileSync(file, 'keys: []\n');
    ports = [];
    problems = [];
  });
  afterEach(() => {
    watch?.close();
    rmSync(directory, { recursive: true, force: true });
  });

  test('applies a changed file, also when it was replaced by renaming', async () => {
    start();
    writeFileSync(file, 'keys: []\nlisten: { port: 7001 }\n');
    await vi.waitFor(() => expect(ports).toContain(7001), DEADLINE);
    const next = join(directory, 'next');
    writeFileSync(next, 'keys: []\nlisten: { port: 7002 }\n');
    renameSync(next, file);
    await vi.waitFor(() => expect(ports).toContain(7002), DEADLINE);
    expect(problems).toEqual([]);
  });

  test('reads secrets again when their files change, once for each change', async () => {
    const secret = join(directory, 'key.txt');
    writeFileSync(secret, 'sk-first-0001');
    writeFileSync(file, 'keys: []\nproviders: { openai: { credential: file:key.txt } }\n');
    const credentials: (string | undefined)[] = [];
    const timers: (() => void)[] = [];
    const started = loadConfig({ file, env: {} });
    if ('problems' in started) throw new Error('not valid');
    // Between the start and the first look, too.
    writeFileSync(secret, 'sk-second-value');
    start({
      secretFiles: started.secretFiles,
      onConfig: ({ config }) => void credentials.push(config.providers['openai']?.credential),
      timers: {
        after: (_ms, run) => {
          timers.push(run);
          return () => undefined;
        },
      },
    });
    const looked = async (count: number): Promise<void> => {
      timers.shift()?.();
      await vi.waitFor(() => expect([...credentials, ...problems]).toHaveLength(count), DEADLINE);
    };
    await looked(1);
    await looked(1);
    const next = join(directory, 'next.txt');
    writeFileSync(next, 'sk-third-value0');
    renameSync(next, secret);
    await looked(2);
    expect(credentials).toEqual(['sk-second-value', 'sk-third-value0']);
    rmSync(secret);
    await looked(3);
    await looked(3);
    expect(problems[0]?.message).toContain('cannot be read');
    writeFileSync(secret, 'sk-fourth-value');
    await looked(4);
    expect(credentials.at(-1)).toBe('sk-fourth-value');
  });

  test('reports an invalid file, applies nothing, and keeps watching', async () => {
    start();
    writeFileSync(file, 'keys: []\nlisten: { port: nope }\n');
    await vi.waitFor(() => expect(problems[0]?.place).toBe('trivium.yaml:2:17'), DEADLINE);
    expect(ports).toEqual([]);
    writeFileSync(file, 'keys: []\nlisten: { port: 7003 }\n');
    await vi.waitFor(() => expect(ports).toContain(7003), DEADLINE);
  });

  test('waits until the writing has stopped', async () => {
    const waiting: { run: () => void; isCancelled: boolean }[] = [];
    start({
      timers: {
        after: (_delayMs, run) => {
          const entry = { run, isCancelled: false };
          waiting.push(entry);
          return () => {
            entry.isCancelled = true;
          };
        },
      },
    });
    writeFileSync(file, 'keys: []\nlisten: { port: 7004 }\n');
    await vi.waitFor(() => expect(waiting.length).toBeGreaterThan(0), DEADLINE);
    writeFileSync(file, 'keys: []\nlisten: { port: 7005 }\n');
    await vi.waitFor(() => expect(waiting.filter((entry) => !entry.isCancelled)).toHaveLength(1), DEADLINE);
    expect(ports).toEqual([]);
  });

  test('reloads on demand', async () => {
    const watching = start();
    await expect(watching.reload()).resolves.toBe(true);
    expect(ports).toEqual([8080]);
    rmSync(file);
    await expect(watching.reload()).resolves.toBe(false);
    expect(problems[0]?.message).toMatch(/ENOENT/);
  });

  test.each([
    [
      'throws',
      () => {
        throw new Error('catalogue does not fit');
      },
    ],
    ['rejects', () => Promise.reject(new Error('catalogue does not fit'))],
  ])('survives a receiver that %s', async (_how, onConfig) => {
    await expect(start({ onConfig }).reload()).resolves.toBe(false);
    expect(problems[0]?.message).toMatch(/catalogue does not fit/);
  });

  test('survives a missing directory', () => {
    start({ file: join(directory, 'absent', 'trivium.yaml') });
    expect(problems[0]?.message).toMatch(/cannot be watched/);
  });

  test('does nothing once closed', async () => {
    const watching = start();
    watching.close();
    await expect(watching.reload()).resolves.toBe(false);
    expect(ports).toEqual([]);
  });
});
