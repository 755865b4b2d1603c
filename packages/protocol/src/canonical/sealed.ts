/**
 * Opaque provider state: signatures, encrypted reasoning, references into a provider's account.
 * A seal is only ever shown to the owner that made it; anywhere else it is dropped with a loss, never forged.
 */
import type { DialectId } from './dialect-id.ts';

export type SealOwner = {
  readonly dialect: DialectId;
  /** Model family whose servers can verify it, e.g. `claude`, `gemini`, `gpt`. */
  readonly family: string;
  /** Hash of host, account and region. Absent: the dialect's home maker, any account. */
  readonly scope?: string;
  readonly model?: string;
  /** A target that has just refused seals it should have known: for this one try it owns none. */
  readonly disowns?: true;
};

/**
 * - `signature` proves the text beside it
 * - `sealed` hides the whole content
 * - `carry` rides on a neighbouring block
 * - `cite` belongs to a search result or citation
 * - `ref` names something that lives on the owner's servers
 */
export type SealKind = 'signature' | 'sealed' | 'carry' | 'cite' | 'ref';

export type Sealed = {
  readonly owner: SealOwner;
  readonly kind: SealKind;
  readonly data: string;
  /** The owner's own id of the sealed item, where it has one. */
  readonly itemId?: string;
};

/** References name something that lives at the owner: they are found or not, whatever becomes of seals on content. */
export const disownsSeal = (candidate: SealOwner, seal: Sealed): boolean =>
  candidate.disowns === true && seal.kind !== 'ref';

export const ownsSeal = (candidate: SealOwner, seal: Sealed): boolean =>
  !disownsSeal(candidate, seal) &&
  candidate.dialect === seal.owner.dialect &&
  candidate.family === seal.owner.family &&
  (seal.owner.scope === undefined || candidate.scope === seal.owner.scope);
