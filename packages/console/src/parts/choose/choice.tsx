/** One of many, found by typing. */

import { useQuery } from '@tanstack/react-query';
import { ChevronDown } from 'lucide-react';
import { Popover } from 'radix-ui';
import { type ReactNode, Suspense, useState } from 'react';
import { Button } from '../base/button.tsx';
import { lazyPart } from '../base/lazy-part.ts';
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

const ChoiceList = lazyPart(() => import('./choice-list.tsx'), 'ChoiceList');

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

export type SearchChoiceProps = {
  readonly label: string;
  /** What is chosen, as the button says it. */
  readonly shown: string;
  readonly icon?: ReactNode;
  /** Of the button, where no `Field` names it. */
  readonly ariaLabel?: string;
  readonly className?: string;
  /** Begins with the path of the list, so that `invalidate` finds it. */
  readonly queryKey: readonly unknown[];
  readonly find: (q: string | undefined, signal: AbortSignal) => Promise<readonly ChoiceItem[]>;
  /** It was added by a press, and is chosen next. */
  readonly isOpenFirst?: boolean;
  /** Before all others, while nothing is typed. */
  readonly first?: ChoiceItem;
  readonly chosen: string;
  readonly onChoose: (item: ChoiceItem) => void;
};

/** The list is asked for when it is opened. */
export function SearchChoice(props: SearchChoiceProps) {
  const { label, shown, icon, ariaLabel, className, queryKey, find, first, chosen, onChoose } = props;
  const [isOpen, setOpen] = useState(props.isOpenFirst ?? false);
  const [typed, setTyped] = useState('');
  const q = typed.trim() === '' ? undefined : typed.trim();
  const found = useQuery({
    queryKey: [...queryKey, 'choice', q],
    queryFn: ({ signal }) => find(q, signal),
    enabled: isOpen,
  });
  const items = [...(first === undefined || q !== undefined ? [] : [first]), ...(found.data ?? [])];
  return (
    <Choice
      trigger={
        <Button icon={icon} aria-label={ariaLabel} className={className}>
          <span>{shown}</span>
          <ChevronDown size={14} />
        </Button>
      }
      label={label}
      isOpen={isOpen}
      onOpen={(open) => {
        setOpen(open);
        setTyped('');
      }}
      onType={setTyped}
      isLoading={found.isFetching}
      problem={found.error?.message}
      items={items}
      chosen={chosen}
      onChoose={(value) => {
        const item = items.find((each) => each.value === value);
        if (item !== undefined) onChoose(item);
      }}
    />
  );
}
