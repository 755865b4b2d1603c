/** What a migration would do, before it is run: from its own text, and from the sizes of the tables that it touches. */
import { readFile } from 'node:fs/promises';
import { Client } from 'pg';
import { BASELINE, readBaseline } from './baseline.ts';
import { MIGRATIONS, pendingMigrations } from './migrate.ts';
import type { StoreSettings } from './postgres/store.ts';

export type TouchedTable = {
  readonly table: string;
  /** What waits until the migration is over: reads and writes of the table, writes, or nothing but other changes of its rows. */
  readonly waits: 'reads and writes' | 'writes' | 'the same rows';
  readonly bytes: number;
  /** As PostgreSQL estimates it; null: it has not counted yet. */
  readonly rows: number | null;
};

export type PlannedMigration = {
  readonly name: string;
  readonly does: string;
  /** Nodes of the version before can go on beside it. */
  readonly besideVersionBefore: boolean;
  /** Tables that are there already. */
  readonly touches: readonly TouchedTable[];
};

const WAITS: readonly (readonly [RegExp, TouchedTable['waits']])[] = [
  [/\b(?:alter|drop)\s+table\s+(?:if\s+exists\s+)?(?:only\s+)?(\w+)/gi, 'reads and writes'],
  [/\b(?:create|drop)\s+policy\s+\w+\s+on\s+(\w+)/gi, 'reads and writes'],
  [/\bdrop\s+trigger\s+(?:if\s+exists\s+)?\w+\s+on\s+(\w+)/gi, 'reads and writes'],
  [/\bcreate\s+(?:unique\s+)?index\s+(?:if\s+not\s+exists\s+)?(?:\w+\s+)?on\s+(?:only\s+)?(\w+)/gi, 'writes'],
  [/\bcreate\s+(?:or\s+replace\s+)?(?:constraint\s+)?trigger\s+\w+[^;]*?\son\s+(\w+)/gi, 'writes'],
  [/\breferences\s+(\w+)/gi, 'writes'],
  [/(?:^|;)\s*(?:update|delete\s+from|insert\s+into)\s+(\w+)/gi, 'the same rows'],
];

/** The first sentence of the comment that a file begins with, and whether it only adds. */
function headOf(text: string): Pick<PlannedMigration, 'does' | 'besideVersionBefore'> {
  const lines = text.split('\n');
  const end = lines.findIndex((line) => !line.startsWith('--'));
  const comment = lines
    .slice(0, end === -1 ? undefined : end)
    .map((line) => line.replace(/^--\s?/, '').trim())
    .join(' ');
  const [, kind = '', said = ''] = /^(expand|contract)[^:]*:\s*(.*)$/.exec(comment) ?? [];
  const does = /^.*?\.(?=\s|$)/.exec(said)?.[0] ?? said;
  return { does, besideVersionBefore: kind === 'expand' };
}

/** By table; what lets the most wait counts. Bodies of functions run later, and new tables have no users. */
export function tablesIn(text: string): ReadonlyMap<string, TouchedTable['waits']> {
  const statements = text.replaceAll(/--.*$/gm, '').replaceAll(/\$(\w*)\$[\s\S]*?\$\1\$/g, "''");
  const own = new Set(
    [...statements.matchAll(/\bcreate\s+table\s+(?:if\s+not\s+exists\s+)?(\w+)/gi)].map(([, name]) => name),
  );
  const found = new Map<string, TouchedTable['waits']>();
  for (const [pattern, waits] of WAITS)
    for (const [, table] of statements.matchAll(pattern))
      if (table !== undefined && !own.has(table) && !found.has(table)) found.set(table, waits);
  return found;
}

/** With its partitions. Undefined: there is no such table yet. */
async function sizeOf(client: Client, table: string): Promise<Pick<TouchedTable, 'bytes' | 'rows'> | undefined> {
  const { rows } = await client.query<{ bytes: string; rows: number | null }>(
    `select coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint as bytes,
       sum(greatest(c.reltuples, 0)) filter (where c.reltuples >= 0) as rows
     from pg_class c
     where c.oid = to_regclass($1)
       or c.oid in (select relid from pg_partition_tree(to_regclass($1)))
     having count(*) > 0`,
    [table],
  );
  const [found] = rows;
  return found && { bytes: Number(found.bytes), rows: found.rows === null ? null : Number(found.rows) };
}

/** Changes nothing. */
export async function planMigration(
  settings: StoreSettings,
  folder: URL = MIGRATIONS,
): Promise<readonly PlannedMigration[]> {
  const names = await pendingMigrations(settings, folder);
  const client = new Client({ connectionString: settings.url, connectionTimeoutMillis: settings.connectMs });
  await client.connect();
  try {
    const planned: PlannedMigration[] = [];
    for (const name of names) {
      const text =
        name === BASELINE ? await readBaseline(folder) : await readFile(new URL(`${name}.sql`, folder), 'utf8');
      const touches: TouchedTable[] = [];
      for (const [table, waits] of tablesIn(text)) {
        const size = await sizeOf(client, table);
        if (size !== undefined) touches.push({ table, waits, ...size });
      }
      planned.push({ name, ...headOf(text), touches });
    }
    return planned;
  } finally {
    await client.end();
  }
}
