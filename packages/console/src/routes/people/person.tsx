/** A member as a person: the last sign-in, the apps, and what the groups give. */

import type { Schemas } from '../../api/client.ts';
import { useGet } from '../../api/use-api.ts';
import { t } from '../../i18n/t.ts';
import { Dialog } from '../../parts/base/dialog.tsx';
import { Facts, Panel } from '../../parts/page/page.tsx';
import { Ago, Id, Text, When } from '../../parts/values/values.tsx';
import { hasRole, useMe } from '../../state/session.ts';
import { ROLE_NAMES } from '../keys/rights.ts';
import { Apps } from './apps.tsx';
import { Decisions } from './decisions.tsx';

export type PersonProps = {
  readonly account: string;
  readonly member: Schemas['Member'];
  readonly onClose: () => void;
};

export function Person({ account, member, onClose }: PersonProps) {
  const { id, name, email, role, lastProofAt, deactivatedAt } = member;
  const isAdmin = hasRole(useMe(), 'admin');
  return (
    <Dialog title={name} kind="wide" isOpen onClose={onClose}>
      <Facts
        facts={[
          [t('E-mail'), <Text key="email" text={email} />],
          [t('Role'), t(ROLE_NAMES[role])],
          [t('Id'), <Id key="id" text={id} />],
          [t('Last sign-in'), <Ago key="proof" at={lastProofAt} />],
          deactivatedAt !== null && [t('Out since'), <When key="out" at={deactivatedAt} />],
        ]}
      />
      <Apps of={{ account, member: id }} />
      {isAdmin && email !== null && <Given email={email} />}
    </Dialog>
  );
}

const Given = ({ email }: { readonly email: string }) => (
  <Panel title={t('What this person gets')}>
    <Decisions of={useGet('/admin/v1/people/preview', { query: { email } })} />
  </Panel>
);
