/**
 * Assigns opaque state to its owner. Callers of this protocol see the home vendor's state raw and all other state in an
 * envelope; an upstream only gets state it made itself.
 */
import { type JsonObject, stringAt } from '../../canonical/json.ts';
import { disownsSeal, ownsSeal, type Sealed, type SealKind, type SealOwner } from '../../canonical/sealed.ts';
import type { Sealing, SealRefusal } from '../dialect.ts';

/** The owner of raw seals from callers: any account of the format's home. */
const HOME: SealOwner = { dialect: 'anthropic-messages', family: 'claude' };

/** Both names of the home's model family. */
const HOME_FAMILIES: ReadonlySet<string> = new Set(['claude', 'anthropic']);

export const isHome = (owner: SealOwner): boolean =>
  owner.dialect === 'anthropic-messages' && HOME_FAMILIES.has(owner.family);

export const mayOpen = (target: SealOwner, seal: Sealed): boolean =>
  ownsSeal(target, seal) ||
  (seal.owner.scope === undefined && isHome(seal.owner) && isHome(target) && !disownsSeal(target, seal));

/** The text of a seal for a caller, raw or in an envelope; undefined if it needs an envelope and cannot get one. */
export const sealText = (seal: Sealed, sealing: Sealing | undefined): string | undefined =>
  isHome(seal.owner) ? seal.data : sealing?.wrap(seal);

/** For models that return unsigned thinking: it needs a signature all the same, or clients discard it. */
const UNSIGNED: Sealed = { owner: { dialect: 'openai-chat', family: 'unknown' }, kind: 'signature', data: '' };

export const unsignedText = (sealing: Sealing | undefined): string => sealing?.wrap(UNSIGNED) ?? '';

/** The seal in a caller's field: undefined if the field is empty, or holds an envelope that is not valid (any more). */
export function readSeal(text: string, kind: SealKind, sealing: Sealing | undefined): Sealed | undefined {
  if (text === '') return undefined;
  const opened = sealing?.unwrap(text);
  if (opened !== undefined) return opened.data === '' ? undefined : opened;
  if (sealing?.isEnvelope(text) === true) return undefined;
  return { owner: HOME, kind, data: text };
}

/** Owners as plain data, for seals inside a result that only its owner can read. */
export const ownerData = ({ dialect, family, scope }: SealOwner): JsonObject => ({
  dialect,
  family,
  ...(scope !== undefined && { scope }),
});

export function ownerOfData(data: JsonObject | undefined): SealOwner {
  const family = stringAt(data, 'family');
  const scope = stringAt(data, 'scope');
  if (family === undefined) return HOME;
  return { dialect: 'anthropic-messages', family, ...(scope !== undefined && { scope }) };
}

export const SEAL_REFUSALS: readonly SealRefusal[] = [
  { message: /invalid `?(?:signature|data)`? in `?(?:redacted_)?thinking`?/i },
  { message: /`?(?:redacted_)?thinking`? blocks\b.{0,80}\bcannot be modified/i },
  { message: /invalid `?encrypted_(?:content|index)`?/i },
];
