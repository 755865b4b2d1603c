/** `trivium policies …`: routing policies set in the database. */

import { type CommandGroup, commandFor } from '../api/command.ts';
import type { NewPolicyPreviewBody, PolicyPreview, PolicyVersion } from './contract.ts';

export const policyCommands: CommandGroup = {
  group: 'policies',
  about: 'routing policies: fallbacks, shares and limits of hosts',
  commands: [
    commandFor<PolicyVersion>()({
      command: 'policies list',
      about: 'list the policies in force',
      call: 'GET /policies',
      rowsIn: 'items',
      columns: ['name', 'version', 'source', 'policy.scope', 'policy.match', 'canary.state', 'createdAt', 'createdBy'],
    }),
    commandFor<PolicyVersion>()({
      command: 'policies history <policy>',
      about: 'list the versions of a policy, latest first',
      call: 'GET /policies/{policy}',
      rowsIn: 'items',
      columns: ['version', 'source', 'createdAt', 'createdBy', 'canary', 'policy'],
    }),
    commandFor()({
      command: 'policies resume <policy>',
      about: 'resume a canary that has stepped back',
      call: 'POST /policies/{policy}/resume',
    }),
    commandFor<PolicyVersion>()({
      command: 'policies save',
      about: 'save a policy; it applies at once',
      call: 'POST /policies',
      options: { '-file': ['--file <path>', 'JSON file with the policy', { required: true }] },
    }),
    commandFor<PolicyPreview, NewPolicyPreviewBody>()({
      command: 'policies preview',
      about: 'plan a recorded request as it is now, and with a draft of a policy; nothing is sent or saved',
      call: 'POST /policies/preview',
      options: {
        requestId: ['--request <id>', 'request to plan', { required: true }],
        '-file': ['--file <path>', 'JSON file with the draft', { required: true }],
      },
    }),
    commandFor<PolicyVersion>()({
      command: 'policies remove <policy>',
      about: 'remove a policy; its versions stay listed',
      call: 'DELETE /policies/{policy}',
    }),
  ],
};
