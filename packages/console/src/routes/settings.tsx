/** What a person prefers here; for operators also who serves, and with which settings. */

import { t } from '../i18n/t.ts';
import { PageFrame } from '../parts/page/page.tsx';
import { Tabs } from '../parts/page/tabs.tsx';
import { hasRole, useMe } from '../state/session.ts';
import { Apps } from './people/apps.tsx';
import { ManagedSettings } from './people/managed.tsx';
import { Configuration } from './settings/configuration.tsx';
import { DeviceAndSession } from './settings/device.tsx';
import { Nodes } from './settings/nodes.tsx';

export function Page() {
  const isOperator = hasRole(useMe(), 'operator');
  return (
    <PageFrame title={t('Settings')}>
      {isOperator ? (
        <Tabs
          label={t('Settings')}
          items={[
            { id: 'me', text: t('Device and session'), content: <DeviceAndSession /> },
            { id: 'apps', text: t('Signed-in apps'), content: <Apps /> },
            { id: 'managed', text: t('Managed settings'), content: <ManagedSettings /> },
            { id: 'nodes', text: t('Nodes'), content: <Nodes /> },
            { id: 'configuration', text: t('Configuration'), content: <Configuration /> },
          ]}
        />
      ) : (
        <DeviceAndSession />
      )}
    </PageFrame>
  );
}
