/** What accounts are told: that one of their operations has come to its end, and how. */
import { createHash } from 'node:crypto';

/** How an operation can end. */
export type OperationEnd = 'succeeded' | 'blocked' | 'failed' | 'cancelled';

export type EndedOperation = {
  readonly accountId: string;
  /** As callers know it. */
  readonly operation: string;
  readonly model: string;
  readonly end: OperationEnd;
};

const ID_LENGTH = 32;
/** Of an event and a webhook there is one message, however often the event is told. */
export const messageId = (webhookId: string, { accountId, operation, end }: EndedOperation): string =>
  `msg_${createHash('sha256')
    .update([accountId, webhookId, operation, end].join('\n'))
    .digest('base64url')
    .slice(0, ID_LENGTH)}`;

/** Thin on purpose: whoever is told asks for the result with a key of its own. */
export const messageBody = ({ operation, model, end }: EndedOperation, nowMs: number): string =>
  JSON.stringify({
    type: `operation.${end}`,
    timestamp: new Date(nowMs).toISOString(),
    data: { operation, model, state: end },
  });
