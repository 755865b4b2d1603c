/**
 * Credentials that are no secret: they name how the machine the gateway runs on is known to a cloud. Each is named by
 * its operator; nothing is tried in turn.
 */
const IDENTITY_KINDS = [
  'aws:web-identity',
  'aws:container',
  'aws:imds',
  'gcp:metadata',
  'gcp:file',
  'azure:managed',
  'azure:workload',
] as const;

export type IdentityKind = (typeof IDENTITY_KINDS)[number];
export type Cloud = 'aws' | 'gcp' | 'azure';

/** `file`: of `gcp:file:/path` only. */
export type MachineIdentity = { readonly kind: IdentityKind; readonly cloud: Cloud; readonly file: string | undefined };

const FORM = /^(aws|gcp|azure):([a-z-]+)(?::(.+))?$/;

/** Undefined: a secret, or a reference to one. */
export function readIdentity(text: string): MachineIdentity | undefined {
  const [, cloud, name, file] = FORM.exec(text) ?? [];
  const kind = IDENTITY_KINDS.find((one) => one === `${cloud}:${name}`);
  if (kind === undefined || (file !== undefined) !== (kind === 'gcp:file')) return undefined;
  return { kind, cloud: cloud as Cloud, file };
}

/** Looks like an identity, and is none: a mistyped one must not be sent to a host as a secret. */
export const isMistypedIdentity = (text: string): boolean =>
  /^(?:aws|gcp|azure):[a-z-]*(?::\/.*)?$/.test(text) && readIdentity(text) === undefined;
