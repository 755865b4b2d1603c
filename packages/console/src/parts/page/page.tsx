/** The frame of a page: its title, what can be done on it, and its content. */

import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ChevronLeft } from 'lucide-react';
import { type ReactNode, useEffect } from 'react';
import { ApiError } from '../../api/client.ts';
import { t } from '../../i18n/t.ts';
import { EmptyState, QueryProblem, Skeleton } from '../base/states.tsx';
import crumbs from './crumbs.module.css';
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

export type CrumbsProps = {
  readonly section: string;
  readonly to: string;
  readonly title: string;
  readonly children?: ReactNode;
};

export const Crumbs = ({ section, to, title, children }: CrumbsProps) => (
  <div className={crumbs['crumbs']}>
    <Link to={to} className={crumbs['back']}>
      <ChevronLeft size={16} />
      {section}
    </Link>
    <h1>
      <bdi>{title}</bdi>
    </h1>
    {children}
  </div>
);

export const NotFound = () => (
  <PageFrame title={t('Not found')}>
    <EmptyState title={t('This page does not exist, or your role may not see it.')}>
      <Link to="/">{t('Back to the start')}</Link>
    </EmptyState>
  </PageFrame>
);

type LoadedProps<T> = {
  readonly of: UseQueryResult<T>;
  /** Lines of the placeholder. */
  readonly rows?: number;
  readonly children: (data: T) => ReactNode;
};

/** An answer stays while a newer one cannot be had. */
export const Loaded = <T,>({ of, rows = 6, children }: LoadedProps<T>) => (
  <>
    <QueryProblem of={of} />
    {of.data === undefined ? of.error === null && <Skeleton rows={rows} /> : children(of.data)}
  </>
);

/** The page of one thing: not found where the API does not know it. */
export function LoadedPage<T>({ of, title, children }: LoadedProps<T> & { readonly title: string }) {
  if (of.error instanceof ApiError && of.error.status === 404) return <NotFound />;
  if (of.data !== undefined) return children(of.data);
  return (
    <PageFrame title={title}>
      <Loaded of={of}>{children}</Loaded>
    </PageFrame>
  );
}
