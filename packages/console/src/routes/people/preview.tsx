/** What a person would get who signs in, also one who never has: by address and groups. */

import { useState } from 'react';
import { useGet } from '../../api/use-api.ts';
import { triviumLine } from '../../format/shell.ts';
import { t } from '../../i18n/t.ts';
import { Button } from '../../parts/base/button.tsx';
import { CopyAs, readForms } from '../../parts/base/copy.tsx';
import { Dialog } from '../../parts/base/dialog.tsx';
import { Fields, useForm } from '../../parts/form/fields.tsx';
import { Form } from '../../parts/form/form.tsx';
import lists from '../../parts/list/lists.module.css';
import { Decisions } from './decisions.tsx';

const PATH = '/admin/v1/people/preview';

export function PreviewPerson({ onClose }: { readonly onClose: () => void }) {
  const [form, set] = useForm({ email: '', groups: '' });
  const [asked, setAsked] = useState<{ readonly email: string; readonly groups?: string }>();
  const groups = form.groups.trim();
  const wanted = { email: form.email.trim(), ...(groups !== '' && { groups }) };
  const preview = useGet(PATH, { query: asked ?? wanted }, { enabled: asked !== undefined });
  return (
    <Dialog title={t('Preview a person')} kind="wide" isOpen onClose={onClose}>
      <Form onSubmit={() => setAsked(wanted)}>
        <Fields
          form={[form, set]}
          rows={[
            [
              { name: 'email', label: t('E-mail'), type: 'email', required: true, autoFocus: true },
              {
                name: 'groups',
                label: t('Groups'),
                placeholder: 'developers, team-data',
                hint: t('Separated by commas. Empty: those of the last sign-in, for people who have had one.'),
                spellCheck: false,
              },
            ],
          ]}
        />
        <div className={lists['tools']}>
          <Button kind="primary" type="submit" isBusy={preview.isFetching}>
            {t('Preview')}
          </Button>
          <CopyAs
            forms={readForms(
              `${PATH}?${new URLSearchParams(wanted)}`,
              triviumLine(['people', 'preview', wanted.email], [['groups', wanted.groups]]),
            )}
          />
        </div>
      </Form>
      {asked !== undefined && <Decisions of={preview} />}
    </Dialog>
  );
}
