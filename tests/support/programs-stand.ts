/** A gateway where people sign in from programs, with a real identity provider, and the programs as far as tests need them. */
import { createHash, randomBytes } from 'node:crypto';
import { vi } from 'vitest';
import { freePort } from '../../scripts/services/free-port.ts';
import { type AdminStand, openAdminStand } from './admin-stand.ts';
import { Browser, type PageReply } from './browser.ts';
import type { TestDatabase } from './database.ts';
import { CLIENT, Issuer, type People } from './issuer.ts';
import type { StandOptions } from './stand.ts';

export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
const VAULT_KEY = 'vault-key-0123456789abcdefghijklmnopqrstuvwxyz';

type Tokens = { readonly access_token: string; readonly refresh_token: string; readonly expires_in: number };
type Form = Readonly<Record<string, string>>;

export type ProgramsStand = AdminStand & {
  /** How browsers and programs reach it. */
  readonly at: string;
  readonly issuer: Issuer;
  readonly people: People;
  post(path: string, form: Form, headers?: Form): Promise<PageReply>;
  /** The device flow up to the page on which the person agrees. */
  begin(
    person: string,
    form?: Form,
    browser?: Browser,
  ): Promise<{ deviceCode: string; userCode: string; page: PageReply }>;
  /** The whole device flow. */
  signIn(person: string, form?: Form): Promise<Tokens>;
  refresh(token: string, clientId?: string): Promise<PageReply>;
  call(bearer: string, url?: string): Promise<number>;
};

const MODEL = 'priced/model';
const usd = (value: string) => [{ value, unit: 'perMTokens', currency: 'USD' }];
const PRICES = { prompt: usd('1'), completion: usd('2') };
const CLAUDE_CODE = { surface: 'claude_code' };

const issuerSettings = (at: string) => ({
  name: 'Example Corp',
  issuer: at,
  clientId: CLIENT.id,
  clientSecret: CLIENT.secret,
  grants: [
    { group: 'platform', role: 'operator' },
    { group: 'team-data', account: 'data', role: 'developer' },
    { group: 'leads', account: 'data', role: 'admin' },
    { group: 'readers', account: 'data', role: 'viewer' },
    {
      group: 'contractors',
      account: 'data',
      role: 'developer',
      rights: { models: [MODEL], rateLimits: { requestsPerMinute: 20 } },
      tags: { team: { value: 'guests' }, 'cost-centre': { claim: 'department' } },
    },
  ],
});

export async function openProgramsStand(
  people: People,
  {
    refreshes = true,
    programs = {},
    more = {},
    log,
  }: {
    readonly refreshes?: boolean;
    readonly programs?: object;
    readonly more?: object;
    readonly log?: StandOptions['log'];
  } = {},
  given?: TestDatabase,
): Promise<ProgramsStand> {
  // The provider warns about its development keys and pages, which these tests use on purpose.
  for (const method of ['info', 'warn', 'error'] as const)
    vi.spyOn(console, method).mockImplementation(() => undefined);
  const [issuer, port] = await Promise.all([Issuer.open(), freePort()]);
  const at = `http://127.0.0.1:${port}`;
  const stand = await openAdminStand(
    {
      ...(log !== undefined && { log }),
      alsoHosts: () => ({
        providers: {},
        models: [
          {
            id: MODEL,
            contextLength: 128_000,
            endpoints: [{ provider: 'openai', upstreamModel: 'gpt-4o', pricings: PRICES }],
          },
        ],
      }),
      config: () => ({
        listen: { host: '127.0.0.1', port, publicUrl: at, trustedProxies: ['127.0.0.1'] },
        secrets: { keys: [VAULT_KEY] },
        signIn: { issuers: { corp: issuerSettings(issuer.url) }, programs },
        ...more,
      }),
    },
    given,
  );
  await issuer.serve(people, [`${at}/oauth/callback`], {
    refreshes,
    claimsOf: (person) => ({ department: `Costs of ${person}` }),
  });
  await stand.newAccount('data');
  const own = { origin: at };
  const post: ProgramsStand['post'] = (path, form, headers = {}) =>
    new Browser().send(`${at}${path}`, { method: 'POST', body: new URLSearchParams(form), headers });
  const begin: ProgramsStand['begin'] = async (person, form = CLAUDE_CODE, browser = new Browser()) => {
    const { json } = await post('/oauth/device_authorization', form);
    const [deviceCode, userCode] = [String(json['device_code']), String(json['user_code'])];
    const body = new URLSearchParams({ user_code: userCode });
    const first = await browser.send(`${at}/device`, { method: 'POST', body, headers: own });
    return { deviceCode, userCode, page: await issuer.pass(browser, first, `${at}/device`, person) };
  };
  return {
    ...stand,
    at,
    issuer,
    people,
    post,
    begin,
    signIn: async (person, form = CLAUDE_CODE) => {
      const browser = new Browser();
      const { deviceCode } = await begin(person, form, browser);
      await allow(browser, at);
      const { json } = await post('/oauth/token', {
        grant_type: DEVICE_GRANT,
        device_code: deviceCode,
        ...('client_id' in form && { client_id: String(form['client_id']) }),
      });
      return json as unknown as Tokens;
    },
    refresh: (token, clientId) =>
      post('/oauth/token', {
        grant_type: 'refresh_token',
        refresh_token: token,
        ...(clientId !== undefined && { client_id: clientId }),
      }),
    call: async (bearer, url = at) => {
      const response = await fetch(`${url}/api/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: MODEL, messages: [{ role: 'user', content: 'Hello' }] }),
      });
      await response.arrayBuffer();
      return response.status;
    },
    close: async () => {
      await stand.close();
      await issuer.close();
    },
  };
}

export const allow = (browser: Browser, at: string, form: Form = {}): Promise<PageReply> =>
  browser.send(`${at}/oauth/consent`, {
    method: 'POST',
    body: new URLSearchParams({ decision: 'allow', ...form }),
    headers: { origin: at },
  });

export const pkce = () => {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
};
