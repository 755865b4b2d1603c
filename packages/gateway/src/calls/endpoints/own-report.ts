/** An account's query about itself, which costs nothing and reaches no upstream. */
import type { JsonObject } from '@trivium/protocol/canonical';
import type { RawHeaders } from '../../kernel/caller-port.ts';
import type { OwnQuestion } from '../../kernel/reports.ts';
import type { Engine } from '../engine.ts';
import { findCaller, requireKey } from '../entry/authenticate.ts';

export type Asked = {
  readonly what: OwnQuestion;
  readonly query: ReadonlyMap<string, string>;
  readonly headers: RawHeaders;
  readonly address: string;
  readonly keyInQuery: boolean;
};

export async function ownReport(
  engine: Engine,
  { what, query, headers, address, keyInQuery }: Asked,
): Promise<JsonObject> {
  const caller = requireKey(await findCaller(headers, engine.accounts, keyInQuery), { address });
  return engine.reports.read(caller, what, query);
}
