/** What a person prefers on this device, and the session. */

import { zoneName } from '../../format/when.ts';
import { activateLanguage, LANGUAGE_NAMES, type Language, t } from '../../i18n/t.ts';
import { Field } from '../../parts/form/field.tsx';
import { Facts, Panel } from '../../parts/page/page.tsx';
import { Id, Tag, When } from '../../parts/values/values.tsx';
import { prefer, type Theme, usePreferences, useZone } from '../../state/preferences.ts';
import { actorLabel, type Me, useMe } from '../../state/session.ts';
import { roleNames } from '../keys/rights.ts';
import styles from '../settings.module.css';

const zones = (): readonly string[] => ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];

const themes = (): readonly (readonly [Theme, string])[] => [
  ['auto', t('As the system')],
  ['light', t('Light')],
  ['dark', t('Dark')],
];

async function speak(language: Language): Promise<void> {
  await activateLanguage(language);
  prefer({ language });
}

type Method = NonNullable<Me['session']>['method'];

const methodNames = (): Readonly<Record<Method, string>> => ({
  secret: t('operator secret'),
  key: t('key'),
  code: t('one-time link'),
  oidc: t('sign-in provider'),
});

export function DeviceAndSession() {
  const me = useMe();
  const { theme, language } = usePreferences();
  const zone = useZone();
  return (
    <>
      <Panel title={t('This device')}>
        <div className={styles['fields']}>
          <Field label={t('Theme')}>
            <select value={theme} onChange={({ target }) => prefer({ theme: target.value as Theme })}>
              {themes().map(([value, text]) => (
                <option key={value} value={value}>
                  {text}
                </option>
              ))}
            </select>
          </Field>
          <Field label={t('Language')}>
            <select value={language} onChange={({ target }) => void speak(target.value as Language)}>
              {Object.entries(LANGUAGE_NAMES).map(([value, text]) => (
                <option key={value} value={value}>
                  {text}
                </option>
              ))}
            </select>
          </Field>
          <Field label={t('Time zone')} hint={t('Of every time, chart and export. Days of budgets stay UTC.')}>
            <select value={zone} onChange={({ target }) => prefer({ zone: target.value })}>
              <option value="local">
                {zoneName('local')} ({t('this browser')})
              </option>
              {zones().map((each) => (
                <option key={each} value={each}>
                  {each}
                </option>
              ))}
            </select>
          </Field>
        </div>
      </Panel>
      <Panel title={t('Session')}>
        <Facts
          facts={[
            [t('Signed in as'), <Id key="who" text={actorLabel(me)} />],
            [t('Role'), <Tag key="role" kind="accent" text={roleNames()[me.role] ?? me.role} />],
            [t('Account'), me.accountId ?? t('All accounts')],
            ...(me.session === null
              ? []
              : ([
                  [t('Signed in by'), methodNames()[me.session.method]],
                  [t('Since'), <When key="since" at={me.session.createdAt} />],
                  [t('Ends at the latest'), <When key="ends" at={me.session.endsAt} />],
                ] as const)),
          ]}
        />
      </Panel>
    </>
  );
}
