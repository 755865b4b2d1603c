/** One of many, found by typing. */
import { Popover } from 'radix-ui';
import { lazy, type ReactNode, Suspense } from 'react';
import styles from './choice.module.css';
import type { ChoiceItem } from './choice-list.tsx';

export type ChoiceProps = {
  readonly trigger: ReactNode;
  readonly label: string;
  readonly items: readonly ChoiceItem[];
  readonly chosen: string;
  /** It stays open if this returns `goes-on`: there is more to choose. */
  readonly onChoose: (value: string) => unknown;
  readonly isOpen: boolean;
  readonly onOpen: (isOpen: boolean) => void;
  readonly isLoading?: boolean;
  /** Why there are no items, where they could not be read. */
  readonly problem?: string | undefined;
  /** Called with what is typed, where items are asked for by it. */
  readonly onType?: (text: string) => void;
};

const ChoiceList = lazy(() => import('./choice-list.tsx'));

export const Choice = ({ trigger, isOpen, onOpen, onChoose, isLoading = false, ...list }: ChoiceProps) => (
  <Popover.Root open={isOpen} onOpenChange={onOpen}>
    <Popover.Trigger asChild>{trigger}</Popover.Trigger>
    <Popover.Portal>
      <Popover.Content className={styles['popover']} align="start" sideOffset={4} collisionPadding={8}>
        <Suspense>
          <ChoiceList
            {...list}
            isLoading={isLoading}
            onChoose={(value) => {
              if (onChoose(value) !== 'goes-on') onOpen(false);
            }}
          />
        </Suspense>
      </Popover.Content>
    </Popover.Portal>
  </Popover.Root>
);
