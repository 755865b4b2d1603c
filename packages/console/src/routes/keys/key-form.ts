/** The form of a new key, and what it asks of the API and the command line. */
import type { Schemas } from '../../api/client.ts';
import { triviumLine } from '../../format/shell.ts';
import type { KeyBudget, Rights } from './rights.ts';

export const EMPTY_FORM = {
  name: '',
  memberId: '',
  /** Patterns, separated by commas, spaces or lines. */
  models: '',
  providers: '',
  protocols: [] as readonly string[],
  endpoints: [] as readonly string[],
  addresses: '',
  /** `YYYY-MM-DD`: the last day, of UTC. */
  expires: '',
  budgetUsd: '',
  budgetSpan: 'month' as KeyBudget['span'],
  requestsPerMinute: '',
  tokensPerMinute: '',
  inFlight: '',
  isStrict: false,
  manages: '',
  /** The person who sees the secret: `self`, or the first to open a link. */
  to: 'self' as 'self' | 'link',
  /** How long the link opens, in seconds. */
  validSeconds: '86400',
};

export type KeyForm = Readonly<typeof EMPTY_FORM>;

export const wordsOf = (text: string): string[] => text.split(/[\s,]+/).filter((word) => word !== '');

const given = <T extends object>(members: T): Partial<T> =>
  Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0)),
  ) as Partial<T>;

const numberOf = (text: string): number | undefined => (text.trim() === '' ? undefined : Number(text));

export function rightsOf(form: KeyForm): Rights {
  const rateLimits = given({
    requestsPerMinute: numberOf(form.requestsPerMinute),
    tokensPerMinute: numberOf(form.tokensPerMinute),
    inFlight: numberOf(form.inFlight),
  });
  return given({
    models: wordsOf(form.models),
    providers: wordsOf(form.providers),
    protocols: [...form.protocols],
    endpoints: [...form.endpoints],
    addresses: wordsOf(form.addresses),
    // The day counts in full.
    expiresAt:
      form.expires === '' ? undefined : new Date(Date.parse(`${form.expires}T00:00:00Z`) + 86_400_000).toISOString(),
    strict: form.isStrict ? true : undefined,
    rateLimits: Object.keys(rateLimits).length === 0 ? undefined : rateLimits,
    manages: form.manages === '' ? undefined : form.manages,
  }) as Rights;
}

/** What the key will have: what is not asked for is as the role allows. */
export const withCeiling = (asked: Rights, ceiling: Rights = {}): Rights => {
  const rateLimits = { ...ceiling.rateLimits, ...asked.rateLimits };
  return { ...ceiling, ...asked, ...(Object.keys(rateLimits).length > 0 && { rateLimits }) };
};

export const budgetOf = ({ budgetUsd, budgetSpan }: KeyForm): KeyBudget | undefined =>
  budgetUsd.trim() === '' ? undefined : { usd: budgetUsd.trim(), span: budgetSpan };

export type NewKey = { readonly name: string; readonly memberId?: string; readonly rights?: Schemas['KeyRights'] };

export function bodyOf(form: KeyForm): NewKey {
  const rights = rightsOf(form);
  return {
    name: form.name.trim(),
    ...(form.memberId !== '' && { memberId: form.memberId }),
    ...(Object.keys(rights).length > 0 && { rights }),
  };
}

export function createLine(account: string, form: KeyForm): string {
  const { name, memberId, rights = {} } = bodyOf(form);
  const { requestsPerMinute, tokensPerMinute, inFlight } = rights.rateLimits ?? {};
  const isLink = form.to === 'link';
  return triviumLine(
    ['keys', isLink ? 'hand-over' : 'create', account],
    [
      ['name', name],
      ['member', memberId],
      ['models', rights.models],
      ['providers', rights.providers],
      ['protocols', rights.protocols],
      ['endpoints', rights.endpoints],
      ['addresses', rights.addresses],
      ['expires', rights.expiresAt],
      ['strict', rights.strict],
      ['rpm', requestsPerMinute],
      ['tpm', tokensPerMinute],
      ['in-flight', inFlight],
      ['manages', rights.manages],
      ['valid', isLink ? form.validSeconds : undefined],
    ].map(([option, value]) => [option as string, value as string | undefined] as const),
  );
}
