/** Fields of a form as data: what each is called and how it is typed; and choices of a few. Their values are texts. */

import { type ComponentProps, use, useCallback, useState } from 'react';
import { ApiError } from '../../api/client.ts';
import { useSearchParams, useSetSearch } from '../../state/search.ts';
import { controlClass, Field, ProblemContext, rowClass } from './form.tsx';

export type FieldSpec<N extends string> = Omit<ComponentProps<'input'>, 'name' | 'value' | 'onChange'> & {
  readonly name: N;
  readonly label: string;
  readonly hint?: string | undefined;
  /** The member of the body it stands for: what the API finds wrong with it is shown here, too. */
  readonly of?: string;
  /** One of these; without them it is typed. */
  readonly options?: Options;
};

type Texts = Readonly<Record<string, string>>;
type NameOf<V> = { [K in keyof V & string]: V[K] extends string ? K : never }[keyof V & string];

type Cell<V> = FieldSpec<NameOf<V>> | false;

export type FieldsProps<V> = {
  readonly form: FormState<V>;
  /** Several in a row are side by side, one below the other where it is narrow. What is false is left out. */
  readonly rows: readonly (Cell<V> | readonly Cell<V>[])[];
  /** In place of the form's own row. */
  readonly className?: string | undefined;
};

/** The values of a form, and what changes some of them. */
export type FormState<V> = readonly [values: V, set: (patch: Partial<V>) => void];

export function useForm<V>(initial: V): FormState<V> {
  const [form, setForm] = useState(initial);
  return [form, useCallback((patch) => setForm((before) => ({ ...before, ...patch })), [])];
}

const isAbout = (problem: Error | undefined, of: string | undefined): boolean =>
  problem instanceof ApiError && of !== undefined && `${problem.field}.`.startsWith(`${of}.`);

export function Fields<V>({ form: [values, set], rows, className = rowClass }: FieldsProps<V>) {
  const problem = use(ProblemContext);
  return rows.map((row, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: rows keep their order
    <div key={index} className={className}>
      {[row].flat().map((spec: Cell<V>) => {
        if (spec === false) return null;
        const { name, label, hint, of, options, ...input } = spec;
        const value = (values as Texts)[name] ?? '';
        const onChange = (next: string): void => set({ [name]: next } as Partial<V>);
        const error = isAbout(problem, of) ? problem?.message : undefined;
        return (
          <Field key={name} label={label} hint={hint} error={error}>
            {options === undefined ? (
              <input
                {...input}
                value={value}
                aria-invalid={error !== undefined || undefined}
                onChange={({ target }) => onChange(target.value)}
              />
            ) : (
              <Select value={value} options={options} onChange={onChange} disabled={input.disabled} />
            )}
          </Field>
        );
      })}
    </div>
  ));
}

/** What an amount of US dollars looks like to the API. */
export const USD_PATTERN = String.raw`[0-9]{1,9}(\.[0-9]{1,9})?`;

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
