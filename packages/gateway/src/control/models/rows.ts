/** Own models and aliases in the database. Every node takes them up when they change, as it does with prices. */
import { type ColumnType, sql } from 'kysely';
import type { Db } from '../../store/postgres/store.ts';
import type { RowOf, TableOf } from '../api/shown.ts';
import type { ModelAlias, OwnModel, OwnModelDefinition } from './own-contract.ts';

type Updated = { readonly updated_at: ColumnType<Date, never, Date> };

declare module '../../store/postgres/tables.ts' {
  interface Tables {
    readonly own_models: TableOf<typeof OwnModel, Updated>;
    readonly model_aliases: TableOf<typeof ModelAlias, Updated>;
  }
}

export type OwnModelRow = RowOf<typeof OwnModel>;
export type ModelAliasRow = RowOf<typeof ModelAlias>;

export const listOwnModels = (db: Db): Promise<OwnModelRow[]> =>
  db.selectFrom('own_models').selectAll().orderBy('id').execute();

export const setOwnModel = (db: Db, definition: OwnModelDefinition, updatedBy: string): Promise<OwnModelRow> => {
  const row = { definition: JSON.stringify(definition), updated_by: updatedBy };
  return db
    .insertInto('own_models')
    .values({ id: definition.id, ...row })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ ...row, updated_at: sql<Date>`now()` }))
    .returningAll()
    .executeTakeFirstOrThrow();
};

export const deleteOwnModel = (db: Db, id: string): Promise<OwnModelRow | undefined> =>
  db.deleteFrom('own_models').where('id', '=', id).returningAll().executeTakeFirst();

export const listModelAliases = (db: Db): Promise<ModelAliasRow[]> =>
  db.selectFrom('model_aliases').selectAll().orderBy('name').execute();

export const setModelAlias = (db: Db, name: string, model: string, updatedBy: string): Promise<ModelAliasRow> =>
  db
    .insertInto('model_aliases')
    .values({ name, model, updated_by: updatedBy })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet({ model, updated_by: updatedBy, updated_at: sql<Date>`now()` }),
    )
    .returningAll()
    .executeTakeFirstOrThrow();

export const deleteModelAlias = (db: Db, name: string): Promise<ModelAliasRow | undefined> =>
  db.deleteFrom('model_aliases').where('name', '=', name).returningAll().executeTakeFirst();
