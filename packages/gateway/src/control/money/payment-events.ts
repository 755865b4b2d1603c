/**
 * Webhook endpoint for payment providers: separate from the admin API's path, so that a proxy can expose only this.
 * Authenticated by a signature over the body, not by a credential.
 */
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Log } from '../../telemetry/log.ts';
import type { MoneyPorts } from '../api/credit-port.ts';
import { AdminProblem, notFound } from '../api/problem.ts';
import { StoredOrders } from './order-rows.ts';
import type { OrderPorts } from './orders.ts';
import { type Taken, takePayment } from './take-payment.ts';

export const PAYMENTS_MOUNT = '/payments/v1';

/** Events name a checkout, not its items. */
const MAX_EVENT_BYTES = 262_144;

type Events = { readonly Params: { readonly provider: string }; readonly Body: string };

/** The sender learns no more than that; the log has the reason. */
const REJECTED = new AdminProblem('invalid', 'This event was rejected.');

/** A payment without a matching order: the provider shows the delivery as failed, and an operator must look into it. */
const FITS_NO_ORDER = new AdminProblem('conflict', 'This payment matches no open order.');

/** The order stays open: providers retry deliveries that were answered like this. */
const NOT_POSTED = new AdminProblem('unavailable', 'This payment was not credited; deliver the event again.');

const isCredited = (taken: Taken): boolean => taken === 'credited' || taken === 'already-credited';

export type PaymentEventsPorts = Pick<MoneyPorts & OrderPorts, 'store' | 'money' | 'payments'> & {
  readonly log: Log;
  readonly nowMs: () => number;
  readonly readText: (request: IncomingMessage, maxBytes: number) => Promise<string>;
};

export function addPaymentEvents(
  app: FastifyInstance,
  { store, money, payments, log, nowMs, readText }: PaymentEventsPorts,
): void {
  const orders = new StoredOrders(store);
  app.register(async (scope) => {
    // The signature covers the raw bytes.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', ({ raw }: FastifyRequest) => readText(raw, MAX_EVENT_BYTES));
    scope.post<Events>(`${PAYMENTS_MOUNT}/:provider/events`, async (request) => {
      const { provider } = request.params;
      const adapter = payments(provider);
      if (adapter === undefined) throw notFound('Payment provider', provider);
      const header = (name: string): string | undefined => [request.headers[name]].flat()[0];
      const outcome = adapter.read(header, request.body ?? '', nowMs());
      if (outcome.kind === 'rejected') {
        log.warn('payment event rejected: bad signature or format', { provider, problem: outcome.why });
        throw REJECTED;
      }
      if (outcome.kind === 'other') return { credited: false };
      const taken = await takePayment(outcome.payment, orders, money);
      if (taken === 'refused-by-ledger') {
        log.error('payment refused by the ledger', { provider, problem: `order ${outcome.payment.orderId}` });
        throw NOT_POSTED;
      }
      if (!isCredited(taken)) {
        log.error('payment matches no open order', { provider, problem: taken });
        throw FITS_NO_ORDER;
      }
      return { credited: true };
    });
  });
}
