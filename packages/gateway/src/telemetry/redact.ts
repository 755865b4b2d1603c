// The second net under the log: whatever looks like a secret, or is a known one, is replaced before it is written.
// The first net is that only named fields are ever logged.

export const REDACTED = '[redacted]';

/** Key forms of the providers we ship and our own, bearer tokens, credentials inside URLs, JSON web tokens. */
const SECRET_FORMS: readonly RegExp[] = [
  /\b(?:sk|pk|rk|gsk|xai|r8|hf|fw|nvapi|csk|tgp)[-_][A-Za-z0-9_-]{8,}/g,
  /\bAIza[A-Za-z0-9_-]{20,}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{12,}/g,
  /\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}(?:\.[A-Za-z0-9_-]*)?/g,
];
const AUTHORISATION = /\b(bearer|basic|key)\s+[A-Za-z0-9._~+/=-]{8,}/gi;
const NAMED_SECRET =
  /\b((?:x-)?(?:goog-)?api[-_]?key|authorization|password|secret|token)(["']?\s*[:=]\s*["']?)[^\s"',;&]{4,}/gi;
const URL_USER = /(\b[a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/@:]{1,256}:[^\s/@]{1,256}@/gi;

/** Shorter values would blank out ordinary words. */
const MIN_KNOWN_SECRET = 6;
export const MAX_LOGGED_TEXT = 4096;

export type Redact = (text: string) => string;

export const redactor = (knownSecrets: readonly string[] = []): Redact => {
  const known = knownSecrets.filter((secret) => secret.length >= MIN_KNOWN_SECRET);
  return (whole) => {
    let text = whole.length > MAX_LOGGED_TEXT ? `${whole.slice(0, MAX_LOGGED_TEXT)}…` : whole;
    for (const secret of known) text = text.replaceAll(secret, REDACTED);
    for (const form of SECRET_FORMS) text = text.replaceAll(form, REDACTED);
    return text
      .replaceAll(URL_USER, `$1${REDACTED}@`)
      .replaceAll(AUTHORISATION, `$1 ${REDACTED}`)
      .replaceAll(NAMED_SECRET, `$1$2${REDACTED}`);
  };
};
