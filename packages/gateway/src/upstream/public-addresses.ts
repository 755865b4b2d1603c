/**
 * Addresses of the public internet, by IANA's registries of special-purpose addresses: an address that is not known to
 * be public is not, and IPv6 addresses with an embedded IPv4 address (mapped, 6to4, NAT64, Teredo, ISATAP) never are.
 */
import ipaddr from 'ipaddr.js';
import { parseAddress, rangeMatcher } from '../people/accounts/address-ranges.ts';

/** `2000::/3`; ipaddr.js reports addresses that IANA has not assigned yet as ordinary unicast. */
const isGlobalUnicast = ({ parts: [first = 0] }: ipaddr.IPv6): boolean => first >> 13 === 1;

const ISATAP = 0x5efe;
/** The interface identifier marks an ISATAP address, in any network. */
const isIsatap = ({ parts }: ipaddr.IPv6): boolean =>
  parts.some((part, at) => part === ISATAP && at < 7 && (parts[at - 1] === 0 || parts[at - 1] === 0x0200));

export function isPublicAddress(text: string): boolean {
  const address = parseAddress(text);
  if (address === undefined || address.range() !== 'unicast') return false;
  if (address instanceof ipaddr.IPv4) return true;
  return !/[%.]/.test(text) && isGlobalUnicast(address) && !isIsatap(address);
}

/** Ranges as operators write them: `10.1.0.0/16`, `fd00::/8`, `192.0.2.7`. */
export function rangesOf(texts: readonly string[]): (address: string) => boolean {
  const holds = rangeMatcher(texts);
  return (text) => {
    const address = parseAddress(text);
    if (address === undefined) return false;
    // A mapped or translated address is not the IPv4 address inside it. All of them begin with zeros, which otherwise
    // only the loopback does.
    if (address instanceof ipaddr.IPv6 && address.parts[0] === 0 && address.range() !== 'loopback') return false;
    return holds(text);
  };
}
