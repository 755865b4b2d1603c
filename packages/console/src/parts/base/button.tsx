/** Buttons, and links that look like one. */
import type { ComponentProps, ReactNode } from 'react';
import styles from './button.module.css';

type Kind = 'plain' | 'primary' | 'danger' | 'quiet';

export type ButtonProps = ComponentProps<'button'> & {
  readonly kind?: Kind;
  readonly icon?: ReactNode;
  readonly isBusy?: boolean;
};

export const buttonClass = (kind: Kind = 'plain', hasText = true): string =>
  [styles['button'], styles[kind], hasText ? '' : styles['square']].join(' ');

/** With an icon alone it needs an `aria-label`. */
export const Button = ({ kind = 'plain', icon, isBusy = false, children, className, ...props }: ButtonProps) => (
  <button
    type="button"
    {...props}
    disabled={props.disabled || isBusy}
    aria-busy={isBusy || undefined}
    className={`${buttonClass(kind, children !== undefined)} ${className ?? ''}`}
  >
    {icon}
    {children}
  </button>
);
