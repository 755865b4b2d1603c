/** What the gateway itself changes of policies. */
import type { Db } from '../../store/postgres/store.ts';
import { canaryAlert } from '../alerts/alert.ts';
import { raiseAlert } from '../alerts/rows.ts';
import { appendAudit } from '../api/change.ts';
import { insertStepBack, type StepBackRow } from './rows.ts';

/** Stores that a canary has stepped back, with its entry in the audit log and its alert; once, whichever node is first. */
export async function recordStepBack(
  db: Db,
  one: Omit<StepBackRow, 'stepped_back_at'>,
  target: string,
  isRaised: boolean,
): Promise<void> {
  const at = await insertStepBack(db, one);
  if (at === undefined) return;
  const { policy, reason } = one;
  const noted = { accountId: null, actor: 'gateway', action: 'policy.step-back', subject: policy };
  await appendAudit(db, { ...noted, detail: { target, ...reason } });
  if (isRaised) await raiseAlert(db, canaryAlert(policy, target, reason, at));
}
