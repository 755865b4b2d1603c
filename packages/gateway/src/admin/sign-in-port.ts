/** Sign-in with issuers, as the routes of sessions see it. */
import type { SessionSubject } from '../accounts/sessions.ts';

export type SignInPort = {
  readonly issuers: () => readonly { readonly id: string; readonly name: string }[];
  /** Where to send the browser. Undefined for an issuer that is not configured. */
  readonly start: (id: string, redirectUri: string, random: string) => Promise<URL> | undefined;
  /** Who came back. Throws an `AdminProblem`. */
  readonly finish: (id: string, url: URL, random: string) => Promise<SessionSubject>;
};
