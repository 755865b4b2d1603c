/** What an attempt says to its upstream and to its caller that follows from the request and the target alone. */
import type { Fault, Usage } from '@trivium/protocol/canonical';
import type { AnswerContext } from '@trivium/protocol/dialects';
import { estimateInput } from './bill.ts';
import type { Lane } from './lane.ts';
import type { Target, TextTarget } from './ports.ts';
import type { Planned } from './stages.ts';

export const answersWithText = (target: Target): target is TextTarget => target.dialect.operation === 'text';

export function contextOf(
  planned: Planned,
  target: Target,
  lane: Lane,
  costUsd: (usage: Usage) => number | undefined,
): AnswerContext {
  const { understanding, head } = planned;
  return {
    requestId: planned.id,
    model: target.modelId,
    createdAtSeconds: Math.floor(planned.receivedAtMs / 1000),
    wishes: understanding.wishes,
    ...(head.sealing !== undefined && { sealing: head.sealing }),
    ...(lane.kind === 'translated' && understanding.stream && { estimateInput: () => estimateInput(planned) }),
    ...(lane.toolNames !== undefined && { toolNames: lane.toolNames }),
    ...(understanding.wishes.withCost && { costUsd }),
  };
}

/** Some of the caller's headers mean something to an upstream of the same dialect, and to no other. */
export function headersTo({ dialect, headers }: Target, planned: Planned): readonly string[] {
  const { passHeaders } = planned.understanding;
  return passHeaders === undefined || dialect.id !== planned.dialect.id ? headers : [...headers, ...passHeaders.flat()];
}

/** The failure of a stream in the caller's words; an array is simply left open after it. */
export function faultTextOf({ dialect, head, id }: Planned, fault: Fault): string {
  if (dialect.operation === 'image') return dialect.server.streaming?.streamFault(fault) ?? '';
  if (dialect.operation !== 'text') return '';
  if (head.asArray !== true) return dialect.server.streamFault(fault, id);
  return `,${JSON.stringify(dialect.server.encodeFault(fault, id).body)}`;
}
