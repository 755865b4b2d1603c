/**
 * Messages between the gateway and its thread. Errors are sent as data: a fault for the caller, or a text for the log.
 */
import { type Fault, GatewayError } from '@trivium/protocol/canonical';
import type { HeavyJob, HeavyPorts } from '../heavy-work.ts';

export type PortName = keyof HeavyPorts;

export type ToThread =
  | {
      readonly kind: 'job';
      readonly id: number;
      readonly job: HeavyJob;
      readonly input: readonly unknown[];
      readonly sealKeys: readonly string[];
      readonly has: readonly PortName[];
    }
  /** The reply to a job's `ask`. */
  | { readonly kind: 'port'; readonly askId: number; readonly outcome: ThreadOutcome };

export type FromThread =
  | { readonly kind: 'done'; readonly id: number; readonly outcome: ThreadOutcome }
  /** The job waits until it is answered. */
  | {
      readonly kind: 'ask';
      readonly id: number;
      readonly askId: number;
      readonly port: PortName;
      readonly input: readonly unknown[];
    };

export type ThreadOutcome =
  | { readonly value: unknown }
  | { readonly fault: Fault }
  | { readonly problem: string; readonly stack: string | undefined };

export const failed = (error: unknown): ThreadOutcome => {
  if (error instanceof GatewayError) return { fault: error.fault };
  return { problem: String(error), stack: error instanceof Error ? error.stack : undefined };
};

export function resultOf(outcome: ThreadOutcome): unknown {
  if ('value' in outcome) return outcome.value;
  if ('fault' in outcome) throw new GatewayError(outcome.fault);
  throw Object.assign(new Error(outcome.problem), { stack: outcome.stack });
}
