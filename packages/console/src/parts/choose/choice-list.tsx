/** The list of a choice, loaded when the first one is opened. */
import { Command } from 'cmdk';
import { useState } from 'react';
import { t } from '../../i18n/t.ts';
import styles from './choice.module.css';

export type ChoiceItem = { readonly value: string; readonly text: string; readonly note?: string };

export type ChoiceListProps = {
  readonly label: string;
  readonly items: readonly ChoiceItem[];
  readonly chosen: string;
  readonly onChoose: (value: string) => void;
  readonly isLoading: boolean;
  /** Why there are no items, where they could not be read. */
  readonly problem?: string | undefined;
  readonly onType?: (text: string) => void;
};

export function ChoiceList({ label, items, chosen, onChoose, isLoading, problem, onType }: ChoiceListProps) {
  const [typed, setTyped] = useState({ label, text: '' });
  return (
    // The server finds by more than is shown, such as an e-mail address or the start of a secret.
    <Command label={label} defaultValue={chosen} shouldFilter={onType === undefined}>
      <Command.Input
        className={styles['input']}
        // Loaded after its popover, which has given the focus by then.
        autoFocus
        placeholder={label}
        // What was typed to find a field finds none of its values.
        value={typed.label === label ? typed.text : ''}
        onValueChange={(text) => {
          setTyped({ label, text });
          onType?.(text);
        }}
      />
      <Command.List className={styles['list']}>
        <Command.Empty className={styles['empty']}>
          {isLoading ? t('Loading') : (problem ?? t('Nothing matches.'))}
        </Command.Empty>
        {items.map(({ value, text, note }) => (
          <Command.Item
            key={value}
            value={`${value} ${text}`}
            className={styles['item'] ?? ''}
            onSelect={() => onChoose(value)}
            data-chosen={value === chosen}
          >
            <span>{text}</span>
            {note !== undefined && note !== text && <small>{note}</small>}
          </Command.Item>
        ))}
      </Command.List>
    </Command>
  );
}
