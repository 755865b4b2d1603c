/** One of a few, always visible, in the address bar: the filter of a list that is narrowed from the start. */
import { useSearchParams, useSetSearch } from '../../state/search.ts';
import { controlClass } from './field.tsx';

export type SearchSelectProps = {
  /** The search parameter; its first choice is meant where it is absent. */
  readonly id: string;
  readonly label: string;
  readonly choices: readonly (readonly [value: string, text: string])[];
};

export function SearchSelect({ id, label, choices }: SearchSelectProps) {
  const search = useSearchParams();
  const setSearch = useSetSearch();
  const [first] = choices;
  return (
    <select
      className={controlClass}
      aria-label={label}
      value={search[id] ?? first?.[0] ?? ''}
      onChange={({ target }) => setSearch({ [id]: target.value === first?.[0] ? undefined : target.value })}
    >
      {choices.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  );
}
