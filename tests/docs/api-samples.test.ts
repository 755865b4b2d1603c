/** The samples of the reference, run as they are shown, in the languages that are here; Go by night. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answerOf } from '../../scripts/docs/data-plane/answers.ts';
import { OPERATIONS } from '../../scripts/docs/data-plane/operations.ts';
import { OPERATOR_SECRET } from '../support/admin-stand.ts';
import { NIGHTLY } from '../support/nightly.ts';
import { KEY } from '../support/stand.ts';
import { type ApiStand, openApiStand } from './api-stand.ts';
import { fencesOf } from './markdown.ts';
import { files, read } from './tree.ts';

const LIMIT_MS = 120_000;
let stand: ApiStand;
beforeAll(async () => {
  stand = await openApiStand();
}, LIMIT_MS);
afterAll(() => stand.close());

/** The samples of each call of a folder, by heading. */
function samplesIn(folder: string): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const sections = files
    .filter((file) => file.startsWith(folder) && file.endsWith('.md'))
    .flatMap((file) => read(file).split(/^(?=## )/m))
    .filter((section) => /^## `(?:GET|POST|PATCH|DELETE) /.test(section));
  return new Map(
    sections.map((section) => {
      const named = fencesOf(section).flatMap(({ info, text: sample }) => {
        const language = /\[(\w+)\]/.exec(info)?.[1];
        return language === undefined ? [] : [[language, sample] as const];
      });
      return [/^## `(.+)`$/m.exec(section)?.[1] ?? '', new Map(named)];
    }),
  );
}

async function run(program: string, args: readonly string[]): Promise<string> {
  const child = spawn(program, args, {
    cwd: stand.folder,
    timeout: LIMIT_MS,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      TRIVIUM_KEY: KEY,
      TRIVIUM_ADMIN_URL: stand.gateway.adminUrl,
      TRIVIUM_ADMIN_SECRET: OPERATOR_SECRET,
    },
  });
  const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  expect(`${stderr}${status}`).toBe('0');
  return stdout;
}

const hasPython = spawnSync('python3', ['--version']).status === 0;
const hasGo = NIGHTLY && spawnSync('go', ['version']).status === 0;
const RUNNERS: readonly (readonly [language: string, file: string, start: (file: string) => Promise<string>])[] = [
  ['curl', 'sample.sh', (file) => run('bash', ['-e', file])],
  ['JavaScript', 'sample.mjs', (file) => run(process.execPath, [file])],
  ...(hasPython ? [['Python', 'sample.py', (file: string) => run('python3', [file])] as const] : []),
  ...(hasGo ? [['Go', 'main.go', (file: string) => run('go', ['run', file])] as const] : []),
];

const dataPlane = samplesIn('docs/reference/api/');
const keysOf = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.slice(0, 1).map(keysOf);
  if (typeof value !== 'object' || value === null) return typeof value === 'number' ? 'number' : typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, keysOf(member)]));
};

describe.each(RUNNERS)('%s', (_language, file, start) => {
  test.each([...dataPlane.keys()])('%s', { timeout: LIMIT_MS }, async (heading) => {
    const sample = dataPlane.get(heading)?.get(_language) ?? '';
    expect(sample).toContain('gw.example.com');
    mkdirSync(stand.folder, { recursive: true });
    writeFileSync(join(stand.folder, file), stand.filledIn(sample));
    const printed = await start(file);
    expect(printed).not.toMatch(/['"]error['"]: ?\{/);
    expect(printed.length).toBeGreaterThan(10);
  });
});

/** Lists and prices differ from model to model, and videos by how far they are. */
const VARYING = new Set([
  'listModels',
  'getModel',
  'listGenaiModels',
  'streamGenerateContent',
  'getUsage',
  'createSpeech',
]);
test.each(OPERATIONS.map(({ id }) => id).filter((id) => !VARYING.has(id) && !id.includes('Operation')))(
  '%s answers with the fields that the reference shows',
  async (id) => {
    const { status, text: answer } = await stand.call(id);
    expect(status, answer).toBe(200);
    expect(Object.keys(JSON.parse(answer) as object).sort()).toEqual(Object.keys(answerOf(id) as object).sort());
    expect(Object.keys(keysOf(answerOf(id)) as object).length).toBeGreaterThan(0);
  },
);

test('every reading call of the admin API is answered as its sample asks for it', { timeout: LIMIT_MS }, async () => {
  await stand.admin('POST', '/accounts', { id: 'acme', name: 'Acme', kind: 'prepaid' });
  const reading = [...samplesIn('docs/reference/admin/')].filter(
    ([heading]) => heading.startsWith('GET ') && !/\/(?:oidc|live)\b/.test(heading),
  );
  expect(reading.length).toBeGreaterThan(50);
  const unexpected: string[] = [];
  for (const [heading, samples] of reading) {
    const command = (samples.get('curl') ?? '').replace(/curl -sN?/, "curl -s -o /dev/null -w '%{http_code}'");
    writeFileSync(join(stand.folder, 'sample.sh'), command);
    const status = await run('bash', ['-e', 'sample.sh']);
    // Ids of the samples belong to nothing here; what is asked for is well formed.
    if (!['200', '404'].includes(status)) unexpected.push(`${heading}: ${status}`);
  }
  expect(unexpected).toEqual([]);
});
