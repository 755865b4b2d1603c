/** What an answer has used so far: the upstream's own figures where it gave any, and how much text went by. */
import type { Event } from '../canonical/events.ts';
import { mergeUsage, type Usage } from '../canonical/usage.ts';

export class UsageMeter {
  #usage: Usage = {};
  #reported = false;
  #producedCharacters = 0;

  observe(event: Event): void {
    if (event.type === 'usage-update') this.report(event.usage);
    else if (event.type === 'block-delta') this.#producedCharacters += event.text.length;
  }

  report(usage: Usage): void {
    this.#usage = mergeUsage(this.#usage, usage);
    this.#reported = true;
  }

  produced(characters: number): void {
    this.#producedCharacters += characters;
  }

  get hasProduced(): boolean {
    return this.#producedCharacters > 0;
  }

  get reading(): { readonly usage: Usage; readonly reported: boolean; readonly producedCharacters: number } {
    return { usage: this.#usage, reported: this.#reported, producedCharacters: this.#producedCharacters };
  }
}
