/** A request only ever grows. Each stage takes one of these and gives the next, so a wrong order does not compile. */
import type { Fault, Loss } from '@trivium/protocol/canonical';
import type { AnyDialect, AnyUnderstanding, RequestHead } from '@trivium/protocol/dialects';
import type { Member } from '@trivium/protocol/framing';
import type { Caller } from '../accounts/caller.ts';
import type { WhyLeftOut } from '../routing/plan.ts';
import type { Attempt } from './attempt.ts';
import type { CallerPort, DirectoryEntry, RawHeaders, Target } from './ports.ts';
import type { Settlement } from './settle.ts';

export type Received = {
  readonly id: string;
  readonly protocol: string;
  readonly dialect: AnyDialect;
  readonly headers: RawHeaders;
  readonly head: RequestHead;
  readonly reply: CallerPort;
  readonly receivedAtMs: number;
  readonly startedAtMs: number;
  /** Rejects with a GatewayError when the body is too large or no valid text. */
  readonly readText: () => Promise<string>;
};

export type Identified = Received & { readonly caller: Caller; readonly strict: boolean };

export type Understood = Identified & {
  readonly text: string;
  readonly members: readonly Member[];
  readonly understanding: AnyUnderstanding;
};

export type Planned = Understood & {
  readonly model: DirectoryEntry /** Never empty. */;
  readonly plan: readonly Target[];
  /** Of requests with wishes. */
  readonly leftOut?: readonly LeftOut[];
};

/** A host that could have been asked, and why it is not. */
export type LeftOut = {
  readonly provider: string;
  readonly modelId: string;
  readonly why: WhyLeftOut | Fault['kind'];
};

export type Admitted = Planned & { readonly settlement: Settlement };

export type Answered = Admitted & { readonly attempt: Attempt; readonly losses: readonly Loss[] };

/** How one try at one target went, for the record. */
export type AttemptRecord = {
  readonly provider: string;
  readonly lane: string;
  readonly fault?: Fault['kind'];
  /** Sent once more without seals, which the upstream had refused. */
  readonly sealsStripped?: true;
  readonly durationMs: number;
};

/** A request grows in place: each stage adds to the one object, and only the types know how far it has come. */
export const grow = <T extends object, U extends object>(request: T, more: U): T & U => Object.assign(request, more);
