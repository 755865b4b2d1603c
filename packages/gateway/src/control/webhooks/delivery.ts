/** A delivery as the admin API shows it. */

import { shown } from '../api/shown.ts';
import { WebhookDelivery } from './contract.ts';
import type { DeliveryRow } from './delivery-rows.ts';

export const showDelivery = (row: DeliveryRow): WebhookDelivery =>
  shown(WebhookDelivery, row, { nextTryAt: row.state === 'due' ? row.due_at.toISOString() : null });
