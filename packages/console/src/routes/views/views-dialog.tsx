/** Saved views of a list: those of the person, and those that others of the account share. */
import { Link } from '@tanstack/react-router';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { asError, call, type Schemas } from '../../api/client.ts';
import { useChange, useGet, useWrite } from '../../api/use-api.ts';
import { parseSearch, type Search, stringifySearch } from '../../format/search.ts';
import { triviumLine } from '../../format/shell.ts';
import { msg, t } from '../../i18n/t.ts';
import { Button } from '../../parts/base/button.tsx';
import { Commands } from '../../parts/base/copy.tsx';
import { Dialog } from '../../parts/base/dialog.tsx';
import { Problem } from '../../parts/base/states.tsx';
import { toast, toastProblem } from '../../parts/base/toast.tsx';
import { Check, Field, Form } from '../../parts/form/form.tsx';
import { Loaded } from '../../parts/page/page.tsx';
import { Tag } from '../../parts/values/values.tsx';
import { place, useSearchParams } from '../../state/search.ts';
import { hasRole, useMe } from '../../state/session.ts';
import { REQUEST_FIELDS } from '../requests/fields.ts';
import styles from './views-dialog.module.css';

const PATH = '/admin/v1/views';

/** What is looked at, not what is listed. */
const PASSING: ReadonlySet<string> = new Set(['peek', 'live']);

const NAMES: ReadonlyMap<string, string> = new Map([
  ...REQUEST_FIELDS.map(({ id, label }) => [id, label] as const),
  ['account', msg('Account')],
  ['range', msg('Range')],
  ['columns', msg('Columns')],
  ['measure', msg('Measure')],
  ['by', msg('By')],
  ['then', msg('Then by')],
  ['bucket', msg('Bucket')],
  ['compare', msg('Compare')],
]);

const inWords = (search: Search): string =>
  Object.entries(search)
    .map(([name, value]) => `${t(NAMES.get(name) ?? name)}: ${value}`)
    .join(' · ');

type View = Schemas['SavedView'];
type ViewsDialogProps = { readonly page: View['page']; readonly onClose: () => void };

export function ViewsDialog({ page, onClose }: ViewsDialogProps) {
  const me = useMe();
  const views = useGet(PATH, { query: { page } });
  const remove = useChange('delete', `${PATH}/{id}`, [PATH]);
  const mayRemove = ({ own }: View): boolean => own || hasRole(me, 'admin');
  const onRemove = ({ id, name, search, shared }: View): void => {
    const undo = (): void =>
      void call('post', PATH, { body: { page, name, search, shared } })
        .then(() => views.refetch())
        .catch(toastProblem);
    remove
      .mutateAsync({ path: { id } })
      .then(() => toast(t('The view “{name}” was removed.', { name }), { undo }))
      .catch(toastProblem);
  };
  return (
    <Dialog title={t('Saved views')} kind="drawer" isOpen onClose={onClose}>
      <Loaded of={views} rows={2}>
        {({ items }) =>
          items.length === 0 ? (
            <p className={styles['none']}>{t('None yet. Save the filters below to have them at one press.')}</p>
          ) : (
            <ul className={styles['views']}>
              {items.map((view) => (
                <li key={view.id}>
                  <Link {...place(`/${page}`, {}, parseSearch(view.search))} onClick={onClose}>
                    <bdi>{view.name}</bdi>
                  </Link>
                  {view.shared && <Tag text={t('Shared')} />}
                  <span className={styles['filters']}>{inWords(parseSearch(view.search)) || t('no filters')}</span>
                  {mayRemove(view) && (
                    <Button
                      kind="quiet"
                      icon={<Trash2 size={14} />}
                      aria-label={t('Remove the view {name}', { name: view.name })}
                      onClick={() => onRemove(view)}
                    />
                  )}
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <SaveView page={page} onDone={() => void views.refetch()} />
    </Dialog>
  );
}

function SaveView({ page, onDone }: { readonly page: View['page']; readonly onDone: () => void }) {
  const me = useMe();
  const write = useWrite();
  const search = useSearchParams();
  const [name, setName] = useState('');
  const [isShared, setShared] = useState(false);
  const [error, setError] = useState<Error>();
  const kept = Object.fromEntries(Object.entries(search).filter(([one]) => !PASSING.has(one)));
  const text = stringifySearch(kept).slice(1);
  const body = { page, name: name.trim(), search: text, shared: isShared };
  const save = write('post', PATH, { body }, [PATH]);
  const onSubmit = (): void => {
    setError(undefined);
    save
      .send()
      .then(() => {
        setName('');
        toast(t('The view is saved.'));
        onDone();
      })
      .catch((cause: unknown) => setError(asError(cause)));
  };
  return (
    <Form onSubmit={onSubmit}>
      <h3 className={styles['title']}>{t('Save what is shown now')}</h3>
      <p className={styles['filters']}>{inWords(kept) || t('no filters')}</p>
      <Field label={t('Name')}>
        <input value={name} maxLength={200} required onChange={({ target }) => setName(target.value)} />
      </Field>
      {me.accountId !== null && hasRole(me, 'developer') && (
        <Check text={t('Share with everyone in the account')} isOn={isShared} onChange={setShared} />
      )}
      {error !== undefined && <Problem error={error} />}
      <Commands
        {...save}
        cli={triviumLine(
          ['views', 'save', page],
          [
            ['name', body.name],
            ['search', text],
            ['shared', isShared ? true : undefined],
          ],
        )}
      />
      <div className={styles['actions']}>
        <Button kind="primary" type="submit" disabled={body.name === ''}>
          {t('Save the view')}
        </Button>
      </div>
    </Form>
  );
}
