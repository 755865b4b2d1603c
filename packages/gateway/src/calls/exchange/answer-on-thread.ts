/** Parses a large answer on another thread; the seals it contains are remembered on this one. */
import type { AnswerContext } from '@trivium/protocol/dialects';
import type { Rates } from '../../kernel/price.ts';
import type { SealMemory } from '../../kernel/seals.ts';
import type { Target } from '../../kernel/target.ts';
import type { HeavyWork } from '../heavy-work.ts';
import type { Lane, WholeAnswer } from '../lane.ts';
import type { Planned } from '../request.ts';

type Asked = { readonly target: Target; readonly lane: Lane; readonly context: AnswerContext };

export async function answerOnThread(
  { caller, dialect, reply }: Planned,
  { target, lane, context }: Asked,
  body: string,
  jsonDepth: number,
  /** To state the cost, if the caller asked for it. */
  rates: Rates | undefined,
  heavy: HeavyWork,
  /** If seals of this answer are worth remembering. */
  seals: SealMemory | undefined,
): Promise<WholeAnswer> {
  const { accountId } = caller;
  const { requestId, model, createdAtSeconds, toolNames, responseOptions } = context;
  const answered = await heavy.run(
    'answer',
    [
      {
        body,
        dialectId: dialect.id,
        target: { dialectId: target.dialect.id, facts: target.facts },
        lane: { kind: lane.kind, ...(lane.watchFor !== undefined && { watchFor: lane.watchFor }) },
        context: {
          requestId,
          model,
          createdAtSeconds,
          ...(toolNames !== undefined && { toolNames }),
          responseOptions,
        },
        accountId,
        rates,
        jsonDepth,
        keepsSeals: seals !== undefined,
      },
    ],
    { isWanted: () => !reply.gone },
  );
  const { kept, unsealed, ...whole } = answered;
  if (kept !== undefined) seals?.keep(accountId, kept);
  if (unsealed !== undefined) seals?.nothingToKeep?.(accountId, unsealed);
  return whole;
}
