/**
 * Assigns encrypted reasoning to its owner. Callers see the home vendor's raw and all other in an envelope; an upstream
 * only gets state it made itself, under its original id.
 */
import { disownsSeal, ownsSeal, type Sealed, type SealOwner } from '../../canonical/sealed.ts';
import type { Sealing, SealRefusal } from '../dialect.ts';

/** The owner of raw seals from callers: any account of the format's home. */
const HOME: SealOwner = { dialect: 'openai-responses', family: 'gpt' };

export const isHome = (owner: SealOwner): boolean => owner.dialect === HOME.dialect && owner.family === HOME.family;

export const mayOpen = (target: SealOwner, seal: Sealed): boolean =>
  ownsSeal(target, seal) ||
  (seal.owner.scope === undefined && isHome(seal.owner) && isHome(target) && !disownsSeal(target, seal));

/** The text of a seal for a caller, raw or in an envelope; undefined if it needs an envelope and cannot get one. */
export function sealText(seal: Sealed, itemId: string, sealing: Sealing | undefined): string | undefined {
  const keepsId = seal.itemId === undefined || seal.itemId === itemId;
  return isHome(seal.owner) && keepsId ? seal.data : sealing?.wrap(seal);
}

/** The seal in a caller's reasoning item: undefined if there is none, or the envelope is not valid (any more). */
export function readSeal(text: string, itemId: string | undefined, sealing: Sealing | undefined): Sealed | undefined {
  if (text === '') return undefined;
  const opened = sealing?.unwrap(text);
  if (opened !== undefined) return opened.data === '' ? undefined : opened;
  if (sealing?.isEnvelope(text) === true) return undefined;
  return { owner: HOME, kind: 'sealed', data: text, ...(itemId !== undefined && { itemId }) };
}

export const SEAL_REFUSALS: readonly SealRefusal[] = [
  { code: 'invalid_encrypted_content' },
  { message: /encrypted[ _]content\b.{0,80}\b(?:could not be (?:verified|decrypted|parsed)|is invalid)/i },
  { message: /could not decrypt.{0,40}encrypted[ _]content/i },
];
