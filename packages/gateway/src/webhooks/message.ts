/** What accounts are told: that one of their operations has come to its end, and how. */
import { randomBytes } from 'node:crypto';

/** How an operation can end. */
export type OperationEnd = 'succeeded' | 'blocked' | 'failed' | 'cancelled';

export type OperationEvent = {
  readonly accountId: string;
  /** As callers know it. */
  readonly operation: string;
  readonly model: string;
  readonly end: OperationEnd;
};

const ID_BYTES = 18;
export const newMessageId = (): string => `msg_${randomBytes(ID_BYTES).toString('base64url')}`;

/** Thin on purpose: whoever is told asks for the result with a key of its own. */
export const messageBody = ({ operation, model, end }: OperationEvent, nowMs: number): string =>
  JSON.stringify({
    type: `operation.${end}`,
    timestamp: new Date(nowMs).toISOString(),
    data: { operation, model, state: end },
  });
