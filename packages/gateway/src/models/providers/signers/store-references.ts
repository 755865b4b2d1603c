/**
 * References to secrets in stores: `vault:main/team/openai#key` is the member `key` of the secret `team/openai` in the store
 * the operator named `main`. They are no secrets; what they name is read while the gateway runs.
 */
const STORE_KINDS = ['vault', 'aws-sm', 'gcp-sm', 'azure-kv'] as const;

export type StoreKind = (typeof STORE_KINDS)[number];

/** `member`: of a secret that is a map; undefined: the secret itself, or the only member. */
export type StoreReference = {
  readonly kind: StoreKind;
  readonly store: string;
  readonly name: string;
  readonly member: string | undefined;
};

const LOOKS_LIKE_ONE = new RegExp(`^(?:${STORE_KINDS.join('|')}):`);
const FORM = new RegExp(
  `^(${STORE_KINDS.join('|')}):([a-z0-9][a-z0-9-]{0,63})/([\\w+=.@:-]+(?:/[\\w+=.@:-]+)*)(?:#([\\w.-]{1,128}))?$`,
);
const MAX_LENGTH = 1024;

export const isStoreReference = (text: string): boolean => LOOKS_LIKE_ONE.test(text);

/** Undefined: none, or one that is misspelt. A path cannot leave its mount. */
export function readStoreReference(text: string): StoreReference | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const [, kind, store = '', name = '', member] = FORM.exec(text) ?? [];
  if (kind === undefined || name.split('/').some((step) => /^\.+$/.test(step))) return undefined;
  return { kind: kind as StoreKind, store, name, member };
}
