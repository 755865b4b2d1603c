/**
 * `npm run agents:sockets`: the real Codex speaks Responses over a WebSocket with a gateway whose hosts take no WebSockets. Its warm-up
 * costs nothing, its short frames reach the host as whole conversations, and it goes on when its connection is cut; where WebSockets are
 * switched off it is at its first POST at once. The last line is JSON.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Gateway, loadConfig, startGateway } from '@trivium/gateway';
import { type Simulator, startSimulator } from '@trivium/simulator';
import { callAdmin } from '../../../tests/support/admin-stand.ts';
import { freshDatabase, type TestDatabase } from '../../../tests/support/database.ts';
import { freePort } from '../../services/free-port.ts';
import { runAs } from '../../services/unprivileged.ts';
import { AGENTS } from '../agents.ts';
import { installAgent } from '../install.ts';
import { startAgent } from '../play.ts';
import { ANSWERS, type Call, LONG_ANSWER, taskPrompt } from '../script.ts';
import { Tap } from '../tap.ts';

const MODELS = ['openai/gpt-5.5', 'anthropic/claude-sonnet-4.6', 'google/gemini-3.5-flash', 'deepseek/deepseek-v4-pro'];
const ACCOUNT = 'codex';
const SECRET = 'sk-operator-0123456789abcdefghijklmnopqrstuvwxyz';
const SAID = 'I look around first.';
/** In the file, so it comes back as the output of a tool. */
const FOUND = 'Where three roads meet there is a bridge.';
const NAP_S = 3;
/** How long a program may take from a refused handshake to its first POST. */
const FALLBACK_MS = 500;
const SHOWN_OUTPUT = 3000;

const codex = installAgent('codex', false);
const as = runAs('nobody');
let problems = 0;
function check(name: string, isOk: boolean, shown: unknown = ''): void {
  if (!isOk) problems++;
  console.log(`${isOk ? 'ok  ' : 'FAIL'} ${name}${shown === '' ? '' : `: ${JSON.stringify(shown)}`}`);
}

type Site = {
  readonly gateway: Gateway;
  readonly simulator: Simulator;
  readonly database: TestDatabase;
  readonly tap: Tap;
  readonly key: string;
};

async function openSite(sockets: object): Promise<Site> {
  const [simulator, database, port] = await Promise.all([startSimulator({}), freshDatabase(), freePort()]);
  const at = (path: string) => ({ credential: 'sk-of-the-host-0123456789', baseUrl: `${simulator.url}${path}` });
  const loaded = loadConfig({
    text: JSON.stringify({
      listen: { host: '127.0.0.1', port: 0 },
      admin: { host: '127.0.0.1', port: 0, secret: SECRET },
      log: { level: process.env['VERBOSE'] === undefined ? 'silent' : 'info' },
      keys: [],
      database: { url: database.url },
      providers: {
        openai: at('/openai/v1'),
        deepseek: at('/compatible@deepseek/v1'),
        anthropic: at('/anthropic'),
        google: at('/google/v1beta'),
      },
      sockets,
    }),
    env: {},
  });
  if ('problems' in loaded) throw new Error(JSON.stringify(loaded.problems));
  const gateway = await startGateway({ config: loaded.config });
  await admin(gateway, 'POST', '/accounts', { id: ACCOUNT, name: ACCOUNT, kind: 'prepaid' });
  await admin(gateway, 'POST', `/accounts/${ACCOUNT}/credits`, { usd: '1000' });
  const { secret } = await admin(gateway, 'POST', `/accounts/${ACCOUNT}/keys`, { name: 'codex' });
  return { gateway, simulator, database, tap: await Tap.open(port, () => gateway.url), key: String(secret) };
}

async function admin({ adminUrl }: Gateway, method: string, path: string, body?: unknown) {
  const { status, text, json } = await callAdmin(adminUrl, method, path, body, { authorization: `Bearer ${SECRET}` });
  if (status >= 300) throw new Error(text);
  return json;
}

async function closeSite({ gateway, simulator, database, tap }: Site): Promise<void> {
  await tap.close();
  await gateway.close();
  await simulator.close();
  await database.drop();
}

/** What came of one start of Codex: its output, the frames it sent, and what reached the host. */
async function play(
  { simulator, tap, key }: Site,
  model: string,
  steps: readonly Call[],
  during?: (folder: string) => Promise<void>,
) {
  const home = mkdtempSync(join(tmpdir(), 'trivium-codex-'));
  const folder = join(home, 'work');
  mkdirSync(folder);
  writeFileSync(join(folder, 'notes.txt'), FOUND);
  const marks = { sockets: tap.sockets.length, posts: tap.askedAtMs.length, calls: simulator.truth.read().length };
  const desk = { gatewayUrl: tap.url, key, model, readsPictures: true, home, folder };
  const turns = steps.map((step) => [step]);
  const prompt = taskPrompt('Look around.', turns, ANSWERS.last, SAID);
  const { args, env } = AGENTS.codex.launch(desk, prompt, { resume: false, compact: false });
  const withSockets = ['-c', 'model_providers.trivium.supports_websockets=true', ...args];
  try {
    const run = startAgent({ ...codex, as }, desk, { args: withSockets, env });
    await during?.(folder);
    const { code, output } = await run;
    const sockets = tap.sockets.slice(marks.sockets);
    const isRight = code === 0 && output.includes(ANSWERS.last);
    check(`${model}: works to the end`, isRight);
    if (!isRight) console.log(output.slice(-SHOWN_OUTPUT).replace(/^/gmu, '     | '));
    const calls = simulator.truth.read().slice(marks.calls);
    return { output, sockets, calls, posts: tap.askedAtMs.slice(marks.posts) };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

const run = (cmd: string): Call => ['exec_command', { cmd, yield_time_ms: 30_000 }];
const charges = async (gateway: Gateway): Promise<readonly { readonly amountUsd: string }[]> => {
  const { items } = await admin(gateway, 'GET', `/accounts/${ACCOUNT}/ledger?limit=100`);
  return (items as { kind: string; amountUsd: string }[]).filter(({ kind }) => kind === 'charge');
};
async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const endMs = performance.now() + 60_000; !(await isSo()); ) {
    if (performance.now() > endMs) throw new Error(`waited in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Warm-up, and frames with only what is new. */
async function whole(site: Site, model: string): Promise<void> {
  const { gateway } = site;
  const before = (await charges(gateway)).length;
  const { sockets, calls, posts } = await play(site, model, [run('cat notes.txt'), run('echo two > two.txt')]);
  const frames = sockets.flatMap((socket) => socket.frames.map(({ body }) => body));
  const [warm, ...asked] = frames;
  check(`${model}: over one WebSocket, without a POST`, sockets.length === 1 && posts.length === 0, posts.length);
  check(`${model}: begins with a warm-up`, warm?.['generate'] === false);
  check(`${model}: then sends only what is new`, asked.length === 3 && asked.every(isDelta), asked.length);
  check(`${model}: the host is called for each frame but the warm-up`, calls.length === asked.length, calls.length);
  const texts = calls.map(({ bodyText }) => bodyText);
  const history = ['environment_context', encodeURIComponent(ANSWERS.last), SAID, FOUND];
  const missing = history.filter((words) => texts.at(-1)?.includes(words) !== true);
  check(`${model}: its last call has the whole history`, missing.length === 0, missing);
  const repeated = history.filter((words) => JSON.stringify(asked.at(-1)).includes(words));
  check(`${model}: which the last frame has not`, repeated.length === 0, repeated);
  await until('settled', async () => (await charges(gateway)).length >= before + asked.length);
  const charged = (await charges(gateway)).slice(0, -before || undefined);
  const cost = charged.map(({ amountUsd }) => amountUsd);
  check(`${model}: the warm-up is not in the ledger`, cost.length === asked.length && !cost.includes('0'), cost);
}

const isDelta = ({ previous_response_id: id }: Readonly<Record<string, unknown>>): boolean => typeof id === 'string';

/** The connection ends while a tool runs, and while an answer comes. */
async function cut(site: Site, model: string): Promise<void> {
  const { tap, simulator } = site;
  const nap = `cat notes.txt; touch begun; sleep ${NAP_S}`;
  const idle = await play(site, model, [run(nap), run('echo two')], async (folder) => {
    await until('a tool that runs', () => existsSync(join(folder, 'begun')));
    tap.cut();
  });
  check(`${model}: cut between two calls, it opens another WebSocket`, idle.sockets.length === 2, idle.sockets.length);
  const again = idle.sockets[1]?.frames.map(({ body }) => body).find(({ generate }) => generate !== false);
  check(`${model}: which is sent the whole history`, JSON.stringify(again).includes(FOUND) && !isDelta(again ?? {}));

  const mark = simulator.truth.read().length;
  simulator.arm(LONG_ANSWER, { times: 1 });
  const midway = await play(site, model, [run('cat notes.txt')], async () => {
    const isTalking = () =>
      simulator.truth
        .read()
        .slice(mark)
        .some(({ tokensProduced }) => tokensProduced > 5);
    await until('an answer that comes', isTalking);
    tap.cut();
  });
  check(`${model}: cut in an answer, the call to the host ends`, midway.calls[0]?.outcome === 'aborted');
  check(`${model}: and the call comes again`, midway.sockets.length === 2, midway.sockets.length);
}

async function switchedOff(): Promise<void> {
  const site = await openSite({ enabled: false });
  try {
    const { sockets, posts } = await play(site, MODELS[0]!, [run('cat notes.txt')]);
    const waitedMs = Math.round(posts[0]! - sockets[0]!.atMs);
    check('426: asked once', sockets.length === 1, sockets.length);
    check(`426: the first POST within ${FALLBACK_MS} ms`, waitedMs <= FALLBACK_MS, waitedMs);
  } finally {
    await closeSite(site);
  }
}

const site = await openSite({});
try {
  for (const model of MODELS) await whole(site, model);
  for (const model of MODELS.slice(0, 2)) await cut(site, model);
} finally {
  await closeSite(site);
}
await switchedOff();
console.log(JSON.stringify({ ok: problems === 0, problems, models: MODELS }));
process.exit(problems === 0 ? 0 : 1);
