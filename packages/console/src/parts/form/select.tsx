/** One of a few, always visible. */
import type { ComponentProps } from 'react';
import { useSearchParams, useSetSearch } from '../../state/search.ts';
import { controlClass } from './field.tsx';

/** Texts by value, or pairs of them where an order is meant that names would not keep. */
export type Options<V extends string = string> =
  | Readonly<Record<V, string>>
  | readonly (readonly [value: V, text: string])[];

export type SelectProps<V extends string> = Omit<ComponentProps<'select'>, 'onChange' | 'value'> & {
  readonly value: V;
  readonly options: Options<V>;
  readonly onChange: (value: V) => void;
};

export const Select = <V extends string>({ options, onChange, ...props }: SelectProps<V>) => (
  <select {...props} onChange={({ target }) => onChange(target.value as V)}>
    {(Array.isArray(options) ? options : Object.entries(options)).map(([value, text]) => (
      <option key={value} value={value}>
        {text}
      </option>
    ))}
  </select>
);

export type SearchSelectProps = {
  /** The search parameter; its first choice is meant where it is absent. */
  readonly id: string;
  readonly label: string;
  readonly choices: readonly (readonly [value: string, text: string])[];
};

/** In the address bar: the filter of a list that is narrowed from the start. A value that is no choice is the first one. */
export function SearchSelect({ id, label, choices }: SearchSelectProps) {
  const { [id]: chosen } = useSearchParams();
  const setSearch = useSetSearch();
  const first = choices[0]?.[0] ?? '';
  return (
    <Select
      className={controlClass}
      aria-label={label}
      value={chosen ?? first}
      options={choices}
      onChange={(value) => setSearch({ [id]: value === first ? undefined : value })}
    />
  );
}
