/** New managed settings, or the next version of those of a name. What the API finds wrong is shown at its place in the text. */

import { use, useEffect, useRef } from 'react';
import { ApiError, asError } from '../../api/client.ts';
import { useWrite } from '../../api/use-api.ts';
import { placeIn } from '../../format/json-place.ts';
import { triviumLine } from '../../format/shell.ts';
import { t } from '../../i18n/t.ts';
import { toast } from '../../parts/base/toast.tsx';
import { Fields, useForm } from '../../parts/form/fields.tsx';
import { Field, ProblemContext } from '../../parts/form/form.tsx';
import { WriteDialog } from '../../parts/form/write-dialog.tsx';
import { EMPTY_FORM, type Entry, entryOf, formOf, settingsIn } from './managed-form.ts';

const PATH = '/admin/v1/managed-settings';
const OF_SETTINGS = 'settings.';

export type EditManagedProps = {
  /** Undefined: new ones. */
  readonly entry: Entry | undefined;
  readonly onClose: () => void;
  readonly onSaved: (name: string) => void;
};

export function EditManaged({ entry, onClose, onSaved }: EditManagedProps) {
  const write = useWrite();
  const [form, set] = useForm(entry === undefined ? EMPTY_FORM : formOf(entry));
  const body = entryOf(form);
  return (
    <WriteDialog
      title={entry === undefined ? t('Create managed settings') : t('Change {name}', { name: entry.name })}
      kind="wide"
      onClose={onClose}
      write={body && write('post', PATH, { body }, [PATH, `${PATH}/{id}`])}
      cli={triviumLine(['managed-settings', 'save'], [['file', 'settings.json']])}
      onDone={({ name }) => {
        toast(t('The settings are saved. Agents get them at their next start, within the hour.'));
        onSaved(name);
      }}
    >
      <Fields
        form={[form, set]}
        rows={[
          [
            {
              name: 'name',
              of: 'name',
              label: t('Name'),
              required: true,
              readOnly: entry !== undefined,
              autoFocus: entry === undefined,
              spellCheck: false,
            },
            {
              name: 'priority',
              of: 'priority',
              label: t('Priority'),
              hint: t('Of those that match a person, the lowest applies.'),
              type: 'number',
              min: 0,
              max: 10_000,
              required: true,
            },
            { name: 'description', of: 'description', label: t('Description'), maxLength: 500 },
          ],
          [
            {
              name: 'groups',
              of: 'match.groups',
              label: t('Groups'),
              hint: t('One of them suffices. Separated by commas. Empty: all.'),
              spellCheck: false,
            },
            {
              name: 'accounts',
              of: 'match.accounts',
              label: t('Accounts'),
              hint: t('By id. If both are given, both must fit.'),
              spellCheck: false,
            },
            {
              name: 'unchecked',
              of: 'unchecked',
              label: t('Unchecked'),
              hint: t('Members of the settings that this release does not know, and passes on.'),
              spellCheck: false,
            },
          ],
        ]}
      />
      <SettingsField text={form.settings} onChange={(settings) => set({ settings })} />
    </WriteDialog>
  );
}

/** The API's problem with the settings, if that is what it has. */
function useMisfit(): { readonly path: string; readonly message: string } | undefined {
  const problem = use(ProblemContext);
  const path = problem instanceof ApiError ? problem.field : undefined;
  if (problem === undefined || path?.startsWith(OF_SETTINGS) !== true) return undefined;
  return { path: path.slice(OF_SETTINGS.length), message: problem.message };
}

/** Undefined: it is an object in JSON. */
function faultOf(text: string): string | undefined {
  try {
    JSON.parse(text);
  } catch (cause) {
    return asError(cause).message;
  }
  return settingsIn(text) === undefined ? '{ … }' : undefined;
}

function SettingsField({ text, onChange }: { readonly text: string; readonly onChange: (text: string) => void }) {
  const misfit = useMisfit();
  const box = useRef<HTMLTextAreaElement>(null);
  const path = misfit?.path;
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when the API has answered, not while the text is mended
  useEffect(() => {
    if (path === undefined || box.current === null) return;
    const start = placeIn(text, path);
    const end = text.indexOf('\n', start);
    box.current.focus();
    box.current.setSelectionRange(start, end === -1 ? text.length : end);
  }, [misfit]);
  const fault = faultOf(text);
  const line = path === undefined ? '' : `${t('Line')} ${text.slice(0, placeIn(text, path)).split('\n').length} · `;
  const error = misfit === undefined ? fault && `JSON: ${fault}` : `${line}${path}: ${misfit.message}`;
  return (
    <Field label={t('Settings')} hint={t('JSON as in managed-settings.json of Claude Code.')} error={error}>
      <textarea
        ref={box}
        rows={16}
        style={{ fontFamily: 'var(--mono)', resize: 'vertical' }}
        spellCheck={false}
        autoComplete="off"
        aria-invalid={error !== undefined || undefined}
        value={text}
        onChange={({ target }) => onChange(target.value)}
      />
    </Field>
  );
}
