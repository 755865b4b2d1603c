// What `trivium login` and `trivium logout` do: a browser agrees, and this machine keeps a token of the person.

import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { AuthorizationServer, type DeviceCode, type Tokens } from '../sign-in/authorization-server.ts';
import { gatewayOf } from '../sign-in/session.ts';
import { TokenStore } from '../sign-in/token-store.ts';
import type { Terminal } from '../terminal.ts';

const SLOWER_BY_MS = 5000;

export interface SignInOptions {
  readonly url?: string;
}

export async function login({ url }: SignInOptions, terminal: Terminal): Promise<void> {
  const store = new TokenStore(terminal.env);
  const gateway = gatewayOf(url, terminal, store);
  const server = new AuthorizationServer(gateway);
  const code = await server.startDevice();
  const { print, paint } = terminal;
  print(`Open ${paint('bold', code.address)}`);
  print(`and agree there if it shows the code ${paint('bold', code.userCode)}.`);
  if (code.notice !== undefined) print(paint('dim', printable(code.notice)));
  if (terminal.isInteractive) openBrowser(code.address);
  const tokens = await redeemed(server, code);
  const place = await store.locked(() => store.write(gateway, tokens));
  const who = tokens.email === undefined ? '' : ` as ${printable(tokens.email)}`;
  print(`${paint('green', 'Signed in')} at ${gateway}${who}. The token is in ${place}.`);
  print('Start an agent with it: trivium run -- claude');
}

async function redeemed(server: AuthorizationServer, code: DeviceCode): Promise<Tokens> {
  let { intervalMs } = code;
  for (let waitedMs = 0; waitedMs < code.expiresInMs; waitedMs += intervalMs) {
    await sleep(intervalMs);
    const tokens = await server.redeemDevice(code.deviceCode);
    if (tokens === 'slower') intervalMs += SLOWER_BY_MS;
    else if (tokens !== 'later') return tokens;
  }
  throw new Error('nobody agreed in time: sign in again');
}

export async function logout({ url }: SignInOptions, terminal: Terminal): Promise<void> {
  const store = new TokenStore(terminal.env);
  const gateway = gatewayOf(url, terminal, store);
  const tokens = await store.read(gateway);
  if (tokens === undefined) throw new Error(`not signed in at ${gateway}`);
  await store.locked(() => store.remove(gateway));
  // Removed here first: a gateway that is away must not keep the token on this machine.
  await new AuthorizationServer(gateway).revoke(tokens.refreshToken ?? tokens.accessToken);
  terminal.print(`Signed out at ${gateway}.`);
}

const PROGRAMS: Readonly<Record<string, readonly [program: string, ...args: string[]]>> = {
  darwin: ['open'],
  linux: ['xdg-open'],
};

/** A convenience: the address is printed as well. */
function openBrowser(address: string): void {
  const [program, ...args] = PROGRAMS[process.platform] ?? [];
  if (program === undefined || !/^https?:\/\//.test(address)) return;
  spawn(program, [...args, address], { stdio: 'ignore', detached: true })
    .on('error', () => undefined)
    .unref();
}

/** Texts of the gateway must not steer the terminal. */
const printable = (text: string): string => text.replaceAll(/\p{C}/gu, ' ').slice(0, 500);
