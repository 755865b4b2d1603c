/** Sentences about the source that no compiler checks: who may extend a class, and who may open a connection. */
import { describe, expect, test } from 'vitest';
import { IMPORT_TABLE } from '../../scripts/import-table.ts';
import { files, read } from './tree.ts';

const sources = files.filter(
  (file) => /^packages\/[^/]+\/src\/.*\.tsx?$/.test(file) && !/\.(?:test|fixture)\.tsx?$/.test(file),
);

test('classes extend errors, and what CONTRIBUTING names', () => {
  const EXTENDS = /^(?:export )?(?:abstract )?class \w+(?:<[^{]*>)? extends (\w+)/gm;
  const bases = new Set(sources.flatMap((file) => [...read(file).matchAll(EXTENDS)].map(([, base = '']) => base)));
  expect([...bases].sort()).toEqual([
    'AdminProblem',
    'Error',
    'ForwardingReply',
    'GatewayError',
    'PacedReading',
    'StreamTranslator',
    'UpstreamCall',
  ]);
});

describe('one dialer', () => {
  const GATEWAY = 'packages/gateway/src/';
  const UPSTREAM = `${GATEWAY}upstream/`;
  const own = sources.filter((file) => file.startsWith(GATEWAY));
  /** Values, not types, of modules that can open a connection; and the function of the platform that can. */
  const OPENS =
    /^import (?!type\b)[^;]*?\b(?<!type )(?:connect|createConnection|request|get|Agent|Socket|Client|Pool|ProxyAgent|buildConnector|createTransport)\b[^;]*? from '(?:node:(?:net|tls|http|https|http2)|undici|nodemailer)'|(?:await|return|=>?) fetch\(|import\('nodemailer'\)/m;
  const dials = (text: string): boolean => OPENS.test(text);

  /** Each with the reason why what it reaches is no elsewhere. */
  const WITHIN: ReadonlyMap<string, string> = new Map([
    ['app/diagnose/ports.ts', 'doctor asks who holds a port of this machine'],
    ['app/warm-up/raw-http.ts', 'the process calls itself'],
    ['http/in-process.ts', 'a pair of streams, no socket'],
    ['http/listening.ts', 'whether a port of this machine is taken'],
    ['people/identity/issuer-keys.ts', 'the function is handed in, and is one of upstream'],
  ]);

  test('the check knows a module that opens connections when it sees one', () => {
    for (const text of [
      "import { connect } from 'node:net';",
      "import { type Dispatcher, Pool } from 'undici';",
      'const reply = await fetch(url);',
    ])
      expect(dials(text)).toBe(true);
    for (const text of [
      "import { isIP, type Socket } from 'node:net';",
      'await this.#fetch(url)',
      '  fetch(url: string): void;',
    ])
      expect(dials(text)).toBe(false);
  });

  test('outside of upstream nothing opens a connection to elsewhere', () => {
    const found = own.filter((file) => !file.startsWith(UPSTREAM) && dials(read(file)));
    expect(found.map((file) => file.slice(GATEWAY.length)).sort()).toEqual([...WITHIN.keys()]);
  });

  test('inside of upstream every client but that of mail gets its connections from the dialer', () => {
    const clients = own.filter((file) => file.startsWith(UPSTREAM) && dials(read(file)));
    expect(clients.length).toBeGreaterThan(3);
    const others = clients.filter((file) => !/\bdialer\b|\bDialer\b|\boperatorDialer\b/.test(read(file)));
    // The mail server is the operator's, and its library has no place for a connection of ours.
    expect(others).toEqual([`${UPSTREAM}mailer.ts`]);
  });

  test('what opens connections by itself may be imported by upstream alone; engines are for store and control', () => {
    const zonesOf = (name: string): string[] =>
      IMPORT_TABLE.filter(({ packages }) => packages.includes(name)).map(({ path }) => path);
    for (const name of ['undici', 'nodemailer']) expect(zonesOf(name)).toEqual(['gateway/src/upstream']);
    for (const name of ['pg', 'pg-boss', 'ioredis']) expect(zonesOf(name)).toEqual(['gateway/src/store']);
    expect(zonesOf('@clickhouse/client')).toEqual(['gateway/src/control']);
  });
});

test('the time of a wait has a name', () => {
  const BARE = /\b(?:setTimeout|setInterval|AbortSignal\.timeout)\((?:[^;]*?, *)?\d[\d_]*\)/;
  expect(BARE.test('setTimeout(() => again(), 5_000)') && BARE.test('AbortSignal.timeout(200)')).toBe(true);
  // The console's samples are written for others to copy.
  expect(sources.filter((file) => !file.startsWith('packages/console/') && BARE.test(read(file)))).toEqual([]);
});

test('every package has the licence of README, and none looks for a key that was paid for', () => {
  const manifests = files.filter((file) => /^(?:packages\/[^/]+\/)?package\.json$/.test(file));
  expect(manifests.length).toBeGreaterThan(4);
  expect(manifests.filter((file) => !read(file).includes('"license": "Apache-2.0"'))).toEqual([]);
  expect(sources.filter((file) => /licen[cs]e|commercial/i.test(read(file)))).toEqual([]);
});
