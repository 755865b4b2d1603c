/**
 * Paths that are passed through: no hostile spelling reaches the host, priced calls are charged to the nano-dollar, budgets hold for
 * calls at once, and of a gateway that is killed during calls exactly the answers that were given are charged.
 */
import { connect } from 'node:net';
import { freshDatabase } from '../../support/database.ts';
import { MOST_UNITS, openSmallHost, pass, ROUTES, sayJson } from '../../support/passthrough-host.ts';
import { keyFor, keysOf, Purser } from '../parts/money.ts';
import type { Stage } from '../parts/stage.ts';
import { waitFor } from '../parts/wait.ts';
import { exactly, type Outcome, scenario } from '../scenario.ts';

type Parameters = { readonly calls: number; readonly kills: number };

const FLAT_NANO = 2_000_000n;
const UNIT_NANO = 100_000n;
const CREDIT = 1_000n * UNIT_NANO * BigInt(MOST_UNITS);
const AFFORDABLE = 5n;
const AT_ONCE = 20;
const PATIENCE_MS = 30_000;

const BENT = [
  ...[
    '/../flat',
    '/x/../flat',
    '/./flat',
    '/.',
    '/..',
    '/flat/..',
    '/flat/../../organization',
    '/.flat',
    '/fl..at',
    '/...',
  ],
  ...[
    '/%2e%2e/flat',
    '/%2E%2E/flat',
    '/%2e/flat',
    '/%252e%252e/flat',
    '/.%2e/flat',
    '/%2fflat',
    '/%2Fflat',
    '/flat%2f..',
  ],
  ...[
    '//flat',
    '/flat/',
    '/flat//',
    '///flat',
    '/\\flat',
    '\\flat',
    '/%5cflat',
    '/flat%00',
    '/flat%0d%0a',
    '/flat%20',
    '/flat%09',
  ],
  ...[
    '/flat;a=b',
    '/;/flat',
    '/..;/flat',
    '/FLAT',
    '/Flat',
    '/flAt',
    '/fla%74',
    '/flat,',
    '/flat=',
    '/flat&a',
    '/flat@x',
    '/flat+',
  ],
];
const SHUT = [
  ...[
    '/organization/users',
    '/organization/admin_api_keys',
    '/realtime/client_secrets',
    '/files',
    '/files/file-1/content',
  ],
  ...[
    '/batches',
    '/fine_tuning/jobs',
    '/vector_stores',
    '/assistants',
    '/chat/completions',
    '/responses',
    '/keys',
    '/unpriced',
  ],
];
const CARRYING = [
  '/flat?key=AIzaHostile',
  '/flat?api_key=sk-hostile',
  '/flat?access_token=x',
  '/flat?',
  '/flat?url=http://x',
  '/flat?a',
];
const HOSTILE = [...BENT, ...SHUT, ...CARRYING];

/** Its target is sent as it is spelled. */
function hostile(url: string, path: string, account: string): Promise<number> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    let text = '';
    socket.on('data', (piece) => {
      text += piece.toString('latin1');
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(Number(text.split(' ', 2)[1] ?? 0)));
    socket.write(
      `POST /passthrough/small${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${keyFor(account)}\r\n` +
        'cookie: a=b\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}',
    );
  });
}

const sumOf = async (purser: Purser, account: string): Promise<bigint> =>
  [...(await purser.charges(account)).values()].reduce((sum, { amount }) => sum + amount, 0n);

async function play({ calls, kills }: Parameters, stage: Stage): Promise<Outcome> {
  const database = await freshDatabase();
  stage.atEnd(() => database.drop());
  const purser = new Purser(database.url);
  stage.atEnd(() => purser.close());
  const host = await openSmallHost();
  stage.atEnd(() => host.close());
  const killed = Array.from({ length: kills }, (_, round) => `killed-${round}`);
  const accounts = ['payer', 'bounded', ...killed];
  for (const account of accounts) await purser.open(account, CREDIT);
  await purser.credits.setBudget('bounded', 'account', 'total', AFFORDABLE * FLAT_NANO + FLAT_NANO / 2n);
  const config = {
    providers: { small: { dialect: 'openai-chat', baseUrl: host.url, credential: 'sk-upstream-rt' } },
    passthrough: { routes: ROUTES },
    keys: keysOf(accounts),
    database: { url: database.url },
    ledger: { journal: `${stage.folder}/journal` },
  };
  let gateway = await stage.gateway(config);

  let refused = 0;
  for (const path of HOSTILE) {
    const status = await hostile(gateway.url, path, 'payer');
    if (status >= 400 && status < 500) refused++;
    else stage.say(`${path}: ${status}`);
  }
  const through = host.seen.length;

  let due = 0n;
  for (let call = 0; call < calls; call++) {
    const units = (call * 37) % MOST_UNITS;
    host.answer = (response) => sayJson(response, { usage: { units } });
    const isFlat = call % 2 === 0;
    const { status } = await pass(gateway, isFlat ? 'small/flat' : 'small/metered', { key: keyFor('payer') });
    if (status === 200) due += isFlat ? FLAT_NANO : BigInt(units) * UNIT_NANO;
  }
  const answered = host.seen.length - through;
  await waitFor('every call is charged', async () => (await sumOf(purser, 'payer')) >= due, PATIENCE_MS);

  host.answer = undefined;
  const rushed = await Promise.all(
    Array.from({ length: AT_ONCE }, () => pass(gateway, 'small/flat', { key: keyFor('bounded') })),
  );
  const afforded = rushed.filter(({ status }) => status === 200).length;

  let wrong = 0;
  for (const account of killed) {
    const whole = await pass(gateway, 'small/flat', { key: keyFor(account) });
    const before = host.seen.length;
    host.answer = () => undefined;
    const cut = Array.from({ length: AT_ONCE }, () =>
      pass(gateway, 'small/flat', { key: keyFor(account) }).then(
        ({ status }) => status,
        () => 0,
      ),
    );
    await waitFor('calls are at the host', async () => host.seen.length - before === AT_ONCE, PATIENCE_MS);
    const { pid = 0 } = gateway.child.process;
    gateway.child.process.kill('SIGKILL');
    const statuses = await Promise.all(cut);
    host.answer = undefined;
    gateway = await stage.gateway(config, { at: gateway });
    for (const epoch of await purser.epochsOf(pid)) await purser.bury(epoch);
    const given = [whole.status, ...statuses].filter((status) => status === 200).length;
    const owed = BigInt(given) * FLAT_NANO;
    await waitFor('what was answered is charged', async () => (await sumOf(purser, account)) >= owed, PATIENCE_MS);
    const charged = await sumOf(purser, account);
    if (charged !== owed || (await purser.violations(account)) > 0) {
      wrong++;
      stage.say(`${account}: ${given} answers, charged ${charged}`);
    }
  }

  return {
    figures: { hostile: HOSTILE.length, refused, answered, afforded, kills },
    checks: [
      exactly('hostile paths', HOSTILE.length, 60),
      exactly('hostile paths that reached the host', through, 0),
      exactly('hostile paths that were not refused', HOSTILE.length - refused, 0),
      exactly('priced calls', answered, calls),
      exactly('nano-dollars charged beside the prices', Number((await sumOf(purser, 'payer')) - due), 0),
      exactly('calls that a budget covers', afforded, Number(AFFORDABLE)),
      exactly('kills whose charges are not exact', wrong, 0),
    ],
  };
}

export const passthrough = scenario<Parameters>({
  name: 'passthrough',
  shows:
    'No hostile path is passed through, priced calls are charged exactly, budgets hold, and kills during calls charge what was answered.',
  short: { calls: 20, kills: 1 },
  full: { calls: 20, kills: 5 },
  run: play,
});
