/** Links that hand a key over: the new one, and whether they were opened. */

import { useState } from 'react';
import type { Schemas } from '../../api/client.ts';
import { useGet, useWrite } from '../../api/use-api.ts';
import { triviumLine } from '../../format/shell.ts';
import { formatWhen } from '../../format/when.ts';
import { locale, msg, t } from '../../i18n/t.ts';
import { Button } from '../../parts/base/button.tsx';
import { toast } from '../../parts/base/toast.tsx';
import { Reveal } from '../../parts/form/reveal.tsx';
import { WriteDialog } from '../../parts/form/write-dialog.tsx';
import { Panel } from '../../parts/page/page.tsx';
import { Tag, When } from '../../parts/values/values.tsx';
import { useZone } from '../../state/preferences.ts';
import styles from './keys.module.css';

type KeyLink = Schemas['KeyLink'];

const PATH = '/admin/v1/accounts/{account}/key-links';

export type RevealLinkProps = {
  readonly made: Schemas['MadeKeyLink'] | undefined;
  readonly onClose: () => void;
};

export function RevealLink({ made, onClose }: RevealLinkProps) {
  const zone = useZone();
  return (
    <Reveal
      title={t('Link for {name}', { name: made?.keyName ?? '' })}
      secret={made?.url}
      note={t('Whoever opens this link first sees the secret, once. Send it to one person, over a channel you trust.')}
      copyLabel={t('Copy the link')}
      onClose={onClose}
    >
      {made !== undefined && (
        <p className={styles['muted']}>
          {t('It opens until {until}. The page of the key shows whether it was opened.', {
            until: formatWhen(made.expiresAt, zone, Date.now(), locale()),
          })}
        </p>
      )}
    </Reveal>
  );
}

const STATES: Readonly<Record<KeyLink['state'], readonly ['ok' | 'warn' | 'plain', string]>> = {
  waiting: ['warn', msg('not opened yet')],
  opened: ['ok', msg('opened')],
  withdrawn: ['plain', msg('withdrawn')],
  expired: ['plain', msg('expired, never opened')],
};

/** Nothing, for a key whose secret was shown to the person who made it. */
export function KeyLinks({ account, keyId }: { readonly account: string; readonly keyId: string }) {
  const { data } = useGet(PATH, { path: { account }, query: { key: keyId } });
  const [withdrawn, setWithdrawn] = useState<KeyLink>();
  if (data === undefined || data.items.length === 0) return null;
  return (
    <Panel title={t('Handed over by a link')}>
      <ul className={styles['links']}>
        {data.items.map((link) => {
          const [kind, text] = STATES[link.state];
          return (
            <li key={link.id}>
              <Tag kind={kind} text={t(text)} />
              <span>
                {link.state === 'opened' ? (
                  <When at={link.openedAt} />
                ) : (
                  <>
                    {t('until')} <When at={link.expiresAt} />
                  </>
                )}
              </span>
              <span className={styles['muted']}>{t('made by {actor}', { actor: link.createdBy })}</span>
              {link.state === 'waiting' && <Button onClick={() => setWithdrawn(link)}>{t('Withdraw')}</Button>}
            </li>
          );
        })}
      </ul>
      {withdrawn !== undefined && <Withdraw link={withdrawn} onClose={() => setWithdrawn(undefined)} />}
    </Panel>
  );
}

function Withdraw({ link, onClose }: { readonly link: KeyLink; readonly onClose: () => void }) {
  const write = useWrite();
  const { accountId: account, id } = link;
  return (
    <WriteDialog
      title={t('Withdraw the link for {name}', { name: link.keyName })}
      action={t('Withdraw')}
      isDanger
      onClose={onClose}
      write={write('delete', `${PATH}/{id}`, { path: { account, id } }, [PATH])}
      cli={triviumLine(['keys', 'withdraw', account, id])}
      onDone={() => toast(t('The link does not open any more.'))}
    >
      <p>{t('The secret is erased. The key stays; revoke it, or rotate it to have another secret.')}</p>
    </WriteDialog>
  );
}
