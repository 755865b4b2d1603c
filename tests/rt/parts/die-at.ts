/**
 * Preloaded into gateways under test: the first process that reaches a point with a kill order takes it and executes it, on
 * itself or on its database. So any node may be the one that reaches a point.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { readFileSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { OperationRows } from '../../../packages/gateway/src/control/operations/rows.ts';
import { UsageRows } from '../../../packages/gateway/src/control/usage/usage-rows.ts';
import { FolderStore } from '../../../packages/gateway/src/media/blobs/folder-store.ts';
import { OperationPoller } from '../../../packages/gateway/src/media/operations/operation-poller.ts';
import { PostgresLedger } from '../../../packages/gateway/src/money/ledger/postgres-ledger.ts';
import { OperationJobs } from '../../../packages/gateway/src/store/jobs/jobs.ts';
import { SocketUpstream } from '../../../packages/gateway/src/upstream/socket-upstream.ts';
import { WARRANTS, WHO_COMES_BY } from './death-points.ts';
import { killTree } from './process-facts.ts';

const folder = process.env[WARRANTS] ?? '';

/** True when another process was killed by it. Points outside the list never have a kill order. */
function comeBy(point: string): boolean {
  let victim: string;
  try {
    const path = join(folder, point);
    victim = readFileSync(path, 'utf8');
    // Only one of several readers can remove it.
    unlinkSync(path);
  } catch {
    return false;
  }
  killTree(victim === WHO_COMES_BY ? process.pid : Number(victim));
  return true;
}

type Method = (...given: never[]) => unknown;

function replace(of: object, name: string, wrapper: (original: Method) => Method): void {
  Reflect.set(of, name, wrapper(Reflect.get(of, name) as Method));
}

/** The step of the running transaction. */
const steps = new AsyncLocalStorage<string>();

/** A transaction. When the database is killed after it, the process does not learn that it was committed. */
function step(of: object, name: string, stepOf: (given: readonly unknown[]) => string): void {
  replace(
    of,
    name,
    (original) =>
      async function wrapped(this: object, ...given: never[]) {
        const called = stepOf(given);
        comeBy(`before-${called}`);
        const value = await steps.run(called, () => original.apply(this, given));
        // A late event has changed nothing.
        const isLate = name === 'move' && value === undefined;
        if (!isLate && comeBy(`after-${called}`)) throw new Error('Connection terminated unexpectedly');
        return value;
      },
  );
}

/** Part of a transaction. */
function part(of: object, name: string, called: string): void {
  replace(
    of,
    name,
    (original) =>
      async function wrapped(this: object, ...given: never[]) {
        const value = await original.apply(this, given);
        const within = steps.getStore();
        if (within !== undefined) comeBy(`${within}-${called}`);
        return value;
      },
  );
}

function deed(of: object, name: string, called: string): void {
  replace(
    of,
    name,
    (original) =>
      async function wrapped(this: object, ...given: never[]) {
        comeBy(`before-${called}`);
        const value = await original.apply(this, given);
        comeBy(`after-${called}`);
        return value;
      },
  );
}

step(OperationRows.prototype, 'open', () => 'open');
step(OperationRows.prototype, 'move', ([, event]) => (event as { name: string }).name);
step(UsageRows.prototype, 'store', () => 'record');
part(PostgresLedger.prototype, 'apply', 'money');
part(OperationJobs.prototype, 'send', 'job');
deed(OperationPoller.prototype, 'look', 'look');
deed(FolderStore.prototype, 'put', 'put');

/** In ms: enough for the request to reach its host, and not for the answer to arrive. */
const ON_ITS_WAY_MS = 2;
replace(
  SocketUpstream.prototype,
  'send',
  (original) =>
    function wrapped(this: object, ...given: never[]) {
      const called = (given[0] as unknown as { method?: string }).method === 'GET' ? 'ask' : 'send';
      comeBy(`before-${called}`);
      setTimeout(() => comeBy(`after-${called}`), ON_ITS_WAY_MS);
      return original.apply(this, given);
    },
);
