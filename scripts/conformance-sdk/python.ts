/** The Python SDKs, where their environment is installed (`tests/sdk/python/install.sh`); elsewhere nothing is judged. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { CheckName, Deployment } from '../../tests/sdk/checks/check.ts';
import type { Verdict } from './table.ts';

const PYTHON = fileURLToPath(new URL('../../.venv/bin/python', import.meta.url));
const SCRIPT = fileURLToPath(new URL('../../tests/sdk/python/checks.py', import.meta.url));
const RUN_DEADLINE_MS = 600_000;
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;

export async function pythonVerdicts(at: Deployment, checks: readonly CheckName[]): Promise<Verdict[]> {
  if (!existsSync(PYTHON)) return [];
  const { stdout } = await promisify(execFile)(PYTHON, ['-B', SCRIPT], {
    env: {
      PATH: process.env['PATH'],
      TRIVIUM_URL: at.url,
      TRIVIUM_API_KEY: at.key,
      TRIVIUM_MODEL: at.model,
      TRIVIUM_SIMULATED: at.simulated ? '1' : '',
      TRIVIUM_CHECKS: checks.join(','),
    },
    timeout: RUN_DEADLINE_MS,
    maxBuffer: MAX_OUTPUT_BYTES,
  });
  return JSON.parse(stdout) as Verdict[];
}
