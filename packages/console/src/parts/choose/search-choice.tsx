/** One of any number: the server is asked for what is typed, so that none is out of reach. */
import { useQuery } from '@tanstack/react-query';
import { ChevronDown } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Button } from '../base/button.tsx';
import { Choice } from './choice.tsx';
import type { ChoiceItem } from './choice-list.tsx';

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
  /** Before all others, while nothing is typed. */
  readonly first?: ChoiceItem;
  readonly chosen: string;
  readonly onChoose: (item: ChoiceItem) => void;
};

/** The list is asked for when it is opened. */
export function SearchChoice(props: SearchChoiceProps) {
  const { label, shown, icon, ariaLabel, className, queryKey, find, first, chosen, onChoose } = props;
  const [isOpen, setOpen] = useState(false);
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
