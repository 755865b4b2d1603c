/** One of many, found by typing. */
import { Command } from 'cmdk';
import { Popover } from 'radix-ui';
import type { ReactNode } from 'react';
import { t } from '../i18n/t.ts';
import styles from './choice.module.css';

export type ChoiceItem = { readonly value: string; readonly text: string; readonly note?: string };
export type ChoiceProps = {
  readonly trigger: ReactNode;
  readonly label: string;
  readonly items: readonly ChoiceItem[];
  readonly chosen: string;
  readonly onChoose: (value: string) => void;
  readonly isOpen: boolean;
  readonly onOpen: (isOpen: boolean) => void;
  readonly isLoading?: boolean;
};

export const Choice = ({ trigger, label, items, chosen, onChoose, isOpen, onOpen, isLoading = false }: ChoiceProps) => (
  <Popover.Root open={isOpen} onOpenChange={onOpen}>
    <Popover.Trigger asChild>{trigger}</Popover.Trigger>
    <Popover.Portal>
      <Popover.Content className={styles['popover']} align="start" sideOffset={4} collisionPadding={8}>
        <Command label={label} defaultValue={chosen}>
          <Command.Input className={styles['input']} placeholder={label} />
          <Command.List className={styles['list']}>
            <Command.Empty className={styles['empty']}>
              {isLoading ? t('Loading') : t('Nothing matches.')}
            </Command.Empty>
            {items.map(({ value, text, note }) => (
              <Command.Item
                key={value}
                value={`${value} ${text}`}
                className={styles['item'] ?? ''}
                onSelect={() => {
                  onChoose(value);
                  onOpen(false);
                }}
                data-chosen={value === chosen}
              >
                <span>{text}</span>
                {note !== undefined && note !== text && <small>{note}</small>}
              </Command.Item>
            ))}
          </Command.List>
        </Command>
      </Popover.Content>
    </Popover.Portal>
  </Popover.Root>
);
