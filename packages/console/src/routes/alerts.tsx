/** What was raised, by which rules, and where it is sent. */

import { t } from '../i18n/t.ts';
import { PageFrame } from '../parts/page/page.tsx';
import { Tabs } from '../parts/page/tabs.tsx';
import { useAccount } from '../state/search.ts';
import { hasRole, useMe } from '../state/session.ts';
import { AccountLink } from './accounts/names.tsx';
import { Destinations } from './alerts/destinations.tsx';
import { Raised } from './alerts/raised.tsx';
import { Rules } from './alerts/rules.tsx';

export function Page() {
  const isOperator = hasRole(useMe(), 'operator');
  const account = useAccount();
  return (
    <PageFrame
      title={t('Alerts')}
      actions={
        account === undefined ? undefined : (
          <AccountLink id={account} text={t('Webhooks of this account')} tab="webhooks" />
        )
      }
    >
      <Tabs
        label={t('Alerts')}
        items={[
          { id: 'raised', text: t('Alerts'), content: <Raised account={account} /> },
          ...(isOperator
            ? [
                { id: 'rules', text: t('Rules'), content: <Rules /> },
                { id: 'destinations', text: t('Destinations'), content: <Destinations /> },
              ]
            : []),
        ]}
      />
    </PageFrame>
  );
}
