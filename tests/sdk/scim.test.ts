/** SCIM as an outside client sees it: scim2-tester reads what we say that we can, and tries it. Nightly, with the Python judges. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AdminStand, openAdminStand } from '../support/admin-stand.ts';

const PYTHON = fileURLToPath(new URL('../../.venv/bin/python', import.meta.url));
const SCRIPT = fileURLToPath(new URL('python/test_scim.py', import.meta.url));
const RUN_DEADLINE_MS = 50_000;
const TOKEN = `scim-trivium-${'a'.repeat(40)}`;

type Report = { readonly results: readonly { title: string; status: string; reason: string }[] };

let stand: AdminStand;
let report: Report;
beforeAll(async () => {
  if (!existsSync(PYTHON))
    throw new Error('The Python judges are not installed: run tests/sdk/python/install.sh first.');
  stand = await openAdminStand({
    config: () => ({
      signIn: {
        issuers: {
          corp: {
            name: 'Corp',
            issuer: 'http://127.0.0.1:9',
            clientId: 'trivium',
            grants: [{ account: 'data', role: 'viewer' }],
          },
        },
        directories: { corp: { issuer: 'corp', account: 'data', token: TOKEN } },
      },
    }),
  });
  await stand.newAccount('data');
  const { stdout } = await promisify(execFile)(PYTHON, ['-B', SCRIPT], {
    env: { TRIVIUM_URL: `${stand.gateway.adminUrl}/scim/v2`, TRIVIUM_API_KEY: TOKEN, PATH: process.env['PATH'] },
    timeout: RUN_DEADLINE_MS,
  });
  report = JSON.parse(stdout) as Report;
});
afterAll(() => stand?.close());

/** On purpose: after a user's creation only `active` acts, other methods of an endpoint are none, and there is no `.search`. */
const OTHERWISE = [
  /instead of 405$/,
  /^check_\w+_attribute: PATCH modify\(\) (?:returned unexpected value for|did not remove attribute)/,
  /^search_with_attributes: There is no such endpoint/,
];

test('scim2-tester finds nothing that is otherwise than it should be, but for what is so on purpose', () => {
  const of = (status: string) => report.results.filter((one) => one.status === status);
  expect(of('CRITICAL')).toEqual([]);
  expect(
    of('ERROR').filter(({ title, reason }) => !OTHERWISE.some((form) => form.test(`${title}: ${reason}`))),
  ).toEqual([]);
  for (const title of [
    'object_creation',
    'object_query',
    'object_replacement',
    'object_deletion',
    'check_replace_attribute',
  ])
    expect(of('SUCCESS').map((one) => one.title)).toContain(title);
});
