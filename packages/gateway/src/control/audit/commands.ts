/** `trivium audit …`: who changed what, and whether the log was tampered with. */

import type { Static } from 'typebox';
import { type CommandGroup, commandFor } from '../api/command.ts';
import type { AccountAuditSearch, AuditEntry, AuditVerdict } from './contract.ts';

export const auditCommands: CommandGroup = {
  group: 'audit',
  about: 'audit log: what operators and members changed',
  commands: [
    commandFor<AuditEntry, Static<typeof AccountAuditSearch>>()({
      command: 'audit list',
      about: 'list changes, the newest first',
      call: ['GET /accounts/{account}/audit', 'GET /audit'],
      options: {
        account: ['--account <account>', 'only of this account'],
        actor: ['--actor <actor>', 'only by operator, key:<id> or member:<id>'],
        action: ['--action <action>', 'only this action; may end in *'],
        q: ['--search <text>', 'part of the subject, the action or the detail'],
        from: ['--from <time>', 'at or after this time'],
        until: ['--until <time>', 'before this time'],
      },
      columns: ['at', 'accountId', 'actor', 'action', 'subject', 'id', 'detail'],
    }),
    commandFor<AuditEntry>()({
      command: 'audit show <id>',
      about: 'show a change: each member before and after',
      call: ['GET /accounts/{account}/audit/{id}', 'GET /audit/{id}'],
      options: { account: ['--account <account>', 'the account it is of'] },
    }),
    commandFor<Static<typeof AuditVerdict>>()({
      command: 'audit verify',
      about: 'check that no entry was altered',
      call: 'GET /audit/verify',
      expects: ['intact', true],
    }),
  ],
};
