/** Outcomes in four classes, by the party responsible: used by histograms and filters. */
import { FAULT_KINDS, FAULT_RULES, type FaultKind } from '@trivium/protocol/canonical';

export const OUTCOME_CLASSES = ['ok', 'caller', 'upstream', 'gateway'] as const;
export type OutcomeClass = (typeof OUTCOME_CLASSES)[number];

const kindsOf = (blame: OutcomeClass): readonly string[] =>
  FAULT_KINDS.filter((kind) => FAULT_RULES[kind].blame === blame);

/** The outcomes of each class, as stored in rows. */
export const OUTCOMES_BY_CLASS: Readonly<Record<OutcomeClass, readonly string[]>> = {
  ok: ['ok'],
  caller: kindsOf('caller'),
  upstream: kindsOf('upstream'),
  // Its process died.
  gateway: [...kindsOf('gateway'), 'interrupted'],
};

/** As parameter of database functions. */
export const BLAMED_OUTCOMES = JSON.stringify(OUTCOMES_BY_CLASS);

export const classOf = (outcome: string): OutcomeClass => {
  if (outcome === 'ok') return 'ok';
  return outcome in FAULT_RULES ? FAULT_RULES[outcome as FaultKind].blame : 'gateway';
};
