/** Changes to the top-level members of a chat request, gathered before any is made. */
import type { CanonicalField, FieldLoss } from '../../canonical/fields.ts';
import type { Json, JsonObject } from '../../canonical/json.ts';
import type { LossReason } from '../../canonical/loss.ts';
import type { TargetFacts } from '../dialect.ts';
import { type ChatQuirks, quirksOf } from './quirks.ts';

export type Adaptation = {
  /** New value of a member; undefined removes it. */
  readonly set: ReadonlyMap<string, Json | undefined>;
  readonly rename: ReadonlyMap<string, string>;
  readonly losses: readonly FieldLoss[];
};

export class Change implements Adaptation {
  readonly set = new Map<string, Json | undefined>();
  readonly rename = new Map<string, string>();
  readonly losses: FieldLoss[] = [];
  readonly body: JsonObject;
  readonly quirks: ChatQuirks;

  constructor(body: JsonObject, target: TargetFacts) {
    this.body = body;
    this.quirks = quirksOf(target);
  }
  given(name: string): boolean {
    const value = this.body[name];
    return value !== undefined && value !== null;
  }
  remove(name: string): void {
    if (this.body[name] !== undefined) this.set.set(name, undefined);
  }
  lose(name: string, field: CanonicalField, why: LossReason = 'no-equivalent'): void {
    if (!this.given(name)) return;
    this.remove(name);
    this.losses.push({ field, why });
  }
}
