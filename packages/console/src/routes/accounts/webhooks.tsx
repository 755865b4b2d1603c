/** An account's webhooks: the ends of its operations, and its own alerts. */
import { type FormEvent, useState } from 'react';
import { call, type Schemas } from '../../api/client.ts';
import { useChange, useGet } from '../../api/use-api.ts';
import { t } from '../../i18n/t.ts';
import { Button } from '../../parts/base/button.tsx';
import { Commands, shellWord } from '../../parts/base/commands.tsx';
import { Dialog, DialogActions } from '../../parts/base/dialog.tsx';
import { Problem } from '../../parts/base/problem.tsx';
import { Confirm } from '../../parts/form/confirm.tsx';
import { Field } from '../../parts/form/field.tsx';
import { Reveal } from '../../parts/form/reveal.tsx';
import { hasRole, useMe } from '../../state/session.ts';
import { Deliveries } from '../alerts/deliveries.tsx';
import { EventChoice } from '../alerts/event-choice.tsx';
import { kindNames } from '../alerts/kinds.ts';
import { Receivers } from '../alerts/receivers.tsx';

const GRACE = { graceSeconds: 86_400 };
const PATH = '/admin/v1/accounts/{account}/webhooks';

type Event = NonNullable<Schemas['Webhook']['events']>[number];

const EVENTS: readonly Event[] = [
  'operation.succeeded',
  'operation.blocked',
  'operation.failed',
  'operation.cancelled',
  'budget.reached',
  'spend.anomaly',
  'key.expiring',
];

const eventNames = (): Readonly<Record<Event, string>> => ({
  'operation.succeeded': t('Operation succeeded'),
  'operation.blocked': t('Operation blocked'),
  'operation.failed': t('Operation failed'),
  'operation.cancelled': t('Operation cancelled'),
  'budget.reached': kindNames()['budget.reached'],
  'spend.anomaly': kindNames()['spend.anomaly'],
  'key.expiring': kindNames()['key.expiring'],
});

export function Webhooks({ account }: { readonly account: string }) {
  const isAdmin = hasRole(useMe(), 'admin');
  const webhooks = useGet(PATH, { path: { account } });
  const remove = useChange('delete', `${PATH}/{id}`, [PATH]);
  const rotate = useChange('post', `${PATH}/{id}/rotate`, [PATH]);
  const [isAdding, setAdding] = useState(false);
  const [secret, setSecret] = useState<string>();
  const [rotated, setRotated] = useState<string>();
  const base = `/admin/v1/accounts/${account}`;
  return (
    <>
      <Receivers
        rows={webhooks.data?.items
          .filter(({ goneAt }) => goneAt === null)
          .map(({ url, events, previousUntil: _, ...row }) => ({
            ...row,
            title: url,
            kind: t('Signed webhook'),
            note: events === null ? t('the ends of operations') : events.map((event) => eventNames()[event]).join(', '),
          }))}
        error={webhooks.error}
        retry={() => void webhooks.refetch()}
        empty={t('This account has no webhook.')}
        addText={t('Add webhook')}
        onAdd={isAdmin ? () => setAdding(true) : undefined}
        onTest={(id) => call('post', `${PATH}/{id}/test`, { path: { account, id } })}
        onRemove={(id) => remove.mutateAsync({ path: { account, id } })}
        removal={(id) => ({
          method: 'DELETE',
          path: `${base}/webhooks/${id}`,
          cli: `trivium webhooks remove ${shellWord(account)} ${id}`,
        })}
        more={({ id }) => <Button onClick={() => setRotated(id)}>{t('New secret')}</Button>}
        deliveries={({ id, title }, onClose) => (
          <Deliveries
            name={title}
            canSend={isAdmin}
            path={`${base}/webhooks/${id}/deliveries`}
            read={(after, signal) =>
              call('get', `${PATH}/{id}/deliveries`, { path: { account, id }, query: { after } }, signal)
            }
            resend={(delivery) =>
              call('post', '/admin/v1/accounts/{account}/deliveries/{id}/resend', { path: { account, id: delivery } })
            }
            resending={(delivery) => ({
              method: 'POST',
              path: `${base}/deliveries/${delivery}/resend`,
              cli: `trivium webhooks resend ${shellWord(account)} ${delivery}`,
            })}
            testing={{
              method: 'POST',
              path: `${base}/webhooks/${id}/test`,
              cli: `trivium webhooks test ${shellWord(account)} ${id}`,
            }}
            onClose={onClose}
          />
        )}
      />
      {rotated !== undefined && (
        <Confirm
          title={t('New secret')}
          action={t('Rotate')}
          isOpen
          onClose={() => setRotated(undefined)}
          onConfirm={async () => {
            const made = await rotate.mutateAsync({ path: { account, id: rotated }, body: GRACE });
            setSecret(made.secret);
          }}
        >
          <p>{t('Messages bear signatures of both secrets for 24 hours; then the old one is void.')}</p>
          <Commands
            method="POST"
            path={`${base}/webhooks/${rotated}/rotate`}
            body={GRACE}
            cli={`trivium webhooks rotate ${shellWord(account)} ${rotated} --grace 86400`}
          />
        </Confirm>
      )}
      {isAdding && (
        <AddWebhook
          account={account}
          onClose={() => setAdding(false)}
          onAdded={(made) => {
            setAdding(false);
            setSecret(made);
          }}
        />
      )}
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
  const add = useChange('post', PATH, [PATH]);
  const [url, setUrl] = useState('');
  const [events, setEvents] = useState<readonly Event[]>([]);
  const body = { url: url.trim(), ...(events.length > 0 && { events: [...events] }) };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    add.mutate({ path: { account }, body }, { onSuccess: ({ secret }) => onAdded(secret) });
  };
  const flag = events.length > 0 ? ` --events ${events.join(',')}` : '';
  return (
    <Dialog title={t('Add webhook')} isOpen onClose={onClose}>
      <form onSubmit={submit} style={{ display: 'contents' }}>
        <Field label={t('URL')}>
          <input type="url" value={url} onChange={(event) => setUrl(event.target.value)} required />
        </Field>
        <EventChoice
          events={EVENTS}
          names={eventNames()}
          chosen={events}
          onChange={setEvents}
          hint={t('None chosen: the ends of operations.')}
        />
        {add.error !== null && <Problem error={add.error} />}
        <Commands
          method="POST"
          path={`/admin/v1/accounts/${account}/webhooks`}
          body={body}
          cli={`trivium webhooks add ${shellWord(account)} ${shellWord(body.url)}${flag}`}
        />
        <DialogActions>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button kind="primary" type="submit" isBusy={add.isPending}>
            {t('Add')}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
