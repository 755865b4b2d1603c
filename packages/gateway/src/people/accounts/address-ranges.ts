// IP addresses and CIDR ranges: `10.0.0.0/8`, `2001:db8::/32`, `192.0.2.7`.

import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type ParsedAddress = ipaddr.IPv4 | ipaddr.IPv6;
type Range = { readonly network: ParsedAddress; readonly prefix: number };

const BITS = { ipv4: 32, ipv6: 128 } as const;
const PREFIX_LENGTH = /^(?:0|[1-9][0-9]{0,2})$/;
/** `::1.2.3.4`, which ipaddr.js reads as `::ffff:1.2.3.4`: an obsolete kind of IPv6 address. */
const IPV4_COMPATIBLE = /^::\d+\./;

/**
 * Without its zone. Node decides what is an address: ipaddr.js would also accept `127.1`, `0x7f.0.0.1` and `010.0.0.1`.
 */
export const parseAddress = (text: string): ParsedAddress | undefined => {
  switch (isIP(text)) {
    case 4:
      return ipaddr.IPv4.parse(text);
    case 6:
      return IPV4_COMPATIBLE.test(text) ? undefined : ipaddr.IPv6.parse(text.split('%', 1).join());
    default:
      return undefined;
  }
};

const parseRange = (text: string): Range | undefined => {
  const [address = '', length, ...rest] = text.split('/');
  const network = address.includes('%') ? undefined : parseAddress(address);
  if (network === undefined || rest.length > 0) return undefined;
  const bits = BITS[network.kind()];
  if (length !== undefined && !(PREFIX_LENGTH.test(length) && Number(length) <= bits)) return undefined;
  return { network, prefix: length === undefined ? bits : Number(length) };
};

export const isRange = (text: string): boolean => parseRange(text) !== undefined;

const contains = ({ network, prefix }: Range, address: ParsedAddress): boolean =>
  address.kind() === network.kind() && address.match(network, prefix);

/** Sound, not complete: does not see that two halves cover a whole. An invalid range is covered by none. */
export const allRangesCovered = (inner: readonly string[], outer: readonly string[]): boolean => {
  const wide = outer.flatMap((text) => parseRange(text) ?? []);
  return inner.every((text) => {
    const range = parseRange(text);
    return range !== undefined && wide.some((wider) => range.prefix >= wider.prefix && contains(wider, range.network));
  });
};

/** IPv4 addresses as dual-stack listeners see them: `::ffff:192.0.2.7`. */
const MAPPED = { network: ipaddr.IPv6.parse('::ffff:0:0'), prefix: 96 };
const DOTTED_MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** The IPv4 addresses with a mapped form in an IPv6 range. */
function mappedPart({ network, prefix }: Range): readonly Range[] {
  if (network instanceof ipaddr.IPv4) return [];
  if (prefix < MAPPED.prefix)
    return contains({ network, prefix }, MAPPED.network) ? [{ network: new ipaddr.IPv4([0, 0, 0, 0]), prefix: 0 }] : [];
  return contains(MAPPED, network) ? [{ network: network.toIPv4Address(), prefix: prefix - MAPPED.prefix }] : [];
}

/**
 * Whether an address is in one of the ranges; an invalid address is in none. A mapped address counts as the IPv4
 * address inside it.
 */
export const rangeMatcher = (ranges: readonly string[]): ((address: string) => boolean) => {
  const parsed = ranges.flatMap((text) => parseRange(text) ?? []).flatMap((range) => [range, ...mappedPart(range)]);
  // Called for every request, and most gateways trust no proxy: then no address is parsed.
  if (parsed.length === 0) return () => false;
  return (text) => {
    // Unwrapped here, as most addresses come in this form: parsing an IPv6 address takes longer.
    const address = parseAddress(DOTTED_MAPPED.exec(text)?.[1] ?? text);
    if (address === undefined) return false;
    const plain = address instanceof ipaddr.IPv6 && contains(MAPPED, address) ? address.toIPv4Address() : address;
    return parsed.some((range) => contains(range, plain));
  };
};
