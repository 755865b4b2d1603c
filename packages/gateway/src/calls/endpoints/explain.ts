/** The record of a request, for the account it belongs to. */

import { NO_SUCH_REQUEST } from '../../kernel/reports.ts';
import type { Engine } from '../engine.ts';
import { authenticate } from '../entry/authenticate.ts';
import { answerHeaders } from '../exchange/caller-reply.ts';
import type { Received } from '../request.ts';
import { requestView } from './request-view.ts';

export async function explainRequest(
  engine: Engine,
  received: Received,
  keyInQuery: boolean,
  requestId: string,
): Promise<void> {
  const { caller, reply, id } = await authenticate(received, engine.accounts, keyInQuery);
  const record = await engine.records.find(caller.accountId, requestId);
  if (record === undefined) throw NO_SUCH_REQUEST;
  reply.answer(200, answerHeaders(id, []), JSON.stringify(requestView(record)));
}
