/** The heading of a page below a list: the way back, the name, its state. */
import { Link } from '@tanstack/react-router';
import { ChevronLeft } from 'lucide-react';
import type { ReactNode } from 'react';
import styles from './crumbs.module.css';

export type CrumbsProps = {
  readonly section: string;
  readonly to: string;
  readonly title: string;
  readonly children?: ReactNode;
};

export const Crumbs = ({ section, to, title, children }: CrumbsProps) => (
  <div className={styles['crumbs']}>
    <Link to={to} className={styles['back']}>
      <ChevronLeft size={16} />
      {section}
    </Link>
    <h1>
      <bdi>{title}</bdi>
    </h1>
    {children}
  </div>
);
