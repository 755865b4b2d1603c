/** Calls waiting for their responses, found by id or by name without a scan. The oldest go first. */
export type OpenCall = { readonly id: string; readonly name: string };

type Entry = OpenCall & { isAnswered: boolean };

class Queue {
  readonly #entries: Entry[] = [];
  #at = 0;

  push(entry: Entry): void {
    this.#entries.push(entry);
  }

  first(): Entry | undefined {
    while (this.#entries[this.#at]?.isAnswered === true) this.#at++;
    return this.#entries[this.#at];
  }
}

export class OpenCalls {
  readonly #byId = new Map<string, Queue>();
  readonly #byName = new Map<string, Queue>();
  readonly #all = new Queue();

  add(call: OpenCall): void {
    const entry = { ...call, isAnswered: false };
    queueOf(this.#byId, call.id).push(entry);
    queueOf(this.#byName, call.name).push(entry);
    this.#all.push(entry);
  }

  /** By id, else the oldest of that name, else, if no id was given, the oldest of any. Removes it. */
  take(id: string | undefined, name: string): OpenCall | undefined {
    const byId = id === undefined ? undefined : this.#byId.get(id)?.first();
    const found = byId ?? this.#byName.get(name)?.first() ?? (id === undefined ? this.#all.first() : undefined);
    if (found !== undefined) found.isAnswered = true;
    return found;
  }
}

function queueOf(queues: Map<string, Queue>, key: string): Queue {
  let queue = queues.get(key);
  if (queue === undefined) {
    queue = new Queue();
    queues.set(key, queue);
  }
  return queue;
}
