// The token of a signed-in person, renewed before it ends.

import type { Terminal } from '../terminal.ts';
import { AuthorizationServer, SignInEnded, type Tokens } from './authorization-server.ts';
import { TokenStore } from './token-store.ts';

/** Agents use a token for a while after they have asked for it. */
const RENEW_BEFORE_MS = 5 * 60_000;
const CHECK_LIMIT_MS = 10_000;
const URL_VARIABLE = 'TRIVIUM_GATEWAY_URL';

export interface GatewayToken {
  readonly gateway: string;
  readonly token: string;
}

/** Of the option, else of the environment, else of the newest sign-in. */
export function gatewayOf(url: string | undefined, { env }: Terminal, store: TokenStore): string {
  const given = url ?? env[URL_VARIABLE]?.trim() ?? store.last;
  if (given === undefined || given === '')
    throw new Error('not signed in: run trivium login --url with the address of the gateway');
  const parsed = URL.parse(given);
  if (parsed === null || !/^https?:$/.test(parsed.protocol) || parsed.pathname !== '/')
    throw new Error(`${given}: must be the address of a gateway, such as https://gw.example.com`);
  return parsed.origin;
}

/** `check`: asks the gateway whether it still takes the token; agents ask for another one after a 401. */
export async function signedIn(
  options: { readonly url?: string; readonly check?: true },
  terminal: Terminal,
): Promise<GatewayToken> {
  const store = new TokenStore(terminal.env);
  const gateway = gatewayOf(options.url, terminal, store);
  const known = await store.read(gateway);
  if (known === undefined) throw new Error(`not signed in at ${gateway}: run trivium login --url ${gateway}`);
  const isGood = known.expiresAtMs - Date.now() > RENEW_BEFORE_MS;
  if (isGood && (options.check !== true || (await isTaken(gateway, known))))
    return { gateway, token: known.accessToken };
  return store.locked(async () => {
    // Another process may have renewed it while this one waited.
    const now = (await store.read(gateway)) ?? known;
    if (now.accessToken !== known.accessToken) return { gateway, token: now.accessToken };
    return { gateway, token: (await renewed(gateway, now, store)).accessToken };
  });
}

async function renewed(gateway: string, tokens: Tokens, store: TokenStore): Promise<Tokens> {
  const { refreshToken, expiresAtMs, email } = tokens;
  try {
    if (refreshToken === undefined) throw new SignInEnded(`the sign-in at ${gateway} has ended`);
    const next = await new AuthorizationServer(gateway).renew(refreshToken);
    const kept = { ...next, refreshToken: next.refreshToken ?? refreshToken, email: next.email ?? email };
    await store.write(gateway, kept);
    return kept;
  } catch (error) {
    if (error instanceof SignInEnded) {
      await store.remove(gateway);
      throw new Error(`${error.message}: run trivium login --url ${gateway}`);
    }
    // A gateway that is away now may be back before the token ends.
    if (expiresAtMs > Date.now()) return tokens;
    throw error;
  }
}

async function isTaken(gateway: string, { accessToken }: Tokens): Promise<boolean> {
  const signal = AbortSignal.timeout(CHECK_LIMIT_MS);
  const headers = { authorization: `Bearer ${accessToken}` };
  const response = await fetch(`${gateway}/v1/key`, { headers, signal, redirect: 'error' }).catch(() => undefined);
  await response?.body?.cancel();
  return response?.status !== 401;
}
