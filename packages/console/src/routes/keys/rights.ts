/** What a key may, in words. */

import type { Schemas } from '../../api/client.ts';
import { formatUsd } from '../../format/money.ts';
import { formatCount } from '../../format/numbers.ts';
import { formatWhen, type Zone } from '../../format/when.ts';
import { locale, msg, t } from '../../i18n/t.ts';
import type { Role } from '../../state/session.ts';

export type Rights = Schemas['KeyRights'];
export type KeyBudget = { readonly usd: string; readonly span: 'day' | 'month' | 'total' };

const listed = (items: readonly string[]): string =>
  new Intl.ListFormat(locale(), { type: 'conjunction' }).format(items);

export const ENDPOINT_NAMES: Readonly<Record<string, string>> = {
  text: msg('text'),
  embed: msg('embeddings'),
  rerank: msg('reranking'),
  moderate: msg('moderation'),
  image: msg('images'),
  video: msg('video'),
  speech: msg('speech'),
  transcription: msg('transcription'),
  passthrough: msg('passed-through paths'),
  count: msg('token counts'),
};

export const PROTOCOL_NAMES: Readonly<Record<string, string>> = {
  chat: msg('Chat Completions and Responses'),
  messages: msg('Messages'),
  genai: msg('Gemini'),
};

export const ROLE_NAMES: Readonly<Record<Role, string>> = {
  viewer: msg('viewer'),
  developer: msg('developer'),
  admin: msg('admin'),
  owner: msg('owner'),
  operator: msg('operator'),
};

export function budgetWords({ usd, span }: KeyBudget): string {
  const amount = formatUsd(usd, locale()) ?? usd;
  if (span === 'day') return t('At most {amount} a day.', { amount });
  return span === 'month' ? t('At most {amount} a month.', { amount }) : t('At most {amount} in all.', { amount });
}

/** Whole sentences, the most telling first. */
export function rightsInWords(rights: Rights, budgets: readonly KeyBudget[], zone: Zone): readonly string[] {
  const { models, protocols = [], endpoints = [], providers = [], addresses = [] } = rights;
  const { expiresAt, strict, manages } = rights;
  const { requestsPerMinute, tokensPerMinute, usdPerMinute, inFlight } = rights.rateLimits ?? {};
  const count = (value: number): string => formatCount(value, locale());
  /** An id that has no name is shown as it is. */
  const named = (names: Readonly<Record<string, string>>, ids: readonly string[]): string =>
    listed(ids.map((id) => t(names[id] ?? id)));
  return [
    models === undefined ? t('May use every model.') : t('May use {models}.', { models: listed(models) }),
    protocols.length > 0 && t('Only over {protocols}.', { protocols: named(PROTOCOL_NAMES, protocols) }),
    endpoints.length > 0 && t('Only for {endpoints}.', { endpoints: named(ENDPOINT_NAMES, endpoints) }),
    providers.length > 0 && t('Only at {providers}.', { providers: listed(providers) }),
    addresses.length > 0 && t('Only from {addresses}.', { addresses: listed(addresses) }),
    expiresAt === undefined
      ? t('Without an end.')
      : t('Until {until}.', { until: formatWhen(expiresAt, zone, Date.now(), locale()) }),
    ...budgets.map(budgetWords),
    requestsPerMinute !== undefined && t('{count} requests a minute.', { count: count(requestsPerMinute) }),
    tokensPerMinute !== undefined && t('{count} tokens a minute.', { count: count(tokensPerMinute) }),
    usdPerMinute !== undefined && t('{amount} a minute.', { amount: formatUsd(String(usdPerMinute), locale()) ?? '' }),
    inFlight !== undefined && t('{count} requests at once.', { count: count(inFlight) }),
    strict === true && t('Strict: requests are rejected if a parameter would be dropped.'),
    manages !== undefined &&
      t('May also manage the account over the admin API, as {role}.', { role: t(ROLE_NAMES[manages]) }),
  ].filter((text) => text !== false);
}

/** For a cell: `openai/* +1, chat, strict`. */
export function rightsInShort(rights: Rights): string {
  const { models, protocols, endpoints, providers, strict, manages } = rights;
  const [first = '', ...more] = models ?? [];
  const parts = [
    models !== undefined &&
      (models.length === 0 ? t('no model') : first + (more.length === 0 ? '' : ` +${more.length}`)),
    ...[protocols, endpoints, providers].map((list) => list?.join(', ')),
    strict === true && t('strict'),
    manages !== undefined && t('manages as {role}', { role: t(ROLE_NAMES[manages]) }),
  ].filter((part) => typeof part === 'string' && part !== '');
  return parts.length === 0 ? t('all') : parts.join(' · ');
}
