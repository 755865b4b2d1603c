/**
 * Opaque provider state: signatures, encrypted reasoning, references into a provider's account. The gateway sends a
 * seal only to the owner that made it; for any other target it drops the seal with a loss and never forges one.
 */
import type { DialectId } from './dialect-id.ts';

export type SealOwner = {
  readonly dialect: DialectId;
  /** Model family whose servers can verify it, e.g. `claude`, `gemini`, `gpt`. */
  readonly family: string;
  /** Hash of host, account and region. Absent: the dialect's home maker, any account. */
  readonly scope?: string;
  readonly model?: string;
  /** This target has just rejected seals of its own: for this attempt it counts as owning none. */
  readonly disowns?: true;
};

/**
 * - `signature` proves the text beside it
 * - `sealed` hides the whole content
 * - `carry` is attached to a neighbouring block, e.g. the signature of hidden reasoning on a tool call
 * - `cite` belongs to a search result or citation
 * - `ref` names something stored on the owner's servers
 */
export type SealKind = 'signature' | 'sealed' | 'carry' | 'cite' | 'ref';

export type Sealed = {
  readonly owner: SealOwner;
  readonly kind: SealKind;
  readonly data: string;
  /** The owner's id of the sealed item, if it has one. */
  readonly itemId?: string;
  /** The tool call it belongs to, if it travels in a block of its own; see `passes/sealed-call.ts`. */
  readonly call?: string;
  /** The text that a `signature` proves, where the caller's program may send the seal back without it. */
  readonly text?: string;
};

/** References name something stored at the owner, so they stay valid even if the owner disowns seals on content. */
export const disownsSeal = (candidate: SealOwner, seal: Sealed): boolean =>
  candidate.disowns === true && seal.kind !== 'ref';

export const ownsSeal = (candidate: SealOwner, seal: Sealed): boolean =>
  !disownsSeal(candidate, seal) &&
  candidate.dialect === seal.owner.dialect &&
  candidate.family === seal.owner.family &&
  (seal.owner.scope === undefined || candidate.scope === seal.owner.scope);
