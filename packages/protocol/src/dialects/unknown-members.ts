/** Reads from an upstream's error message which top-level members it does not know. */
import type { Fault } from '../canonical/fault.ts';

/** The first group of each holds the member names, separated by commas. */
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
