/** What the admin API needs of usage beyond its rows. */
import type { SpendQuestion } from '../../money/usage/spend-question.ts';
import type { SpendSum } from '../../money/usage/spend-sum.ts';
import type { MoneyPorts } from '../api/credit-port.ts';
import type { ModelPorts } from '../models/ports.ts';
import type { RequestPorts } from '../requests/requests-port.ts';

export interface UsagePort {
  /** As the account itself reads them; `query`: the query parameters. Throws if they are invalid. */
  sums(accountId: string, query: ReadonlyMap<string, string>): Promise<unknown>;
  one(accountId: string, requestId: string): Promise<unknown>;
}

/** Sums from the analytics database, if it covers the question; undefined: use the sums in PostgreSQL. */
type AnalyticsPort = (question: SpendQuestion, limit: number) => Promise<readonly SpendSum[] | undefined>;

export type UsagePorts = MoneyPorts &
  RequestPorts &
  ModelPorts & {
    readonly usage: UsagePort;
    readonly analytics: AnalyticsPort;
    /** Targets that this node has out of service. */
    readonly openCircuits: () => readonly string[];
  };
