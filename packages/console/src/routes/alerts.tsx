/** What was raised, by which rules, and where it is sent. */
import { useAccount } from '../app/search.ts';
import { hasRole, useMe } from '../app/session.ts';
import { t } from '../i18n/t.ts';
import { PageFrame } from '../parts/page.tsx';
import { type TabItem, Tabs } from '../parts/tabs.tsx';
import { Destinations } from './alerts/destinations.tsx';
import { Raised } from './alerts/raised.tsx';
import { Rules } from './alerts/rules.tsx';
import { Webhooks } from './alerts/webhooks.tsx';

export function Page() {
  const isOperator = hasRole(useMe(), 'operator');
  const account = useAccount();
  const operators: readonly TabItem[] = [
    { id: 'rules', text: t('Rules'), content: () => <Rules /> },
    { id: 'destinations', text: t('Destinations'), content: () => <Destinations /> },
  ];
  return (
    <PageFrame title={t('Alerts')}>
      <Tabs
        label={t('Alerts')}
        items={[
          { id: 'raised', text: t('Alerts'), content: () => <Raised account={account} /> },
          ...(isOperator ? operators : []),
          ...(account === undefined
            ? []
            : [{ id: 'webhooks', text: t('Webhooks'), content: () => <Webhooks account={account} /> }]),
        ]}
      />
    </PageFrame>
  );
}
