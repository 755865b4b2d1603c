/** Operators' destinations: signed webhooks, chat channels, mail. */

import { useState } from 'react';
import { call, type Schemas } from '../../api/client.ts';
import { useGet, useWrite } from '../../api/use-api.ts';
import { triviumLine } from '../../format/shell.ts';
import { msg, t, translated } from '../../i18n/t.ts';
import { Fields, useForm } from '../../parts/form/fields.tsx';
import { Reveal } from '../../parts/form/reveal.tsx';
import { WriteDialog } from '../../parts/form/write-dialog.tsx';
import { ALERT_NAMES, type AlertKind } from './kinds.ts';
import { EventChoice, Receivers } from './receivers.tsx';

const PATH = '/admin/v1/alerts/destinations';

type Kind = Schemas['AlertDestination']['kind'];
type Added = { readonly secret: string | null };

const DESTINATION_NAMES: Readonly<Record<Kind, string>> = {
  webhook: msg('Signed webhook'),
  slack: 'Slack',
  teams: 'Microsoft Teams',
  discord: 'Discord',
  mail: msg('Mail'),
};

export function Destinations() {
  const destinations = useGet(PATH, {});
  const write = useWrite();
  const [isAdding, setAdding] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <>
      <Receivers
        rows={destinations.data?.items.map(({ name, kind, target, events, ...row }) => ({
          ...row,
          title: name,
          kind: t(DESTINATION_NAMES[kind]),
          note: `${target} · ${events?.map((event) => t(ALERT_NAMES[event])).join(', ') ?? t('all alerts')}`,
        }))}
        query={destinations}
        ways={{
          deliveries: (id, query, signal) => call('get', `${PATH}/{id}/deliveries`, { path: { id }, query }, signal),
          test: (id) => write('post', `${PATH}/{id}/test`, { path: { id } }),
          remove: (id) => write('delete', `${PATH}/{id}`, { path: { id } }, [PATH]),
          resend: (id) => write('post', '/admin/v1/alerts/deliveries/{id}/resend', { path: { id } }),
          cli: (verb, id) => `trivium alerts destinations ${verb} ${id}`,
        }}
        empty={t('Alerts are only shown here: no destination gets them.')}
        addText={t('Add destination')}
        onAdd={() => setAdding(true)}
      />
      {isAdding && <AddDestination onClose={() => setAdding(false)} onAdded={(made) => setSecret(made.secret)} />}
      <Reveal title={t('Signing secret')} secret={secret ?? undefined} onClose={() => setSecret(null)}>
        <p>{t('It signs every message to the destination, in the form of Standard Webhooks.')}</p>
      </Reveal>
    </>
  );
}

type AddProps = { readonly onClose: () => void; readonly onAdded: (made: Added) => void };

function AddDestination({ onClose, onAdded }: AddProps) {
  const write = useWrite();
  const [form, set] = useForm({ kind: 'webhook' as Kind, name: '', address: '' });
  const [events, setEvents] = useState<readonly AlertKind[]>([]);
  const { kind, address } = form;
  const isMail = kind === 'mail';
  const addresses = isMail ? address.split(/[\s,;]+/).filter((each) => each !== '') : [address.trim()];
  const name = form.name.trim() === '' ? kind : form.name.trim();
  const body = {
    kind,
    name,
    ...(isMail ? { to: addresses } : { url: address.trim() }),
    ...(events.length > 0 && { events: [...events] }),
  };
  return (
    <WriteDialog
      title={t('Add destination')}
      action={t('Add')}
      onClose={onClose}
      write={write('post', PATH, { body }, [PATH])}
      cli={triviumLine(
        ['alerts', 'destinations', 'add', kind, ...addresses],
        [
          ['name', name],
          ['events', events.length > 0 ? events.join(',') : undefined],
        ],
      )}
      onDone={onAdded}
    >
      <Fields
        form={[form, set]}
        rows={[
          { name: 'kind', label: t('Kind'), options: translated(DESTINATION_NAMES) },
          { name: 'name', label: t('Name'), placeholder: kind },
          {
            name: 'address',
            label: isMail ? t('Mail addresses') : t('URL'),
            hint: isMail ? t('Separated by commas.') : t('It is not shown again.'),
            type: isMail ? 'text' : 'url',
            required: true,
          },
        ]}
      />
      <EventChoice names={ALERT_NAMES} chosen={events} onChange={setEvents} hint={t('None chosen: all of them.')} />
    </WriteDialog>
  );
}
