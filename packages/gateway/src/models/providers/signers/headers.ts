// Signers that only set headers: pure functions from a secret to its headers. Signers that need a clock or the
// request's bytes (SigV4, Google OAuth, JWT) are in `signing/`.

export type Header = readonly [name: string, value: string];
export type Signer = (secret: string) => readonly Header[];

export const bearer: Signer = (secret) => [['authorization', `Bearer ${secret}`]];
export const key: Signer = (secret) => [['authorization', `Key ${secret}`]];
export const apiKey: Signer = (secret) => [['api-key', secret]];
export const xApiKey: Signer = (secret) => [['x-api-key', secret]];
export const token: Signer = (secret) => [['authorization', `Token ${secret}`]];
/** The secret alone. */
export const bare: Signer = (secret) => [['authorization', secret]];
export const xiApiKey: Signer = (secret) => [['xi-api-key', secret]];
export const xKey: Signer = (secret) => [['x-key', secret]];
export const xGoogApiKey: Signer = (secret) => [['x-goog-api-key', secret]];
/** For hosts on the operator's own network that need no credential. */
export const unsigned: Signer = () => [];

/** By the names operators write in their configuration. */
export const HEADER_SIGNERS = {
  bearer,
  key,
  'api-key': apiKey,
  'x-api-key': xApiKey,
  'x-key': xKey,
  'x-goog-api-key': xGoogApiKey,
  none: unsigned,
} as const;

export type HeaderSignerName = keyof typeof HEADER_SIGNERS;
