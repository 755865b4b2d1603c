// What `trivium connect` does: prints a client's settings, or merges them into its existing files.

import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, relative, sep } from 'node:path';
import { foundConfigFile } from '../config-option.ts';
import type { Client, ClientConnection, ConnectOptions } from '../connect/client.ts';
import { CLIENTS } from '../connect/clients.ts';
import { factsOf } from '../connect/model-facts.ts';
import type { Terminal } from '../terminal.ts';

const OWNER_ONLY = 0o600;
const KEY_VARIABLE = 'TRIVIUM_KEY';
const SHOWN_KEY = 'sk-trivium-…';

export async function connect(id: string | undefined, options: ConnectOptions, terminal: Terminal): Promise<void> {
  if (id === undefined) {
    const width = Math.max(...CLIENTS.map((client) => client.id.length));
    for (const client of CLIENTS) terminal.print(`${client.id.padEnd(width)}  ${client.name}`);
    return;
  }
  const client = CLIENTS.find((one) => one.id === id);
  if (client === undefined)
    throw new Error(`unknown client "${id}"; known are ${CLIENTS.map((one) => one.id).join(', ')}`);
  const given = terminal.env[KEY_VARIABLE]?.trim();
  const gateway = gatewayOf(options.url ?? (await ownAddress(terminal.env)));
  const facts = client.needsModelFacts ? await factsOf(options.model, gateway) : undefined;
  const connection = { gateway, key: given || SHOWN_KEY, model: options.model, ...facts };
  if (options.write) writeSettings(client, connection, given, terminal);
  printSettings(client, connection, options.write === true, terminal);
}

const DEFAULT_PORT = 8080;

type Listen = { readonly publicUrl?: unknown; readonly port?: unknown };

/** From `listen` alone: where clients are set up, the secrets of the configuration file are often missing. */
async function ownAddress(env: Terminal['env']): Promise<string> {
  const { readDocument } = await import('@trivium/gateway/config');
  const file = foundConfigFile(undefined, env);
  const { data } = file === undefined ? {} : readDocument(readFileSync(file, 'utf8'));
  const { publicUrl, port }: Listen = (data as { readonly listen?: Listen } | null | undefined)?.listen ?? {};
  if (typeof publicUrl === 'string') return publicUrl;
  return `http://127.0.0.1:${env['TRIVIUM_LISTEN_PORT']?.trim() || (typeof port === 'number' ? port : DEFAULT_PORT)}`;
}

function gatewayOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new Error(`${text}: must be such as https://gw.example.com`);
  if (url.pathname !== '/') throw new Error(`${text}: give the address of the gateway without a path`);
  return url.origin;
}

function printSettings(
  client: Client,
  connection: ClientConnection,
  isWritten: boolean,
  { print, paint }: Terminal,
): void {
  if (client.environment !== undefined) {
    print(paint('bold', 'In the environment:'));
    for (const [name, value] of Object.entries(client.environment(connection))) {
      // The shell expands the variable, so the key is neither in this output nor in the shell's history.
      const text = value === connection.key ? (name === KEY_VARIABLE ? SHOWN_KEY : `"$${KEY_VARIABLE}"`) : value;
      if (name !== KEY_VARIABLE || connection.key === SHOWN_KEY) print(`  export ${name}=${text}`);
    }
  }
  for (const file of isWritten ? [] : (client.files ?? [])) {
    print(paint('bold', `In ${file.inProject ? file.path : `~/${file.path}`}:`));
    print(indented(file.text(connection)));
  }
  if (client.fields !== undefined) {
    print(paint('bold', `In ${client.where}:`));
    for (const [label, value] of client.fields(connection)) print(`  ${label}: ${value}`);
  }
  if (client.start !== undefined) print(`${paint('bold', 'Start it:')} ${client.start(connection)}`);
  print(`${paint('bold', 'Check it:')} ${client.check.replaceAll('`', '')}`);
}

const indented = (text: string): string => text.trimEnd().replaceAll(/^(?=.)/gm, '  ');

function writeSettings(
  client: Client,
  connection: ClientConnection,
  key: string | undefined,
  { env, print, paint }: Terminal,
): void {
  if (client.files === undefined) throw new Error(`${client.name} has no settings file: enter these settings by hand`);
  if (key === undefined || key === '') throw new Error(`set ${KEY_VARIABLE} to the API key first`);
  for (const file of client.files) {
    const root = file.inProject ? '.' : (env['HOME'] ?? homedir());
    const path = join(root, file.path);
    requireNoLink(path, root);
    const wanted = file.text(connection);
    const text = existsSync(path) ? laidOver(path, file.format, wanted) : wanted;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { mode: OWNER_ONLY });
    // `mode` applies to new files only, and the API key is in this one.
    chmodSync(path, OWNER_ONLY);
    print(`${paint('green', 'Wrote')} ${path}`);
  }
}

/**
 * Settings are often links into a folder that is published, such as one of dotfiles, and these hold the API key. Links
 * above the root are the user's home.
 */
function requireNoLink(path: string, root: string): void {
  const parts = relative(root, path).split(sep);
  for (let at = 1; at <= parts.length; at++) {
    const place = join(root, ...parts.slice(0, at));
    if (lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() === true)
      throw new Error(
        `${place} is a link to ${readlinkSync(place)}, and the API key would be written there: add the settings by hand, or replace the link with a file`,
      );
  }
}

/** Only JSON is merged: files in other formats have comments and an order that a rewrite would lose. */
function laidOver(path: string, format: string, wanted: string): string {
  if (format !== 'json')
    throw new Error(`${path} exists: add the settings by hand (trivium connect without --write prints them)`);
  let present: unknown;
  try {
    present = JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    throw new Error(
      `${path} is not plain JSON: add the settings by hand (trivium connect without --write prints them)`,
    );
  }
  return `${JSON.stringify(merged(present, JSON.parse(wanted)), null, 2)}\n`;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Entries of lists are identified by their name, plain ones by themselves: the same are merged, all others are kept. */
const mergedLists = (present: readonly unknown[], wanted: readonly unknown[]): readonly unknown[] => {
  const isSame = (one: unknown, other: unknown): boolean =>
    one === other || (isObject(one) && isObject(other) && one['name'] !== undefined && one['name'] === other['name']);
  return [
    ...present.map((one) => {
      const same = wanted.find((other) => isSame(one, other));
      return same === undefined ? one : merged(one, same);
    }),
    ...wanted.filter((other) => !present.some((one) => isSame(one, other))),
  ];
};

const merged = (present: unknown, wanted: unknown): unknown => {
  if (Array.isArray(present) && Array.isArray(wanted)) return mergedLists(present, wanted);
  return isObject(present) && isObject(wanted)
    ? {
        ...present,
        ...Object.fromEntries(Object.entries(wanted).map(([name, value]) => [name, merged(present[name], value)])),
      }
    : wanted;
};
