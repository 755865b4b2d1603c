/**
 * Filters of a list, each a chip, all in the address bar and all asked of the server. The box takes `name:value`; `/` goes there.
 */
import { ListFilter, X } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useMemo, useRef, useState } from 'react';
import { namesToTry, parseFilterText } from '../../format/filter-text.ts';
import { msg, t } from '../../i18n/t.ts';
import { useSearchParams, useSetSearch } from '../../state/search.ts';
import { isComposing, useShortcuts } from '../../state/shortcuts.ts';
import { Button } from '../base/button.tsx';
import { Choice } from '../choose/choice.tsx';
import type { ChoiceItem } from '../choose/choice-list.tsx';
import styles from './filter-bar.module.css';

export type FilterField = {
  /** The name of the search parameter, and of the API's. */
  readonly id: string;
  /** A message: the bar translates it. */
  readonly label: string;
  /** Values to choose from, or messages by value; without them it is typed. */
  readonly choices?: readonly ChoiceItem[] | Readonly<Record<string, string>>;
  readonly example?: string;
};

export type FilterBarProps = {
  readonly fields: readonly FilterField[];
  /** What text without a name means: the id of a field. */
  readonly plain: string;
  /** What to type, where nothing is filtered yet. */
  readonly placeholder?: string | undefined;
  readonly children?: ReactNode;
};

/** The filters of the address bar that the page knows. */
export function useFilters(fields: readonly FilterField[]): Readonly<Record<string, string>> {
  const search = useSearchParams();
  return useMemo(
    () =>
      Object.fromEntries(
        fields.flatMap(({ id }) => (search[id] === undefined ? [] : [[id, search[id]]])) as [string, string][],
      ),
    [fields, search],
  );
}

const choicesOf = ({ choices }: FilterField): readonly ChoiceItem[] | undefined =>
  choices === undefined || Array.isArray(choices)
    ? choices
    : Object.entries(choices).map(([value, text]) => ({ value, text: t(text) }));

export function FilterBar({ fields, plain, placeholder, children }: FilterBarProps) {
  const filters = useFilters(fields);
  const setSearch = useSetSearch();
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [unknown, setUnknown] = useState<string>();
  const [isOpen, setOpen] = useState(false);
  const [field, setField] = useState<FilterField>();
  useShortcuts({ '/': () => input.current?.focus() });

  const ids = fields.map(({ id }) => id);
  const apply = (): void => {
    const { patch, rest, ...other } = parseFilterText(text, ids, plain);
    setUnknown(other.unknown);
    if (Object.keys(patch).length > 0) setSearch(patch);
    setText(rest);
  };
  const onKey = (event: KeyboardEvent): void => {
    if (isComposing(event.nativeEvent)) return;
    if (event.key === 'Enter') apply();
    else if (event.key === 'Escape') input.current?.blur();
    else if (event.key === 'Backspace' && text === '') {
      const last = Object.keys(filters).at(-1);
      if (last !== undefined) setSearch({ [last]: undefined });
    }
  };
  const choose = (id: string): 'goes-on' | undefined => {
    const chosen = fields.find((each) => each.id === id);
    if (chosen?.choices !== undefined) {
      setField(chosen);
      return 'goes-on';
    }
    setText(`${id}:`);
    input.current?.focus();
    return undefined;
  };
  return (
    <search className={styles['bar']}>
      <div className={styles['box']}>
        <ListFilter size={14} />
        {fields.map((each) => {
          const { [each.id]: value } = filters;
          if (value === undefined) return null;
          return (
            <span key={each.id} className={styles['chip']}>
              <span>
                {t(each.label)}: <b>{choicesOf(each)?.find((choice) => choice.value === value)?.text ?? value}</b>
              </span>
              <button
                type="button"
                aria-label={t('Remove the filter {id}', { id: each.id })}
                onClick={() => setSearch({ [each.id]: undefined })}
              >
                <X size={12} />
              </button>
            </span>
          );
        })}
        <input
          ref={input}
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setUnknown(undefined);
          }}
          aria-invalid={unknown !== undefined || undefined}
          onKeyDown={onKey}
          onBlur={apply}
          placeholder={Object.keys(filters).length === 0 ? (placeholder ?? t('Filter, e.g. model:openai/*')) : ''}
          aria-label={t('Filter')}
          spellCheck={false}
          autoComplete="off"
        />
        {Object.keys(filters).length > 0 && (
          <Button
            kind="quiet"
            onClick={() => setSearch(Object.fromEntries(Object.keys(filters).map((id) => [id, undefined])))}
          >
            {t('Clear')}
          </Button>
        )}
      </div>
      <Choice
        trigger={<Button>{t('Add filter')}</Button>}
        label={t(field === undefined ? msg('Filter by') : field.label)}
        isOpen={isOpen || field !== undefined}
        onOpen={(open) => {
          setOpen(open);
          if (!open) setField(undefined);
        }}
        items={
          (field && choicesOf(field)) ??
          fields.map(({ id, label, example }) => ({
            value: id,
            text: t(label),
            ...(example !== undefined && { note: example }),
          }))
        }
        chosen={field === undefined ? '' : (filters[field.id] ?? '')}
        onChoose={(value) => (field === undefined ? choose(value) : setSearch({ [field.id]: value }))}
      />
      {children}
      {unknown !== undefined && (
        <p className={styles['unknown']} role="alert">
          {t('Unknown filter “{unknown}”. Try {names}.', {
            unknown,
            names: namesToTry(unknown, ids)
              .map((id) => `${id}:…`)
              .join(', '),
          })}
        </p>
      )}
    </search>
  );
}
