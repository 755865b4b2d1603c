/** Messages in the Standard Webhooks format: an id, the time of the attempt, and a signature over both and the body. */
import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

export const newWebhookSecret = (): string => PREFIX + randomBytes(SECRET_BYTES).toString('base64');

const FEWEST_BYTES = 24;
const MOST_BYTES = 64;

/** Whether others can use it with any library of Standard Webhooks. */
export const isWebhookSecret = (text: string): boolean => {
  const { length } = text.startsWith(PREFIX) ? keyOf(text) : '';
  return length >= FEWEST_BYTES && length <= MOST_BYTES;
};

const keyOf = (secret: string): Buffer => Buffer.from(secret.slice(PREFIX.length), 'base64');

export type SignedMessage = { readonly id: string; readonly body: string };

/** One signature for each secret, so that a receiver can rotate from one to the next. */
export function webhookHeaders(
  { id, body }: SignedMessage,
  secrets: readonly string[],
  nowMs: number,
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(nowMs / 1000));
  const signatures = secrets.map((secret) => {
    const mac = createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest('base64');
    return `v1,${mac}`;
  });
  return {
    'content-type': 'application/json',
    'user-agent': 'trivium',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}
