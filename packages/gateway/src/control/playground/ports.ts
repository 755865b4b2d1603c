/** What the admin API needs to make calls for people. */
import type { IncomingMessage } from 'node:http';
import type { Caller } from '../../kernel/caller.ts';
import type { PolicySet } from '../../models/policies/policy-set.ts';
import type { KeyRecord } from '../../people/accounts/key-source.ts';
import type { DatabasePorts } from '../api/route.ts';

/** Data plane calls from within the process. */
export type PlaygroundPort = {
  readonly isCall: (path: string) => boolean;
  /** The path at which a call is planned but not made. */
  readonly dryRunPath: string;
  /** The first prefix of each protocol; absent: it is switched off. */
  readonly mounts: Readonly<Record<'chat' | 'messages' | 'genai', string | undefined>>;
  /** The key with this hash, as a caller. */
  readonly known: (
    hash: string,
  ) => Promise<{ readonly record: Pick<KeyRecord, 'isSuspended' | 'proof'>; readonly caller: Caller } | undefined>;
  /** Resolves when the answer starts. */
  readonly call: (of: {
    readonly caller: Caller;
    /** For dry runs: policies in place of those in force, and draws that do not vary. */
    readonly engine?: { readonly policies?: PolicySet; readonly random: () => number };
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string | FormData;
    readonly address: string;
    readonly gone: AbortSignal;
  }) => Promise<IncomingMessage>;
};

export type PlaygroundPorts = DatabasePorts & { readonly playground: PlaygroundPort };
