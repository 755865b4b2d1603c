/** Columns of a list as data: a member of the row and the form it is read in, or a cell of its own. */

import type { ReactNode } from 'react';
import type { Schemas } from '../../api/client.ts';
import described from '../../api/columns.json' with { type: 'json' };
import { formatCount } from '../../format/numbers.ts';
import { locale, t } from '../../i18n/t.ts';
import { Ago, Duration, Id, Money, None, Tag, Text, Tokens, When } from '../values/values.tsx';

/** The human forms, with the values that each can show. Null and undefined are a dash in all of them. */
const FORMS = {
  text: (value: string) => <Text text={value} />,
  /** In mono, to copy. */
  id: (value: string) => <Id text={value} />,
  tag: (value: string) => <Tag text={value} />,
  when: (value: string) => <When at={value} />,
  ago: (value: string) => <Ago at={value} />,
  usd: (value: string) => <Money usd={value} />,
  ms: (value: number) => <Duration ms={value} />,
  tokens: (value: number) => <Tokens count={value} />,
  count: (value: number) => formatCount(value, locale()),
  flag: (value: boolean) => (value ? t('yes') : t('no')),
} satisfies Readonly<Record<string, (value: never) => ReactNode>>;

type Form = keyof typeof FORMS;
type ValueOf<F extends Form> = Parameters<(typeof FORMS)[F]>[0];
type MemberOf<T, V> = { [K in keyof T & string]: T[K] extends V | null | undefined ? K : never }[keyof T & string];

/** Figures are read from their end. */
const AT_END: ReadonlySet<unknown> = new Set<Form>(['usd', 'ms', 'tokens', 'count']);

type Head = {
  /** A message: the table translates it. */
  readonly title: string;
  /** A CSS track: `120px`, `minmax(160px, 2fr)`. */
  readonly width: string;
  readonly align?: 'end';
};
type Member<T> = { [F in Form]: { readonly of: MemberOf<T, ValueOf<F>>; readonly as: F } }[Form];
type Named<T> = {
  [K in MemberOf<T, string>]: { readonly of: K; readonly as: Readonly<Record<NonNullable<T[K]> & string, string>> };
}[MemberOf<T, string>];
type Own<T> = { readonly of?: never; readonly id: string; readonly cell: (row: T) => ReactNode };

/** Without an `id` a column is known by its member. Names of values are messages. */
export type Column<T> = Head & (Own<T> | ((Member<T> | Named<T>) & { readonly id?: string; readonly cell?: never }));

/** Those that the contract of a resource describes, in the order of its members. */
export const describedColumns = <Name extends keyof typeof described>(name: Name): readonly Column<Schemas[Name]>[] =>
  described[name] as never[];

export const alignOf = <T,>(column: Column<T>): 'end' | undefined =>
  column.align ?? (column.cell === undefined && AT_END.has(column.as) ? 'end' : undefined);

export function cellOf<T>(column: Column<T>, row: T): ReactNode {
  if (column.cell !== undefined) return column.cell(row);
  const value: unknown = row[column.of as keyof T];
  if (value === null || value === undefined) return <None />;
  const { as } = column as { readonly as: Form | Readonly<Record<string, string>> };
  return typeof as === 'string' ? FORMS[as](value as never) : t(as[String(value)] ?? String(value));
}
