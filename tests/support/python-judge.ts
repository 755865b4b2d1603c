/** Runs one of the Python test programs against a stand and returns the result of each case. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { KEY, type Stand } from './stand.ts';

const PYTHON = fileURLToPath(new URL('../../.venv/bin/python', import.meta.url));
const RUN_DEADLINE_MS = 50_000;

type Report = {
  readonly version: string;
  readonly cases: Readonly<Record<string, { readonly ok?: Record<string, unknown>; readonly failed?: string }>>;
};

export type Judgement = {
  readonly version: string;
  /** The result of a case; fails with the SDK's own error when it has none. */
  seen(name: string): Record<string, unknown>;
};

export async function judgeWithPython(stand: Stand, script: string): Promise<Judgement> {
  if (!existsSync(PYTHON)) throw new Error('The Python SDKs are not installed: run tests/sdk/python/install.sh first.');
  const file = fileURLToPath(new URL(`../sdk/python/${script}`, import.meta.url));
  const { stdout } = await promisify(execFile)(PYTHON, ['-B', file], {
    env: { TRIVIUM_URL: stand.url, TRIVIUM_API_KEY: KEY, PATH: process.env['PATH'] },
    timeout: RUN_DEADLINE_MS,
  });
  const { version, cases } = JSON.parse(stdout) as Report;
  return {
    version,
    seen: (name) => {
      const result = cases[name];
      if (result?.ok === undefined) throw new Error(result?.failed ?? `no case ${name}`);
      return result.ok;
    },
  };
}
