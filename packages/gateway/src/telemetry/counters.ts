// Counters whose label values are closed sets: any other value counts as `other`, so no caller can make the number of
// series grow. Adding is one lookup per label and one addition; the registry is told at scrape time.

import { Counter, type Registry } from 'prom-client';

export const OTHER = 'other';

export interface CounterForm {
  readonly name: string;
  readonly help: string;
  readonly labels: Readonly<Record<string, readonly string[]>>;
}

interface Branch {
  readonly next: Map<string, Branch>;
  readonly values: readonly string[];
  count: number;
}

const branch = (values: readonly string[]): Branch => ({ next: new Map(), values, count: 0 });

export class ClosedCounter {
  readonly #allowed: ReadonlySet<string>[];
  readonly #root = branch([]);

  constructor(form: CounterForm, registry: Registry) {
    const labelNames = Object.keys(form.labels);
    this.#allowed = Object.values(form.labels).map((values) => new Set(values));
    const root = this.#root;
    const counter: Counter = new Counter({
      name: form.name,
      help: form.help,
      labelNames,
      registers: [registry],
      collect: () => {
        counter.reset();
        const visit = (node: Branch): void => {
          if (node.values.length === labelNames.length) {
            counter.inc(
              Object.fromEntries(labelNames.map((name, index) => [name, node.values[index] ?? OTHER])),
              node.count,
            );
          }
          for (const child of node.next.values()) visit(child);
        };
        visit(root);
      },
    });
  }

  /** Values in the order the labels were declared in. */
  add(values: readonly string[], amount = 1): void {
    let node = this.#root;
    for (let index = 0; index < this.#allowed.length; index += 1) {
      const given = values[index] ?? OTHER;
      let child = node.next.get(given);
      if (child === undefined) child = this.#grow(node, index, given);
      node = child;
    }
    node.count += amount;
  }

  /** A value allowed from now on, e.g. a host that a reload brought in. */
  allow(labelIndex: number, values: readonly string[]): void {
    const allowed = this.#allowed[labelIndex];
    if (allowed !== undefined) this.#allowed[labelIndex] = new Set([...allowed, ...values]);
  }

  #grow(node: Branch, index: number, given: string): Branch {
    const value = this.#allowed[index]?.has(given) === true ? given : OTHER;
    const existing = node.next.get(value);
    if (existing !== undefined) return existing;
    const child = branch([...node.values, value]);
    node.next.set(value, child);
    return child;
  }
}
