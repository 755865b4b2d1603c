/** The command line against a running gateway: tables for people, JSON for programs, clear error messages. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCommandLine } from '../../packages/cli/src/program.ts';
import { type FakeTerminal, fakeTerminal } from '../../packages/cli/src/terminal.fixture.ts';
import { type AdminStand, OPERATOR_SECRET, openAdminStand } from '../support/admin-stand.ts';

let stand: AdminStand;
beforeAll(async () => {
  const secrets = { keys: ['a key of at least thirty-two characters'] };
  stand = await openAdminStand({ config: () => ({ secrets }) });
  await run('accounts create --id diff');
});
afterAll(() => stand.close());

const run = async (line: string, secret = OPERATOR_SECRET): Promise<FakeTerminal> => {
  const terminal = fakeTerminal({ TRIVIUM_ADMIN_URL: stand.gateway.adminUrl, TRIVIUM_ADMIN_SECRET: secret });
  await runCommandLine(line.split(' '), terminal);
  return terminal;
};
const json = async (line: string): Promise<unknown> => JSON.parse((await run(`${line} --json`)).output.join('\n'));

describe('the command line', () => {
  test('the command line creates accounts, members and keys, and the key works until it is revoked', async () => {
    expect(await json('accounts create --id acme --name Acme --kind unlimited')).toMatchObject({
      id: 'acme',
      kind: 'unlimited',
    });
    const member = (await json('members add acme --name Ann --role admin')) as { id: string };
    const made = (await json(`keys create acme --name app --member ${member.id} --models openai/* --strict`)) as {
      key: { id: string };
      secret: string;
    };
    expect(made).toMatchObject({ key: { memberId: member.id, rights: { models: ['openai/*'], strict: true } } });
    expect((await stand.chat(made.secret)).status).toBe(200);
    expect(await json(`keys revoke acme ${made.key.id}`)).toEqual({ revoked: [made.key.id] });
    expect((await stand.chat(made.secret)).status).toBe(401);
  });

  test('a key for models that nothing matches is made with a warning that names the nearest', async () => {
    await run('accounts create --id typos --kind unlimited');
    const warned = async (models: string) => (await run(`keys create typos --name app --models ${models}`)).errors;
    const [known = ''] = ((await json('models list')) as { id: string }[]).map(({ id }) => id);
    const [owner = '', name = ''] = [known.split('/')[0], known.split('/').slice(1).join('/')];
    expect(await warned(`${owner}/* ${known}`)).toEqual([]);
    expect(await warned(`${known}x`)).toEqual([`warning: no model matches "${known}x" now; did you mean "${known}"?`]);
    expect(await warned(name)).toEqual([`warning: no model matches "${name}" now; did you mean "${known}"?`]);
    const [nonsense = ''] = await warned('nonsense-of-no-kind');
    expect(nonsense).toBe('warning: no model matches "nonsense-of-no-kind" now; trivium models list has their names');
  });

  test('the command line ends a person who has left, names what ended, and marks service accounts', async () => {
    await run('accounts create --id leavers --kind unlimited');
    const add = 'members add leavers --name Zoe --email zoe@example.com --role admin';
    const { id } = (await json(add)) as { id: string };
    const { secret } = (await json(`keys create leavers --name laptop --member ${id}`)) as { secret: string };
    await run(`members sign-in leavers ${id}`);
    const { output } = await run('people gone Zoe@example.com');
    expect(output[0]).toMatch(/^ACCOUNT +MEMBER +NAME +KEYS +SESSIONS +SIGN IN CODES +GRANTS$/);
    expect(output[1]).toMatch(new RegExp(`^leavers +${id} +Zoe +laptop +0 +1 +-$`));
    expect((await stand.chat(secret)).status).toBe(401);
    expect(await json(`members gone leavers ${id}`)).toMatchObject({ memberId: id, keys: [], sessions: 0 });
    expect(await json(`members reactivate leavers ${id}`)).toMatchObject({ id, deactivatedAt: null });
    expect(await json(`members service leavers ${id}`)).toMatchObject({ isServiceAccount: true });
    expect(await json(`members service leavers ${id} --off`)).toMatchObject({ isServiceAccount: false });
  });

  test('the command line prints tables, and a secret once', async () => {
    await run('accounts create --id tables --kind unlimited');
    const created = await run('keys create tables --name app');
    const secret = created.output.at(-1)?.split(' ').at(-1) ?? '';
    expect((await stand.chat(secret)).status).toBe(200);
    const { output } = await run('keys list tables');
    expect(output[0]).toMatch(/^NAME +ID +PREFIX +STATE +SPENT IN 30 D +LAST USED +RIGHTS$/);
    expect(output[1]).toMatch(/^app +key_[0-9a-f]{32} {2}sk-trivium-\S{8} +active +\$/);
    expect(output.join('\n')).not.toContain(secret.slice(19));
    const listed = await run('accounts list');
    expect(listed.output.some((line) => /^tables +tables +unlimited +active/.test(line))).toBe(true);
    expect((await run('audit verify')).output[0]).toMatch(/^intact +true$/);
  });

  test('the command line sets, lists and removes budget templates', async () => {
    await run('accounts create --id templates --kind unlimited');
    const set =
      'budgets set-template templates 50 --time-zone Europe/Berlin --soft 75,95 --anchor-day 31 --on-limit openai/gpt-5 --on-limit-usd 2';
    const onLimit = { model: 'openai/gpt-5', usd: '2' };
    expect(await json(set)).toMatchObject({ each: 'member', per: 'month', usd: '50', softPercent: [75, 95], onLimit });
    expect(await json('budgets set-template templates 1 --each key')).toMatchObject({ onLimit: 'refuse' });
    const { output } = await run('budgets templates templates');
    expect(output[0]).toMatch(
      /^EACH +PER +LIMIT +TIME ZONE +WEEK STARTS ON +ANCHOR DAY +SOFT PERCENT +MISSING +ON LIMIT +SET BY$/,
    );
    expect(output[1]).toMatch(/^key +month +\$1.00 .* refuse +refuse +operator$/);
    expect(output[2]).toMatch(
      /^member +month +\$50.00 +Europe\/Berlin +monday +31 +\S.* +refuse +model openai\/gpt-5; usd \$2.00 +operator$/,
    );
    expect(await json('budgets values templates')).toEqual([]);
    expect(await json('budgets remove-template templates')).toEqual({ each: 'member', per: 'month' });
  });

  test('the command line shows models with their endpoints, and providers with their circuits', async () => {
    const { output } = await run('models list --search gpt-4o --provider openai --callable');
    expect(output[0]).toMatch(/^ID +CALLABLE +WHY NOT +PROVIDERS$/);
    expect(output.some((line) => /^openai\/gpt-4o +true +- +openai$/.test(line))).toBe(true);
    const shown = (await run('models show openai/gpt-4o')).output.join('\n');
    expect(shown).toMatch(/^openai\/gpt-4o: callable\n/);
    expect(shown).toMatch(/openai +openai-chat +gpt-4o +true +- +closed/);
    const provider = (await run('providers show openai')).output.join('\n');
    expect(provider).toMatch(/openai\/gpt-4o +closed +- +- +- +0/);
    expect(await json('providers release openai')).toEqual({ released: 0 });
  });

  test('the command line lists nodes, and shows and compares settings without secrets', async () => {
    const listed = await run('nodes list');
    expect(listed.output[0]).toMatch(/^ID +VERSION +STARTED +UNREADY +GENERATION +CONFIG HASH /);
    expect(listed.output).toHaveLength(2);
    const shown = (await run('config show --changed')).output.join('\n');
    expect(shown).toMatch(/^admin\.secret +\[redacted\] +file +configuration:1:\d+$/m);
    expect(shown).not.toMatch(/^limits\.headerCount /m);
    expect(shown).not.toContain(OPERATOR_SECRET);
    // This gateway was started from a text, not from a file.
    const diff = await run('config diff --running');
    expect(diff.errors.join('\n')).toBe('configuration: was not read from a file');
    expect(diff.exitCode).toBe(1);
    const node = ((await json('nodes list')) as readonly { id: string }[])[0]?.id;
    expect(await json(`config diff --against ${node}`)).toEqual([]);
  });

  test('the command line registers, rotates and removes webhooks, and prints a secret once', async () => {
    await run('accounts create --id hooked --kind unlimited');
    const added = await run('webhooks add hooked https://receiver.example/hook');
    expect(added.output.at(-1)).toMatch(/^secret, shown this once: whsec_\S{44}$/);
    const [webhook] = (await json('webhooks list hooked')) as { id: string; url: string }[];
    expect(webhook).toMatchObject({ id: expect.stringMatching(/^wh_/), url: 'https://receiver.example/hook' });
    const rotated = (await json(`webhooks rotate hooked ${webhook?.id} --grace 60`)) as { secret: string };
    expect(added.output.at(-1)).not.toContain(rotated.secret);
    expect((await run('webhooks add hooked http://receiver.example/')).errors.join()).toContain(
      'url: Must be a https URL',
    );
    expect((await run(`webhooks remove hooked ${webhook?.id}`)).output).toEqual(['removed']);
    expect(await json('webhooks list hooked')).toEqual([]);
  });

  test('the command line prints a clear error message', async () => {
    const cases: [string, string, string?][] = [
      ['accounts create --id acme --kind free', 'kind: must be one of prepaid, postpaid, unlimited (400)'],
      ['accounts show nobody', 'Account "nobody" not found. (404)'],
      ['keys show acme key_none', 'Key "key_none" not found. (404)'],
      ['budgets remove acme --per day', 'Budget "account per day" not found. (404)'],
      ['webhooks remove acme wh_none', 'Webhook "wh_none" not found. (404)'],
      ['credits add acme twenty', 'usd: must be US dollars such as "20.00", with up to nine decimals (400)'],
      [
        'accounts create --id a/b',
        'id: must be 1 to 100 letters, digits or . _ @ -, and start with a letter or digit (400)',
      ],
      ['accounts create --id late --kind postpaid', 'creditLimitUsd: must be more than zero for a postpaid account'],
      ['keys create acme --name x --addresses 10.0.0.0/99', 'rights.addresses[0]: must be an address or a range (400)'],
      ['accounts list', 'The credential is missing or not valid. (401)', 'sk-trivium-wrong'],
      ['accounts list', 'set TRIVIUM_ADMIN_SECRET', ''],
      ['accounts list --url http://127.0.0.1:1', 'http://127.0.0.1:1 does not answer'],
    ];
    for (const [line, message, secret] of cases) {
      const { errors, exitCode } = await run(line, secret);
      expect(errors.join('\n'), line).toContain(message);
      expect(exitCode, line).toBe(1);
    }
  });

  test('the command line stores credentials from a file and shows those of file and database', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'diff-'));
    const [config, credential] = [join(folder, 'trivium.json'), join(folder, 'credential')];
    const secretKeys = ['a key of at least thirty-two characters'];
    const both = (await json('keys create diff --name app')) as { key: { id: string }; secret: string };
    writeFileSync(credential, 'sk-upstream-from-a-file\n');
    writeFileSync(
      config,
      JSON.stringify({
        keys: [{ name: 'team', secret: both.secret, account: 'diff' }],
        database: { url: stand.database.url },
        secrets: { keys: secretKeys },
        providers: { openai: { credential: 'sk-in-the-file' }, groq: {} },
      }),
    );
    for (const host of ['openai', 'groq', 'mistral'])
      expect(await json(`providers set ${host} --from-file ${credential}`)).toMatchObject({ id: host });
    const { output } = await run(`config diff --config ${config}`);
    rmSync(folder, { recursive: true });
    expect(output.map((line) => line.split(/ {2,}/))).toEqual([
      ['WHAT', 'NAME', 'FILE', 'DATABASE', 'USED'],
      ['credential', 'groq', '-', 'stored', 'database'],
      ['credential', 'mistral', '-', 'stored', 'database'],
      ['credential', 'openai', 'given', 'stored', 'file'],
      ['key', 'team', 'given', `the same secret as ${both.key.id}`, 'file'],
      ['account', 'diff', 'named by keys', 'prepaid, active', 'database'],
    ]);
    for (const host of ['openai', 'groq', 'mistral']) expect((await run(`providers forget ${host}`)).exitCode).toBe(0);
    expect((await run('providers set groq')).errors.join()).toContain('--from-env or --from-file');
  });

  test('the command line replaces a lost operator secret', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'operator-'));
    const file = join(folder, 'trivium.json');
    writeFileSync(file, JSON.stringify({ keys: [], database: { url: stand.database.url } }));
    const first = (await run(`operator secret --config ${file}`)).output[0]?.split(' ').at(-1) ?? '';
    const second = (await run(`operator secret --config ${file}`)).output[0]?.split(' ').at(-1) ?? '';
    rmSync(folder, { recursive: true });
    expect((await run('accounts list', second)).exitCode).toBe(0);
    expect((await run('accounts list', first)).exitCode).toBe(1);
  });
});
