/** What a button offers, in groups. */
import { Check } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import type { ReactNode } from 'react';
import styles from './menu.module.css';

export type MenuItem = {
  readonly text: string;
  readonly onSelect: () => void;
  readonly icon?: ReactNode;
  readonly isChosen?: boolean;
  /** At the end of the line: a shortcut, a value. */
  readonly note?: string;
  readonly isDisabled?: boolean;
};
export type MenuGroup = { readonly title?: string; readonly items: readonly MenuItem[] };

/** `trigger` is a `Button`. */
export const Menu = ({ trigger, groups }: { readonly trigger: ReactNode; readonly groups: readonly MenuGroup[] }) => (
  <DropdownMenu.Root modal={false}>
    <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
    <DropdownMenu.Portal>
      <DropdownMenu.Content className={styles['menu']} align="end" sideOffset={4} collisionPadding={8}>
        {groups.map(({ title, items }, index) => (
          <DropdownMenu.Group key={title ?? index} className={styles['group']}>
            {title !== undefined && <DropdownMenu.Label className={styles['title']}>{title}</DropdownMenu.Label>}
            {items.map(({ text, onSelect, icon, isChosen, note, isDisabled = false }) => (
              <DropdownMenu.Item
                key={text}
                className={styles['item']}
                onSelect={onSelect}
                disabled={isDisabled}
                // The check mark, for those who do not see it.
                {...(isChosen !== undefined && { role: 'menuitemcheckbox', 'aria-checked': isChosen })}
              >
                {isChosen === undefined ? icon : <Check size={16} style={{ opacity: isChosen ? 1 : 0 }} />}
                <span className={styles['text']}>{text}</span>
                {note !== undefined && <span className={styles['note']}>{note}</span>}
              </DropdownMenu.Item>
            ))}
          </DropdownMenu.Group>
        ))}
      </DropdownMenu.Content>
    </DropdownMenu.Portal>
  </DropdownMenu.Root>
);
