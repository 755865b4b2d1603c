/** Settings that operators give to people's agents: which of them are for whom, and the answer with their checksum. */
import { hash } from 'node:crypto';
import type { Caller } from '../../kernel/caller.ts';
import { canonical } from '../../kernel/canonical.ts';

export type ManagedSettings = {
  readonly name: string;
  readonly description?: string;
  /** The lowest of those that match decides; of equal ones the first by name. */
  readonly priority: number;
  /** People in one of these groups, and in one of these accounts. Absent: all. */
  readonly match?: { readonly groups?: readonly string[]; readonly accounts?: readonly string[] };
  readonly settings: Readonly<Record<string, unknown>>;
  /** Members of the settings that are newer than the table of known ones. */
  readonly unchecked?: readonly string[];
};

export type Matched = Pick<Caller, 'accountId'> & { readonly groups: readonly string[] };

/** The group that made it match; null if it asks for none. Undefined: it does not match. */
export function matchedBy({ match = {} }: ManagedSettings, { accountId, groups }: Matched): string | null | undefined {
  if (match.accounts?.includes(accountId) === false) return undefined;
  return match.groups === undefined ? null : match.groups.find((group) => groups.includes(group));
}

export const inOrder = <T extends Pick<ManagedSettings, 'priority' | 'name'>>(all: readonly T[]): readonly T[] =>
  [...all].sort((one, other) => one.priority - other.priority || (one.name < other.name ? -1 : 1));

/** What a program gets that asks for its settings. */
export type ManagedAnswer = { readonly checksum: string; readonly text: string };

export function managedAnswer(
  { name, settings }: Pick<ManagedSettings, 'name' | 'settings'>,
  version: number,
): ManagedAnswer {
  const checksum = `sha256:${hash('sha256', canonical(settings))}`;
  const [, ...parts] = /^(.{8})(.{4})(.{4})(.{4})(.{12})/.exec(hash('sha256', `${name} ${version}`)) ?? [];
  return { checksum, text: JSON.stringify({ uuid: parts.join('-'), checksum, settings }) };
}
