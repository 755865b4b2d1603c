/** The answers to readers' questions, taken at their word: the commands of the pages, typed against a gateway with PostgreSQL. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sourceOf } from '../../docs/.vitepress/map.ts';
import { QUESTIONS } from '../../scripts/docs/site/questions.ts';
import { type AdminStand, OPERATOR_SECRET, openAdminStand } from '../support/admin-stand.ts';
import { KEY } from '../support/stand.ts';
import { fencesOf } from './markdown.ts';
import { exists, ROOT, read } from './tree.ts';

const LIMIT_MS = 120_000;
/** In the pages it stands for the reader's gateway. */
const GATEWAYS = ['https://gw.example.com', 'http://127.0.0.1:8080'];

const folder = mkdtempSync(join(tmpdir(), 'questions-'));
let stand: AdminStand;
let key: string;
let member: string;

const made = async (path: string, body: object): Promise<Record<string, unknown>> => {
  const { status, json, text: answer } = await stand.admin('POST', path, body);
  if (status !== 201) throw new Error(answer);
  return json;
};

beforeAll(async () => {
  const command = `exec ${process.execPath} --conditions=trivium-source ${ROOT}/packages/cli/src/main.ts "$@"\n`;
  writeFileSync(join(folder, 'trivium'), `#!/bin/sh\n${command}`);
  chmodSync(join(folder, 'trivium'), 0o755);
  const secrets = { keys: ['a key of at least thirty-two characters'] };
  stand = await openAdminStand({ config: () => ({ secrets, rateLimits: { perKey: { requestsPerMinute: 6000 } } }) });
  await made('/accounts', { id: 'acme', name: 'Acme', kind: 'prepaid' });
  const { key: first } = (await made('/accounts/acme/keys', { name: 'app' })) as { key: { id: string } };
  key = first.id;
  member = String((await made('/accounts/acme/members', { name: 'Ada', role: 'developer' }))['id']);
});
afterAll(async () => {
  await stand.close();
  rmSync(folder, { recursive: true });
});

const pageText = (page: string): string => {
  const source = read(sourceOf(page));
  const [, included] = /^<!--@include: \.\.\/\.\.\/(\S+)-->/m.exec(source) ?? [];
  return included === undefined ? source : read(included);
};

/** What readers put in themselves: their gateway's address, and ids of their own. */
const filledIn = (command: string): string =>
  GATEWAYS.reduce((whole, address) => whole.replaceAll(address, stand.url), command)
    .replaceAll('key:…', `key:${key}`)
    .replaceAll('member:…', `member:${member}`)
    .replaceAll('key_…', key);

async function type(command: string, cwd: string): Promise<{ readonly status: unknown; readonly output: string }> {
  const child = spawn('bash', ['-ec', filledIn(command)], {
    cwd,
    timeout: LIMIT_MS,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      PATH: `${folder}:${process.env['PATH']}`,
      TRIVIUM_KEY: KEY,
      TRIVIUM_ADMIN_URL: stand.gateway.adminUrl,
      TRIVIUM_ADMIN_SECRET: OPERATOR_SECRET,
      GROQ_API_KEY: 'gsk_canary',
    },
  });
  const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { status, output: `${stdout}${stderr}` };
}

/** The configuration that a page shows; of pages that show none, one that has the database. */
const configure = (page: string): void => {
  const shown = fencesOf(pageText(page)).find(({ id }) => id === 'trivium-yaml')?.text;
  const own = JSON.stringify({ keys: [], database: { url: stand.database.url } });
  writeFileSync(join(folder, 'trivium.yaml'), shown ?? own);
};

describe('the command that answers', () => {
  for (const { asks, page, answer } of QUESTIONS) {
    if ('block' in answer)
      test(asks, { timeout: LIMIT_MS }, async () => {
        const block = fencesOf(pageText(page)).find(({ id }) => id === answer.block)?.text;
        expect(block, `${page} has no block {#${answer.block}}`).toBeDefined();
        configure(page);
        const { status, output } = await type(block ?? '', folder);
        expect(output).toMatch(answer.prints);
        expect(status, output).toBe(0);
      });
    if ('command' in answer)
      test(asks, { timeout: LIMIT_MS }, async () => {
        expect(pageText(page)).toContain(answer.command);
        const { status, output } = await type(answer.command, ROOT);
        expect(output).toMatch(answer.prints);
        expect(status, output).toBe(0);
      });
    if ('ranBy' in answer)
      test(`${asks} (run by ${answer.ranBy})`, () => {
        expect(exists(answer.ranBy)).toBe(true);
        expect(read(answer.ranBy)).toContain(answer.finds);
      });
  }
});

test('most answers are run, and those that are not say why', () => {
  const without = QUESTIONS.flatMap(({ answer }) => ('notRun' in answer ? [answer.notRun] : []));
  expect(without.every((reason) => reason.length > 10)).toBe(true);
  expect(without.length).toBeLessThanOrEqual(8);
});
