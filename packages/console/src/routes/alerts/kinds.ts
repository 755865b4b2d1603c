/** Kinds of alerts in words and colours. They are those of the API's document: one that is missing here, or too many, does not compile. */
import type { Schemas } from '../../api/client.ts';
import { msg } from '../../i18n/t.ts';
import type { TagKind } from '../../parts/values/values.tsx';

export type AlertKind = Schemas['Alert']['kind'];

export const ALERT_NAMES: Readonly<Record<AlertKind, string>> = {
  'budget.reached': msg('Budget reached'),
  'spend.anomaly': msg('Unusual spend'),
  'key.expiring': msg('Key expires'),
  'credit.low': msg('Credit ends soon'),
  'errors.high': msg('Many errors'),
  'latency.high': msg('Slow first token'),
  'usage.unpriced': msg('Usage without a price'),
  'usage.suspect': msg('Implausible usage'),
  'provider.out': msg('Provider out'),
  'provider.back': msg('Provider back'),
  'provider.drift': msg('Unknown in answers'),
  'canary.stepped_back': msg('Canary stepped back'),
  'credential.stale': msg('Credential not renewed'),
  'ledger.audit_failed': msg('Ledger audit failed'),
  'ledger.set_back': msg('Database set back'),
};

/** All others are warnings. */
const TAGS: Readonly<Partial<Record<AlertKind, TagKind>>> = {
  'provider.out': 'bad',
  'provider.back': 'ok',
  'ledger.audit_failed': 'bad',
  'ledger.set_back': 'bad',
};

export const alertTag = (kind: AlertKind): TagKind => TAGS[kind] ?? 'warn';
