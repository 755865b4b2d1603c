// One change that `trivium apply` makes, and how it is printed.

import type { Row } from '../admin-client.ts';

type Action = 'create' | 'change' | 'remove';
type SubjectKind = 'account' | 'member' | 'key' | 'budget';

/** Ids of members and keys by the names in the files; those created during the run are added. */
export type Ids = { readonly members: Map<string, string>; readonly keys: Map<string, string> };

export interface ApplyStep {
  readonly action: Action;
  readonly kind: SubjectKind;
  /** `acme`, or `acme/production`. */
  readonly name: string;
  readonly before?: Row;
  readonly after?: Row;
  /** Resolves to the secret of a new key. */
  run(): Promise<string | undefined>;
}

const SIGNS: Readonly<Record<Action, string>> = { create: '+', change: '~', remove: '-' };

const shown = (value: unknown): string => (value === undefined ? 'none' : JSON.stringify(value));

/** `role "developer" → "admin"`, for each member that differs. */
const differences = (before: Row, after: Row): string =>
  Object.keys(after)
    .filter((name) => shown(before[name]) !== shown(after[name]))
    .map((name) => `${name} ${shown(before[name])} → ${shown(after[name])}`)
    .join(', ');

export const describeStep = ({ action, kind, name, before, after }: ApplyStep): string => {
  const members = Object.entries(after ?? before ?? {}).filter(([, value]) => value !== undefined);
  const detail =
    action === 'change'
      ? differences(before ?? {}, after ?? {})
      : members.map(([member, value]) => `${member} ${shown(value)}`).join(', ');
  return `${SIGNS[action]} ${kind} ${name}${detail === '' ? '' : `: ${detail}`}`;
};
