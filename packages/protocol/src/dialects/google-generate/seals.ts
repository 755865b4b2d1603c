/** Thought signatures: whose they are when a caller sends one, and in which form a caller is shown one. */
import { disownsSeal, ownsSeal, type Sealed, type SealOwner } from '../../canonical/sealed.ts';
import type { AnswerContext, RequestHead, TargetFacts } from '../dialect.ts';
import type { SealRefusal } from '../seal-refusals.ts';

/** Whoever first spoke this dialect; a raw signature from a caller can only be theirs. */
export const HOME: SealOwner = { dialect: 'google-generate', family: 'gemini' };

/** What the format's home accepts in place of a signature that is truly absent. It is no signature. */
export const NO_SIGNATURE = 'skip_thought_signature_validator';

export function readSeal(text: string | undefined, head: RequestHead | undefined): Sealed | undefined {
  if (text === undefined || text === '' || text === NO_SIGNATURE) return undefined;
  const sealing = head?.sealing;
  const inside = sealing?.unwrap(text);
  if (inside !== undefined) return inside;
  // An envelope that does not open was tampered with, or is another account's: it is nobody's signature.
  return sealing?.isEnvelope(text) === true ? undefined : { owner: HOME, kind: 'carry', data: text };
}

/** The home's models under either name they are known by. */
const HOME_FAMILIES: ReadonlySet<string> = new Set(['gemini', 'google']);

export const isHome = (owner: SealOwner): boolean =>
  owner.dialect === 'google-generate' && HOME_FAMILIES.has(owner.family);

export const mayOpen = (target: SealOwner, seal: Sealed): boolean =>
  ownsSeal(target, seal) ||
  (seal.owner.scope === undefined && isHome(seal.owner) && isHome(target) && !disownsSeal(target, seal));

/** The text a caller is given for a seal; undefined where it cannot be given at all. */
export const writeSeal = (seal: Sealed, context: AnswerContext): string | undefined =>
  isHome(seal.owner) ? seal.data : context.sealing?.wrap(seal);

/** Models of this generation want the signature of each step's first call back, and read media inside tool results. */
export const isNewGeneration = (target: TargetFacts): boolean => target.model.thinking.kind === 'level';

export const SEAL_REFUSALS: readonly SealRefusal[] = [
  { message: /\b(?:corrupted|invalid|malformed|expired)\b.{0,60}\bthought[ _]?signature/i },
  { message: /thought[ _]?signature\b.{0,80}(?:not valid|invalid|corrupt|mismatch|verif|decrypt|decoding failed)/i },
];
