/** S11: the database goes away; readiness fails once no account can be served, and liveness never does. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitFor } from '../rt/parts/wait.ts';
import { type AdminStand, openAdminStand } from '../support/admin-stand.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';

/** The ledger degrades after ten seconds of silence; the rest is for a busy machine. */
const PATIENCE_MS = 60_000;

let line: Server;
const sockets = new Set<Socket>();
let database: TestDatabase;
const stands: AdminStand[] = [];
beforeAll(async () => {
  database = await freshDatabase();
  const { hostname, port } = new URL(database.url);
  line = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
    }
    near.pipe(far).pipe(near);
  }).listen(0, '127.0.0.1');
  await once(line, 'listening');
  const url = new URL(database.url);
  url.port = String((line.address() as AddressInfo).port);
  for (const more of [{ keys: [] }, { keys: [], readiness: { database: false } }, {}])
    stands.push(await openAdminStand({ config: () => more }, { ...database, url: url.href }));
}, PATIENCE_MS);
afterAll(async () => {
  await Promise.all(stands.map((stand) => stand.close()));
  line.close();
  await database.drop();
});

const cut = (): void => {
  line.close();
  for (const socket of sockets) socket.destroy();
};

async function probe(stand: AdminStand | undefined, path: string): Promise<readonly string[]> {
  const { url = '', adminUrl = '' } = stand?.gateway ?? {};
  const answers = await Promise.all([url, adminUrl].map((each) => fetch(`${each}${path}`)));
  return Promise.all(answers.map(async (answer) => `${answer.status} ${await answer.text()}`));
}

test('without the database, readiness fails only at nodes that can serve no account', {
  timeout: 2 * PATIENCE_MS,
}, async () => {
  const [strict, lenient, withUnmetered] = stands;
  for (const stand of stands) expect(await probe(stand, '/readyz')).toEqual(['200 ready\n', '200 ready\n']);
  cut();
  await waitFor(
    'the node that can serve no account is not ready',
    async () => (await probe(strict, '/readyz'))[0]?.startsWith('503') === true,
    PATIENCE_MS,
  );
  const why = '503 not ready: the database does not answer, and no account is known that is served without it\n';
  expect(await probe(strict, '/readyz')).toEqual([why, why]);
  expect(await probe(lenient, '/readyz')).toEqual(['200 ready\n', '200 ready\n']);
  // Keys of the configuration file belong to unmetered accounts.
  expect(await probe(withUnmetered, '/readyz')).toEqual(['200 ready\n', '200 ready\n']);
  for (const stand of stands) expect(await probe(stand, '/livez')).toEqual(['200 ok\n', '200 ok\n']);
});
