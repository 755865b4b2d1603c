/** A gateway with an identity provider, a database and hosts, at which a person of one group may sign in. */
import { type Gateway, loadConfig, startGateway } from '@trivium/gateway';
import { type Simulator, startSimulator } from '@trivium/simulator';
import { callAdmin } from '../../../tests/support/admin-stand.ts';
import { Browser } from '../../../tests/support/browser.ts';
import { freshDatabase, type TestDatabase } from '../../../tests/support/database.ts';
import { CLIENT, Issuer } from '../../../tests/support/issuer.ts';
import { freePort } from '../../services/free-port.ts';
import { Tap } from '../tap.ts';

export const PERSON = 'alice';
export const GROUP = 'dev';
export const ACCOUNT = 'data';
export const MODEL = 'anthropic/claude-sonnet-4.6';
export const LIMIT_HELP = 'ask finops.';
const SECRET = 'sk-operator-0123456789abcdefghijklmnopqrstuvwxyz';

export class Stand {
  readonly tap: Tap;
  readonly issuer: Issuer;
  readonly simulator: Simulator;
  /** Where the gateway that comes with Claude Code will be: the identity provider knows it as well. */
  readonly referenceUrl: string;
  readonly #gateway: Gateway;
  readonly #database: TestDatabase;

  private constructor(
    parts: Pick<Stand, 'tap' | 'issuer' | 'simulator' | 'referenceUrl'>,
    gateway: Gateway,
    database: TestDatabase,
  ) {
    this.tap = parts.tap;
    this.issuer = parts.issuer;
    this.simulator = parts.simulator;
    this.referenceUrl = parts.referenceUrl;
    this.#gateway = gateway;
    this.#database = database;
  }

  static async open(): Promise<Stand> {
    const [database, issuer, simulator, port, otherPort] = await Promise.all([
      freshDatabase(),
      Issuer.open(),
      startSimulator({}),
      freePort(),
      freePort(),
    ]);
    const referenceUrl = `http://127.0.0.1:${otherPort}`;
    let url = '';
    const tap = await Tap.open(port, () => url);
    await issuer.serve(
      { [PERSON]: [GROUP] },
      [tap.url, referenceUrl].map((at) => `${at}/oauth/callback`),
      { refreshes: true },
    );
    const gateway = await startGateway({ config: configOf(tap.url, issuer.url, simulator.url, database.url, 60) });
    url = gateway.url;
    const stand = new Stand({ tap, issuer, simulator, referenceUrl }, gateway, database);
    await stand.admin('POST', '/accounts', { id: ACCOUNT, name: ACCOUNT, kind: 'unlimited' });
    return stand;
  }

  /** How long access tokens last that are given from now on. */
  reload(accessMinutes: number): Promise<void> {
    const { tap, issuer, simulator } = this;
    return this.#gateway.reload(configOf(tap.url, issuer.url, simulator.url, this.#database.url, accessMinutes));
  }

  async admin(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
    const headers = { authorization: `Bearer ${SECRET}` };
    const { status, json, text } = await callAdmin(this.#gateway.adminUrl, method, path, body, headers);
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
    return json;
  }

  /** For each person by the month; undefined: none. */
  async setCap(cents: number | undefined): Promise<void> {
    const path = `/accounts/${ACCOUNT}/budget-templates`;
    if (cents === undefined) await this.admin('DELETE', `${path}?each=member&per=month`);
    else await this.admin('POST', path, { each: 'member', per: 'month', usd: (cents / 100).toFixed(2) });
  }

  /** What a person does in a browser: types the code, signs in at the identity provider, and agrees. */
  async allow(userCode: string): Promise<void> {
    const { url } = this.tap;
    const browser = new Browser();
    const form = (path: string, members: Record<string, string>) =>
      browser.send(`${url}${path}`, { method: 'POST', body: new URLSearchParams(members), headers: { origin: url } });
    const consent = await this.issuer.pass(
      browser,
      await form('/device', { user_code: userCode }),
      `${url}/device`,
      PERSON,
    );
    const done = await form('/oauth/consent', { decision: 'allow' });
    if (done.status !== 200) throw new Error(`the sign-in was not allowed: ${consent.status} ${done.text}`);
  }

  async close(): Promise<void> {
    await this.#gateway.close();
    await Promise.all([this.tap.close(), this.issuer.close(), this.simulator.close()]);
    await this.#database.drop();
  }
}

function configOf(publicUrl: string, issuer: string, simulator: string, database: string, accessMinutes: number) {
  const grants = [{ group: GROUP, account: ACCOUNT, role: 'developer' }];
  const { id: clientId, secret: clientSecret } = CLIENT;
  const loaded = loadConfig({
    text: JSON.stringify({
      listen: { host: '127.0.0.1', port: 0, publicUrl },
      admin: { host: '127.0.0.1', port: 0, secret: SECRET },
      log: { level: process.env['VERBOSE'] === undefined ? 'silent' : 'info' },
      keys: [],
      database: { url: database },
      secrets: { keys: ['vault-key-0123456789abcdefghijklmnopqrstuvwxyz'] },
      agents: { limitHelp: LIMIT_HELP },
      signIn: {
        issuers: { corp: { name: 'Corp', issuer, clientId, clientSecret, grants } },
        programs: { accessMinutes },
      },
      providers: { anthropic: { credential: 'sk-of-the-host-0123456789', baseUrl: `${simulator}/anthropic` } },
    }),
    env: {},
  });
  if ('problems' in loaded) throw new Error(JSON.stringify(loaded.problems));
  return loaded.config;
}
