/** A session route as data: unlike the others it sees cookies, may be public, and needs no database. */
import type { IncomingMessage } from 'node:http';
import type { Static, TSchema } from 'typebox';
import type { Noted } from './change.ts';
import type { AdminIdentity, IdentityPorts } from './identify.ts';
import type { ListenerFacts } from './listener-facts.ts';
import type { RouteShape } from './route.ts';
import type { SignInPort } from './sign-in-port.ts';
import type { SignInTries } from './sign-in-tries.ts';

/** Where callers reach the data plane. */
type GatewayAddress = {
  /** `listen.publicUrl`. */
  readonly publicUrl: () => string | undefined;
  /** That of the listener, e.g. `http://0.0.0.0:8080`. */
  readonly listenerUrl: () => string;
};

/** A key that was handed over by a link. */
export type OpenedLink = { readonly keyName: string; readonly accountName: string; readonly secret: string };

export type SessionPorts = IdentityPorts & {
  /** By the SHA-256 of its code, in hex. Undefined: it does not open. */
  readonly openLink: (codeHash: string, address: string) => Promise<OpenedLink | undefined>;
  /** Writes to the audit log, if there is one. */
  readonly note: (noted: Noted) => Promise<void>;
  readonly signIn: SignInPort;
  readonly tries: SignInTries;
  readonly gateway: GatewayAddress;
  /** Of an account, or with null of all. */
  readonly openAlerts: (accountId: string | null) => Promise<number>;
  readonly nowMs: () => number;
};

type SessionReply = {
  setCookie(line: string): void;
  /** Returns the body. */
  redirect(location: string): string;
};

export type SessionRequest<Body, Query> = SessionPorts & {
  readonly request: IncomingMessage;
  readonly listener: ListenerFacts;
  /** Undefined for public routes. */
  readonly identity: AdminIdentity | undefined;
  readonly reply: SessionReply;
  readonly id: string;
  readonly body: Body;
  readonly query: Query;
};

type SessionRouteOf<B extends TSchema, Q extends TSchema> = RouteShape<B, Q> & {
  readonly permission: 'public' | 'viewer';
  readonly run: (asked: SessionRequest<Static<B>, Static<Q>>) => Promise<unknown>;
};

export type SessionRoute = SessionRouteOf<TSchema, TSchema>;

/** Type-checked here with its own schemas; called only with input that passed them. */
export const sessionRoute = <B extends TSchema, Q extends TSchema>(of: SessionRouteOf<B, Q>): SessionRoute =>
  of as unknown as SessionRoute;
