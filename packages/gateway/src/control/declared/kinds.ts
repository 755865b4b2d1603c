/** Every kind of thing that files declare, in the order in which they are made: the only list of them. Removals go backwards. */
import { accountKind, tagKind } from '../accounts/declare.ts';
import { alertDestinationKind, alertRuleKind } from '../alerts/declare.ts';
import type { AlertPorts } from '../alerts/ports.ts';
import type { MoneyPorts } from '../api/credit-port.ts';
import type { DeclaredKind } from '../api/declared.ts';
import { keyKind } from '../keys/declare.ts';
import { managedKind } from '../managed-settings/declare.ts';
import { memberKind } from '../members/declare.ts';
import { aliasKind, modelKind } from '../models/declare.ts';
import type { OwnModelPorts } from '../models/ports.ts';
import { budgetKind } from '../money/declare.ts';
import { templateKind } from '../money/declare-templates.ts';
import { policyKind } from '../policies/declare.ts';
import type { PolicyPorts } from '../policies/ports.ts';
import { priceKind, termsKind } from '../prices/declare.ts';
import type { PricePorts } from '../prices/price-port.ts';
import { webhookKind } from '../webhooks/declare.ts';
import type { CapturedPorts } from '../wire/captured-port.ts';
import { captureKind } from '../wire/declare.ts';

export type DeclaredPorts = MoneyPorts & PricePorts & AlertPorts & CapturedPorts & OwnModelPorts & PolicyPorts;

export const DECLARED_KINDS: readonly DeclaredKind<DeclaredPorts>[] = [
  accountKind,
  tagKind,
  memberKind,
  keyKind,
  webhookKind,
  captureKind,
  termsKind,
  budgetKind,
  templateKind,
  modelKind,
  aliasKind,
  policyKind,
  managedKind,
  priceKind,
  alertRuleKind,
  alertDestinationKind,
];
