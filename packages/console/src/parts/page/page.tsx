/** The frame of a page: its title, what can be done on it, and its content. */
import { type ReactNode, useEffect } from 'react';
import styles from './page.module.css';

export type PageFrameProps = {
  readonly title: string;
  /** In the place of the title, where it is more than text. */
  readonly heading?: ReactNode;
  /** Range, export, create: at the end of the line of the title. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
  /** The content scrolls by itself, below a head that stays: lists. */
  readonly isFixed?: boolean;
};

export function PageFrame({ title, heading, actions, children, isFixed = false }: PageFrameProps) {
  useEffect(() => {
    document.title = `${title} · Trivium`;
  }, [title]);
  return (
    <main className={styles['page']} data-fixed={isFixed} id="content">
      <header className={styles['head']}>
        {heading ?? <h1>{title}</h1>}
        {actions !== undefined && <div className={styles['actions']}>{actions}</div>}
      </header>
      {children}
    </main>
  );
}

/** A titled block of a page. */
export const Panel = ({
  title,
  actions,
  children,
}: {
  readonly title: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) => (
  <section className={styles['panel']} aria-label={title}>
    <header className={styles['panelHead']}>
      <h2>{title}</h2>
      {actions}
    </header>
    {children}
  </section>
);

/** False: it does not apply. */
export type Fact = readonly [name: string, value: ReactNode] | false;

/** Names and values side by side. */
export const Facts = ({ facts }: { readonly facts: readonly Fact[] }) => (
  <dl className={styles['facts']}>
    {facts.map(
      (fact) =>
        fact !== false && (
          <div key={fact[0]}>
            <dt>{fact[0]}</dt>
            <dd>{fact[1]}</dd>
          </div>
        ),
    )}
  </dl>
);
