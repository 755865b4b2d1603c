/**
 * The commands of all slices, in the order of the command line's help: the only list of them. The command line loads this before it
 * knows what to do, so nothing else of the gateway may be loaded with it.
 */
import { accountCommands, tagCommands } from './accounts/commands.ts';
import { alertCommands, destinationCommands } from './alerts/commands.ts';
import type { CommandGroup } from './api/command.ts';
import { auditCommands } from './audit/commands.ts';
import { grantCommands } from './grants/commands.ts';
import { keyLinkCommands } from './key-links/commands.ts';
import { keyCommands } from './keys/commands.ts';
import { managedCommands } from './managed-settings/commands.ts';
import { goneCommands, memberCommands } from './members/commands.ts';
import { modelCommands } from './models/commands.ts';
import { budgetCommands, creditCommands, ledgerCommands, orderCommands } from './money/commands.ts';
import { configCommands, nodeCommands } from './nodes/commands.ts';
import { operationCommands } from './operations/commands.ts';
import { peopleCommands } from './people/commands.ts';
import { policyCommands } from './policies/commands.ts';
import { priceCommands } from './prices/commands.ts';
import { providerCommands } from './providers/commands.ts';
import { requestCommands } from './requests/commands.ts';
import { usageCommands } from './usage/commands.ts';
import { viewCommands } from './views/commands.ts';
import { webhookCommands } from './webhooks/commands.ts';
import { whatIfCommands } from './what-if/commands.ts';
import { captureCommands, wireCommands } from './wire/commands.ts';

export type { AdminCommand, Column, CommandGroup, MemberOf } from './api/command.ts';
export type { AuditEntry } from './audit/contract.ts';
export type { ModelDetail, ShownModel } from './models/contract.ts';
export type { Operation } from './operations/contract.ts';
export type { PolicyPreview } from './policies/contract.ts';
export type { ProviderDetail } from './providers/contract.ts';
export type { RequestAttempt, RequestDetail, RequestRow } from './requests/contract.ts';
export type { WebhookDelivery } from './webhooks/contract.ts';
export type { WhatIf } from './what-if/contract.ts';
export type { Wire } from './wire/capture-contract.ts';
export type { Replay } from './wire/replay-contract.ts';
export type { Stored } from './wire/stored-contract.ts';

/** A group with commands of another slice. */
const withAlso = (group: CommandGroup, commands: CommandGroup['commands']): CommandGroup => ({
  ...group,
  commands: [...group.commands, ...commands],
});

export const ADMIN_COMMANDS: readonly CommandGroup[] = [
  configCommands,
  ledgerCommands,
  withAlso(accountCommands, captureCommands),
  memberCommands,
  withAlso(peopleCommands, goneCommands),
  withAlso(keyCommands, keyLinkCommands),
  grantCommands,
  creditCommands,
  budgetCommands,
  tagCommands,
  orderCommands,
  priceCommands,
  policyCommands,
  managedCommands,
  whatIfCommands,
  usageCommands,
  withAlso(requestCommands, wireCommands),
  modelCommands,
  providerCommands,
  nodeCommands,
  operationCommands,
  webhookCommands,
  alertCommands,
  destinationCommands,
  auditCommands,
  viewCommands,
];
