/** What a key may, in words. */
import type { Schemas } from '../../api/client.ts';
import { formatUsd } from '../../format/money.ts';
import { formatCount } from '../../format/numbers.ts';
import { formatWhen, type Zone } from '../../format/when.ts';
import { locale, t } from '../../i18n/t.ts';

export type Rights = Schemas['KeyRights'];
export type KeyBudget = { readonly usd: string; readonly span: 'day' | 'month' | 'total' };

const listed = (items: readonly string[]): string =>
  new Intl.ListFormat(locale(), { type: 'conjunction' }).format(items);

/** Undefined and empty mean no limit, except that an empty list of models allows none. */
const few = (items: readonly string[] | undefined): readonly string[] => items ?? [];

export const endpointNames = (): Readonly<Record<string, string>> => ({
  text: t('text'),
  embed: t('embeddings'),
  image: t('images'),
  video: t('video'),
  count: t('token counts'),
});

export const protocolNames = (): Readonly<Record<string, string>> => ({
  chat: t('Chat Completions and Responses'),
  messages: t('Messages'),
  genai: t('Gemini'),
});

export const roleNames = (): Readonly<Record<string, string>> => ({
  viewer: t('viewer'),
  developer: t('developer'),
  admin: t('admin'),
  owner: t('owner'),
  operator: t('operator'),
});

export function budgetWords({ usd, span }: KeyBudget): string {
  const amount = formatUsd(usd, locale()) ?? usd;
  if (span === 'day') return t('At most {amount} a day.', { amount });
  return span === 'month' ? t('At most {amount} a month.', { amount }) : t('At most {amount} in all.', { amount });
}

function scopeWords(rights: Rights): readonly string[] {
  const [protocols, endpoints] = [protocolNames(), endpointNames()];
  const { models, providers, addresses } = rights;
  return [
    models === undefined ? t('May use every model.') : t('May use {models}.', { models: listed(models) }),
    few(rights.protocols).length > 0 &&
      t('Only over {protocols}.', { protocols: listed(few(rights.protocols).map((id) => protocols[id] ?? id)) }),
    few(rights.endpoints).length > 0 &&
      t('Only for {endpoints}.', { endpoints: listed(few(rights.endpoints).map((id) => endpoints[id] ?? id)) }),
    few(providers).length > 0 && t('Only at {providers}.', { providers: listed(few(providers)) }),
    few(addresses).length > 0 && t('Only from {addresses}.', { addresses: listed(few(addresses)) }),
  ].filter((text) => text !== false);
}

function rateWords({ rateLimits }: Rights): readonly string[] {
  const count = (value: number): string => formatCount(value, locale());
  const { requestsPerMinute, tokensPerMinute, usdPerMinute, inFlight } = rateLimits ?? {};
  return [
    requestsPerMinute !== undefined && t('{count} requests a minute.', { count: count(requestsPerMinute) }),
    tokensPerMinute !== undefined && t('{count} tokens a minute.', { count: count(tokensPerMinute) }),
    usdPerMinute !== undefined && t('{amount} a minute.', { amount: formatUsd(String(usdPerMinute), locale()) ?? '' }),
    inFlight !== undefined && t('{count} requests at once.', { count: count(inFlight) }),
  ].filter((text) => text !== false);
}

/** Whole sentences, the most telling first. */
export function rightsInWords(rights: Rights, budgets: readonly KeyBudget[], zone: Zone): readonly string[] {
  const { expiresAt, strict, manages } = rights;
  const until = expiresAt === undefined ? '' : formatWhen(expiresAt, zone, Date.now(), locale());
  return [
    ...scopeWords(rights),
    expiresAt === undefined ? t('Without an end.') : t('Until {until}.', { until }),
    ...budgets.map(budgetWords),
    ...rateWords(rights),
    strict === true && t('Strict: requests that cannot be carried out to the letter are refused.'),
    manages !== undefined &&
      t('May also manage the account over the admin API, as {role}.', { role: roleNames()[manages] ?? manages }),
  ].filter((text) => text !== false);
}

/** For a cell: `openai/* +1, chat, strict`. */
export function rightsInShort(rights: Rights): string {
  const shortened = ([first = '', ...more]: readonly string[]): string =>
    more.length === 0 ? first : `${first} +${more.length}`;
  const { models, protocols, endpoints, providers, strict, manages } = rights;
  const parts = [
    models === undefined ? undefined : models.length === 0 ? t('no model') : shortened(models),
    ...[protocols, endpoints, providers].map((list) => (few(list).length === 0 ? undefined : few(list).join(', '))),
    strict === true ? t('strict') : undefined,
    manages === undefined ? undefined : t('manages as {role}', { role: roleNames()[manages] ?? manages }),
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? t('all') : parts.join(' · ');
}
