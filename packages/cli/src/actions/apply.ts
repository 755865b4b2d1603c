// What `trivium apply` does: reads the files, compares them with the gateway, prints the changes, and makes them.

import { closeSync, fchmodSync, openSync, writeSync } from 'node:fs';
import { describeConfigProblem, readAccountsFiles } from '@trivium/gateway/accounts-file';
import { adminCalls, readAccount, readOwnKeyId } from '../apply/current.ts';
import { planAccount } from '../apply/plan.ts';
import type { ApplyOptions, ApplyPlan } from '../apply/planning.ts';
import { type ApplyStep, describeStep } from '../apply/step.ts';
import type { Style, Terminal } from '../terminal.ts';

const OWNER_ONLY = 0o600;
const CHANGES_NEEDED = 2;
const STYLES: Readonly<Record<ApplyStep['action'], Style>> = { create: 'green', change: 'yellow', remove: 'red' };

/** Compares every account before the first change, so that a mistake in the last one prevents all changes. */
const planAll = async (options: ApplyOptions, terminal: Terminal): Promise<ApplyPlan> => {
  const outcome = readAccountsFiles(options.file, terminal.env);
  if ('problems' in outcome) throw new Error(outcome.problems.map(describeConfigProblem).join('\n'));
  const api = adminCalls(terminal, options);
  const ownKeyId = await readOwnKeyId(api);
  const whole: ApplyPlan = { steps: [], removals: [], problems: [] };
  for (const placed of outcome.accounts) {
    const current = await readAccount(api, placed.account.id, ownKeyId);
    const { steps, removals, problems } = planAccount(placed, current, api);
    whole.steps.push(...steps);
    whole.removals.push(...removals);
    whole.problems.push(...problems);
  }
  if (whole.problems.length > 0) throw new Error(whole.problems.join('\n'));
  return whole;
};

const countOf = (steps: readonly ApplyStep[], action: ApplyStep['action']): number =>
  steps.filter((step) => step.action === action).length;

const summary = (steps: readonly ApplyStep[]): string =>
  steps.length === 0
    ? 'No changes.'
    : `${countOf(steps, 'create')} to create, ${countOf(steps, 'change')} to change, ${countOf(steps, 'remove')} to remove`;

const asData = ({ action, kind, name, before, after }: ApplyStep) => ({
  action,
  kind,
  name,
  ...(before !== undefined && { before }),
  ...(after !== undefined && { after }),
});

const printPlan = (steps: readonly ApplyStep[], left: readonly ApplyStep[], terminal: Terminal): void => {
  for (const step of steps) terminal.print(terminal.paint(STYLES[step.action], describeStep(step)));
  if (left.length > 0) {
    terminal.print('Not in the files, and left alone without --prune:');
    for (const step of left) terminal.print(terminal.paint('dim', `  ${describeStep(step)}`));
  }
  terminal.print(summary(steps));
};

interface NewSecret {
  readonly key: string;
  readonly secret: string;
}

/** Opened before the first change: a secret that cannot be written would be lost. */
const openSecretFile = (file: string): { write(made: NewSecret): void; close(): void } => {
  const descriptor = openSync(file, 'a', OWNER_ONLY);
  fchmodSync(descriptor, OWNER_ONLY);
  return {
    write: (made) => void writeSync(descriptor, `${JSON.stringify(made)}\n`),
    close: () => closeSync(descriptor),
  };
};

const runSteps = async (steps: readonly ApplyStep[], onSecret: (made: NewSecret) => void): Promise<void> => {
  for (const [done, step] of steps.entries()) {
    const secret = await step.run().catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`${step.action} ${step.kind} ${step.name}: ${reason}; ${done} of ${steps.length} changes made`);
    });
    if (secret !== undefined) onSecret({ key: step.name, secret });
  }
};

/** Makes the changes; secrets of new keys go where the options say. */
const makeChanges = async (steps: readonly ApplyStep[], options: ApplyOptions, terminal: Terminal): Promise<void> => {
  const file = options.secrets === undefined ? undefined : openSecretFile(options.secrets);
  const print = ({ key, secret }: NewSecret): void =>
    terminal.print(
      options.json
        ? JSON.stringify({ key, secret })
        : `secret of key ${key}, shown this once: ${terminal.paint('bold', secret)}`,
    );
  try {
    await runSteps(steps, file === undefined ? print : (made) => file.write(made));
  } finally {
    file?.close();
  }
};

/** With `--json`: a line with the changes, then one per secret as its key is made, so that a run that fails loses none. */
export const applyFiles = async (options: ApplyOptions, terminal: Terminal): Promise<void> => {
  const { steps: wanted, removals } = await planAll(options, terminal);
  const steps = options.prune ? [...wanted, ...removals] : wanted;
  const left = options.prune ? [] : removals;
  if (options.json) terminal.print(JSON.stringify({ changes: steps.map(asData), leftAlone: left.map(asData) }));
  else printPlan(steps, left, terminal);
  if (options.dryRun) {
    if (steps.length > 0) terminal.setExitCode(CHANGES_NEEDED);
    return;
  }
  if (steps.length === 0) return;
  await makeChanges(steps, options, terminal);
  if (!options.json) terminal.print('Applied.');
};
