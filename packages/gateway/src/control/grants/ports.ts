/** What sign-in from programs needs of the running gateway. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { IsTrustedProxy } from '../../http/peer.ts';
import type { Role } from '../../people/accounts/rights.ts';
import type { Person, Proof } from '../../people/identity/oidc-issuer.ts';
import type { Vault } from '../../people/secrets/vault.ts';
import type { Log } from '../../telemetry/log.ts';
import type { MemberBounds } from '../api/actor.ts';
import type { MoneyPorts } from '../api/credit-port.ts';
import type { FewAtOnce } from './few-at-once.ts';

export type ProgramSettings = {
  /** An origin. */
  readonly publicUrl: string;
  readonly accessMinutes: number;
  readonly outageHours: number;
  readonly unprovenHours: number;
  readonly notice?: string;
};

/** The identity providers, as programs' sign-ins use them. */
export type IssuersPort = {
  readonly issuers: () => readonly { readonly id: string; readonly name: string }[];
  /** The URL to send the browser to; undefined for an issuer that is not configured. */
  readonly startProgram: (id: string, redirectUri: string, random: string) => Promise<URL> | undefined;
  readonly finishProgram: (id: string, url: URL, random: string) => Promise<Person>;
  /** Rejects if the issuer does not answer; undefined if it is not configured any more. */
  readonly prove: (id: string, refreshToken: string, subject: string) => Promise<Proof> | undefined;
};

export type GrantPorts = Pick<MoneyPorts, 'tell' | 'money' | 'nowMs'> & {
  readonly store: FewAtOnce;
  /** Undefined: off. */
  readonly settings: () => ProgramSettings | undefined;
  readonly vault: () => Vault | undefined;
  readonly identity: IssuersPort;
  readonly memberBounds: (role: Role) => MemberBounds;
  readonly isTrustedProxy: IsTrustedProxy;
  /** A bounded body; rejects with an `AdminProblem`. */
  readonly readText: (request: IncomingMessage, maxBytes: number) => Promise<string>;
  /** Answers a request whose body has not arrived, and closes its connection. */
  readonly refuse: (
    request: IncomingMessage,
    response: ServerResponse,
    reply: { readonly status: number; readonly headers: readonly string[]; readonly text: string },
  ) => void;
  readonly log: Log;
};
