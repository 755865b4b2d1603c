/**
 * The browser's side of a sign-in from a program. A cookie ties the browser that began to the one that agrees; forms are taken from
 * our own pages only.
 */
import { randomBytes, randomInt } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { readHeaders } from '../../http/head.ts';
import { callerAddress } from '../../http/peer.ts';
import { extractCookie } from '../../people/accounts/credentials.ts';
import type { Person } from '../../people/identity/oidc-issuer.ts';
import { findMember } from '../accounts/member-rows.ts';
import { findAccount } from '../accounts/rows.ts';
import { newId } from '../api/ids.ts';
import { type CookieNames, cookiesFor, programCookie } from '../api/listener-facts.ts';
import { parseUsd } from '../api/usd.ts';
import { memberOf } from '../sessions/identity-rows.ts';
import { appOf, type Program } from './clients.ts';
import { grantIdentity, storedGroups } from './grant-rows.ts';
import { codePage, consentPage, messagePage, startPage } from './pages.ts';
import type { GrantPorts, ProgramSettings } from './ports.ts';
import { keyCallback, loopbackRedirect, withAnswer } from './redirects.ts';
import { PageProblem, redirect, type WebReply } from './replies.ts';
import {
  allowVisit,
  beginVisit,
  denySignIn,
  findByUserCode,
  findVisit,
  insertSignIn,
  type NewSignIn,
  proveVisit,
  type SignInRow,
} from './sign-in-rows.ts';
import type { OAuthForm } from './token-endpoint.ts';

export type ProgramRequest = {
  readonly request: IncomingMessage;
  /** Of a form, or else of the query. */
  readonly form: OAuthForm;
  readonly settings: ProgramSettings;
  readonly ports: GrantPorts;
};

const WAY_MS = 10 * 60_000;
const CALLBACK = '/oauth/callback';
/** RFC 8628: consonants that are not read as others, so that no words come up. */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';
const [CODE_LENGTH, HALF] = [8, 4];
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;
const MAX_STATE = 1000;
const DAY_MS = 86_400_000;
const MAX_DAYS = 3650;

export const newSecret = (): string => randomBytes(32).toString('base64url');

export const newUserCode = (): string => {
  const letters = Array.from({ length: CODE_LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('');
  return `${letters.slice(0, HALF)}-${letters.slice(HALF)}`;
};

/** However it was typed; undefined: it cannot be one. */
function userCodeIn(typed: string): string | undefined {
  const letters = typed.toUpperCase().replaceAll(/[^A-Z]/g, '');
  return letters.length === CODE_LENGTH && typed.length <= 20
    ? `${letters.slice(0, HALF)}-${letters.slice(HALF)}`
    : undefined;
}

const UNKNOWN_CODE = 'This code is not known here, or has expired. Look at it again, or start once more.';
const NOT_BEGUN = new PageProblem(400, 'This sign-in was not begun in this browser, or has expired. Start once more.');

function cookiesOf({ publicUrl }: ProgramSettings): CookieNames {
  const cookies = cookiesFor(URL.parse(publicUrl));
  if (cookies === undefined) throw new PageProblem(400, 'Sign-in needs HTTPS, or an address of this machine.');
  return cookies;
}

const visitIn = ({ request, settings }: ProgramRequest): string => {
  const visit = extractCookie(readHeaders(request.rawHeaders), cookiesOf(settings).program);
  if (visit === undefined) throw NOT_BEGUN;
  return visit;
};

const cookie = ({ settings }: ProgramRequest, visit: string): string =>
  programCookie(cookiesOf(settings), visit, visit === '' ? 0 : WAY_MS);

export const addressOf = ({ request, ports }: ProgramRequest): string => callerAddress(request, ports.isTrustedProxy);

/** A form of another site could act for a person who is signed in at the identity provider. */
function requireOwnPage({ request, settings }: ProgramRequest): void {
  const { origin, 'sec-fetch-site': site } = request.headers;
  const isOwn = origin === undefined ? site === 'same-origin' : origin === settings.publicUrl;
  if (!isOwn || (site !== undefined && site !== 'same-origin'))
    throw new PageProblem(403, 'This form was not sent from a page of this gateway.');
}

async function byUserCode(asked: ProgramRequest): Promise<SignInRow> {
  const code = userCodeIn(asked.form.get('user_code') ?? '');
  if (code === undefined) throw new PageProblem(404, UNKNOWN_CODE);
  const found = await asked.ports.store.within((db) => findByUserCode(db, code, addressOf(asked)));
  if (found === 'too-many')
    throw new PageProblem(429, 'Too many wrong codes came from this address. Try again in ten minutes.');
  if (found === undefined) throw new PageProblem(404, UNKNOWN_CODE);
  return found;
}

export async function showDevice(asked: ProgramRequest): Promise<WebReply> {
  if (!asked.form.has('user_code')) return codePage();
  try {
    return startPage(await byUserCode(asked), asked.ports.identity.issuers());
  } catch (error) {
    if (error instanceof PageProblem && error.status === 404) return codePage(404, error.message);
    throw error;
  }
}

export async function startFromDevice(asked: ProgramRequest): Promise<WebReply> {
  requireOwnPage(asked);
  return begin(asked, await byUserCode(asked));
}

export async function startFromRedirect(asked: ProgramRequest): Promise<WebReply> {
  requireOwnPage(asked);
  const row = await asked.ports.store.within((db) => findVisit(db, visitIn(asked)));
  if (row === undefined || row.door === 'device') throw NOT_BEGUN;
  return begin(asked, row);
}

/** To the identity provider. */
async function begin(asked: ProgramRequest, row: SignInRow): Promise<WebReply> {
  const { identity, store } = asked.ports;
  const [only, ...others] = identity.issuers();
  const issuer = asked.form.get('issuer') ?? (others.length === 0 ? only?.id : undefined) ?? '';
  const visit = newSecret();
  const url = await identity.startProgram(issuer, `${asked.settings.publicUrl}${CALLBACK}`, visit);
  if (url === undefined) throw new PageProblem(400, 'This identity provider is not configured any more.');
  if (!(await store.within((db) => beginVisit(db, row.id, visit, issuer))))
    throw new PageProblem(400, 'This sign-in was tried too often, or has ended. Start once more.');
  return redirect(url.href, cookie(asked, visit));
}

export async function denyDevice(asked: ProgramRequest): Promise<WebReply> {
  requireOwnPage(asked);
  const { id, label } = await byUserCode(asked);
  await asked.ports.store.within((db) => denySignIn(db, { id }));
  return messagePage(200, 'Refused', `${label} was not signed in. You may close this page.`);
}

/** The browser is back from the identity provider. */
export async function finishAtIssuer(asked: ProgramRequest): Promise<WebReply> {
  const { ports, request, settings } = asked;
  const { store, identity } = ports;
  const visit = visitIn(asked);
  const row = await store.within((db) => findVisit(db, visit));
  if (row?.state !== 'begun' || row.issuer === null) throw NOT_BEGUN;
  const person = await identity.finishProgram(row.issuer, new URL(request.url ?? '', settings.publicUrl), visit);
  await prove(asked, visit, row, person);
  return redirect(`${settings.publicUrl}/oauth/consent`);
}

const REFUSED = {
  'no-account': 'The account of this sign-in does not exist.',
  removed: 'You were removed from the account.',
} as const;

async function prove({ ports }: ProgramRequest, visit: string, row: SignInRow, person: Person): Promise<void> {
  const membership = ports.identity.membershipOf(row.issuer ?? '', person);
  if (membership === undefined) throw new PageProblem(403, 'None of your groups may make calls here.');
  const { account, role } = membership;
  if (role === 'viewer') throw new PageProblem(403, 'Your role may look at the account, but not make calls.');
  const { refreshToken, subject, email, groups } = person;
  const sealed = refreshToken === undefined ? undefined : ports.vault()?.seal(grantIdentity(row.id), refreshToken);
  if (sealed === undefined && row.door !== 'key')
    ports.log.warn('the identity provider gave no refresh token: people sign in again when their time is over', {
      issuer: row.issuer ?? '',
    });
  const refused = await ports.store.within(async (db) => {
    const found = await memberOf(db, account, person, role, () => newId('mem'));
    if ('refused' in found) return REFUSED[found.refused];
    const known = {
      subject,
      accountId: account,
      memberId: found.memberId,
      email,
      groups: storedGroups(groups),
      sealed,
    };
    return (await proveVisit(db, visit, known)) ? undefined : NOT_BEGUN.message;
  });
  if (refused !== undefined) throw new PageProblem(403, refused);
}

async function provenVisit(
  asked: ProgramRequest,
): Promise<SignInRow & { readonly account_id: string; readonly member_id: string }> {
  const row = await asked.ports.store.within((db) => findVisit(db, visitIn(asked)));
  if (row?.state !== 'proven' || row.account_id === null || row.member_id === null) throw NOT_BEGUN;
  return { ...row, account_id: row.account_id, member_id: row.member_id };
}

export async function showConsent(asked: ProgramRequest): Promise<WebReply> {
  const row = await provenVisit(asked);
  const [member, account] = await asked.ports.store.within(async (db) => [
    await findMember(db, row.account_id, row.member_id),
    await findAccount(db, row.account_id),
  ]);
  if (member === undefined || account === undefined) throw NOT_BEGUN;
  const person = row.email === null ? member.name : `${member.name} (${row.email})`;
  const { unprovenHours } = asked.settings;
  return consentPage(row, { person, account: account.name, unprovenHours }, sendingTo(row));
}

const sendingTo = ({ redirect_uri: uri }: Pick<SignInRow, 'redirect_uri'>) =>
  uri === null ? {} : { sendsTo: new URL(uri).origin };

export async function decide(asked: ProgramRequest): Promise<WebReply> {
  requireOwnPage(asked);
  const visit = visitIn(asked);
  const { store } = asked.ports;
  const isAllowed = asked.form.get('decision') === 'allow';
  const row = isAllowed ? await provenVisit(asked) : undefined;
  const code = row === undefined || row.door === 'device' ? undefined : newSecret();
  const choice = row === undefined || row.door === 'device' ? NO_CHOICE : choiceIn(asked.form);
  const done = await store.within((db) =>
    isAllowed ? allowVisit(db, visit, { ...choice, ...(code !== undefined && { code }) }) : denySignIn(db, { visit }),
  );
  if (done === undefined) throw NOT_BEGUN;
  const ended = cookie(asked, '');
  if (done.redirect_uri !== null) {
    const state = done.client_state ?? undefined;
    const answer = isAllowed ? { code, state } : { error: 'access_denied', state };
    return redirect(withAnswer(done.redirect_uri, answer), ended);
  }
  const message = isAllowed ? `${done.label} is signed in.` : `${done.label} was not signed in.`;
  return messagePage(200, isAllowed ? 'Signed in' : 'Refused', `${message} You may close this page.`, {
    cookie: ended,
  });
}

type Choice = {
  readonly cap_nano: bigint | null;
  readonly cap_span: SignInRow['cap_span'];
  readonly days: number | null;
};
const NO_CHOICE: Choice = { cap_nano: null, cap_span: null, days: null };
const USD = /^[0-9]{1,7}(?:\.[0-9]{1,2})?$/;

function choiceIn(form: OAuthForm): Choice {
  const [cap, span, days] = ['cap', 'span', 'days'].map((name) => form.get(name)?.trim() ?? '');
  if (cap !== '' && !USD.test(cap ?? ''))
    throw new PageProblem(400, 'The most it may spend must be US dollars such as 20.00.');
  if (span !== 'day' && span !== 'month' && span !== 'total')
    throw new PageProblem(400, 'The time to count is not known.');
  const nano = cap === '' ? null : parseUsd(cap ?? '', 'cap');
  if (nano === 0n) throw new PageProblem(400, 'With nothing to spend it could do nothing.');
  return { cap_nano: nano, cap_span: nano === null ? null : span, days: days === '' ? null : daysIn(Number(days)) };
}

function daysIn(days: number): number {
  if (!Number.isInteger(days) || days < 1 || days > MAX_DAYS)
    throw new PageProblem(400, 'The end is not a number of days.');
  return days;
}

/** Loopback redirects with PKCE, for apps: RFC 8252. Nothing is redirected that does not fit. */
export async function authorize(asked: ProgramRequest): Promise<WebReply> {
  const { form, settings } = asked;
  const app = appOf(form.get('client_id') ?? '');
  if (app === undefined) throw new PageProblem(400, 'The app must say its name in client_id.');
  const url = loopbackRedirect(form.get('redirect_uri'), settings.publicUrl);
  if (url === undefined)
    throw new PageProblem(
      400,
      'redirect_uri must be http at 127.0.0.1, [::1] or localhost, without query and fragment.',
    );
  const state = form.get('state') ?? '';
  if (form.get('response_type') !== 'code' || state === '' || state.length > MAX_STATE)
    throw new PageProblem(400, 'The app must ask with response_type=code and a state.');
  return ask(asked, app, {
    door: 'code',
    redirectUri: form.get('redirect_uri') ?? '',
    challenge: challengeIn(form),
    clientState: state,
  });
}

function challengeIn(form: OAuthForm): string {
  const challenge = form.get('code_challenge') ?? '';
  if (form.get('code_challenge_method') !== 'S256' || !CHALLENGE.test(challenge))
    throw new PageProblem(400, 'The app must send a code_challenge with code_challenge_method=S256.');
  return challenge;
}

const SPAN_OF: ReadonlyMap<string, 'day' | 'month'> = new Map([
  ['daily', 'day'],
  // The next longer one here; the person sees it and may change it.
  ['weekly', 'month'],
  ['monthly', 'month'],
]);

/** As OpenRouter has it, for apps that know that: ends with a key. */
export async function authorizeKey(asked: ProgramRequest): Promise<WebReply> {
  const { form, settings, ports } = asked;
  const callback = form.get('callback_url');
  const url = keyCallback(callback, settings.publicUrl);
  if (url === undefined || callback === undefined)
    throw new PageProblem(400, 'callback_url must be https, or http at 127.0.0.1, [::1] or localhost.');
  const challenge = challengeIn(form);
  const limit = form.get('limit') ?? '';
  const endsAtMs = Date.parse(form.get('expires_at') ?? '');
  const days = Number.isNaN(endsAtMs) ? 90 : Math.ceil((endsAtMs - ports.nowMs()) / DAY_MS);
  return ask(
    asked,
    { client: 'app', label: url.host.slice(0, 200) },
    {
      door: 'key',
      redirectUri: callback,
      challenge,
      capNano: USD.test(limit) ? parseUsd(limit, 'limit') || undefined : undefined,
      capSpan: SPAN_OF.get(form.get('usage_limit_type') ?? '') ?? 'total',
      days: Math.min(MAX_DAYS, Math.max(1, days)),
    },
  );
}

async function ask(
  asked: ProgramRequest,
  program: Program,
  given: Pick<NewSignIn, 'redirectUri' | 'challenge' | 'clientState' | 'capNano' | 'capSpan' | 'days'> & {
    readonly door: 'code' | 'key';
  },
): Promise<WebReply> {
  const { store, identity } = asked.ports;
  const visit = newSecret();
  const row = await store.within(async (db) => {
    const address = addressOf(asked);
    const isThere = await insertSignIn(db, { ...program, ...given, id: newId('grant'), address, visit });
    return isThere ? findVisit(db, visit) : undefined;
  });
  if (row === undefined) throw new PageProblem(429, 'Too many sign-ins are on their way. Try again in a few minutes.');
  return startPage(row, identity.issuers(), { cookie: cookie(asked, visit), ...sendingTo(row) });
}
