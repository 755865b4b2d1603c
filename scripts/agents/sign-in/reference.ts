/** The gateway that comes with Claude Code, before the same identity provider: what ours is compared with. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Browser } from '../../../tests/support/browser.ts';
import { emptyDatabase, type TestDatabase } from '../../../tests/support/database.ts';
import { CLIENT, type Issuer } from '../../../tests/support/issuer.ts';
import { freePort } from '../../services/free-port.ts';
import { Tap } from '../tap.ts';
import { GROUP, PERSON } from './stand.ts';

const ADMIN_KEY = 'of-the-reference-0123456789abcdefghij';
const BOOTS_WITHIN_MS = 60_000;
const LOOK_EVERY_MS = 200;

export class Reference {
  readonly tap: Tap;
  readonly #issuer: Issuer;
  readonly #program: ChildProcess;
  readonly #database: TestDatabase;
  readonly #folder: string;
  #stopped = false;

  private constructor(tap: Tap, issuer: Issuer, program: ChildProcess, database: TestDatabase, folder: string) {
    this.tap = tap;
    this.#issuer = issuer;
    this.#program = program;
    this.#database = database;
    this.#folder = folder;
  }

  /** `port`: of its tap, which the identity provider must know. */
  static async open(
    bin: string,
    { issuer, port, host, settings }: { issuer: Issuer; port: number; host: string; settings: object },
  ): Promise<Reference> {
    const folder = mkdtempSync(join(tmpdir(), 'trivium-reference-'));
    const [database, own] = await Promise.all([emptyDatabase(), freePort()]);
    const tap = await Tap.open(port, () => `http://127.0.0.1:${own}`);
    const config = {
      listen: { host: '127.0.0.1', port: own, public_url: tap.url },
      oidc: { issuer: issuer.url, client_id: CLIENT.id, client_secret: CLIENT.secret },
      session: { jwt_secret: 'of-the-reference-0123456789abcdefghijklmnop', ttl_hours: 1 },
      store: { postgres_url: database.url },
      upstreams: [{ provider: 'anthropic', base_url: host, auth: { api_key: 'sk-of-the-host' } }],
      managed: { policies: [{ match: { groups: [GROUP] }, cli: settings }] },
      admin: { write_keys: [{ id: 'ops', key: ADMIN_KEY }], blocked_message: 'ask finops.' },
    };
    // JSON is YAML.
    writeFileSync(join(folder, 'gateway.yaml'), JSON.stringify(config));
    const program = spawn(bin, ['gateway', '--config', join(folder, 'gateway.yaml')], {
      env: { ...process.env, HOME: folder, CLAUDE_GATEWAY_ALLOW_LOOPBACK: '1' },
      stdio: 'ignore',
    });
    const reference = new Reference(tap, issuer, program, database, folder);
    const untilMs = Date.now() + BOOTS_WITHIN_MS;
    const isReady = () =>
      fetch(`http://127.0.0.1:${own}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      );
    while (!(await isReady())) {
      if (program.exitCode !== null || Date.now() > untilMs) throw new Error('claude gateway does not start');
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
    return reference;
  }

  async allow(userCode: string): Promise<void> {
    const { url } = this.tap;
    const browser = new Browser();
    await browser.send(`${url}/device?user_code=${userCode}`);
    const first = await browser.send(`${url}/device`, {
      method: 'POST',
      body: new URLSearchParams({ user_code: userCode }),
      headers: { origin: url, 'sec-fetch-site': 'same-origin' },
    });
    const done = await this.#issuer.pass(browser, first, `${url}/device`, PERSON);
    if (done.status !== 200) throw new Error(`the reference did not sign in: ${done.status} ${done.text}`);
  }

  async setCap(cents: number): Promise<void> {
    const { ok, status } = await fetch(`${this.tap.url}/v1/organizations/spend_limits`, {
      method: 'POST',
      headers: { 'x-api-key': ADMIN_KEY, 'content-type': 'application/json' },
      body: JSON.stringify({ scope: { type: 'organization' }, amount: String(cents), period: 'monthly' }),
    });
    if (!ok) throw new Error(`the reference took no spend limit: ${status}`);
  }

  async close(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#program.kill('SIGKILL');
    await this.tap.close();
    await this.#database.drop();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
