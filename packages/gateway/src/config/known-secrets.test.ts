import { expect, test } from 'vitest';
import { upstreamRedactor } from '../telemetry/redact.ts';
import { secretsOf } from './known-secrets.ts';
import { configOf } from './load.fixture.ts';

const withProxy = (password: string) =>
  configOf('keys: []\nupstream: { proxy: env:PROXY }', { PROXY: `http://gateway:${password}@proxy.example:3128` });

test.each([
  ['Zw4nzigF1sche', 'Zw4nzigF1sche'],
  ['Zw4nzig%20F1sche', 'Zw4nzig F1sche'],
  // Not an escape sequence: the password as it stands.
  ['Zw4nzig%Fische', 'Zw4nzig%Fische'],
])('the password %s of the proxy is masked in error texts of upstreams', (written, password) => {
  const redact = upstreamRedactor(secretsOf(withProxy(written)), []);
  expect(redact(`the proxy refused ${password}`)).not.toContain(password);
});
