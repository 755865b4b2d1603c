/** Parts of forms in dialogs. */

import { createContext, type FormEvent, type ReactNode } from 'react';
import { ApiError } from '../../api/client.ts';
import { t } from '../../i18n/t.ts';
import { Problem } from '../base/states.tsx';
import fields from './field.module.css';
import styles from './form.module.css';

export const Form = ({ onSubmit, children }: { readonly onSubmit: () => void; readonly children: ReactNode }) => (
  <form
    className={styles['form']}
    onSubmit={(event: FormEvent) => {
      event.preventDefault();
      onSubmit();
    }}
  >
    {children}
  </form>
);

export const rowClass: string = styles['row'] ?? '';

/** Fields side by side, one below the other where it is narrow. */
export const FieldRow = ({ children }: { readonly children: ReactNode }) => <div className={rowClass}>{children}</div>;

type CheckProps = {
  readonly text: string;
  readonly isOn: boolean;
  readonly isDisabled?: boolean;
  readonly onChange: (isOn: boolean) => void;
};
export const Check = ({ text, isOn, isDisabled = false, onChange }: CheckProps) => (
  <label className={styles['check']}>
    <input type="checkbox" checked={isOn} disabled={isDisabled} onChange={({ target }) => onChange(target.checked)} />
    {text}
  </label>
);

export type ChecksProps = {
  readonly label: string;
  /** Messages. */
  readonly names: Readonly<Record<string, string>>;
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
};

/** Some of a few. */
export const Checks = ({ label, names, chosen, onChange }: ChecksProps) => (
  <fieldset className={styles['checks']}>
    <legend>{label}</legend>
    {Object.entries(names).map(([id, text]) => (
      <Check
        key={id}
        text={t(text)}
        isOn={chosen.includes(id)}
        onChange={(isOn) => onChange(isOn ? [...chosen, id] : chosen.filter((each) => each !== id))}
      />
    ))}
  </fieldset>
);

/** Fields that are seldom needed. */
export const MoreFields = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <details className={styles['more']}>
    <summary>{title}</summary>
    <div className={styles['form']}>{children}</div>
  </details>
);

/** What the form will do, in sentences. */
export const Preview = ({ title, sentences }: { readonly title: string; readonly sentences: readonly string[] }) => (
  <div className={styles['preview']} aria-live="polite">
    <p className={styles['title']}>{title}</p>
    {sentences.map((sentence) => (
      <p key={sentence}>{sentence}</p>
    ))}
  </div>
);

/** What went wrong with the form around a field. */
export const ProblemContext = createContext<Error | undefined>(undefined);

/** With the name of the field that the API found fault with. */
export function FormProblem({ error }: { readonly error: Error | null | undefined }) {
  if (error === null || error === undefined) return null;
  const isNamed = error instanceof ApiError && error.field !== undefined;
  const shown = isNamed ? new ApiError(error.status, error.code, `${error.field}: ${error.message}`) : error;
  return <Problem error={shown} />;
}

export type FieldProps = {
  readonly label: string;
  /** An `input`, `select` or `textarea`. */
  readonly children: ReactNode;
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
};

export const Field = ({ label, children, hint, error }: FieldProps) => (
  // biome-ignore lint/a11y/noLabelWithoutControl: the control is its child
  <label className={fields['field']}>
    <span className={fields['label']}>{label}</span>
    {children}
    {hint !== undefined && <span className={fields['hint']}>{hint}</span>}
    {error !== undefined && (
      <span className={fields['error']} role="alert">
        {error}
      </span>
    )}
  </label>
);

/** The style of a control outside a `Field`. */
export const controlClass: string = fields['control'] ?? '';
