/**
 * `npm run agents:sign-in [-- --without-codex]`: the real Claude Code signs in at the gateway in a terminal of its own, works, renews its
 * token, gets its settings, reaches its limit and signs out; the same is played against the gateway that comes with it, and compared.
 * The real Codex works with the token of `trivium token`, and asks for a new one when it ends. Needs root (mount namespaces) and tmux;
 * the last line is JSON.
 */
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { installAgent } from '../install.ts';
import type { Tap } from '../tap.ts';
import { playCodex } from './codex.ts';
import { missingIn, requestsIn } from './compare.ts';
import { Machine } from './machine.ts';
import { Reference } from './reference.ts';
import { ACCOUNT, GROUP, LIMIT_HELP, Stand } from './stand.ts';
import { Terminal } from './terminal.ts';

const { values } = parseArgs({ options: { 'without-codex': { type: 'boolean', default: false } } });

const SETTINGS = { model: 'claude-sonnet-4-6', companyAnnouncements: ['A word from the operator.'] };
const USER_CODE = /\b[B-Z]{4}-[B-Z]{4}\b/;
const PROMPT = /\? for shortcuts/;

let problems = 0;
function check(name: string, isOk: boolean, shown: unknown = ''): void {
  if (!isOk) problems++;
  console.log(
    `${isOk ? 'ok  ' : 'FAIL'} ${name}${shown === '' ? '' : `: ${typeof shown === 'string' ? shown : JSON.stringify(shown)}`}`,
  );
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const endMs = Date.now() + 20_000;
  while (!(await isSo())) {
    if (Date.now() > endMs) throw new Error('the limit is not in force');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

type Site = { readonly tap: Tap; allow(userCode: string): Promise<void>; setCap(cents: number): Promise<void> };

/** A person at a terminal, up to the first prompt. */
async function signIn(machine: Machine, terminal: Terminal, { allow }: Pick<Site, 'allow'>): Promise<void> {
  terminal.start(machine.command());
  const onTheWay = [
    [/text style/, ['Enter']],
    [/Press Enter to connect/, ['Enter']],
    [/❯ No, go back/, ['Up', 'Enter']],
  ] as const;
  await terminal.answer(onTheWay, USER_CODE);
  const [userCode] = await terminal.shows(USER_CODE);
  await allow(userCode);
  const afterwards = [
    [/❯ No, go back/, ['Up', 'Enter']],
    [/Press Enter to continue/, ['Enter']],
    [/❯ No, exit/, ['Down', 'Enter']],
  ] as const;
  await terminal.answer(afterwards, PROMPT);
}

type Answers = Readonly<
  Record<'discovery' | 'device' | 'token' | 'settings' | 'uncapped' | 'usage' | 'models', unknown>
>;

/** The same steps at both gateways: sign in, look at limits, ask something. */
async function play(machine: Machine, site: Site): Promise<Answers> {
  const { tap } = site;
  const terminal = new Terminal();
  const get = async (path: string): Promise<unknown> => {
    const authorization = `Bearer ${machine.credentials['jwt']}`;
    return (await fetch(`${tap.url}${path}`, { headers: { authorization } })).json();
  };
  const answerTo = (path: string): unknown =>
    JSON.parse(tap.to(path).find(({ status }) => status === 200)?.answer ?? '{}');
  try {
    await signIn(machine, terminal, { allow: (code) => site.allow(code) });
    const uncapped = await get('/api/oauth/usage');
    await site.setCap(50_000);
    await until(async () => ((await get('/api/oauth/usage')) as { limits: unknown[] }).limits.length > 0);
    terminal.keys('/usage');
    await terminal.shows(/❯ \/usage/);
    terminal.keys('Enter');
    const [spent] = await terminal.shows(/\$[0-9.]+ \/ \$500\.00 spent this month.*/);
    check('dollars in /usage', true, spent.trim());
    check('settings reach the session', terminal.screen.includes(SETTINGS.companyAnnouncements[0] ?? ''));
    return {
      discovery: answerTo('/.well-known/oauth-authorization-server'),
      device: answerTo('/oauth/device_authorization'),
      token: answerTo('/oauth/token'),
      settings: answerTo('/managed/settings'),
      uncapped,
      usage: await get('/api/oauth/usage'),
      models: await get('/v1/models?limit=1000'),
    };
  } finally {
    terminal.close();
  }
}

/** The whole life of a sign-in at our gateway, after the steps that are compared. */
async function live(machine: Machine, stand: Stand): Promise<void> {
  const { tap } = stand;
  const since = (mark: number) => tap.seen.slice(mark);
  const refused = (mark: number): number => since(mark).filter(({ status }) => status === 401).length;
  const renewals = (mark: number): number => tap.to('/oauth/token', mark).length;
  const ask = () => machine.run('-p', 'Hello there');

  const asked = tap.to('/managed/settings').map(({ status }) => status);
  check('settings: sent once, unchanged by the checksum of the program itself', asked.join() === '200,304', asked);
  let mark = tap.seen.length;
  const answered = await ask();
  check('an answer', answered.code === 0 && answered.output.includes('simulated answer'), answered.output.slice(0, 80));
  const [call] = tap.to('/v1/messages', mark);
  const claim = call?.answerHeaders['anthropic-ratelimit-unified-representative-claim'];
  check('headers of the limit on the answer', claim === 'overage', claim);

  // A token that ends soon is renewed before it is used; one that lasts longer than five minutes is used as it is.
  for (const [minutes, least, most] of [
    [6, 0, 0],
    [4, 1, 9],
  ] as const) {
    await stand.reload(minutes);
    machine.endToken();
    mark = tap.seen.length;
    const first = await ask();
    const { expires_in: seconds } = JSON.parse(tap.to('/oauth/token', mark)[0]?.answer ?? '{}') as {
      expires_in?: number;
    };
    check(
      `a token that has ended is renewed, for ${minutes} minutes`,
      first.code === 0 && seconds === minutes * 60,
      seconds,
    );
    mark = tap.seen.length;
    const second = await ask();
    const count = renewals(mark);
    check(
      `then ${least}${most > least ? ' or more' : ''} renewals`,
      second.code === 0 && count >= least && count <= most,
      count,
    );
    check('no 401', refused(mark) === 0, refused(mark));
  }

  await stand.setCap(0);
  mark = tap.seen.length;
  const capped = await ask();
  const calls = tap.to('/v1/messages', mark);
  check(
    'refused at the limit at once',
    capped.code !== 0 && calls.length === 1 && calls[0]?.status === 429,
    calls.length,
  );
  check('in our words', capped.output.includes(`UTC; ${LIMIT_HELP}`), capped.output.trim());

  const { jwt } = machine.credentials;
  mark = tap.seen.length;
  const out = await machine.run('auth', 'logout');
  check(
    'signs out',
    out.code === 0 && tap.to('/oauth/revoke', mark).length === 2,
    tap.to('/oauth/revoke', mark).length,
  );
  const late = await fetch(`${tap.url}/managed/settings`, { headers: { authorization: `Bearer ${jwt}` } });
  const retry = late.headers.get('x-should-retry');
  check('the token is refused from then on', late.status === 401 && retry === 'false', late.status);
  check('no token in what the host saw', !JSON.stringify(stand.simulator.truth.read()).includes(String(jwt)));
}

async function main(): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return 'it needs root, for a mount namespace';
  if (spawnSync('tmux', ['-V']).status !== 0) return 'tmux is not installed';
  if (spawnSync('unshare', ['-m', 'true']).status !== 0) return 'mount namespaces are not permitted';
  const { bin } = installAgent('claude-code', false);
  const stand = await Stand.open();
  const machines = [new Machine(bin, stand.tap.url), new Machine(bin, stand.referenceUrl)] as const;
  let reference: Reference | undefined;
  try {
    await stand.admin('POST', '/managed-settings', { name: 'dev', match: { groups: [GROUP] }, settings: SETTINGS });
    const ours = await play(machines[0], stand);
    const host = `${stand.simulator.url}/anthropic`;
    const port = Number(new URL(stand.referenceUrl).port);
    reference = await Reference.open(bin, { issuer: stand.issuer, port, host, settings: SETTINGS });
    const theirs = await play(machines[1], reference);
    for (const name of Object.keys(theirs) as (keyof Answers)[]) {
      const missing = missingIn(ours[name], theirs[name]);
      check(`our answer has the members of theirs: ${name}`, missing.length === 0, missing.join(', '));
    }
    const [toUs, toThem] = [requestsIn(stand.tap.seen), requestsIn(reference.tap.seen)];
    check(
      'the program asks both for the same',
      [...toThem.keys()].every((name) => toUs.has(name)),
      [...toUs.keys()].join(', '),
    );
    for (const [name, members] of toThem) {
      const own = toUs.get(name) ?? new Set();
      const differing = [
        ...[...members].filter((one) => !own.has(one)),
        ...[...own].filter((one) => !members.has(one)),
      ];
      check(`and in the same form: ${name}`, differing.length === 0, differing.join(', '));
    }
    await live(machines[0], stand);
    if (!values['without-codex']) await playCodex(stand, check);
  } finally {
    await reference?.close();
    for (const machine of machines) machine.remove();
    await stand.close();
  }
  return undefined;
}

const skipped = await main().catch((error: unknown) => {
  problems++;
  console.log(error);
  return undefined;
});
if (skipped !== undefined) console.log(`SKIPPED: ${skipped}`);
console.log(
  JSON.stringify({ ok: problems === 0 && skipped === undefined, account: ACCOUNT, problems, skipped: skipped ?? null }),
);
process.exit(problems === 0 ? 0 : 1);
