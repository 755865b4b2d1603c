/** Tabs in the address bar as `?tab=`. Only the chosen one is drawn. Keys 1 to 9 choose. */
import { Tabs as Radix } from 'radix-ui';
import { type ReactNode, useEffect, useRef } from 'react';
import { useSearchParams, useSetSearch } from '../../state/search.ts';
import { useShortcuts } from '../../state/shortcuts.ts';
import styles from './tabs.module.css';

export type TabItem = { readonly id: string; readonly text: string; readonly content: ReactNode };

export function Tabs({ label, items }: { readonly label: string; readonly items: readonly TabItem[] }) {
  const { tab } = useSearchParams();
  const setSearch = useSetSearch();
  const [first] = items;
  const chosen = items.find(({ id }) => id === tab) ?? first;
  const choose = (id: string): void => setSearch({ tab: id === first?.id ? undefined : id });
  useShortcuts(Object.fromEntries(items.map(({ id }, index) => [String(index + 1), () => choose(id)])));
  const chosenId = chosen?.id;
  const list = useRef<HTMLDivElement>(null);
  // On a phone the list is wider than the page.
  useEffect(() => {
    if (chosenId === undefined) return;
    const trigger = list.current?.querySelector('[data-state=active]');
    trigger?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [chosenId]);
  if (chosen === undefined) return null;
  return (
    <Radix.Root value={chosen.id} onValueChange={choose} className={styles['tabs']}>
      <Radix.List ref={list} className={styles['list']} aria-label={label}>
        {items.map(({ id, text }) => (
          <Radix.Trigger key={id} value={id} className={styles['tab']}>
            {text}
          </Radix.Trigger>
        ))}
      </Radix.List>
      <Radix.Content value={chosen.id} className={styles['content']} tabIndex={-1}>
        {chosen.content}
      </Radix.Content>
    </Radix.Root>
  );
}

export type ViewsProps = {
  readonly label: string;
  /** The search parameter; its first choice is meant where it is absent. */
  readonly id: string;
  readonly choices: readonly (readonly [value: string, text: string])[];
};

/** Which part of a list is shown, where the list is the page. */
export function Views({ label, id, choices }: ViewsProps) {
  const { [id]: chosen = '' } = useSearchParams();
  const setSearch = useSetSearch();
  return (
    <nav className={styles['list']} aria-label={label}>
      {choices.map(([value, text]) => (
        <button
          key={value}
          type="button"
          className={styles['tab']}
          data-state={value === chosen ? 'active' : undefined}
          aria-current={value === chosen}
          onClick={() => setSearch({ [id]: value })}
        >
          {text}
        </button>
      ))}
    </nav>
  );
}
