/** Sign-in with issuers, as the session routes use it. */
import type { SessionSubject } from '../../people/accounts/sessions.ts';

export type SignInPort = {
  readonly issuers: () => readonly { readonly id: string; readonly name: string }[];
  /** The URL to send the browser to. Undefined for an issuer that is not configured. */
  readonly start: (id: string, redirectUri: string, random: string) => Promise<URL> | undefined;
  /** The person who returned. Throws an `AdminProblem`. */
  readonly finish: (id: string, url: URL, random: string) => Promise<SessionSubject>;
};
