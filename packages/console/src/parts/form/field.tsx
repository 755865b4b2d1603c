import type { ReactNode } from 'react';
import styles from './field.module.css';

export type FieldProps = {
  readonly label: string;
  /** An `input`, `select` or `textarea`. */
  readonly children: ReactNode;
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
};

export const Field = ({ label, children, hint, error }: FieldProps) => (
  // biome-ignore lint/a11y/noLabelWithoutControl: the control is its child
  <label className={styles['field']}>
    <span className={styles['label']}>{label}</span>
    {children}
    {hint !== undefined && <span className={styles['hint']}>{hint}</span>}
    {error !== undefined && (
      <span className={styles['error']} role="alert">
        {error}
      </span>
    )}
  </label>
);

/** The style of a control outside a `Field`. */
export const controlClass: string = styles['control'] ?? '';
