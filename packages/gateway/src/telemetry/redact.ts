// The only redactor. Log lines lose known secrets and everything in the form of one; texts of upstream errors lose
// internal addresses, too, before they go anywhere. Time is linear in the text, and the text is bounded.

import { BoundedMap } from '../kernel/bounded-map.ts';
import { addressRedactor } from './redact-addresses.ts';

export const REDACTED = '[redacted]';
export type Redact = (text: string) => string;

/**
 * Key formats of the shipped providers and our own (also masked by asterisks), cloud keys, access tokens, JSON web
 * tokens.
 */
const SECRET_FORMS: readonly RegExp[] = [
  /\b(?:scim-trivium|sk|pk|rk|gsk|xai|r8|hf|fw|nvapi|csk|tgp)[-_][A-Za-z0-9_*-]{8,}/g,
  /\bAIza[A-Za-z0-9_*-]{20,}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9*]{12,}/g,
  /\bya29\.[A-Za-z0-9._-]{10,}/g,
  /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}(?:\.[A-Za-z0-9_-]*)?/g,
  /-----BEGIN [A-Z0-9 ]{1,40}-----[\s\S]*?(?:-----END [A-Z0-9 ]{1,40}-----|$)/g,
];
/** Not the words that follow in prose, as in "Missing bearer or basic authentication in header". */
const AUTHORISATION =
  /\b(bearer|basic)\s+(?!(?:auth|authentication|authorization|credentials?|tokens?|scheme|headers?)\b)[A-Za-z0-9._~+/=*-]{8,}/gi;
const AFTER_KEY = /\b(key)\s+(?=[A-Za-z0-9._~+/=*-]*\d)[A-Za-z0-9._~+/=*-]{8,}/gi;
/** A header, a JSON member (also one inside a string) or a parameter that names a secret. */
const NAMED_SECRET =
  /((?:\b|_)(?:api[-_]?key|subscription-key|password|passwd|secret)\\?["']?\s*[:=]\s*\\?["']?)[^\s"',;&\\]{4,}/gi;
/** Names that also precede ordinary words: the value has a digit, or is longer than a word. */
const NAMED_TOKEN =
  /((?:\b|_)(?:authorization|token|credential|signature|sig)\\?["']?\s*[:=]\s*\\?["']?)(?=[^\s"',;&\\]*\d|[^\s"',;&\\]{20})[^\s"',;&\\]{4,}/gi;
const KEY_IN_QUERY = /([?&]key=)[^\s"'&#\\]{4,}/gi;
const URL_USER = /(\b[a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/@:]{1,256}:[^\s/@]{1,256}@/gi;

/** Shorter values would blank out ordinary words. */
const MIN_KNOWN_SECRET = 6;
export const MAX_LOGGED_TEXT = 4096;
/** Dropped from the end of a text that is cut: a secret that the cut goes through would not be recognised. */
const CUT_MARGIN = 512;

const MAX_CLEAN = 1000;
const MAX_CLEAN_LENGTH = 256;

export const redactor = (knownSecrets: readonly string[] = []): Redact =>
  remembering(bounded(credentialRedactor(knownSecrets)));

/** Ids of users and tags come again with every request. Only texts in which nothing was found are remembered. */
const remembering = (redact: Redact): Redact => {
  const clean = new BoundedMap<string, true>(MAX_CLEAN);
  return (text) => {
    if (text.length > MAX_CLEAN_LENGTH) return redact(text);
    if (clean.has(text)) return text;
    const redacted = redact(text);
    // A copy: a piece of a long text would keep all of it in memory.
    if (redacted === text) clean.set(Buffer.from(text).toString(), true);
    return redacted;
  };
};

/** For texts of upstream errors. `hosts`: names from the configuration that callers need not know. */
export const upstreamRedactor = (knownSecrets: readonly string[], hosts: readonly string[]): Redact => {
  const credentials = credentialRedactor(knownSecrets);
  const addresses = addressRedactor(hosts, REDACTED);
  return bounded((text) => addresses(credentials(text)));
};

/** A redactor of secrets that change while it is used: made anew for another list. */
export function renewedWith(secrets: () => readonly string[], make: (secrets: readonly string[]) => Redact): Redact {
  let known: { readonly of: readonly string[]; readonly redact: Redact } | undefined;
  return (text) => {
    const now = secrets();
    if (known?.of !== now) known = { of: now, redact: make(now) };
    return known.redact(text);
  };
}

const bounded =
  (redact: Redact): Redact =>
  (whole) =>
    whole.length <= MAX_LOGGED_TEXT
      ? redact(whole)
      : `${redact(whole.slice(0, MAX_LOGGED_TEXT)).slice(0, -CUT_MARGIN)}…`;

/** Without the length limit. */
export const credentialRedactor = (knownSecrets: readonly string[]): Redact => {
  const known = spellingsOf(knownSecrets);
  return (whole) => {
    let text = whole;
    for (const secret of known) text = text.replaceAll(secret, REDACTED);
    for (const form of SECRET_FORMS) text = text.replaceAll(form, REDACTED);
    return text
      .replaceAll(URL_USER, `$1${REDACTED}@`)
      .replaceAll(AUTHORISATION, `$1 ${REDACTED}`)
      .replaceAll(AFTER_KEY, `$1 ${REDACTED}`)
      .replaceAll(KEY_IN_QUERY, `$1${REDACTED}`)
      .replaceAll(NAMED_SECRET, `$1${REDACTED}`)
      .replaceAll(NAMED_TOKEN, `$1${REDACTED}`);
  };
};

/**
 * As it is, in a URL, in a JSON string, and as base64, alone or as either half of basic authentication; longest first.
 */
function spellingsOf(secrets: readonly string[]): readonly string[] {
  const spellings = new Set<string>();
  for (const secret of secrets) {
    if (secret.length < MIN_KNOWN_SECRET) continue;
    spellings.add(secret).add(encodeURIComponent(secret)).add(JSON.stringify(secret).slice(1, -1));
    for (const part of [secret, `:${secret}`, `${secret}:`])
      for (const encoding of ['base64', 'base64url'] as const) spellings.add(Buffer.from(part).toString(encoding));
  }
  return [...spellings].sort((a, b) => b.length - a.length);
}
