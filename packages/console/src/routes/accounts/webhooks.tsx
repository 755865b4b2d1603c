/** An account's webhooks: the ends of its operations, and its own alerts. */

import { useState } from 'react';
import { call, type Schemas } from '../../api/client.ts';
import { useGet, useWrite } from '../../api/use-api.ts';
import { triviumLine } from '../../format/shell.ts';
import { msg, t } from '../../i18n/t.ts';
import { Button } from '../../parts/base/button.tsx';
import { Fields, useForm } from '../../parts/form/fields.tsx';
import { Reveal } from '../../parts/form/reveal.tsx';
import { WriteDialog } from '../../parts/form/write-dialog.tsx';
import { hasRole, useMe } from '../../state/session.ts';
import { ALERT_NAMES } from '../alerts/kinds.ts';
import { EventChoice, Receivers } from '../alerts/receivers.tsx';

const GRACE_SECONDS = 86_400;
const PATH = '/admin/v1/accounts/{account}/webhooks';

type Event = NonNullable<Schemas['Webhook']['events']>[number];

const EVENT_NAMES: Readonly<Record<Event, string>> = {
  'operation.succeeded': msg('Operation succeeded'),
  'operation.blocked': msg('Operation blocked'),
  'operation.failed': msg('Operation failed'),
  'operation.cancelled': msg('Operation cancelled'),
  'response.completed': msg('Background response completed'),
  'response.incomplete': msg('Background response incomplete'),
  'response.failed': msg('Background response failed'),
  'response.cancelled': msg('Background response cancelled'),
  'budget.reached': ALERT_NAMES['budget.reached'],
  'spend.anomaly': ALERT_NAMES['spend.anomaly'],
  'key.expiring': ALERT_NAMES['key.expiring'],
  'credit.low': ALERT_NAMES['credit.low'],
};

export function Webhooks({ account }: { readonly account: string }) {
  const isAdmin = hasRole(useMe(), 'admin');
  const webhooks = useGet(PATH, { path: { account } });
  const write = useWrite();
  const [isAdding, setAdding] = useState(false);
  const [secret, setSecret] = useState<string>();
  const [rotated, setRotated] = useState<string>();
  return (
    <>
      <Receivers
        rows={webhooks.data?.items.map(({ url, events, previousUntil: _, ...row }) => ({
          ...row,
          title: url,
          kind: t('Signed webhook'),
          note: events?.map((event) => t(EVENT_NAMES[event])).join(', ') ?? t('the ends of operations'),
        }))}
        query={webhooks}
        ways={{
          deliveries: (id, query, signal) =>
            call('get', `${PATH}/{id}/deliveries`, { path: { account, id }, query }, signal),
          test: (id) => write('post', `${PATH}/{id}/test`, { path: { account, id } }),
          remove: (id) => write('delete', `${PATH}/{id}`, { path: { account, id } }, [PATH]),
          resend: (id) =>
            write('post', '/admin/v1/accounts/{account}/deliveries/{id}/resend', { path: { account, id } }),
          cli: (verb, id) => triviumLine(['webhooks', verb, account, id]),
        }}
        empty={t('This account has no webhook.')}
        addText={t('Add webhook')}
        onAdd={isAdmin ? () => setAdding(true) : undefined}
        more={({ id }) => <Button onClick={() => setRotated(id)}>{t('New secret')}</Button>}
      />
      {rotated !== undefined && (
        <WriteDialog
          title={t('New secret')}
          action={t('Rotate')}
          isDanger
          onClose={() => setRotated(undefined)}
          write={write(
            'post',
            `${PATH}/{id}/rotate`,
            { path: { account, id: rotated }, body: { graceSeconds: GRACE_SECONDS } },
            [PATH],
          )}
          cli={triviumLine(['webhooks', 'rotate', account, rotated], [['grace', GRACE_SECONDS]])}
          onDone={(made) => setSecret(made.secret)}
        >
          <p>{t('Messages bear signatures of both secrets for 24 hours; then the old one is void.')}</p>
        </WriteDialog>
      )}
      {isAdding && <AddWebhook account={account} onClose={() => setAdding(false)} onAdded={setSecret} />}
      <Reveal title={t('Signing secret')} secret={secret} onClose={() => setSecret(undefined)}>
        <p>{t('It signs every message to the destination, in the form of Standard Webhooks.')}</p>
      </Reveal>
    </>
  );
}

type AddProps = {
  readonly account: string;
  readonly onClose: () => void;
  readonly onAdded: (secret: string) => void;
};

function AddWebhook({ account, onClose, onAdded }: AddProps) {
  const write = useWrite();
  const [form, set] = useForm({ url: '' });
  const [events, setEvents] = useState<readonly Event[]>([]);
  const url = form.url.trim();
  const body = { url, ...(events.length > 0 && { events: [...events] }) };
  return (
    <WriteDialog
      title={t('Add webhook')}
      action={t('Add')}
      onClose={onClose}
      write={write('post', PATH, { path: { account }, body }, [PATH])}
      cli={triviumLine(
        ['webhooks', 'add', account, url],
        [['events', events.length > 0 ? events.join(',') : undefined]],
      )}
      onDone={(made) => onAdded(made.secret)}
    >
      <Fields form={[form, set]} rows={[{ name: 'url', label: t('URL'), type: 'url', required: true }]} />
      <EventChoice
        names={EVENT_NAMES}
        chosen={events}
        onChange={setEvents}
        hint={t('None chosen: the ends of operations.')}
      />
    </WriteDialog>
  );
}
