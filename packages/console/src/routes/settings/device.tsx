/** What a person prefers on this device, and the session. */

import { zoneName } from '../../format/when.ts';
import { LANGUAGE_NAMES, msg, t, translated } from '../../i18n/t.ts';
import { Select } from '../../parts/form/fields.tsx';
import { Field } from '../../parts/form/form.tsx';
import { Facts, Panel } from '../../parts/page/page.tsx';
import { Id, Tag, When } from '../../parts/values/values.tsx';
import { prefer, speak, THEME_NAMES, usePreferences } from '../../state/preferences.ts';
import { actorLabel, type Me, useMe } from '../../state/session.ts';
import { ROLE_NAMES } from '../keys/rights.ts';
import { Apps } from '../people/apps.tsx';
import styles from '../settings.module.css';

type Method = NonNullable<Me['session']>['method'];

const METHOD_NAMES: Readonly<Record<Method, string>> = {
  secret: msg('operator secret'),
  key: msg('key'),
  code: msg('one-time link'),
  oidc: msg('sign-in provider'),
};

export function DeviceAndSession() {
  const me = useMe();
  const { theme, language, zone } = usePreferences();
  const zones = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((each) => each !== 'UTC')];
  return (
    <>
      <Panel title={t('This device')}>
        <div className={styles['fields']}>
          <Field label={t('Theme')}>
            <Select value={theme} options={translated(THEME_NAMES)} onChange={(each) => prefer({ theme: each })} />
          </Field>
          <Field label={t('Language')}>
            <Select value={language} options={LANGUAGE_NAMES} onChange={(each) => void speak(each)} />
          </Field>
          <Field label={t('Time zone')} hint={t('Of every time, chart and export. Days of budgets stay UTC.')}>
            <Select
              value={zone}
              options={[
                ['local', `${zoneName('local')} (${t('this browser')})`],
                ...zones.map((each) => [each, each] as const),
              ]}
              onChange={(each) => prefer({ zone: each })}
            />
          </Field>
        </div>
      </Panel>
      <Panel title={t('Session')}>
        <Facts
          facts={[
            [t('Signed in as'), <Id key="who" text={actorLabel(me)} />],
            [t('Role'), <Tag key="role" kind="accent" text={t(ROLE_NAMES[me.role])} />],
            [t('Account'), me.accountId ?? t('All accounts')],
            me.session !== null && [t('Signed in by'), t(METHOD_NAMES[me.session.method])],
            me.session !== null && [t('Since'), <When key="since" at={me.session.createdAt} />],
            me.session !== null && [t('Ends at the latest'), <When key="ends" at={me.session.endsAt} />],
          ]}
        />
      </Panel>
      {me.accountId !== null && me.memberId !== null && <Apps of={{ account: me.accountId, member: me.memberId }} />}
    </>
  );
}
