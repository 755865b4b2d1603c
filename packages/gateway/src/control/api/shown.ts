/**
 * Rows and answers by the names in a contract: the column `created_at` is the member `createdAt`, `cost_nano` is `costUsd`. What a
 * list selects, what its table looks like and what it answers with follow from the schema.
 */
import type { ColumnType } from 'kysely';
import type { Static, TNull, TObject, TProperties, TSchema } from 'typebox';
import { formatNanoUsd } from '../../kernel/usd.ts';
import type { Moment } from './contract.ts';

type Snake<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : '';
type ColumnOf<Name> = Name extends `${infer Amount}Usd`
  ? `${Snake<Amount>}_nano`
  : Name extends string
    ? Snake<Name>
    : never;

type Frozen<V> = V extends object ? { readonly [Name in keyof V]: Frozen<V[Name]> } : V;

/** An amount is stored in nano-dollars, a moment as a time. */
type Stored<Name, S> = S extends { readonly anyOf: readonly [infer One, TNull] }
  ? Stored<Name, One> | null
  : Name extends `${string}Usd`
    ? bigint
    : S extends Moment
      ? Date
      : S extends TSchema
        ? Frozen<Static<S>>
        : never;

type PropertiesOf<S> = S extends TObject<infer P extends TProperties> ? P : never;

/** What a row needs, so that its members can be shown; `Given` are shown from elsewhere. */
export type RowOf<S extends TObject, Given = never> = {
  readonly [Name in Exclude<keyof PropertiesOf<S>, Given> as ColumnOf<Name>]: Stored<Name, PropertiesOf<S>[Name]>;
};

type JsonText<V> = V extends null ? null : string;
/** The database sets moments of its own; objects are JSON. */
type TableColumn<V> = [Extract<V, Date>] extends [never]
  ? [Exclude<Extract<V, object>, readonly unknown[]>] extends [never]
    ? V
    : ColumnType<V, JsonText<V>, JsonText<V>>
  : ColumnType<V, never, Date>;

/** The table behind a contract. `Own` columns are not shown, or are stored in another way. */
export type TableOf<S extends TObject, Own> = {
  readonly [Name in Exclude<keyof RowOf<S>, keyof Own>]: TableColumn<RowOf<S>[Name]>;
} & Own;

const columnOf = (member: string): string =>
  member.replace(/Usd$/, 'Nano').replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export const columnsOf = <S extends TObject>(schema: S): (keyof RowOf<S> & string)[] =>
  Object.keys(schema.properties).map(columnOf) as (keyof RowOf<S> & string)[];

const shownValue = (value: unknown): unknown => {
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'bigint' ? formatNanoUsd(value) : value;
};

/** The members of the contract, in its order. */
export const shown = <S extends TObject, Given extends Partial<Static<S>> = Record<never, never>>(
  schema: S,
  row: RowOf<S, keyof Given>,
  given?: Given,
): Static<S> =>
  Object.fromEntries(
    Object.keys(schema.properties).map((member) => [
      member,
      given !== undefined && member in given
        ? given[member as keyof Given]
        : shownValue(row[columnOf(member) as keyof typeof row]),
    ]),
  ) as Static<S>;

type Kept<V> = V extends Buffer | Date | readonly unknown[] ? V : V extends object ? string : V;
type Columns<T> = { [Name in keyof T as ColumnOf<Name>]: Kept<T[Name]> };

/** Members of a request as the columns they are stored in. */
export const storedAs = <T extends object>(members: T): Columns<T> =>
  Object.fromEntries(
    Object.entries(members).map(([member, value]) => [
      columnOf(member),
      value?.constructor === Object ? JSON.stringify(value) : value,
    ]),
  ) as Columns<T>;
