/** What-if at the admin API: for operators only, since it reads the requests of all accounts; one at a time. */
import { compilePolicies } from '../../models/policies/compile.ts';
import type { Policy } from '../../models/policies/contract.ts';
import { EVERY_ACCOUNT } from '../../money/usage/record-query.ts';
import { AdminProblem } from '../api/problem.ts';
import { type AdminRequest, routeWith } from '../api/route.ts';
import { requireKnown } from '../policies/routes.ts';
import { RecordRows } from '../requests/record-rows.ts';
import { MOST_RECORDS, WhatIf, WhatIfQuestion } from './contract.ts';
import type { Draft, WhatIfPorts } from './ports.ts';
import { type WhatIfSpan, whatIf } from './run.ts';

const route = routeWith<WhatIfPorts>();

const DAY_MS = 86_400_000;
const MAX_SPAN_MS = 31 * DAY_MS;
const MAX_MS = 120_000;
/** As large as all files of `trivium apply` may be. */
const MAX_BODY_BYTES = 16 * 1_048_576;

function spanOf({ from, until }: WhatIfQuestion, nowMs: number): WhatIfSpan {
  const untilMs = until === undefined ? nowMs : Date.parse(until);
  const fromMs = from === undefined ? untilMs - DAY_MS : Date.parse(from);
  if (!(fromMs >= 0 && fromMs < untilMs)) throw new AdminProblem('invalid', 'must be before until', 'from');
  if (untilMs - fromMs > MAX_SPAN_MS) throw new AdminProblem('invalid', 'must be at most 31 days before until', 'from');
  return { fromMs, untilMs };
}

/** A draft is refused for the reasons it could not be saved for. */
async function draftOf({ body, policies, whatIf: port }: Asked): Promise<Draft> {
  const prices = (body.prices ?? []).map(({ model: modelId, ...price }) => ({ modelId, ...price }));
  const drafted = body.policies as readonly Policy[] | undefined;
  for (const policy of drafted ?? []) requireKnown(policies, policy);
  const { problems } = compilePolicies(drafted ?? []);
  const [first] = problems;
  if (first !== undefined) throw new AdminProblem('invalid', `Policy "${first.policy}" ${first.message}.`, 'policies');
  const problem = prices.length === 0 ? undefined : await port.problemWith(prices);
  if (problem !== undefined) throw new AdminProblem('invalid', problem, 'prices');
  return { policies: drafted, prune: body.prune === true, prices };
}

type Asked = AdminRequest<WhatIfPorts, WhatIfQuestion, unknown>;

async function answer(asked: Asked, span: WhatIfSpan): Promise<WhatIf> {
  const { store, body, whatIf: port, gone } = asked;
  const { today, draft } = await port.open(await draftOf(asked));
  const records = new RecordRows(store);
  const filter = { ...span, account: body.account ?? EVERY_ACCOUNT };
  return whatIf({
    span,
    limit: body.limit ?? MOST_RECORDS,
    deadlineMs: port.monotonicMs() + MAX_MS,
    monotonicMs: port.monotonicMs,
    page: (after, limit) => records.events({ filter, order: 'oldest', limit, ...(after !== undefined && { after }) }),
    today,
    draft,
    gone,
  });
}

export const whatIfRoutes = [
  route({
    method: 'POST',
    path: '/what-if',
    name: 'whatIf',
    summary:
      'Plans and prices recorded requests again under draft policies and prices, without calling a model. Changes nothing.',
    permission: 'operator',
    body: WhatIfQuestion,
    answer: WhatIf,
    maxBodyBytes: MAX_BODY_BYTES,
    run: async (asked) => {
      const span = spanOf(asked.body, asked.nowMs());
      const answering = asked.whatIf.alone(() => answer(asked, span));
      if (answering === undefined)
        throw new AdminProblem('conflict', 'Another what-if is running on this node. Try again when it has ended.');
      return answering;
    },
  }),
];
