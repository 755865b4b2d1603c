import { BlockList, isIP } from 'node:net';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { allRangesCovered, isRange, parseAddress, rangeMatcher } from './address-ranges.ts';

const ANYTHING = ['0.0.0.0/0', '::/0'];

describe('invalid addresses', () => {
  test.each([
    '',
    'nonsense',
    '127.1',
    '2130706433',
    '0x7f.0.0.1',
    '010.0.0.1',
    '1.2.3.4.5',
    '256.0.0.1',
    ' 10.0.0.1',
    '10.0.0.1 ',
    '10.0.0.1/8',
    '[::1]',
    ':::',
    '1::2::3',
    '1:2:3:4:5:6:7:8:9',
    '::12345',
    '::ffff:1.2.3',
    '%eth0',
  ])('%j lies in no range and is none', (text) => {
    expect(rangeMatcher(ANYTHING)(text)).toBe(false);
    expect(isRange(text) && !text.includes('/')).toBe(false);
  });
});

describe('IPv4 addresses inside IPv6 ones', () => {
  test.each([
    '::ffff:10.1.2.3',
    '::FFFF:a01:203',
    '0:0:0:0:0:ffff:10.1.2.3',
    '0000:0000:0000:0000:0000:ffff:0a01:0203',
  ])('a mapped one, %s, lies in the ranges of the address inside', (address) => {
    expect(rangeMatcher(['10.1.0.0/16'])(address)).toBe(true);
    expect(rangeMatcher(['10.2.0.0/16'])(address)).toBe(false);
  });
  test.each(['::10.1.2.3', '::ffff:0:10.1.2.3', '64:ff9b::10.1.2.3', '2002:a01:203::', '2001::a01:203'])(
    'any other IPv6 form, %s, does not',
    (address) => expect(rangeMatcher(['10.0.0.0/8', '0.0.0.0/0'])(address)).toBe(false),
  );
  test('an IPv4 address matches an IPv6 range that contains its mapped form', () => {
    expect(rangeMatcher(['::ffff:10.1.0.0/112'])('10.1.2.3')).toBe(true);
    expect(rangeMatcher(['::ffff:10.1.0.0/112'])('10.2.2.3')).toBe(false);
  });
});

test('the zone of a link-local peer is ignored, and a range has none', () => {
  for (const address of ['fe80::1', 'fe80::1%eth0', 'fe80::1%br-lan.7'])
    expect(rangeMatcher(['fe80::/10'])(address)).toBe(true);
  expect(isRange('fe80::1%eth0')).toBe(false);
  expect(rangeMatcher(['fe80::1%eth0'])('fe80::1')).toBe(false);
});

const octet = fc.integer({ min: 0, max: 255 });
const v4 = fc.oneof(
  fc.tuple(octet, octet, octet, octet).map((parts) => parts.join('.')),
  fc.ipV4(),
);
const v6 = fc.oneof(
  fc.ipV6(),
  v4.map((inner) => `::ffff:${inner}`),
  v4.map((inner) => `64:ff9b::${inner}`),
);
const range = fc.oneof(
  fc.tuple(v4, fc.integer({ min: 0, max: 32 })).map(([address, prefix]) => `${address}/${prefix}`),
  fc.tuple(v6, fc.integer({ min: 0, max: 128 })).map(([address, prefix]) => `${address}/${prefix}`),
);
const isCompatible = (text: string): boolean => /^::\d+\./.test(text);

const inNode = (text: string, address: string): boolean => {
  const [network = '', prefix] = text.split('/');
  const list = new BlockList();
  list.addSubnet(network, Number(prefix), isIP(network) === 4 ? 'ipv4' : 'ipv6');
  return list.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
};

test('every address that Node accepts is valid, and matches the same ranges as in Node', () => {
  let inside = 0;
  fc.assert(
    fc.property(range, fc.oneof(v4, v6), fc.boolean(), (text, drawn, fromRange) => {
      const address = fromRange ? (text.split('/')[0] ?? '') : drawn;
      fc.pre(!isCompatible(text) && !isCompatible(address));
      expect(parseAddress(address)).toBeDefined();
      const found = rangeMatcher([text])(address);
      expect(found).toBe(inNode(text, address));
      if (found) inside++;
    }),
    { numRuns: 2000, seed: 13 },
  );
  expect(inside).toBeGreaterThan(500);
});

test('an address of a range matches every range that covers it', () => {
  let covered = 0;
  fc.assert(
    fc.property(range, fc.integer({ min: 0, max: 128 }), (narrow, fewer) => {
      const [network = '', prefix] = narrow.split('/');
      const wide = `${network}/${Math.max(0, Number(prefix) - fewer)}`;
      if (!allRangesCovered([narrow], [wide])) return isCompatible(network);
      covered++;
      return rangeMatcher([wide])(network);
    }),
    { seed: 13 },
  );
  expect(covered).toBeGreaterThan(50);
});
