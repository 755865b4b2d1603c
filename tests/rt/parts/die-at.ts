/**
 * Preloaded into a gateway under test: kills it at one named point of a video's life, the first time it is reached. The
 * points lie before and after what writes, sends or keeps something, so that every order of things is interrupted once.
 */
import { FolderStore } from '../../../packages/gateway/src/blobs/folder-store.ts';
import { OperationDesk } from '../../../packages/gateway/src/operations/desk.ts';
import { Watchman } from '../../../packages/gateway/src/operations/watchman.ts';
import { OperationRows } from '../../../packages/gateway/src/store/operations.ts';
import { UsageRows } from '../../../packages/gateway/src/store/usage-rows.ts';
import { UndiciUpstream } from '../../../packages/gateway/src/upstream/undici-upstream.ts';
import { type DeathPoint, DIE_AT } from './death-points.ts';

const point = process.env[DIE_AT] as DeathPoint | undefined;

const die = (at: DeathPoint): void => {
  if (at === point) process.kill(process.pid, 'SIGKILL');
};

type Method = (...given: never[]) => unknown;

/** Calls through, and dies before or after where the arguments name a point. */
function wrap(
  of: object,
  name: string,
  points: (given: readonly unknown[]) => readonly [DeathPoint?, DeathPoint?],
): void {
  const original = Reflect.get(of, name) as Method;
  Reflect.set(of, name, function wrapped(this: object, ...given: never[]) {
    const [before, after] = points(given);
    if (before !== undefined) die(before);
    const result = original.apply(this, given);
    if (after === undefined) return result;
    if (!(result instanceof Promise)) {
      setTimeout(() => die(after), 2);
      return result;
    }
    return result.then((value) => {
      die(after);
      return value;
    });
  });
}

const MOVES: Readonly<Record<string, readonly [DeathPoint?, DeathPoint?]>> = {
  accepted: ['before-accepted', 'after-accepted'],
  waited: ['before-waited', 'after-waited'],
  finished: ['before-finished', 'after-finished'],
};

wrap(OperationDesk.prototype, 'open', () => ['before-open', 'after-open']);
wrap(OperationRows.prototype, 'move', ([, event]) => MOVES[(event as { name: string }).name] ?? []);
wrap(Watchman.prototype, 'look', () => ['before-look', 'after-look']);
wrap(FolderStore.prototype, 'put', () => ['before-put', 'after-put']);
wrap(UsageRows.prototype, 'store', () => ['before-record', 'after-record']);
wrap(UndiciUpstream.prototype, 'send', ([request]) =>
  (request as { method?: string }).method === 'GET' ? ['before-ask', 'after-ask'] : ['before-send', 'after-send'],
);
