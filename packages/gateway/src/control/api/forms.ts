/** The formats of strings at the admin API, each with the message for a value that does not match. */
import { USD_PATTERN } from './usd.ts';

const DAY = '^[0-9]{4}-[0-9]{2}-[0-9]{2}$';
const ISO_TIME = '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]{1,9})?)?(Z|[+-][0-9]{2}:[0-9]{2})$';

export const FORMS = {
  /** Ids that people may choose for accounts. */
  accountId: '^[A-Za-z0-9][A-Za-z0-9._@-]{0,99}$',
  budgetScope:
    '^(account|group|(key|member):[A-Za-z0-9_-]{1,64}|tag:[a-z][a-z0-9_.-]{0,39}=[^\\x00-\\x1f\\x7f]{1,100})$',
  chosenId: '^[A-Za-z0-9_-]{1,64}$',
  currency: '^[a-z]{3}$',
  day: DAY,
  isoTime: ISO_TIME,
  mailAddress: '^[^\\s\\x00-\\x1f\\x7f,;:<>()"@]+@[^\\s\\x00-\\x1f\\x7f,;:<>()"@]+$',
  pageLimit: '^[0-9]{1,3}$',
  paymentProvider: '^[a-z0-9-]{1,64}$',
  plainText: '^[^\\x00-\\x1f\\x7f]*$',
  tagKey: '^[a-z][a-z0-9_.-]{0,39}$',
  templateEach:
    '^(account|member|key|tag:[a-z][a-z0-9_.-]{0,39}|(key|member):[A-Za-z0-9_-]{1,64}|tag:[a-z][a-z0-9_.-]{0,39}=[^\\x00-\\x1f\\x7f]{1,100})$',
  /** Not the short ones such as CET: PostgreSQL takes them for fixed offsets. */
  timeZone: '^(UTC|[A-Za-z]+(/[A-Za-z0-9_+-]+){1,2})$',
  statusClass: '^[1-5]([0-9]{2}|xx)$',
  usd: USD_PATTERN,
  wholeNumber: '^[0-9]{1,9}$',
} as const;

const SENTENCES: Readonly<Record<keyof typeof FORMS, string>> = {
  accountId: 'must be 1 to 100 letters, digits or . _ @ -, and start with a letter or digit',
  budgetScope: 'must be account, group, key:<id>, member:<id> or tag:<name>=<value>',
  chosenId: 'must be 1 to 64 letters, digits, _ or -',
  currency: 'must be a currency code of three small letters, such as usd',
  day: 'must be a day such as 2026-12-31',
  isoTime: 'must be a time with its zone, such as 2026-12-31T00:00:00Z',
  mailAddress: 'must be one mail address, such as ops@example.com',
  pageLimit: 'must be a number from 1 to 200',
  paymentProvider: 'must be the name of a payment provider of the configuration',
  plainText: 'must not contain line breaks or other control characters',
  tagKey: 'must be 1 to 40 small letters, digits, _ . or -, and start with a letter',
  templateEach: 'must be member, key, tag:<name>, account, key:<id>, member:<id> or tag:<name>=<value>',
  timeZone: 'must be UTC or an IANA name such as Europe/Berlin',
  statusClass: 'must be a status such as 429, or 5xx',
  usd: 'must be US dollars such as "20.00", with up to nine decimals',
  wholeNumber: 'must be a whole number',
};

const BY_PATTERN: ReadonlyMap<string, string> = new Map(
  (Object.keys(FORMS) as (keyof typeof FORMS)[]).map((name) => [FORMS[name], SENTENCES[name]]),
);

export const sentenceOf = (pattern: string): string | undefined => BY_PATTERN.get(pattern);
