/** Operators' destinations: signed webhooks, chat channels, mail. */
import { type FormEvent, useState } from 'react';
import { call, type Schemas } from '../../api/client.ts';
import { useChange, useGet } from '../../api/use-api.ts';
import { t } from '../../i18n/t.ts';
import { Button } from '../../parts/base/button.tsx';
import { Commands, shellWord } from '../../parts/base/commands.tsx';
import { Dialog, DialogActions } from '../../parts/base/dialog.tsx';
import { Problem } from '../../parts/base/problem.tsx';
import { Field } from '../../parts/form/field.tsx';
import { Reveal } from '../../parts/form/reveal.tsx';
import { Deliveries } from './deliveries.tsx';
import { EventChoice } from './event-choice.tsx';
import { ALERT_KINDS, type AlertKind, kindNames } from './kinds.ts';
import { Receivers } from './receivers.tsx';

const PATH = '/admin/v1/alerts/destinations';

type Kind = Schemas['AlertDestination']['kind'];
const KIND_TITLES: Readonly<Record<Exclude<Kind, 'mail' | 'webhook'>, string>> = {
  slack: 'Slack',
  teams: 'Microsoft Teams',
  discord: 'Discord',
};
const titleOf = (kind: Kind): string =>
  kind === 'mail' ? t('Mail') : kind === 'webhook' ? t('Signed webhook') : KIND_TITLES[kind];

const eventsText = (events: readonly AlertKind[] | null): string =>
  events === null ? t('all alerts') : events.map((event) => kindNames()[event]).join(', ');

export function Destinations() {
  const destinations = useGet(PATH, {});
  const remove = useChange('delete', `${PATH}/{id}`, [PATH]);
  const [isAdding, setAdding] = useState(false);
  const [secret, setSecret] = useState<string>();
  return (
    <>
      <Receivers
        rows={destinations.data?.items
          .filter(({ goneAt }) => goneAt === null)
          .map(({ name, kind, target, events, ...row }) => ({
            ...row,
            title: name,
            kind: titleOf(kind),
            note: `${target} · ${eventsText(events)}`,
          }))}
        error={destinations.error}
        retry={() => void destinations.refetch()}
        empty={t('Alerts are only shown here: no destination gets them.')}
        addText={t('Add destination')}
        onAdd={() => setAdding(true)}
        onTest={(id) => call('post', `${PATH}/{id}/test`, { path: { id } })}
        onRemove={(id) => remove.mutateAsync({ path: { id } })}
        removal={(id) => ({ method: 'DELETE', path: `${PATH}/${id}`, cli: `trivium alerts destinations remove ${id}` })}
        deliveries={({ id, title }, onClose) => (
          <Deliveries
            name={title}
            path={`${PATH}/${id}/deliveries`}
            read={(after, signal) => call('get', `${PATH}/{id}/deliveries`, { path: { id }, query: { after } }, signal)}
            resend={(delivery) => call('post', '/admin/v1/alerts/deliveries/{id}/resend', { path: { id: delivery } })}
            resending={(delivery) => ({
              method: 'POST',
              path: `/admin/v1/alerts/deliveries/${delivery}/resend`,
              cli: `trivium alerts destinations resend ${delivery}`,
            })}
            testing={{ method: 'POST', path: `${PATH}/${id}/test`, cli: `trivium alerts destinations test ${id}` }}
            onClose={onClose}
          />
        )}
      />
      {isAdding && (
        <AddDestination
          onClose={() => setAdding(false)}
          onAdded={(made) => {
            setAdding(false);
            if (made !== null) setSecret(made);
          }}
        />
      )}
      <Reveal title={t('Signing secret')} secret={secret} onClose={() => setSecret(undefined)}>
        <p>{t('It signs every message to the destination, in the form of Standard Webhooks.')}</p>
      </Reveal>
    </>
  );
}

type AddProps = { readonly onClose: () => void; readonly onAdded: (secret: string | null) => void };

function AddDestination({ onClose, onAdded }: AddProps) {
  const add = useChange('post', PATH, [PATH]);
  const [kind, setKind] = useState<Kind>('webhook');
  const [name, setName] = useState('');
  const [address, setAddress] = useState('');
  const [events, setEvents] = useState<readonly AlertKind[]>([]);
  const addresses = address.split(/[\s,;]+/).filter((each) => each !== '');
  const body = {
    kind,
    name: name.trim() === '' ? kind : name.trim(),
    ...(kind === 'mail' ? { to: addresses } : { url: address.trim() }),
    ...(events.length > 0 && { events: [...events] }),
  };
  const cli = [
    'trivium alerts destinations add',
    kind,
    ...(kind === 'mail' ? addresses : [address.trim()]).map(shellWord),
    `--name ${shellWord(body.name)}`,
    ...(events.length > 0 ? [`--events ${events.join(',')}`] : []),
  ].join(' ');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    add.mutate({ body }, { onSuccess: ({ secret }) => onAdded(secret) });
  };
  return (
    <Dialog title={t('Add destination')} isOpen onClose={onClose}>
      <form onSubmit={submit} style={{ display: 'contents' }}>
        <Field label={t('Kind')}>
          <select value={kind} onChange={(event) => setKind(event.target.value as Kind)}>
            {(['webhook', 'slack', 'teams', 'discord', 'mail'] as const).map((each) => (
              <option key={each} value={each}>
                {titleOf(each)}
              </option>
            ))}
          </select>
        </Field>
        <Field label={t('Name')}>
          <input value={name} onChange={(event) => setName(event.target.value)} placeholder={kind} />
        </Field>
        <Field
          label={kind === 'mail' ? t('Mail addresses') : t('URL')}
          hint={kind === 'mail' ? t('Separated by commas.') : t('It is not shown again.')}
        >
          <input
            type={kind === 'mail' ? 'text' : 'url'}
            value={address}
            onChange={(event) => setAddress(event.target.value)}
            required
          />
        </Field>
        <EventChoice
          events={ALERT_KINDS}
          names={kindNames()}
          chosen={events}
          onChange={setEvents}
          hint={t('None chosen: all of them.')}
        />
        {add.error !== null && <Problem error={add.error} />}
        <Commands method="POST" path={PATH} body={body} cli={cli} />
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
