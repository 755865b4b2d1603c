/** The stored response of one request at the admin API, with its input. Every read is audited before it is answered. */
import { EVERY_ACCOUNT } from '../../money/usage/record-query.ts';
import { actorName, type Permission } from '../api/actor.ts';
import { appendAudit } from '../api/change.ts';
import { notFound } from '../api/problem.ts';
import { type AdminRoute, routeWith } from '../api/route.ts';
import type { StoredPorts } from './captured-port.ts';
import { Stored } from './stored-contract.ts';
import { CUT_MARGIN, type RedactText } from './stored-wire.ts';

const route = routeWith<StoredPorts>();

/** Of each of the two texts, in characters. */
const MAX_SHOWN_LENGTH = 1_048_576;
const RESPONSE_PREFIX = 'resp_';

function shownText(text: string | undefined, redact: RedactText): Stored['input'] {
  if (text === undefined) return null;
  const truncated = text.length > MAX_SHOWN_LENGTH;
  const body = redact(text.slice(0, MAX_SHOWN_LENGTH));
  return { body: truncated ? body.slice(0, -CUT_MARGIN) : body, bytes: Buffer.byteLength(text), truncated };
}

const storedRoute = (path: string, whose: string, of: string, permission: Permission): AdminRoute<StoredPorts> =>
  route({
    method: 'GET',
    path: `${path}/{id}/stored`,
    name: `get${whose}RequestStored`,
    summary: `Returns the stored response of a request ${of}, with its input. Reading is recorded in the audit log.`,
    permission,
    answer: Stored,
    run: async ({ actor, accountId: asked, id, requests, responses, store }) => {
      const event = await requests.one(asked === '' ? EVERY_ACCOUNT : asked, id);
      if (event === undefined) throw notFound('Request', id);
      const { accountId, requestId } = event;
      const responseId = `${RESPONSE_PREFIX}${requestId}`;
      const found = accountId === '' ? undefined : await responses.read(accountId, responseId);
      if (found !== undefined)
        await store.within(accountId, (db) =>
          appendAudit(db, {
            accountId,
            actor: actorName(actor),
            action: 'stored.read',
            subject: requestId,
            detail: { response: responseId },
          }),
        );
      return {
        stored: found !== undefined,
        responseId,
        createdAt: found?.createdAt?.toISOString() ?? null,
        expiresAt: found?.expiresAt?.toISOString() ?? null,
        previousRequestId: found?.previousId?.replace(RESPONSE_PREFIX, '') ?? null,
        conversationId: found?.conversationId ?? null,
        input: shownText(found?.input, responses.redact()),
        response: shownText(found?.response, responses.redact()),
      };
    },
  });

export const storedRoutes: readonly AdminRoute<StoredPorts>[] = [
  storedRoute('/requests', '', 'of any account', 'operator'),
  storedRoute('/accounts/{account}/requests', 'Account', 'of the account', 'admin'),
];
