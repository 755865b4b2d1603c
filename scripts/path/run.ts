/**
 * `npm run path`: how many files, functions and calls of ours one request runs through, by V8's precise coverage. The last line
 * is JSON; `policyAllocation` in it has the bytes of a call under a policy beside the same call without. `--list <way>` also prints the functions of that way, the most called first. Exits with 1 beyond the budget.
 */
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { choosePorts } from '../../bench/ports.ts';
import { FakeVault, ROOT_TOKEN } from '../../packages/gateway/src/upstream/secrets/vault.fixture.ts';
import { ask, chatQuestion, type Question } from '../../tests/rt/parts/ask.ts';
import { type Host, modelAt, providerOf } from '../../tests/rt/parts/dialect-hosts.ts';
import { type GatewayProcess, KEY } from '../../tests/rt/parts/gateway-process.ts';
import { keyFor, keysOf, PRICES, Purser } from '../../tests/rt/parts/money.ts';
import { newKey } from '../../tests/rt/parts/operator.ts';
import { Stage } from '../../tests/rt/parts/stage.ts';
import { signInPeople, tokenOfFirst } from '../../tests/rt/people/fill.ts';
import { freshDatabase } from '../../tests/support/database.ts';
import { type Allocation, allocationOf, POLICIES } from './allocation.ts';
import { COVERAGE_PROBE, coverageOf, type Ran } from './coverage-question.ts';

const { values } = parseArgs({ options: { list: { type: 'string' } } });

/** Caches are filled and connections are open. */
const WARM_UPS = 4;
/** What runs in every one of them counts: timers of the gateway may run during one. */
const ROUNDS = 16;
const LIMIT_MS = 30_000;
const PAYER = 'payer';
const CREDIT = 1_000_000_000_000_000n;
const WORDS = 'Hello @simulate scenario=text-long words=10';

type Way = {
  readonly paid?: boolean;
  /** Called with a key of the database, or with a token of a person who signed in. */
  readonly with?: 'key' | 'token';
  readonly question: (url: string) => Question;
};

const chat = (model: string, stream: boolean): Way => ({
  question: (url) => ({ ...chatQuestion(url, model, WORDS, { stream, max_tokens: 100 }), limitMs: LIMIT_MS }),
});

const paid = (way: Way): Way => ({
  paid: true,
  question: (url) => ({ ...way.question(url), headers: { authorization: `Bearer ${keyFor(PAYER)}` } }),
});

const image: Way = {
  question: (url) => ({
    url,
    path: '/api/v1/images/generations',
    body: { model: 'path/painter', prompt: 'A lighthouse' },
    limitMs: LIMIT_MS,
  }),
};

const WAYS: Readonly<Record<string, Way>> = {
  chatVerbatim: chat('path/chat', false),
  chatVerbatimStored: chat('path/stored', false),
  chatVerbatimStream: chat('path/chat', true),
  chatToMessages: chat('path/messages', false),
  chatToMessagesStream: chat('path/messages', true),
  chatVerbatimPaid: paid(chat('path/chat', false)),
  chatToMessagesStreamPaid: paid(chat('path/messages', true)),
  chatVerbatimKey: { ...paid(chat('path/chat', false)), with: 'key' },
  chatVerbatimToken: { ...paid(chat('path/chat', false)), with: 'token' },
  image,
};

/** The most calls of a token's way, as a multiple of a key's. */
const TOKEN_OF_KEY = 1.05;

/**
 * The most of each. What a change makes smaller is lowered here, so that it does not grow back. Runs of the same code differ by three
 * files, four functions and five calls.
 */
const BUDGET: Readonly<Record<string, Partial<Length>>> = {
  chatVerbatim: { files: 100, functions: 455, calls: 642 },
  chatVerbatimPaid: { files: 121, functions: 538, calls: 797 },
  chatToMessagesStreamPaid: { files: 147, functions: 660, calls: 1325 },
};

/**
 * The most that a call under a policy may allocate, as a multiple of the same call without. The aim is 1.05; runs of the same code give
 * 0.82 to 1.16, because V8 optimizes at other moments, so this only finds what is far off.
 */
const POLICY_ALLOCATION = 1.25;

/** The most that a call with a credential of a store may run, as a multiple of the same call with a static one. */
const STORED_CALLS = 1.02;

type Length = { readonly files: number; readonly functions: number; readonly calls: number };

const lengthOf = (ran: readonly Ran[]): Length => ({
  files: new Set(ran.map(({ file }) => file)).size,
  functions: ran.length,
  calls: ran.reduce((sum, { calls }) => sum + calls, 0),
});

/** The functions that ran in both, with the fewer calls. */
function inBoth(one: readonly Ran[] | undefined, other: readonly Ran[]): readonly Ran[] {
  if (one === undefined) return other;
  const known = new Map(one.map((ran) => [`${ran.file} ${ran.name} ${ran.at}`, ran]));
  return other.flatMap((ran) => {
    const same = known.get(`${ran.file} ${ran.name} ${ran.at}`);
    return same === undefined ? [] : [same.calls < ran.calls ? same : ran];
  });
}

const [ISSUER, VAULT_KEY] = ['http://127.0.0.1:9', 'vault-key-0123456789abcdefghijklmnopqrstuvwxyz'];

async function secretsAt(
  gateway: GatewayProcess,
  databaseUrl: string,
): Promise<Readonly<Record<'key' | 'token', string>>> {
  const owner = new Client({ connectionString: databaseUrl });
  await owner.connect();
  try {
    const issuer = { url: ISSUER, firstToken: (subject: string) => subject };
    await signInPeople(owner, PAYER, 1, issuer, VAULT_KEY);
    const { secret } = await newKey(gateway, PAYER);
    return { key: secret, token: await tokenOfFirst(owner, PAYER) };
  } finally {
    await owner.end();
  }
}

type Measured = {
  readonly found: Record<string, readonly Ran[]>;
  readonly allocation: Allocation | undefined;
  readonly storedAllocation: Allocation | undefined;
};

async function measure(stage: Stage): Promise<Measured> {
  const simulator = await stage.simulator();
  const database = await freshDatabase();
  stage.atEnd(() => database.drop());
  const purser = new Purser(database.url);
  stage.atEnd(() => purser.close());
  await purser.open(PAYER, CREDIT);
  const chatHost: Host = { name: 'chat', dialect: 'openai-chat', upstream: simulator };
  const messagesHost: Host = { name: 'messages', dialect: 'anthropic-messages', upstream: simulator };
  const painter = { painter: { dialect: 'openai-images', baseUrl: `${simulator.url}/compatible@painter/v1` } };
  const vault = new FakeVault();
  vault.put('path', { key: 'sk-upstream-rt' });
  await vault.listen();
  stage.atEnd(() => vault.close());
  const storesOfSecrets = { main: { kind: 'vault', address: vault.origin, auth: 'token', token: ROOT_TOKEN } };
  const stored = (host: Host) => ({
    [host.name]: { ...(providerOf(host)[host.name] as object), credential: 'vault:main/path#key' },
  });
  const storedHost: Host = { ...chatHost, name: 'stored' };
  const common = {
    secretStores: storesOfSecrets,
    providers: { ...providerOf(chatHost), ...providerOf(messagesHost), ...painter, ...stored(storedHost) },
    models: [
      modelAt('path/stored', [storedHost], { pricings: PRICES }),
      modelAt('path/chat', [chatHost], { pricings: PRICES }),
      modelAt('path/messages', [messagesHost], { pricings: PRICES }),
      {
        id: 'path/painter',
        outputModalities: ['image'],
        endpoints: [{ provider: 'painter', upstreamModel: 'painter' }],
      },
    ],
    keys: [{ name: 'path', secret: KEY }, ...keysOf([PAYER])],
  };
  const issuer = {
    name: 'Corp',
    issuer: ISSUER,
    clientId: 'trivium',
    grants: [{ group: 'all', account: PAYER, role: 'developer' }],
  };
  const store = {
    database: { url: database.url },
    ledger: { journal: `${stage.folder}/journal` },
    secrets: { keys: [VAULT_KEY] },
    signIn: { issuers: { corp: issuer }, programs: {} },
  };
  const found: Record<string, readonly Ran[]> = {};
  for (const isPaid of [false, true]) {
    const [port = 0, adminPort = 0] = await choosePorts(2, undefined);
    const url = `http://127.0.0.1:${port}`;
    const gateway = await stage.gateway(
      { ...common, listen: { host: '127.0.0.1', port, publicUrl: url }, ...(isPaid && store) },
      {
        name: isPaid ? 'paid' : 'free',
        probed: true,
        imports: [COVERAGE_PROBE],
        at: { url, adminUrl: `http://127.0.0.1:${adminPort}` },
      },
    );
    const secrets = isPaid ? await secretsAt(gateway, database.url) : undefined;
    for (const [name, { paid: needsStore = false, with: kind, question: plain }] of Object.entries(WAYS)) {
      if (needsStore !== isPaid) continue;
      const bearer = kind && secrets?.[kind];
      const question = (at: string): Question => ({
        ...plain(at),
        ...(bearer !== undefined && { headers: { authorization: `Bearer ${bearer}` } }),
      });
      for (let round = 0; round < WARM_UPS + ROUNDS; round++) {
        await coverageOf(gateway.child);
        const { status, text } = await ask(question(gateway.url));
        if (status !== 200) throw new Error(`${name} was answered with ${status}: ${text.slice(0, 300)}`);
        const ran = await coverageOf(gateway.child);
        if (round >= WARM_UPS) found[name] = inBoth(found[name], ran);
      }
    }
  }
  const twins = ['one', 'two'].map((name): Host => ({ name, dialect: 'openai-chat', upstream: simulator }));
  const choice = chat('path/choice', false).question;
  const underStore = { secretStores: storesOfSecrets, providers: Object.assign({}, ...twins.map(stored)) as object };
  return {
    found,
    allocation: await allocationOf(stage, twins, { policies: POLICIES }, choice),
    storedAllocation: await allocationOf(stage, twins, underStore, choice),
  };
}

const stage = new Stage(1);
try {
  const { found, allocation, storedAllocation } = await measure(stage);
  const lengths = Object.fromEntries(Object.entries(found).map(([name, ran]) => [name, lengthOf(ran)]));
  const width = Math.max(...Object.keys(WAYS).map(({ length }) => length));
  console.log(`${'one request'.padEnd(width)}  files  functions  calls`);
  for (const name of Object.keys(WAYS)) {
    const { files, functions, calls } = lengths[name]!;
    console.log(
      `${name.padEnd(width)}  ${String(files).padStart(5)}  ${String(functions).padStart(9)}  ${String(calls).padStart(5)}`,
    );
  }
  for (const { file, name, calls } of (values.list === undefined ? [] : (found[values.list] ?? [])).toSorted(
    (one, other) => other.calls - one.calls,
  ))
    console.log(`  ${String(calls).padStart(4)}  ${name || '(anonymous)'}  ${file}`);
  const beyond = Object.entries(BUDGET).flatMap(([name, most]) =>
    Object.entries(most).flatMap(([measure, figure]) =>
      lengths[name]![measure as keyof Length] > figure
        ? [`${name}: ${lengths[name]![measure as keyof Length]} ${measure}, and the budget is ${figure}`]
        : [],
    ),
  );
  const tokenOfKey = Number((lengths['chatVerbatimToken']!.calls / lengths['chatVerbatimKey']!.calls).toFixed(3));
  if (tokenOfKey > TOKEN_OF_KEY)
    beyond.push(`calls with a token: ${tokenOfKey} of a key's, and the budget is ${TOKEN_OF_KEY}`);
  if (allocation !== undefined) {
    const { without, under, ratio } = allocation;
    console.log(`bytes allocated by a call: ${without}, under a policy ${under}: ${ratio}`);
    if (ratio > POLICY_ALLOCATION)
      beyond.push(`allocation under a policy: ${ratio}, and the budget is ${POLICY_ALLOCATION}`);
  }
  const storedCalls = lengths['chatVerbatimStored']!.calls / lengths['chatVerbatim']!.calls;
  console.log(`calls with a credential of a store: ${storedCalls.toFixed(3)} of those with a static one`);
  if (storedCalls > STORED_CALLS) beyond.push(`calls with a credential of a store: ${storedCalls}`);
  if (storedAllocation !== undefined)
    console.log(`bytes allocated with a credential of a store: ${storedAllocation.ratio} of those with a static one`);
  for (const problem of beyond) console.error(problem);
  process.exitCode = beyond.length > 0 ? 1 : 0;
  const figures = Object.fromEntries(Object.keys(WAYS).map((name) => [name, lengths[name]]));
  console.log(JSON.stringify({ ...figures, policyAllocation: allocation, storedAllocation }));
} finally {
  await stage.close();
}
