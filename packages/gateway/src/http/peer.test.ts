import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import { rangeMatcher } from '../people/accounts/address-ranges.ts';
import { callerAddress, callerScheme } from './peer.ts';

const PROXY = '10.0.3.1';
const trusted = rangeMatcher(['10.0.3.0/24', '2001:db8:1::/48']);

const from = (peer: string, headers: Record<string, string> = {}): IncomingMessage =>
  ({ socket: { remoteAddress: peer }, headers }) as unknown as IncomingMessage;
const through = (forwarded: string, peer = PROXY): string =>
  callerAddress(from(peer, { 'x-forwarded-for': forwarded }), trusted);

describe('the address of a caller (S12)', () => {
  test('is the peer, whatever headers a peer sends that is not a trusted proxy', () => {
    expect(through('192.0.2.7', '198.51.100.9')).toBe('198.51.100.9');
    expect(callerAddress(from(PROXY), trusted)).toBe(PROXY);
    expect(callerAddress(from('198.51.100.9'), () => false)).toBe('198.51.100.9');
  });

  test.each([
    ['192.0.2.7', '192.0.2.7'],
    ['203.0.113.5, 192.0.2.7', '192.0.2.7'],
    ['203.0.113.5,192.0.2.7 , 10.0.3.9', '192.0.2.7'],
    ['203.0.113.5, 10.0.3.9, 192.0.2.7, 2001:db8:1::5', '192.0.2.7'],
    ['192.0.2.7:4711', '192.0.2.7'],
    ['[2001:db8:2::7]:4711', '2001:db8:2::7'],
    ['[2001:db8:2::7]', '2001:db8:2::7'],
    ['::ffff:10.0.3.9', '::ffff:10.0.3.9'],
    ['10.0.3.7, 10.0.3.8', '10.0.3.7'],
  ])('in %j is the rightmost that is not a trusted proxy: %s', (forwarded, address) => {
    expect(through(forwarded)).toBe(address);
  });

  test.each(['', 'unknown', '192.0.2.7,', '192.0.2.7, "', '999.1.1.1', '192.0.2.7 198.51.100.9', '1.2.3.4:999999'])(
    'is in no range if a proxy sends %j',
    (forwarded) => {
      expect(through(forwarded)).toBe('');
      expect(rangeMatcher(['0.0.0.0/0', '::/0'])('')).toBe(false);
    },
  );

  test('is unknown behind more than 32 proxies', () => {
    expect(through(Array(1000).fill('10.0.3.9').join())).toBe('');
  });
});

describe('the scheme of a caller', () => {
  test('is what a trusted proxy sends, and no other peer', () => {
    expect(callerScheme(from(PROXY, { 'x-forwarded-proto': 'https' }), trusted)).toBe('https');
    expect(callerScheme(from(PROXY, { 'x-forwarded-proto': 'https, http' }), trusted)).toBe('http');
    expect(callerScheme(from('198.51.100.9', { 'x-forwarded-proto': 'https' }), trusted)).toBe('http');
    expect(callerScheme(from(PROXY), trusted)).toBe('http');
  });
});
