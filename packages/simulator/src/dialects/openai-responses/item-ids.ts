// Ids that encode their origin: `rs_`, `fc_` and the like, the request's number, whether the item was stored and
// whether reasoning precedes it. The mark at the end belongs to the issuer.
import { mintMark, type SealIssuer } from '../../seals.ts';

export type IdPrefix = 'resp' | 'rs' | 'fc' | 'ctc' | 'msg' | 'ws' | 'ig';

export interface MintedId {
  readonly prefix: IdPrefix;
  readonly sequence: number;
  readonly index: number;
  readonly isStored: boolean;
  readonly hasReasoning: boolean;
}

const FORM = /^(resp|rs|fc|ctc|msg|ws|ig)_(\d+)x(\d+)([se])([rn])([0-9a-f]{16})$/u;

export function mintId(issuer: SealIssuer, id: MintedId): string {
  const { prefix, sequence, index, isStored, hasReasoning } = id;
  const body = `${prefix}_${sequence}x${index}${isStored ? 's' : 'e'}${hasReasoning ? 'r' : 'n'}`;
  return `${body}${mintMark(issuer, 'item-id', body)}`;
}

/** Undefined for ids that this issuer never issued. */
export function readId(issuer: SealIssuer, text: string): MintedId | undefined {
  const match = FORM.exec(text);
  if (match === null) return undefined;
  const id: MintedId = {
    prefix: match[1] as IdPrefix,
    sequence: Number(match[2]),
    index: Number(match[3]),
    isStored: match[4] === 's',
    hasReasoning: match[5] === 'r',
  };
  return mintId(issuer, id) === text ? id : undefined;
}
