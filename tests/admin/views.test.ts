/** Saved views: a person's own, those that others of the account share, and no others. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommandLine } from '../../packages/cli/src/program.ts';
import { fakeTerminal } from '../../packages/cli/src/terminal.fixture.ts';
import { type AdminStand, OPERATOR_SECRET, openAdminStand } from '../support/admin-stand.ts';

let stand: AdminStand;
const secrets: Record<string, string> = {};
beforeAll(async () => {
  stand = await openAdminStand();
  for (const id of ['acme', 'other']) await stand.newAccount(id);
  for (const role of ['viewer', 'developer', 'admin']) {
    const { json } = await stand.admin('POST', '/accounts/acme/keys', { name: role, rights: { manages: role } });
    secrets[role] = json['secret'] as string;
  }
  const { json } = await stand.admin('POST', '/accounts/other/keys', { name: 'o', rights: { manages: 'owner' } });
  secrets['foreign'] = json['secret'] as string;
});
afterAll(() => stand.close());

const save = (who: string | undefined, more: object = {}) =>
  stand.admin(
    'POST',
    '/views',
    { page: 'requests', name: 'Slow', search: 'minDurationMs=5000', ...more },
    secretOf(who),
  );
const secretOf = (who: string | undefined): string | undefined => (who === undefined ? undefined : secrets[who]);
const namesFor = async (who: string | undefined, page = ''): Promise<string[]> => {
  const { json } = await stand.admin('GET', `/views${page}`, undefined, secretOf(who));
  return (json['items'] as { name: string }[]).map(({ name }) => name);
};
const remove = async (who: string | undefined, id: unknown): Promise<number> =>
  (await stand.admin('DELETE', `/views/${String(id)}`, undefined, secretOf(who))).status;

test('a view is its owner’s, until it is shared within the account', async () => {
  const { status, json } = await save('developer', { name: 'mine' });
  expect([status, json['own'], json['shared']]).toEqual([201, true, false]);
  const shared = (await save('developer', { name: 'ours', shared: true })).json;
  await save('developer', { name: 'figures', page: 'usage', search: 'by=key&range=30d' });
  expect(await namesFor('developer')).toEqual(['figures', 'mine', 'ours']);
  expect(await namesFor('developer', '?page=usage')).toEqual(['figures']);
  expect(await namesFor('viewer')).toEqual(['ours']);
  expect([await namesFor('foreign'), await namesFor(undefined)]).toEqual([[], []]);

  expect([await remove('admin', json['id']), await remove('foreign', shared['id'])]).toEqual([404, 404]);
  expect([await remove('viewer', shared['id']), await remove(undefined, shared['id'])]).toEqual([403, 404]);
  expect([await remove('admin', shared['id']), await remove('developer', json['id'])]).toEqual([200, 200]);
  expect(await namesFor('developer')).toEqual(['figures']);
});

test('viewers save views for themselves, and share none', async () => {
  expect((await save('viewer', { shared: true })).status).toBe(403);
  expect((await save('viewer', { name: 'quiet' })).status).toBe(201);
  expect(await namesFor('viewer')).toEqual(['quiet']);
});

test('operators have views of their own, of no account', async () => {
  const { json } = await save(undefined, { search: 'account=acme' });
  expect([await namesFor(undefined), await namesFor('admin')]).toEqual([['Slow'], []]);
  expect(await remove('admin', json['id'])).toBe(404);
});

test('each has at most 50, and what is saved is bounded text', async () => {
  for (let count = 0; count < 50; count += 10)
    await Promise.all(Array.from({ length: 10 }, (_, at) => save('admin', { name: `v${count + at}` })));
  expect([(await save('admin')).status, (await save('foreign')).status]).toEqual([409, 201]);
  for (const bad of [{ search: 'a'.repeat(2001) }, { search: 'a\u0007b' }, { name: '' }, { page: 'keys' }])
    expect((await save('developer', bad)).status).toBe(400);
});

test('the command line saves, lists and removes views, and the log has it', async () => {
  const run = async (...line: string[]): Promise<never> => {
    const env = { TRIVIUM_ADMIN_URL: stand.gateway.adminUrl, TRIVIUM_ADMIN_SECRET: OPERATOR_SECRET };
    const terminal = fakeTerminal(env);
    await runCommandLine([...line, '--json'], terminal);
    expect(terminal.errors).toEqual([]);
    return JSON.parse(terminal.output.join('\n')) as never;
  };
  const { id } = (await run('views', 'save', 'usage', '--name', 'By key', '--search', 'by=key')) as { id: string };
  expect(await run('views', 'list', '--page', 'usage')).toEqual([expect.objectContaining({ id, name: 'By key' })]);
  await run('views', 'remove', id);
  const { json } = await stand.admin('GET', `/audit?subject=${id}`);
  expect((json['items'] as { action: string }[]).map(({ action }) => action)).toEqual(['view.remove', 'view.save']);
});
