/** Signing in: by a secret, a link with a code, or a sign-in provider. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { call, setCsrf } from '../api/client.ts';
import { returnPage } from '../format/return-page.ts';
import { t } from '../i18n/t.ts';
import { Button, buttonClass } from '../parts/base/button.tsx';
import { Problem } from '../parts/base/states.tsx';
import { Field } from '../parts/form/form.tsx';
import { useSearchParams } from '../state/search.ts';
import { ME_KEY } from '../state/session.ts';
import styles from './sign-in.module.css';

/** Only paths of the console: a link must not lead elsewhere after signing in. */
const targetOf = (to: string | undefined): string =>
  to !== undefined && /^\/(?![/\\])/.test(to) && !to.startsWith('/sign-in') ? to : '/';

/** Sign-in providers return here with `#problem=…`. */
const problemText = (problem: string | null): string | undefined => {
  switch (problem) {
    case null:
      return undefined;
    case 'unavailable':
      return t('The sign-in provider does not answer. Try again shortly.');
    case 'forbidden':
      return t('You are known to the sign-in provider, but have no access here. Ask an administrator.');
    default:
      return t('Signing in did not work. Try again.');
  }
};

export function SignIn() {
  const { to } = useSearchParams();
  const target = targetOf(to);
  const client = useQueryClient();
  const navigate = useNavigate();
  const [secret, setSecret] = useState('');
  const [error, setError] = useState<Error>();
  const [isBusy, setBusy] = useState(false);
  const [fragment] = useState(() => new URLSearchParams(location.hash.slice(1)));
  const hasTried = useRef(false);
  const providers = useQuery({
    queryKey: ['/admin/v1/session/providers'],
    queryFn: ({ signal }) => call('get', '/admin/v1/session/providers', {}, signal),
  });

  const signIn = async (presented: { secret: string } | { code: string }): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      const me = await call('post', '/admin/v1/session', { body: presented });
      setCsrf(me.csrf);
      client.clear();
      client.setQueryData(ME_KEY, me);
      await navigate({ href: target, replace: true });
    } catch (cause) {
      setError(cause instanceof Error ? cause : new Error(String(cause)));
    } finally {
      setBusy(false);
    }
  };

  // A code works once: it is taken out of the address bar before it is used.
  useEffect(() => {
    document.title = `${t('Sign in')} · Trivium`;
    const code = fragment.get('code');
    if (code === null || hasTried.current) return;
    hasTried.current = true;
    history.replaceState(history.state, '', location.pathname + location.search);
    void signIn({ code });
  });

  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void signIn({ secret });
  };
  const problem = problemText(fragment.get('problem'));
  const issuers = providers.data?.items ?? [];
  return (
    <main className={styles['page']} id="content">
      <div className={styles['card']}>
        <img src={`${import.meta.env.BASE_URL}icon.svg`} alt="" width={32} height={32} />
        <h1>{t('Sign in to Trivium')}</h1>
        {problem !== undefined && error === undefined && <Problem error={new Error(problem)} />}
        {issuers.map(({ id, name }) => (
          <a
            key={id}
            className={buttonClass('primary')}
            href={`/admin/v1/session/oidc/${encodeURIComponent(id)}/start?to=${encodeURIComponent(returnPage(target))}`}
          >
            {t('Continue with {name}', { name })}
          </a>
        ))}
        {issuers.length > 0 && <p className={styles['or']}>{t('or')}</p>}
        <form onSubmit={submit} className={styles['form']}>
          <Field
            label={t('Operator secret or managing key')}
            hint={t('Lost it? “trivium operator sign-in” prints a link that signs you in.')}
          >
            <input
              type="password"
              name="secret"
              value={secret}
              onChange={(event) => setSecret(event.target.value)}
              autoComplete="current-password"
              // biome-ignore lint/a11y/noAutofocus: the page has this one field
              autoFocus
              required
            />
          </Field>
          {error !== undefined && <Problem error={error} />}
          <Button type="submit" kind={issuers.length > 0 ? 'plain' : 'primary'} isBusy={isBusy}>
            {t('Sign in')}
          </Button>
        </form>
      </div>
    </main>
  );
}
