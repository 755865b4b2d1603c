import type { Schemas } from '../../api/client.ts';
import { t } from '../../i18n/t.ts';
import type { TagKind } from '../../parts/values/values.tsx';

export type AlertKind = Schemas['Alert']['kind'];

export const ALERT_KINDS: readonly AlertKind[] = [
  'budget.reached',
  'spend.anomaly',
  'key.expiring',
  'usage.unpriced',
  'usage.suspect',
  'provider.out',
  'provider.back',
  'ledger.audit_failed',
  'ledger.set_back',
];

export const kindNames = (): Readonly<Record<AlertKind, string>> => ({
  'budget.reached': t('Budget reached'),
  'spend.anomaly': t('Unusual spend'),
  'key.expiring': t('Key expires'),
  'usage.unpriced': t('Usage without a price'),
  'usage.suspect': t('Implausible usage'),
  'provider.out': t('Provider out'),
  'provider.back': t('Provider back'),
  'ledger.audit_failed': t('Ledger does not add up'),
  'ledger.set_back': t('Database set back'),
});

export const KIND_TAGS: Readonly<Record<AlertKind, TagKind>> = {
  'budget.reached': 'warn',
  'spend.anomaly': 'warn',
  'key.expiring': 'warn',
  'usage.unpriced': 'warn',
  'usage.suspect': 'warn',
  'provider.out': 'bad',
  'provider.back': 'ok',
  'ledger.audit_failed': 'bad',
  'ledger.set_back': 'bad',
};
