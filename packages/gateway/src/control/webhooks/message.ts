/** Webhook messages: their ids, which deduplicate repetitions, and their bodies. */
import { createHash } from 'node:crypto';
import { type OperationEnd, type ResponseEnd, TEST_EVENT } from './events.ts';

export type EndedOperation = {
  readonly accountId: string;
  /** The operation's name as callers know it. */
  readonly operation: string;
  readonly model: string;
  readonly end: OperationEnd;
};

const ID_LENGTH = 32;
/** The same parts give the same id, so that an event announced twice is one message. */
export const messageIdOf = (...parts: readonly string[]): string =>
  `msg_${createHash('sha256').update(parts.join('\n')).digest('base64url').slice(0, ID_LENGTH)}`;

export const eventBody = (type: string, nowMs: number, data: Readonly<Record<string, unknown>>): string =>
  JSON.stringify({ type, timestamp: new Date(nowMs).toISOString(), data });

/** Small on purpose: the receiver gets the result with its own API key. */
export const messageBody = ({ operation, model, end }: EndedOperation, nowMs: number): string =>
  eventBody(`operation.${end}`, nowMs, { operation, model, state: end });

/** In the form of OpenAI's events, which its SDK reads. */
export const responseBody = (response: string, end: ResponseEnd, nowMs: number): string =>
  JSON.stringify({
    id: `evt_${response.replace('resp_', '')}`,
    object: 'event',
    created_at: Math.floor(nowMs / 1000),
    type: `response.${end}`,
    data: { id: response },
  });

export const testBody = (webhookId: string, nowMs: number): string =>
  eventBody(TEST_EVENT, nowMs, { webhook: webhookId });
