/** Top-level members that an upstream says it does not know, read from its own words. */
import type { Fault } from '../canonical/fault.ts';

/** Each holds the names of members in its first group, parted by commas where there are several. */
const PHRASES: readonly RegExp[] = [
  /^Unrecognized request arguments? supplied: ([\w.-]+(?:, [\w.-]+)*)/,
  /^Unknown (?:parameter|argument|field|name):? ['"`]([\w.-]+)['"`]/i,
  /^property '([\w.-]+)' is unsupported/,
  /^Argument not supported(?: on this model)?: ([\w.-]+)/,
  /^(?:body\.)?([\w-]+): Extra inputs are not permitted/,
];

export function unknownMembersIn({ kind, message }: Fault): readonly string[] {
  if (kind !== 'refused') return [];
  for (const phrase of PHRASES) {
    const names = phrase.exec(message)?.[1];
    if (names !== undefined) return names.split(', ');
  }
  return [];
}
