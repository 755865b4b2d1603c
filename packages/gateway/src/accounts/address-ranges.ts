// Internet addresses and ranges of them: `10.0.0.0/8`, `2001:db8::/32`, `192.0.2.7`.

import { BlockList, isIP } from 'node:net';

type Range = { readonly family: 4 | 6; readonly network: bigint; readonly prefix: number };

const BITS = { 4: 32, 6: 128 } as const;
const PREFIX_LENGTH = /^(?:0|[1-9][0-9]{0,2})$/;

const v4Value = (address: string): bigint => address.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n);

const groupsOf = (text: string): bigint[] =>
  text === ''
    ? []
    : text.split(':').flatMap((group) => {
        if (!group.includes('.')) return [BigInt(`0x${group}`)];
        const value = v4Value(group);
        return [value >> 16n, value & 0xffffn];
      });

const v6Value = (address: string): bigint => {
  const [head = '', tail] = address.split('::');
  const before = groupsOf(head);
  const after = tail === undefined ? [] : groupsOf(tail);
  const zeros = Array<bigint>(8 - before.length - after.length).fill(0n);
  return [...before, ...zeros, ...after].reduce((sum, group) => sum * 65_536n + group, 0n);
};

const parse = (text: string): Range | undefined => {
  const [address = '', length, ...rest] = text.split('/');
  const family = isIP(address);
  if ((family !== 4 && family !== 6) || rest.length > 0 || address.includes('%')) return undefined;
  const bits = BITS[family];
  if (length !== undefined && !(PREFIX_LENGTH.test(length) && Number(length) <= bits)) return undefined;
  const prefix = length === undefined ? bits : Number(length);
  const shift = BigInt(bits - prefix);
  const value = family === 4 ? v4Value(address) : v6Value(address);
  return { family, network: (value >> shift) << shift, prefix };
};

export const isRange = (text: string): boolean => parse(text) !== undefined;

const contains = (outer: Range, inner: Range): boolean => {
  const shift = BigInt(BITS[outer.family] - outer.prefix);
  return (
    outer.family === inner.family && inner.prefix >= outer.prefix && inner.network >> shift === outer.network >> shift
  );
};

/** Sound, not complete: two halves are not seen to make a whole. What is no range is covered by none. */
export const allRangesCovered = (inner: readonly string[], outer: readonly string[]): boolean => {
  const wide = outer.flatMap((text) => parse(text) ?? []);
  return inner.every((text) => {
    const range = parse(text);
    return range !== undefined && wide.some((wider) => contains(wider, range));
  });
};

/** Listeners on both families see IPv4 callers under this name. */
const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

const plainAddress = (address: string): string => MAPPED.exec(address)?.[1] ?? address;

/** Whether an address lies in one of the ranges; what is no address lies in none. */
export const rangeMatcher = (ranges: readonly string[]): ((address: string) => boolean) => {
  const list = new BlockList();
  for (const text of ranges) {
    const [address = '', length] = text.split('/');
    const family = isIP(address);
    if (!isRange(text)) continue;
    const type = family === 4 ? 'ipv4' : 'ipv6';
    list.addSubnet(address, length === undefined ? BITS[family === 4 ? 4 : 6] : Number(length), type);
  }
  return (given) => {
    const address = plainAddress(given);
    const family = isIP(address);
    return family !== 0 && list.check(address, family === 4 ? 'ipv4' : 'ipv6');
  };
};
