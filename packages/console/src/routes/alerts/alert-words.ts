/** What an alert says, in the language of the interface. In English the sentence is the gateway's, as in mails. */
import type { Schemas } from '../../api/client.ts';
import { formatUsd } from '../../format/money.ts';
import { formatDuration } from '../../format/numbers.ts';
import { locale, t } from '../../i18n/t.ts';
import { budgetInWords, type Whom } from '../../parts/values/scope-words.ts';
import type { AlertKind } from './kinds.ts';

export type Told = Pick<Schemas['Alert'], 'title' | 'detail'> & { readonly kind: AlertKind };

export function alertInWords({ kind, title, detail }: Told): string {
  if (locale() === 'en') return title;
  const text = (name: string): string => String(detail[name] ?? '');
  const values = Object.fromEntries(Object.keys(detail).map((name) => [name, text(name)]));
  switch (kind) {
    case 'budget.reached': {
      const whom: Whom = { account: text('account'), scope: text('scope'), name: text('name') || undefined };
      return t('{budget}: {percent} % of the budget is spent.', {
        budget: budgetInWords({ ...whom, per: text('span') as Parameters<typeof budgetInWords>[0]['per'] }),
        percent: text('percent'),
      });
    }
    case 'spend.anomaly':
      return t('Account {account} spends unusually much: {usd} in one hour.', {
        account: text('account'),
        usd: formatUsd(text('spentUsd'), locale()),
      });
    case 'key.expiring':
      return t('Key {name} of account {account} expires soon.', values);
    case 'credit.low':
      return t('The credit of account {account} lasts for {days} more days at its pace.', values);
    case 'errors.high':
      return t('{percent} % of the requests of an hour at {provider} failed.', values);
    case 'latency.high':
      return t('The first token of {provider} took {time} (p95) in an hour.', {
        provider: text('provider'),
        time: formatDuration(Number(detail['firstTokenMs']), locale()),
      });
    case 'usage.unpriced':
      return t('{model} at {provider} reports usage without a price: {unpriced}.', values);
    case 'usage.suspect':
      return t('{model} at {provider} reports usage that cannot be true.', values);
    case 'provider.out':
      return t('Provider {provider} is out of service for {model}.', values);
    case 'provider.back':
      return t('Provider {provider} is back in service.', values);
    case 'provider.drift':
      return t('{percent} % of answers of {provider} ({format}) hold {at}, {what}.', values);
    case 'canary.stepped_back':
      return t('The canary of policy {policy} has stepped back.', values);
    case 'ledger.audit_failed':
      return t('The ledger audit of account {account} failed.', values);
    case 'ledger.set_back':
      return t('The database was set back to an earlier copy.');
    case 'credential.stale':
      return t('The credential {credential} could not be renewed.', values);
  }
}
