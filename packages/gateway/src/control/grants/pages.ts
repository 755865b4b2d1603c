/** The pages that people see while they sign in from a program. */
import { formatNanoUsd } from '../../kernel/usd.ts';
import { escaped, page, type WebReply } from './replies.ts';
import type { SignInRow } from './sign-in-rows.ts';

type Issuers = readonly { readonly id: string; readonly name: string }[];
type PageOptions = Parameters<typeof page>[3];

const facts = (rows: readonly (readonly [string, string | null])[]): string =>
  `<dl>${rows.map(([name, value]) => (value === null ? '' : `<dt>${name}</dt><dd>${value}</dd>`)).join('')}</dl>`;

const hidden = (name: string, value: string): string =>
  `<input type="hidden" name="${name}" value="${escaped(value)}">`;

export const messagePage = (status: number, title: string, message: string, options?: PageOptions): WebReply =>
  page(status, title, `<p role="${status < 400 ? 'status' : 'alert'}">${escaped(message)}</p>`, options);

export const codePage = (status = 200, problem?: string): WebReply =>
  page(
    status,
    'Enter the code',
    `${problem === undefined ? '' : `<p class="warn" role="alert">${escaped(problem)}</p>`}<form action="/device"><label>The code that your program shows
<input class="code" name="user_code" required maxlength="20" autocomplete="off" autocapitalize="characters" spellcheck="false" autofocus></label>
<button class="first">Continue</button></form>`,
  );

const issuerButtons = (issuers: Issuers): string =>
  issuers
    .map(
      ({ id, name }, at) =>
        `<button${at === 0 ? ' class="first"' : ''} name="issuer" value="${escaped(id)}">Continue with ${escaped(name)}</button>`,
    )
    .join('');

/** Before the person signs in. */
export function startPage(row: SignInRow, issuers: Issuers, options?: PageOptions): WebReply {
  const code = row.user_code;
  const [title, warning] =
    code === null
      ? [`${row.label} asks you to sign in`, 'Continue only if you have just started this yourself.']
      : ['Is this your code?', `Continue only if you have just started ${row.label} yourself and it shows this code.`];
  const fields = code === null ? '' : hidden('user_code', code);
  const deny = code === null ? '/oauth/consent' : '/device/deny';
  return page(
    200,
    title,
    `${facts([
      ['Program', escaped(row.label)],
      ['Code', code && `<span class="code">${code}</span>`],
      ['Asked from', escaped(row.address)],
      ['Answers to', row.redirect_uri && escaped(row.redirect_uri)],
    ])}<p class="warn">${escaped(warning)}</p>
<form method="post" action="${code === null ? '/oauth/start' : '/device'}">${fields}${issuerButtons(issuers)}</form>
<form method="post" action="${deny}">${fields}${hidden('decision', 'deny')}<button>Refuse</button></form>`,
    options,
  );
}

const DAYS = [7, 30, 90, 365];
const SPANS = [
  ['month', 'per month'],
  ['day', 'per day'],
  ['total', 'in all'],
] as const;

const options = (rows: readonly (readonly [string, string])[], chosen: string): string =>
  rows
    .map(([value, name]) => `<option value="${value}"${value === chosen ? ' selected' : ''}>${name}</option>`)
    .join('');

function choices(row: SignInRow): string {
  const usd = row.cap_nano === null ? '' : formatNanoUsd(row.cap_nano).replace(/\.?0+$/, '');
  const days = [...new Set([...DAYS, ...(row.days === null ? [] : [row.days])])].sort((a, b) => a - b);
  return `<label>May spend at most, in US dollars<input name="cap" inputmode="decimal" pattern="[0-9]{1,7}([.][0-9]{1,2})?" value="${usd}" placeholder="no limit of its own"></label>
<label>Counted<select name="span">${options(SPANS, row.cap_span ?? 'month')}</select></label>
<label>Ends after<select name="days">${options([...days.map((count) => [String(count), `${count} days`] as const), ['', 'no set time'] as const], String(row.days ?? ''))}</select></label>`;
}

/** After it: who would be signed in, to which account, and for what. */
export function consentPage(
  row: SignInRow,
  names: { readonly person: string; readonly account: string; readonly unprovenHours: number },
  options?: PageOptions,
): WebReply {
  const what =
    row.door === 'key'
      ? `gets a key of yours. It makes calls in your name, until it ends or you revoke it.`
      : row.has_refresh
        ? 'makes calls in your name, for as long as you are signed in at your identity provider.'
        : `makes calls in your name. Your identity provider cannot confirm you later, so you sign in again after ${names.unprovenHours} hours.`;
  return page(
    200,
    `Sign in ${row.label}?`,
    `${facts([
      ['You', escaped(names.person)],
      ['Account', escaped(names.account)],
      ['Program', escaped(row.label)],
      ['Code', row.user_code && `<span class="code">${row.user_code}</span>`],
      ['Answers to', row.redirect_uri && escaped(row.redirect_uri)],
    ])}<p>${escaped(row.label)} ${what} What it spends is yours.</p>
<form method="post" action="/oauth/consent">${row.door === 'device' ? '' : choices(row)}
<button class="first" name="decision" value="allow">Allow</button><button name="decision" value="deny">Refuse</button></form>`,
    options,
  );
}
