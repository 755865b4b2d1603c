/**
 * Sign-in with OpenID Connect: the browser goes to the issuer and returns. Both ends are navigations, so errors are
 * redirects, too.
 */
import { randomBytes } from 'node:crypto';
import Type from 'typebox';
import { readHeaders } from '../../http/head.ts';
import { extractCookie } from '../../people/accounts/credentials.ts';
import { closed, listOfItems } from '../api/contract.ts';
import { signInCookie } from '../api/listener-facts.ts';
import { AdminProblem, notFound } from '../api/problem.ts';
import { type SessionRequest, type SessionRoute, sessionRoute } from '../api/session-route.ts';
import { openSession, requireCookies } from './open-session.ts';
import { SIGN_IN_PAGE } from './sign-in-code.ts';

const RANDOM_BYTES = 32;
const WAY_MS = 10 * 60_000;
const CONSOLE = '/console/';
/** A page of the console, never a URL of another host. */
const PAGE = '^/console(?:/[A-Za-z0-9/_.~%?=&:,+-]*)?$';

const SignInProvider = Type.Object(
  { id: Type.String(), name: Type.String({ description: 'Label of the button.' }) },
  { ...closed, $id: 'SignInProvider' },
);
const Redirect = Type.String({ description: 'Nothing: the header `location` says where to go.' });

type Asked = SessionRequest<unknown, unknown>;

/** The console shows the message; the log has the cause. */
const toSignInPage = ({ reply }: Asked, problem: AdminProblem): string =>
  reply.redirect(`${SIGN_IN_PAGE}#problem=${problem.code}`);

async function orSignInPage(asked: Asked, go: () => Promise<string>): Promise<string> {
  try {
    return await go();
  } catch (error) {
    if (!(error instanceof AdminProblem) || error.code === 'not-found') throw error;
    return toSignInPage(asked, error);
  }
}

const callbackOf = (id: string): string => `/admin/v1/session/oidc/${id}/callback`;

/** The sign-in must have started in this browser: the cookie has the values to verify the answer of this issuer. */
function begun(asked: Asked): { readonly random: string; readonly to: string } {
  const { request, id } = asked;
  const cookie = extractCookie(readHeaders(request.rawHeaders), requireCookies(asked).signIn);
  const [issuer, random = '', to = ''] = (cookie ?? '').split('.', 3);
  if (issuer !== id || random === '') throw new AdminProblem('unauthenticated', 'This sign-in was not begun here.');
  return { random, to: Buffer.from(to, 'base64url').toString() };
}

export const oidcRoutes: readonly SessionRoute[] = [
  sessionRoute({
    method: 'GET',
    path: '/session/providers',
    name: 'listSignInProviders',
    summary: 'Lists the identity providers for sign-in.',
    permission: 'public',
    answer: listOfItems(SignInProvider),
    run: async ({ signIn }) => ({ items: signIn.issuers(), next: null }),
  }),
  sessionRoute({
    method: 'GET',
    path: '/session/oidc/{id}/start',
    name: 'startSignIn',
    summary: 'Redirects the browser to an identity provider.',
    permission: 'public',
    query: Type.Object(
      {
        to: Type.Optional(
          Type.String({ maxLength: 300, pattern: PAGE, description: 'The page of the console to return to.' }),
        ),
      },
      closed,
    ),
    status: 303,
    answer: Redirect,
    run: (asked) =>
      orSignInPage(asked, async () => {
        const { id, query, listener, reply, signIn } = asked;
        const cookies = requireCookies(asked);
        const random = randomBytes(RANDOM_BYTES).toString('base64url');
        const url = await signIn.start(id, `${listener.origin}${callbackOf(id)}`, random);
        if (url === undefined) throw notFound('Sign-in provider', id);
        const to = Buffer.from(query.to ?? CONSOLE).toString('base64url');
        reply.setCookie(signInCookie(cookies, `${id}.${random}.${to}`, WAY_MS));
        return reply.redirect(url.href);
      }),
  }),
  sessionRoute({
    method: 'GET',
    path: '/session/oidc/{id}/callback',
    name: 'finishSignIn',
    summary: 'Completes sign-in at an identity provider: opens a session and sets its cookie.',
    permission: 'public',
    status: 303,
    answer: Redirect,
    run: (asked) =>
      orSignInPage(asked, async () => {
        const { id, request, listener, reply, signIn } = asked;
        const { random, to } = begun(asked);
        reply.setCookie(signInCookie(requireCookies(asked), '', 0));
        const subject = await signIn.finish(id, new URL(request.url ?? '', listener.origin), random);
        const identity = await openSession(asked, subject, 'oidc', { issuer: id });
        if (identity === undefined) throw new AdminProblem('forbidden', 'Operators sign in at the admin listener.');
        return reply.redirect(new RegExp(PAGE).test(to) ? to : CONSOLE);
      }),
  }),
];
