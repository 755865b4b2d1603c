/** `Ctrl K`: pages, requests by id, keys, accounts. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Command } from 'cmdk';
import { Activity, KeyRound, Users } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { useState } from 'react';
import { call } from '../api/client.ts';
import { t } from '../i18n/t.ts';
import { useReturnFocus } from '../parts/base/return-focus.ts';
import { findAccounts } from '../parts/choose/account-choice.tsx';
import { hasRole, useMe } from '../state/session.ts';
import type { Section } from './pages.ts';
import styles from './palette.module.css';

export type PaletteProps = {
  readonly onClose: () => void;
  readonly sections: readonly Section[];
  readonly onGo: (path: string) => void;
};

const REQUEST_ID = /^(?:[0-9A-HJKMNP-TV-Z]{26}|(?:chatcmpl-|msg_|resp_)\S{6,})$/i;
const MIN_QUERY = 2;

export const emptyText = (searches: readonly { readonly isLoading: boolean }[]): string =>
  searches.some(({ isLoading }) => isLoading) ? t('Loading') : t('Nothing matches.');

export function Palette({ onClose, sections, onGo }: PaletteProps) {
  const me = useMe();
  const navigate = useNavigate();
  const [text, setText] = useState('');
  const query = text.trim();
  const isId = REQUEST_ID.test(query);
  const keys = useQuery({
    queryKey: ['/admin/v1/keys', 'palette', query],
    queryFn: ({ signal }) => call('get', '/admin/v1/keys', { query: { q: query, limit: '5' } }, signal),
    enabled: query.length >= MIN_QUERY && !isId,
  });
  const isOperator = hasRole(me, 'operator');
  const accounts = useQuery({
    queryKey: ['/admin/v1/accounts', 'choice', query],
    queryFn: ({ signal }) => findAccounts(query, signal),
    enabled: isOperator && query.length >= MIN_QUERY && !isId,
  });
  const done = (open: () => void) => () => {
    onClose();
    open();
  };
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className={styles['overlay']} />
        <Dialog.Content className={styles['palette']} aria-describedby={undefined} {...useReturnFocus(true)}>
          <Dialog.Title className={styles['hidden']}>{t('Search and commands')}</Dialog.Title>
          <Command label={t('Search and commands')} loop>
            <Command.Input
              className={styles['input']}
              placeholder={t('Page, request id, key, account…')}
              value={text}
              onValueChange={setText}
            />
            <Command.List className={styles['list']}>
              <Command.Empty className={styles['empty']}>{emptyText([keys, accounts])}</Command.Empty>
              {isId && (
                <Command.Group heading={t('Requests')}>
                  <Command.Item
                    value={query}
                    onSelect={done(
                      () => void navigate({ to: '/requests', search: { id: query, range: '30d' } as never }),
                    )}
                  >
                    <Activity size={16} />
                    <span>{t('Request {id}', { id: query })}</span>
                  </Command.Item>
                </Command.Group>
              )}
              <Command.Group heading={t('Pages')}>
                {sections.map(({ path, label, icon: Icon, key }) => (
                  <Command.Item key={path} value={`${path} ${t(label)}`} onSelect={done(() => onGo(path))}>
                    <Icon size={16} />
                    <span>{t(label)}</span>
                    <kbd>g {key}</kbd>
                  </Command.Item>
                ))}
              </Command.Group>
              {keys.data !== undefined && keys.data.items.length > 0 && (
                <Command.Group heading={t('Keys')}>
                  {keys.data.items.map(({ id, name, accountId }) => (
                    <Command.Item
                      key={id}
                      value={`${id} ${name} ${query}`}
                      onSelect={done(
                        () => void navigate({ to: '/requests', search: { key: id, range: '24h' } as never }),
                      )}
                    >
                      <KeyRound size={16} />
                      <span>{name}</span>
                      <small>{accountId}</small>
                    </Command.Item>
                  ))}
                </Command.Group>
              )}
              {accounts.data !== undefined && accounts.data.length > 0 && (
                <Command.Group heading={t('Accounts')}>
                  {accounts.data.map(({ value, text: name }) => (
                    <Command.Item
                      key={value}
                      value={`${value} ${name}`}
                      onSelect={done(() => void navigate({ to: '/requests', search: { account: value } as never }))}
                    >
                      <Users size={16} />
                      <span>{name}</span>
                      <small>{value}</small>
                    </Command.Item>
                  ))}
                </Command.Group>
              )}
            </Command.List>
          </Command>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
