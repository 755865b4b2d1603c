// Untrusted data of other gateways, read member by member.

export type RawMembers = Readonly<Record<string, unknown>>;

export const isMembers = (value: unknown): value is RawMembers =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const membersOf = (value: unknown): RawMembers => (isMembers(value) ? value : {});
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
export const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;

const NAME_START = /^[^A-Za-z_]+/;

/** An environment variable's name made of words. */
export const variableName = (...words: readonly string[]): string =>
  words
    .join('_')
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, '_')
    .replace(NAME_START, '')
    .replace(/_$/, '');

/** A provider's id made of the host in an address. */
export const providerIdOf = (address: string): string => {
  const host = URL.canParse(address) ? new URL(address).hostname : address;
  return (
    host
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-+|-+$/g, '')
      .slice(0, 60) || 'server'
  );
};
