/**
 * How a host and a model are asked to think: the caller's wish in the host's own members, at a level the model has.
 * A wish met only nearly is reported, like one not met at all.
 */
import type { Effort, Reasoning } from '../../canonical/call.ts';
import { budgetOf, EFFORTS, effortOf } from '../../canonical/effort.ts';
import type { CanonicalField } from '../../canonical/fields.ts';
import type { LossReason } from '../../canonical/loss.ts';
import type { TargetFacts } from '../dialect.ts';
import type { Change } from './change.ts';

/** What is to be written, once it is known what the model can do. */
type Plan = { readonly on: boolean; readonly effort: Effort | undefined; readonly budget: number | undefined };

export function adaptReasoning(change: Change, reasoning: Reasoning | undefined, target: TargetFacts): void {
  if (reasoning === undefined) return;
  const off = reasoning.enabled === false || reasoning.effort === 'none';
  const asked = reasoning.enabled === true || reasoning.effort !== undefined || reasoning.budgetTokens !== undefined;
  change.remove('reasoning_effort');
  if (!asked && !off) return;
  const { thinking } = target.model;
  const lose = (why: LossReason): void => void change.losses.push({ field: wishedField(reasoning), why });
  if (thinking.kind === 'none' || change.quirks.reasoningWrite === 'none') {
    if (!off) lose('no-equivalent');
    return;
  }
  if (!off) {
    writeOn(change, reasoning, target, lose);
    return;
  }
  if (thinking.canDisable || thinking.levels.includes('none'))
    write(change, { on: false, effort: 'none', budget: undefined });
  else {
    lose('no-equivalent');
    const least = nearestLevel('none', thinking.levels);
    if (least !== undefined && writesEffort(change)) write(change, { on: true, effort: least, budget: undefined });
  }
}

function writeOn(change: Change, reasoning: Reasoning, { model }: TargetFacts, lose: (why: LossReason) => void): void {
  const { effort, budgetTokens } = reasoning;
  const usable = model.maxOutputTokens;
  const wanted = effort ?? (budgetTokens === undefined ? undefined : effortOf(budgetTokens, usable));
  const budget = budgetTokens ?? (effort === undefined ? undefined : budgetOf(effort, usable));
  const level = writesEffort(change) ? nearestLevel(wanted ?? 'medium', model.thinking.levels) : wanted;
  const { reasoningWrite } = change.quirks;
  const exact =
    reasoningWrite === 'enable-thinking' ||
    (writesEffort(change)
      ? budgetTokens === undefined && (effort === undefined || level === effort)
      : wanted === undefined) ||
    (reasoningWrite === 'effort-object' && budgetTokens !== undefined);
  if (!exact) lose('approximated');
  write(change, {
    on: true,
    effort: level ?? wanted,
    budget: reasoningWrite === 'effort-object' ? budgetTokens : budget,
  });
}

const writesEffort = ({ quirks: { reasoningWrite } }: Change): boolean =>
  reasoningWrite === 'effort' || reasoningWrite === 'effort-parsed' || reasoningWrite === 'effort-object';

const wishedField = ({ effort, budgetTokens }: Reasoning): CanonicalField =>
  effort !== undefined
    ? 'reasoning.effort'
    : budgetTokens !== undefined
      ? 'reasoning.budgetTokens'
      : 'reasoning.enabled';

/** The model's own level closest to the wish, the cheaper of two that are equally close. A model that names none takes any. */
function nearestLevel(wanted: Effort, levels: readonly string[]): Effort | undefined {
  const own = EFFORTS.filter((effort) => effort !== 'none' && levels.includes(effort));
  if (own.length === 0) return wanted === 'none' ? undefined : wanted;
  const distance = (effort: Effort): number => Math.abs(EFFORTS.indexOf(effort) - EFFORTS.indexOf(wanted));
  return own.reduce((best, effort) => (distance(effort) < distance(best) ? effort : best));
}

function write(change: Change, { on, effort, budget }: Plan): void {
  const { set } = change;
  switch (change.quirks.reasoningWrite) {
    case 'effort':
    case 'effort-parsed':
      if (effort !== undefined) set.set('reasoning_effort', effort);
      if (change.quirks.reasoningWrite === 'effort-parsed') set.set('reasoning_format', 'parsed');
      return;
    case 'effort-object':
      set.set(
        'reasoning',
        !on
          ? { enabled: false }
          : budget !== undefined
            ? { max_tokens: budget }
            : effort === undefined
              ? { enabled: true }
              : { effort },
      );
      return;
    case 'enabled-object':
      set.set('reasoning', { enabled: on });
      return;
    case 'thinking-type':
      set.set('thinking', { type: on ? 'enabled' : 'disabled' });
      return;
    case 'enable-thinking':
      set.set('enable_thinking', on);
      if (on && budget !== undefined) set.set('thinking_budget', budget);
      return;
    case 'template':
      set.set('chat_template_kwargs', { enable_thinking: on });
      return;
    case 'none':
      return;
  }
}
