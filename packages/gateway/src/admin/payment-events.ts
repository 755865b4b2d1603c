/**
 * Where payment providers tell that somebody has paid: beside the admin API and outside its mount, so that a proxy can let in
 * this and nothing else. No credential, but a signature over the body.
 */
import type { FastifyInstance } from 'fastify';
import { type Taken, takePayment } from '../payments/take-payment.ts';
import { StoredOrders } from '../store/postgres/payment-orders.ts';
import type { Log } from '../telemetry/log.ts';
import { AdminProblem, notFound } from './problem.ts';
import type { AdminPorts } from './route.ts';

export const PAYMENTS_MOUNT = '/payments/v1';

/** Events name a checkout, not a basket. */
const MAX_EVENT_BYTES = 262_144;

type Events = { readonly Params: { readonly provider: string }; readonly Body: string };

/** Whoever sent it learns no more than that; the log has the reason. */
const NOT_BELIEVED = new AdminProblem('invalid', 'This event is not believed.');

/** Somebody has paid and gets nothing for it: the provider shows the delivery as failed, and an operator looks. */
const FITS_NO_ORDER = new AdminProblem('conflict', 'This payment fits no open order.');

/** The order stays open: providers deliver again what was answered so. */
const NOT_POSTED = new AdminProblem('unavailable', 'This payment was not credited; deliver the event again.');

const isCredited = (taken: Taken): boolean => taken === 'credited' || taken === 'already-credited';

export type PaymentEventsPorts = Pick<AdminPorts, 'store' | 'money' | 'payments'> & {
  readonly log: Log;
  readonly nowMs: () => number;
};

export function addPaymentEvents(
  app: FastifyInstance,
  { store, money, payments, log, nowMs }: PaymentEventsPorts,
): void {
  const orders = new StoredOrders(store);
  app.register(async (scope) => {
    // The signature is over the bytes as they came.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'string', bodyLimit: MAX_EVENT_BYTES }, (_request, body, done) =>
      done(null, body),
    );
    scope.post<Events>(`${PAYMENTS_MOUNT}/:provider/events`, async (request) => {
      const { provider } = request.params;
      const adapter = payments(provider);
      if (adapter === undefined) throw notFound('Payment provider', provider);
      const header = (name: string): string | undefined => [request.headers[name]].flat()[0];
      const outcome = adapter.read(header, request.body ?? '', nowMs());
      if (outcome.kind === 'rejected') {
        log.warn('payment event rejected: bad signature or format', { provider, problem: outcome.why });
        throw NOT_BELIEVED;
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
