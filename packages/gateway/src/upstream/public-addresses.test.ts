import { describe, expect, test } from 'vitest';
import { isPublicAddress, rangesOf } from './public-addresses.ts';

describe('isPublicAddress', () => {
  test.each([
    '1.1.1.1',
    '8.8.8.8',
    '100.63.255.255',
    '100.128.0.0',
    '172.15.0.1',
    '172.32.0.1',
    '223.255.255.255',
    '2606:4700::1111',
    '2a00:1450:4001:81b::200e',
    '2606:4700::5eff:1:2',
    '2606:4700:5efe::1',
  ])('%s is public', (address) => expect(isPublicAddress(address)).toBe(true));
  test.each([
    '0.0.0.0',
    '10.0.0.1',
    '10.255.255.255',
    '100.64.0.1',
    '100.127.255.255',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.1',
    '192.0.2.1',
    '192.88.99.1',
    '192.168.0.1',
    '198.18.0.1',
    '198.19.255.255',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '239.255.255.255',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '::ffff:7f00:1',
    '::127.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b::808:808',
    '64:ff9b:1::1',
    '100::1',
    '2001::1',
    '2001:0:4136:e378:8000:63bf:3fff:fdd2',
    '2001:10::1',
    '2001:20::1',
    '2001:db8::1',
    '2002:7f00:1::',
    '2002:808:808::1',
    '3fff::1',
    '5f00::1',
    'fc00::1',
    'fd00:ec2::254',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    '2606:4700::5efe:7f00:1',
    '2606:4700::200:5efe:10.0.0.1',
    '2606:4700:1:1:0000:5efe:7f00:1',
    '2606:4700:0:0:0200:5EFE:7f00:1',
    '2606:4700::5efe:1:2:3',
    '2606:4700::8.8.8.8',
    '2606:4700::1111%eth0',
    '::8.8.8.8',
    '::ffff:0:8.8.8.8',
    '4000::1',
    'e000::1',
    '192.31.196.1',
    '192.52.193.1',
    '192.175.48.1',
    '2620:4f:8000::1',
    '010.8.8.8',
    '134744072',
    '8.8.8.8 ',
    '[2606:4700::1111]',
    '',
    'localhost',
    '127.1',
    '0x7f.1',
  ])('%s is not public', (address) => expect(isPublicAddress(address)).toBe(false));
});

test('a range contains its addresses, and a mapped address is not the IPv4 address inside it', () => {
  const holds = rangesOf(['10.1.0.0/16', '192.0.2.7', 'fd00::/8']);
  expect(['10.1.2.3', '192.0.2.7', 'fd12::1'].map(holds)).toEqual([true, true, true]);
  expect(['10.2.0.1', '192.0.2.8', 'fe80::1', '::ffff:10.1.2.3', ''].map(holds)).toEqual([
    false,
    false,
    false,
    false,
    false,
  ]);
});

test('no mapped, translated or compatible form of an IPv4 address is in a range, however wide', () => {
  const holds = rangesOf(['0.0.0.0/0', '::/0', '::ffff:0:0/96']);
  for (const address of [
    '::ffff:10.1.2.3',
    '::FFFF:a01:203',
    '0:0:0:0:0:ffff:10.1.2.3',
    '::ffff:0:10.1.2.3',
    '::10.1.2.3',
    '::ffff:1:2:3:4:5:6',
  ])
    expect(holds(address)).toBe(false);
  for (const address of ['10.1.2.3', '::1', 'fd00::1', '64:ff9b::a01:203']) expect(holds(address)).toBe(true);
});

test('an invalid range contains nothing', () => {
  for (const text of ['nonsense', '10.0.0.0/33', '10.0/8', '']) expect(rangesOf([text])('10.0.0.1')).toBe(false);
});
