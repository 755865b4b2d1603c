/** Names of fields in what a host says, as the caller's protocol spells them. */
import type { Fault } from '@trivium/protocol/canonical';
import type { AnyDialect } from '@trivium/protocol/dialects';

/**
 * A refusal in the words of another protocol names a field that the caller never sent. If it is the host's name for
 * one of the caller's, the caller's comes first.
 */
export function inCallersNames(fault: Fault, host: AnyDialect, caller: AnyDialect): Fault {
  const { kind, field, message } = fault;
  if (kind !== 'refused' || field === undefined || host.operation !== 'text' || caller.operation !== 'text')
    return fault;
  if (host.id === caller.id) return fault;
  const theirs = Object.entries(host.server?.spelling ?? {}).find(([, name]) => name === field)?.[0];
  const own =
    theirs === undefined
      ? undefined
      : (caller.server?.spelling as Readonly<Record<string, string>> | undefined)?.[theirs];
  return own === undefined || own === field
    ? fault
    : { ...fault, field: own, message: `'${own}' was refused by the provider: ${message}` };
}
