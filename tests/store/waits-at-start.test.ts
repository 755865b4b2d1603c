/** What a gateway needs of its database and disk at startup: an absent database is waited for, a refusal ends it. */
import { connect, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { requireJournalFolder } from '../../packages/gateway/src/app/require-startable.ts';
import type { Config } from '../../packages/gateway/src/config/config.ts';
import { migrate } from '../../packages/gateway/src/store/migrate.ts';
import { openStore } from '../../packages/gateway/src/store/open-store.ts';
import { isAway } from '../../packages/gateway/src/store/postgres/unreachable.ts';
import { createLog } from '../../packages/gateway/src/telemetry/log.ts';
import { lastingPort } from '../rt/parts/lasting-port.ts';
import { freshDatabase } from '../support/database.ts';

const coded = (code: string): Error => Object.assign(new Error(code), { code });

test('a server that is absent or starting is waited for, and one that refuses is not', () => {
  for (const code of ['ECONNREFUSED', 'ENOTFOUND', '57P03']) expect(isAway(coded(code))).toBe(true);
  expect(isAway(new Error('the database could not be migrated', { cause: coded('ECONNREFUSED') }))).toBe(true);
  for (const code of ['28P01', '28000', '3D000', '42501']) expect(isAway(coded(code))).toBe(false);
  expect(isAway(new Error('the database could not be migrated', { cause: coded('28P01') }))).toBe(false);
});

test('a database that comes late is waited for, and the log says so', async () => {
  const database = await freshDatabase();
  const port = await lastingPort();
  const url = new URL(database.url);
  const late = new URL(url);
  late.hostname = '127.0.0.1';
  late.port = String(port);
  const server = createServer((socket) => {
    const upstream = connect(Number(url.port), url.hostname);
    for (const end of [socket, upstream]) end.on('error', () => undefined);
    socket.pipe(upstream).pipe(socket);
  });
  const lines: string[] = [];
  const log = createLog({
    level: 'info',
    write: (line) => {
      lines.push(line);
      if (line.includes('waiting')) server.listen(port, '127.0.0.1');
    },
  });
  const store = await openStore({ ...database.settings, url: late.href, migrate: true }, log);
  await store.close();
  server.close();
  await database.drop();
  const waiting = lines.filter((line) => line.includes('database unreachable: waiting for it'));
  expect(waiting).toHaveLength(1);
  expect(JSON.parse(waiting[0] ?? '')).toMatchObject({
    problem: `127.0.0.1:${port}${late.pathname}: connect ECONNREFUSED 127.0.0.1:${port}`,
    next: 'start PostgreSQL there, or correct database.url',
  });
});

test('a journal folder that cannot be written to is named in one sentence', () => {
  const config = { database: {}, ledger: { journal: '/dev/null/journal' } } as unknown as Config;
  expect(() => requireJournalFolder(config)).toThrow(
    /^cannot write to the folder ledger\.journal \/dev\/null\/journal: ENOTDIR/,
  );
});

test('a migration of an absent database names it, and not its password', async () => {
  const port = await lastingPort();
  const url = `postgres://trivium:canary@127.0.0.1:${port}/gateway`;
  await expect(migrate({ url, maxConnections: 1, connectMs: 5000, statementMs: 5000 })).rejects.toThrow(
    `the database 127.0.0.1:${port}/gateway could not be migrated: connect ECONNREFUSED`,
  );
});
