/** What is captured of the content of an account's requests: off by default, always for a time, and erased at will. */
import { useState } from 'react';
import type { Schemas } from '../../api/client.ts';
import { useGet, useWrite } from '../../api/use-api.ts';
import { parseRange } from '../../format/range.ts';
import { triviumLine } from '../../format/shell.ts';
import { msg, t, translated } from '../../i18n/t.ts';
import { Button } from '../../parts/base/button.tsx';
import { toast } from '../../parts/base/toast.tsx';
import { Fields, useForm } from '../../parts/form/fields.tsx';
import { WriteDialog } from '../../parts/form/write-dialog.tsx';
import lists from '../../parts/list/lists.module.css';
import { Facts, Loaded } from '../../parts/page/page.tsx';
import { Tag, When } from '../../parts/values/values.tsx';
import { hasRole, useMe } from '../../state/session.ts';
import styles from './accounts.module.css';

type Records = Schemas['AccountRecords'];
type Bodies = Records['bodies'];
type CaptureProps = { readonly account: string };
type DialogProps = CaptureProps & { readonly onClose: () => void };

const PATH = '/admin/v1/accounts/{account}/records';

const BODIES_NAMES: Readonly<Record<Bodies, string>> = {
  errors: msg('failed requests'),
  sample: msg('a share of the requests'),
  all: msg('all requests'),
  off: msg('nothing'),
};
const HOW_LONG = { '1h': msg('one hour'), '24h': msg('one day'), '7d': msg('one week'), '30d': msg('30 days') };

export function AccountCapture({ account }: CaptureProps) {
  const isAdmin = hasRole(useMe(), 'admin');
  const [doing, setDoing] = useState<'set' | 'erase'>();
  const close = (): void => setDoing(undefined);
  return (
    <>
      <div className={styles['bar']}>
        <p className={styles['muted']}>
          {t(
            'Content is what callers send and models answer. It is stored encrypted, and shown on the tab Wire of a request.',
          )}
        </p>
        {isAdmin && (
          <span className={lists['buttons']}>
            <Button onClick={() => setDoing('erase')} kind="danger">
              {t('Erase content')}
            </Button>
            <Button onClick={() => setDoing('set')}>{t('Capture content')}</Button>
          </span>
        )}
      </div>
      <Loaded of={useGet(PATH, { path: { account } })}>
        {({ active, bodies, samplePercent, keepHours, until, warning }) => (
          <>
            <Facts
              facts={[
                [t('Now'), <Tag key="now" kind={active ? 'warn' : 'plain'} text={active ? t('captured') : t('off')} />],
                [t('Captured'), t(BODIES_NAMES[bodies])],
                bodies === 'sample' && [t('Share, %'), String(samplePercent)],
                bodies !== 'off' && [t('Kept for, hours'), String(keepHours)],
                bodies !== 'off' && [t('Until'), <When key="until" at={until} />],
              ]}
            />
            {warning !== null && <p className={styles['muted']}>{warning}</p>}
          </>
        )}
      </Loaded>
      {doing === 'set' && <SetCapture account={account} onClose={close} />}
      {doing === 'erase' && <EraseContent account={account} onClose={close} />}
    </>
  );
}

/** Also from the page of a request without content. */
export function SetCapture({ account, onClose }: DialogProps) {
  const write = useWrite();
  const [form, set] = useForm({ bodies: 'errors', samplePercent: '10', keepHours: '24', howLong: '24h' });
  const { bodies, samplePercent, keepHours, howLong } = form;
  const range = parseRange(howLong);
  const until = new Date(Date.now() + (range?.kind === 'last' ? range.ms : 0)).toISOString();
  const body = {
    bodies: bodies as Bodies,
    ...(bodies !== 'off' && { keepHours: Number(keepHours), until }),
    ...(bodies === 'sample' && { samplePercent: Number(samplePercent) }),
  };
  return (
    <WriteDialog
      title={t('Capture content of {account}', { account })}
      onClose={onClose}
      write={write('patch', PATH, { path: { account }, body }, [PATH])}
      cli={triviumLine(
        ['accounts', 'capture', account],
        [
          ['bodies', bodies],
          ['until', body.until],
          ['keep-hours', body.keepHours],
          ['sample-percent', body.samplePercent],
        ],
      )}
      onDone={() =>
        toast(bodies === 'off' ? t('Nothing is captured any more.') : t('Content is captured from now on.'))
      }
    >
      <p>{t('From now on: requests that have ended stay without content. Credentials are removed from it.')}</p>
      <Fields
        form={[form, set]}
        rows={[
          [
            { name: 'bodies', label: t('Captured'), of: 'bodies', options: translated(BODIES_NAMES) },
            bodies === 'sample' && {
              name: 'samplePercent',
              label: t('Share, %'),
              of: 'samplePercent',
              type: 'number',
              min: 0.1,
              max: 100,
              step: 'any',
            },
          ],
          bodies !== 'off' && [
            { name: 'howLong', label: t('For'), of: 'until', options: translated(HOW_LONG) },
            { name: 'keepHours', label: t('Kept for, hours'), of: 'keepHours', type: 'number', min: 1, max: 720 },
          ],
        ]}
      />
    </WriteDialog>
  );
}

function EraseContent({ account, onClose }: DialogProps) {
  const write = useWrite();
  return (
    <WriteDialog
      title={t('Erase the content of {account}', { account })}
      action={t('Erase content')}
      isDanger
      onClose={onClose}
      write={write('delete', PATH, { path: { account } }, [PATH])}
      cli={triviumLine(['accounts', 'erase-content', account])}
      onDone={() => toast(t('The content is erased.'))}
      typed={account}
    >
      <p>{t('All captured content of the account is erased on every node. It cannot be had back.')}</p>
    </WriteDialog>
  );
}
