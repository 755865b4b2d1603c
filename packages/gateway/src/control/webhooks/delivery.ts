/** A delivery as the admin API shows it. */

import type { WebhookDelivery } from './contract.ts';
import type { DeliveryRow } from './delivery-rows.ts';

export const showDelivery = (row: DeliveryRow): WebhookDelivery => ({
  id: row.id,
  event: row.event,
  state: row.state,
  tries: row.tries,
  nextTryAt: row.state === 'due' ? row.due_at.toISOString() : null,
  lastTriedAt: row.last_tried_at?.toISOString() ?? null,
  lastStatus: row.last_status,
  lastProblem: row.last_problem,
  createdAt: row.created_at.toISOString(),
});
