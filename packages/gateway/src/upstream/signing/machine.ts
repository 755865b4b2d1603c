/** What identities read of the machine: its environment, files that are mounted there, and services of its cloud. */
import { open } from 'node:fs/promises';
import { type Fault, GatewayError } from '@trivium/protocol/canonical';
import type { Clock } from '../../kernel/clock.ts';
import type { AskIssuer } from './ask.ts';

export type SigningMachine = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly readFile: (path: string) => Promise<string>;
  /** Services of the cloud, such as those that issue tokens. */
  readonly ask: AskIssuer;
  /** Services on the machine itself or at a link-local address. */
  readonly askPlatform: AskIssuer;
  readonly clock: Clock;
};

const MAX_FILE_BYTES = 65_536;

const NOT_SET_UP = (what: string): Fault => ({
  kind: 'upstream-broken',
  message: `The gateway could not sign in at the upstream provider: ${what}.`,
});

/** `what`: names of settings, never their values. */
export const notSetUp = (what: string, cause?: unknown): GatewayError =>
  new GatewayError(NOT_SET_UP(what), { cause: cause ?? what });

export function required({ env }: Pick<SigningMachine, 'env'>, name: string): string {
  const value = env[name]?.trim() ?? '';
  if (value === '') throw notSetUp(`the environment variable ${name} is not set`);
  return value;
}

/** Read anew each time, since what mounts it changes it; without the line end some of them write. */
export async function readSmallFile(path: string): Promise<string> {
  const file = await open(path);
  try {
    const buffer = Buffer.alloc(MAX_FILE_BYTES + 1);
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
    if (bytesRead > MAX_FILE_BYTES) throw new Error('the file is too large');
    return buffer.toString('utf8', 0, bytesRead).trim();
  } finally {
    await file.close();
  }
}

/** A file that a variable names. */
export async function fileNamedBy(machine: SigningMachine, variable: string): Promise<string> {
  const path = required(machine, variable);
  try {
    return await machine.readFile(path);
  } catch (cause) {
    throw notSetUp(`the file that ${variable} names cannot be read`, cause);
  }
}

const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** Of an operator's variable: https, or this machine. */
export function secureUrl(text: string, variable: string): URL {
  const url = URL.parse(text);
  if (url === null || !(url.protocol === 'https:' || LOOPBACK.has(url.hostname)))
    throw notSetUp(`the environment variable ${variable} is no https address`);
  return url;
}

export function urlIn(text: string, variable: string): URL {
  const url = URL.parse(text);
  if (url === null) throw notSetUp(`the environment variable ${variable} is no address`);
  return url;
}
