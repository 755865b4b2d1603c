/**
 * Splits a batch that the database refuses until the refused command is alone, so that it blocks no other command.
 * Makes at most twice as many calls as there are commands. Connection errors are rethrown unchanged.
 */

import { CLOSED, type Command, DONE, type Result } from './core/commands.ts';
import { usageOf } from './core/posting-queue.ts';
import type { LedgerDatabase } from './ledger-database.ts';

/** A command that the ledger database will never accept: parked in its own table for an operator to inspect. */
export class ParkedCommandError extends Error {}

/** A usage row that will never be stored. */
export class LostUsageError extends Error {}

/** Results in the order of the commands; a refused command gets the result of `whenRefused`. */
export async function applyInParts<Refused>(
  database: LedgerDatabase,
  commands: readonly Command[],
  whenRefused: (command: Command, error: unknown) => Promise<Refused>,
): Promise<readonly (Result | Refused)[]> {
  const [first] = commands;
  if (first === undefined) return [];
  try {
    return await database.apply(commands);
  } catch (error) {
    if (!database.isRefusal(error)) throw error;
    if (commands.length === 1) return [await whenRefused(first, error)];
    const middle = Math.ceil(commands.length / 2);
    const before = await applyInParts(database, commands.slice(0, middle), whenRefused);
    return [...before, ...(await applyInParts(database, commands.slice(middle), whenRefused))];
  }
}

/**
 * Posts what a node owes the ledger database. A command that is refused alone is parked, and counts as closed for the
 * node. Money and usage are posted independently after a refusal: a refused usage row blocks no money, and vice versa.
 */
export const postInParts = (
  database: LedgerDatabase,
  commands: readonly Command[],
  onTrouble: (error: unknown) => void,
): Promise<readonly Result[]> =>
  applyInParts(database, commands, async (command, error) => {
    const usage = usageOf(command);
    if (usage === undefined) return park(database, command, error, onTrouble);
    if (command.do === 'usage') {
      onTrouble(new LostUsageError(`request ${usage.requestId}: ${String(error)}`));
      return DONE;
    }
    const { usage: _, ...alone } = command as Command & { usage: unknown };
    const [result] = await postInParts(database, [alone as Command], onTrouble);
    await postInParts(database, [{ do: 'usage', usage }], onTrouble);
    return result ?? CLOSED;
  });

async function park(
  database: LedgerDatabase,
  command: Command,
  error: unknown,
  onTrouble: (error: unknown) => void,
): Promise<Result> {
  const subject = 'account' in command ? `${command.do} of account ${command.account}` : command.do;
  onTrouble(new ParkedCommandError(`${subject}: ${String(error)}`));
  try {
    await database.park(command, String(error));
  } catch (unkept) {
    // The log already has the refused command; a command that cannot be parked must not block the others.
    if (!database.isRefusal(unkept)) throw unkept;
    onTrouble(unkept);
  }
  return CLOSED;
}
