import { describe, expect, test } from 'vitest';
import { hashSecret } from '../../people/accounts/key-secret.ts';
import { configOf, load, problemsOf } from '../load.fixture.ts';

const ISSUER =
  'signIn: { issuers: { corp: { name: Corp, issuer: "https://login.example", clientId: c, grants: [{ role: developer, account: a }] } }';
const REST = 'database: { url: "postgres://db/t" }\nsecrets: { keys: [key-0123456789012345678901234567890123456789] }';
const messages = (text: string): readonly string[] =>
  problemsOf(`keys: []\n${text}`).map(({ path, message }) => `${path} ${message}`);

describe('sign-in from programs', () => {
  test('is off unless configured, and has lifetimes by default', () => {
    expect(configOf(`keys: []\n${ISSUER} }\n${REST}`).signIn.programs).toBeUndefined();
    const { programs, issuers } = configOf(
      `keys: []\nlisten: { publicUrl: "https://gw.example/" }\n${ISSUER}, programs: {} }\n${REST}`,
    ).signIn;
    expect(programs).toEqual({
      publicUrl: 'https://gw.example',
      accessMinutes: 60,
      outageHours: 24,
      unprovenHours: 12,
    });
    expect(issuers[0]?.offline).toEqual({ scope: 'offline_access', parameters: { prompt: 'consent' } });
  });

  test('names all that it lacks', () => {
    expect(messages('signIn: { programs: {} }')).toEqual([
      'signIn.programs needs listen.publicUrl, the address that people are sent to',
      'signIn.programs needs a database',
      'signIn.programs needs secrets.keys, which encrypt what the issuer gives',
      'signIn.programs needs an issuer in signIn.issuers',
    ]);
  });

  test.each([
    ['http://gw.example', 1],
    ['http://10.0.0.1', 1],
    ['http://127.0.0.1:8080', 0],
    ['http://localhost:8080', 0],
    ['https://gw.example', 0],
  ])('at %s: codes and cookies pass over https, or stay on the machine', (url, problems) => {
    expect(messages(`listen: { publicUrl: "${url}" }\n${ISSUER}, programs: {} }\n${REST}`)).toHaveLength(problems);
  });
});

const TOKEN = `scim-trivium-${'a'.repeat(40)}`;
const ENV = { TOKEN, SHORT: 'scim-trivium-short', KEY: `sk-trivium-${'a'.repeat(49)}` };
const DATABASE = 'database: { url: "postgres://localhost/trivium" }\n';
const grants = '[{ account: data, role: viewer }]';
const people = (directories: string, grant = grants): string =>
  `keys: [{ name: app, hash: "sha256:${'0'.repeat(64)}" }]
signIn:
  issuers: { corp: { name: Corp, issuer: https://id.example.com, clientId: trivium, grants: ${grant} } }
  directories: ${directories}
`;
const directory = '{ corp: { issuer: corp, account: data, token: env:TOKEN } }';
const pathsOf = (text: string): readonly string[] => problemsOf(text, ENV).map(({ path }) => path);

describe('directories', () => {
  test('of a token only the hash is kept, and the issuer is as its tokens name it', () => {
    const { config } = load(DATABASE + people(directory), ENV);
    expect(config.signIn.directories).toEqual([
      { id: 'corp', issuer: 'https://id.example.com', account: 'data', tokenHash: hashSecret(TOKEN) },
    ]);
    expect(JSON.stringify(config)).not.toContain(TOKEN);
    expect(configOf(DATABASE + people('{}')).signIn.directories).toEqual([]);
  });

  test.each([
    ['an unknown issuer', directory.replace('issuer: corp', 'issuer: other'), 'signIn.directories.corp.issuer'],
    ['no account', directory.replace('account: data, ', ''), 'signIn.directories.corp.account'],
    ['a token that is too short', directory.replace('TOKEN', 'SHORT'), 'signIn.directories.corp.token'],
    ['a key as its token', directory.replace('TOKEN', 'KEY'), 'signIn.directories.corp.token'],
    [
      'the token of another',
      `{ a: { issuer: corp, account: data, token: env:TOKEN }, b: { issuer: corp, account: web, token: env:TOKEN } }`,
      'signIn.directories.b.token',
    ],
  ])('a directory with %s is refused', (_, text, path) => {
    expect(pathsOf(DATABASE + people(text))).toEqual([path]);
  });

  test('a directory needs a database', () => {
    expect(pathsOf(people(directory, '[{ role: operator }]'))).toEqual(['signIn.directories.corp']);
  });
});

describe('grants', () => {
  test('rights and tags belong to members, and each tag has a claim or a value', () => {
    const of = (grant: string) => pathsOf(DATABASE + people('{}', `[${grant}]`));
    expect(of('{ role: operator, rights: { models: [a/*] } }')).toEqual(['signIn.issuers.corp.grants[0]']);
    expect(of('{ account: data, role: viewer, tags: { team: { claim: c, value: v } } }')).toHaveLength(1);
    expect(of('{ account: data, role: viewer, tags: { team: {} } }')).toHaveLength(1);
    expect(of('{ account: data, role: viewer, rights: { manages: owner } }')).toHaveLength(1);
    expect(of('{ account: data, role: viewer, tags: { team: { value: v }, centre: { claim: c } } }')).toEqual([]);
  });
});
