/** `Ctrl K`: pages, what can be done, requests by id, models, providers, keys, accounts, members. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Command } from 'cmdk';
import { Dialog } from 'radix-ui';
import { type ReactNode, useState } from 'react';
import { t } from '../i18n/t.ts';
import { useReturnFocus } from '../parts/base/return-focus.ts';
import { place } from '../state/search.ts';
import { useMe } from '../state/session.ts';
import type { Section } from './pages.ts';
import styles from './palette.module.css';
import { actionsFor, MIN_QUERY, SEARCHES } from './palette-items.ts';

export type PaletteProps = {
  readonly onClose: () => void;
  readonly sections: readonly Section[];
  readonly onGo: (path: string) => void;
};

const REQUEST_ID = /^(?:[0-9A-HJKMNP-TV-Z]{26}|(?:chatcmpl-|msg_|resp_)\S{6,})$/i;

export const emptyText = (searches: readonly { readonly isLoading: boolean }[]): string =>
  searches.some(({ isLoading }) => isLoading) ? t('Loading') : t('Nothing matches.');

export function Palette({ onClose, sections, onGo }: PaletteProps) {
  const me = useMe();
  const navigate = useNavigate();
  const [text, setText] = useState('');
  const query = text.trim();
  const isId = REQUEST_ID.test(query);
  const iconOf = (path: string): ReactNode => {
    const Icon = sections.find((each) => path.startsWith(each.path))?.icon;
    return Icon === undefined ? <i className={styles['gap']} /> : <Icon size={16} />;
  };
  const searches = SEARCHES.map(({ title, mayAsk, find }) => ({
    title,
    // The list of searches is a constant.
    // biome-ignore lint/correctness/useHookAtTopLevel: as many on every render
    found: useQuery({
      queryKey: ['palette', title, query],
      queryFn: ({ signal }) => find(query, me, signal),
      enabled: mayAsk(me) && query.length >= MIN_QUERY && !isId,
    }),
  }));
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
              placeholder={t('Page, action, request id, model, provider, key…')}
              value={text}
              onValueChange={setText}
            />
            <Command.List className={styles['list']}>
              <Command.Empty className={styles['empty']}>{emptyText(searches.map(({ found }) => found))}</Command.Empty>
              {isId && (
                <Command.Group heading={t('Requests')}>
                  <Command.Item
                    value={query}
                    onSelect={done(() => void navigate(place('/requests', {}, { id: query, range: '30d' })))}
                  >
                    {iconOf('/requests')}
                    <span>{t('Request {id}', { id: query })}</span>
                  </Command.Item>
                </Command.Group>
              )}
              <Command.Group heading={t('Pages')}>
                {sections.map(({ path, label, key }) => (
                  <Command.Item key={path} value={`${path} ${t(label)}`} onSelect={done(() => onGo(path))}>
                    {iconOf(path)}
                    <span>{t(label)}</span>
                    <kbd>g {key}</kbd>
                  </Command.Item>
                ))}
              </Command.Group>
              {query !== '' && (
                <Command.Group heading={t('Actions')}>
                  {actionsFor(me).map(({ name, of, run, to }) => {
                    const shown = of === undefined ? t(name) : `${t(of)}: ${t(name)}`;
                    return (
                      <Command.Item
                        key={shown}
                        // In English, too: who knows a word from the docs finds it.
                        value={`${shown} ${name}`}
                        onSelect={done(() => (to === undefined ? run?.() : void navigate(to)))}
                      >
                        {iconOf(to?.to ?? '/settings')}
                        <span>{shown}</span>
                      </Command.Item>
                    );
                  })}
                </Command.Group>
              )}
              {searches.map(
                ({ title, found: { data = [] } }) =>
                  data.length > 0 && (
                    <Command.Group key={title} heading={t(title)}>
                      {data.map(({ id, text: name, note, to }) => (
                        <Command.Item
                          key={id}
                          value={`${id} ${name} ${query}`}
                          onSelect={done(() => void navigate(to))}
                        >
                          {iconOf(to.to)}
                          <span>{name}</span>
                          {note !== undefined && note !== name && <small>{note}</small>}
                        </Command.Item>
                      ))}
                    </Command.Group>
                  ),
              )}
            </Command.List>
          </Command>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
