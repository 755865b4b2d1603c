import { describe, expect, test } from 'vitest';
import { configOf, problemsOf } from '../load.fixture.ts';

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
