/** A key that is handed over by a link: shown once, without a sign-in. */
import { useEffect, useState } from 'react';
import { asError, call, type Schemas } from '../api/client.ts';
import { t } from '../i18n/t.ts';
import { Button } from '../parts/base/button.tsx';
import { Problem } from '../parts/base/states.tsx';
import { Secret } from '../parts/form/reveal.tsx';
import { UseKey } from './keys/use-key.tsx';
import styles from './sign-in.module.css';

export function Page() {
  const [code] = useState(() => new URLSearchParams(location.hash.slice(1)).get('code'));
  const [handed, setHanded] = useState<Schemas['HandedKey']>();
  const [error, setError] = useState<Error>();
  const [isBusy, setBusy] = useState(false);
  useEffect(() => {
    document.title = `${t('A key for you')} · Trivium`;
  });
  // Asked for by a press: programs that look at links in messages must not use it up.
  const open = async (): Promise<void> => {
    if (code === null) return;
    setBusy(true);
    setError(undefined);
    try {
      setHanded(await call('post', '/admin/v1/key-links/open', { body: { code } }));
      history.replaceState(history.state, '', location.pathname);
    } catch (cause) {
      setError(asError(cause));
    } finally {
      setBusy(false);
    }
  };
  return (
    <main className={styles['page']} id="content">
      <div className={styles['card']} data-wide={handed !== undefined}>
        <img src={`${import.meta.env.BASE_URL}icon.svg`} alt="" width={32} height={32} />
        <h1>{handed === undefined ? t('A key for you') : handed.keyName}</h1>
        {handed !== undefined ? (
          <>
            <p>
              {t('A key of the account {account}. This secret is shown once. Store it now: it cannot be shown again.', {
                account: handed.accountName,
              })}
            </p>
            <Secret text={handed.secret} label={t('Copy the secret')} />
            <UseKey url={handed.gatewayUrl} secret={handed.secret} />
          </>
        ) : code === null ? (
          <Problem error={new Error(t('This link is not whole: the part after # is missing. Ask for it again.'))} />
        ) : (
          <>
            <p>{t('Someone made an API key for you. It is shown once: open it where you can store it.')}</p>
            {error !== undefined && <Problem error={error} />}
            <Button kind="primary" isBusy={isBusy} onClick={() => void open()}>
              {t('Show the key')}
            </Button>
          </>
        )}
      </div>
    </main>
  );
}
