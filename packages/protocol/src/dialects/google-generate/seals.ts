/** Thought signatures: the owner of one that a caller sends, and the form in which a caller gets one. */
import { disownsSeal, ownsSeal, type Sealed, type SealOwner } from '../../canonical/sealed.ts';
import type { AnswerContext, RequestHead, SealRefusal, TargetFacts } from '../dialect.ts';

/** The vendor that created this dialect; a raw signature from a caller can only be its own. */
export const HOME: SealOwner = { dialect: 'google-generate', family: 'gemini' };

/** The value that the format's home accepts instead of an absent signature. It is not a signature. */
export const NO_SIGNATURE = 'skip_thought_signature_validator';

export function readSeal(text: string | undefined, head: RequestHead | undefined): Sealed | undefined {
  if (text === undefined || text === '' || text === NO_SIGNATURE) return undefined;
  const sealing = head?.sealing;
  const inside = sealing?.unwrap(text);
  if (inside !== undefined) return inside;
  // An envelope that cannot be opened was tampered with, or is another account's: it has no owner.
  return sealing?.isEnvelope(text) === true ? undefined : { owner: HOME, kind: 'carry', data: text };
}

/** Both names of the home's model family. */
const HOME_FAMILIES: ReadonlySet<string> = new Set(['gemini', 'google']);

export const isHome = (owner: SealOwner): boolean =>
  owner.dialect === 'google-generate' && HOME_FAMILIES.has(owner.family);

export const mayOpen = (target: SealOwner, seal: Sealed): boolean =>
  ownsSeal(target, seal) ||
  (seal.owner.scope === undefined && isHome(seal.owner) && isHome(target) && !disownsSeal(target, seal));

/** The text a caller gets for a seal; undefined if it cannot be sent. */
export const writeSeal = (seal: Sealed, context: AnswerContext): string | undefined =>
  isHome(seal.owner) ? seal.data : context.sealing?.wrap(seal);

/** Models of this generation require the signature of each step's first call, and read media inside tool results. */
export const isNewGeneration = (target: TargetFacts): boolean => target.model.thinking.kind === 'level';

export const SEAL_REFUSALS: readonly SealRefusal[] = [
  { message: /\b(?:corrupted|invalid|malformed|expired)\b.{0,60}\bthought[ _]?signature/i },
  { message: /thought[ _]?signature\b.{0,80}(?:not valid|invalid|corrupt|mismatch|verif|decrypt|decoding failed)/i },
];
