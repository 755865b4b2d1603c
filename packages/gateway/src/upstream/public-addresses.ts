/**
 * Addresses of the public internet, by IANA's registries of special-purpose addresses: whatever is not known to be public
 * is not, and IPv6 addresses that carry an IPv4 address inside (mapped, 6to4, NAT64, Teredo, ISATAP) never are.
 */
import { BlockList, isIP } from 'node:net';

const SPECIAL_V4: readonly (readonly [network: string, prefix: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];
const GLOBAL_V6: readonly [string, number] = ['2000::', 3];
const SPECIAL_V6: readonly (readonly [network: string, prefix: number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
];

const specialV4 = new BlockList();
for (const [network, prefix] of SPECIAL_V4) specialV4.addSubnet(network, prefix, 'ipv4');
const globalV6 = new BlockList();
globalV6.addSubnet(...GLOBAL_V6, 'ipv6');
const specialV6 = new BlockList();
for (const [network, prefix] of SPECIAL_V6) specialV6.addSubnet(network, prefix, 'ipv6');

/** The last half of an ISATAP address says so, whatever network it is in. */
const ISATAP = /(?:^|:)(?:0{0,3}|0?200):0?5efe:/i;

export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !specialV4.check(address, 'ipv4');
    case 6:
      return (
        !address.includes('%') &&
        !address.includes('.') &&
        !ISATAP.test(address) &&
        globalV6.check(address, 'ipv6') &&
        !specialV6.check(address, 'ipv6')
      );
    default:
      return false;
  }
}

/** Ranges as operators write them: `10.1.0.0/16`, `fd00::/8`, `192.0.2.7`. */
export function rangesOf(texts: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const text of texts) {
    const [network = '', prefix] = text.split('/');
    const family = isIP(network) === 4 ? 'ipv4' : 'ipv6';
    if (prefix === undefined) list.addAddress(network, family);
    else list.addSubnet(network, Number(prefix), family);
  }
  // Node takes a mapped address for the one inside it; here every address stands for itself.
  return (address) => !/^::ffff:/i.test(address) && list.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
}
