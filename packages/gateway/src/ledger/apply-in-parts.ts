/**
 * A batch that the database refuses is split until the refused command stands alone, so that it keeps no other from the ledger database. At
 * most twice as many calls as commands; what cannot be reached, rather than refused, is thrown as it is.
 */

import { CLOSED, type Command, DONE, type Result } from './core/commands.ts';
import { usageOf } from './core/posting-queue.ts';
import type { LedgerDatabase } from './ledger-database.ts';

/** A command that the ledger database will never take: kept beside the ledger database for an operator to look at. */
export class ParkedCommandError extends Error {}

/** A row of usage that will never be stored. */
export class LostUsageError extends Error {}

/** In the order of the commands, `whenRefused` in the place of those that were. */
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
 * Posts what a node owes the ledger database. What is refused alone is parked, and counts as closed for the node. A row of usage that is
 * refused keeps no money from the ledger database, nor the other way round.
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
    // The log has it; others must not wait for what cannot be kept either.
    if (!database.isRefusal(unkept)) throw unkept;
    onTrouble(unkept);
  }
  return CLOSED;
}
